"""XLIFF 1.2 and 2.x (http://docs.oasis-open.org/xliff): the files that translation tools exchange.

A unit that nobody has translated yet often repeats its source as its target; the state says so, and it is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts
from nmt.data.readers.base import Job, pair_of, speaks
from nmt.data.readers.xml import child, elements, local, text_of
from nmt.errors import DataError

_CODES = ("bpt", "ept", "it", "ph", "ut", "x", "bx", "ex")
_UNTRANSLATED = ("new", "needs-translation", "initial")


def read_xliff(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a file, by its own statement of their languages."""
    found = elements(job.path, job.name, "trans-unit", "unit")
    root = next(found)
    if local(root) != "xliff":
        raise DataError(f"{job.name}: the root element is <{local(root)}>, but XLIFF begins with <xliff>")
    for unit in found:
        is_reversed: bool | None = None
        for segment in [unit] if local(unit) == "trans-unit" else [part for part in unit if local(part) == "segment"]:
            sides = _sides(segment, f"{job.name}:{segment.sourceline}", counts)
            if not sides:
                continue
            is_reversed = _is_reversed(unit, job) if is_reversed is None else is_reversed
            line = segment.sourceline
            if pair := pair_of(sides[::-1] if is_reversed else sides, line, f"{job.name}:{line}", job, counts):
                yield pair


def _sides(segment: Any, place: str, counts: LineCounts) -> list[str]:
    """Source and target, or nothing (counted) if nobody has translated the segment."""
    source, target = child(segment, "source"), child(segment, "target")
    if source is None or target is None:
        counts.skip("no target", place)
    elif (state := target.get("state") or segment.get("state")) in _UNTRANSLATED:
        counts.skip(f"state {state}", place)
    else:
        return [text_of(source, _CODES), text_of(target, _CODES)]
    return []


def _is_reversed(unit: Any, job: Job) -> bool:
    """Whether the file's source language is our target language."""
    tags: list[str | None] = [None, None]
    for outer in unit.iterancestors():
        if local(outer) == "file" and outer.get("source-language"):
            tags = [outer.get("source-language"), outer.get("target-language")]
        elif local(outer) == "xliff" and outer.get("srcLang"):
            tags = [outer.get("srcLang"), outer.get("trgLang")]
    for wanted, is_reversed in (((job.source, job.target), False), ((job.target, job.source), True)):
        if all(tag is None or speaks(tag, want) for tag, want in zip(tags, wanted, strict=True)):
            return is_reversed
    raise DataError(
        f"{job.name}:{unit.sourceline}: this part is from {tags[0]} to {tags[1]}, "
        f"but {job.source} and {job.target} are to be read"
    )
