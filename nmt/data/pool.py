"""The same work on many batches, on all cores, the results in their order whatever the number of cores."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH_IT = 4
"""Batches up to which other processes would take longer to start than to work."""

_work: Callable[[Any], Any]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(
    make: Callable[..., Callable[[Item], Result]], arguments: tuple[Any, ...], items: Iterable[Item], *, processes: int
) -> Iterator[Result]:
    """What `make(*arguments)` gives for each item, in order.

    Args:
        make: A function of a module or a class; it is called once in each process.
        arguments: What it is called with; they pickle.
        items: The batches; a few more than are being worked on are taken in advance.
        processes: How many processes work; 1 means this one alone.

    Yields:
        The result of each item.
    """
    items = iter(items)
    first = list(islice(items, WORTH_IT))
    if processes == 1 or len(first) < WORTH_IT:
        yield from map(make(*arguments), chain(first, items))
        return
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin, (make, arguments))
    try:
        waiting: deque[Future[Result]] = deque()
        for item in chain(first, items):
            waiting.append(pool.submit(_run, item))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(make: Callable[..., Callable[[Any], Any]], arguments: tuple[Any, ...]) -> None:
    global _work  # noqa: PLW0603 - the one thing that a worker process has
    _work = make(*arguments)


def _run(item: Any) -> Any:
    return _work(item)
