"""What the tools share: flags, the folder of a model, and text in and out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeVar

from nmt.errors import DataError

Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


def tool_parser(verb: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser that shows its examples as they were written; no abbreviations, so that a new flag breaks nothing."""
    return argparse.ArgumentParser(
        prog=f"nmt {verb}",
        description=description,
        epilog="examples:\n" + examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_model(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """`--model` and `--device`."""
    parser.add_argument(
        "--model", type=Path, required=required, metavar="DIR", help="model folder, such as runs/demo/best"
    )
    parser.add_argument(
        "--device", default="auto", metavar="NAME", help="auto (a GPU if there is one), cpu, cuda or cuda:N"
    )


def add_search(parser: argparse.ArgumentParser) -> None:
    """`--beam` and `--batch-tokens`."""
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="hypotheses kept at each step, 1 is greedy; default: as trained"
    )
    parser.add_argument(
        "--batch-tokens",
        type=positive,
        default=4096,
        metavar="N",
        help="pieces translated at once, padding counted: more is faster and needs more memory (default: 4096)",
    )


def positive(text: str) -> int:
    """A whole number from 1, for argparse."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"it must be at least 1, not {number}")
    return number


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, the last one shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def read_lines(path: Path | None) -> Iterator[str]:
    """The lines of a file, or of stdin, by the one reading rule of `nmt.data.lines`."""
    from nmt.data.lines import lines_of

    if path is None:
        yield from lines_of(sys.stdin.buffer, "stdin")
    else:
        with path.open("rb") as stream:
            yield from lines_of(stream, str(path))


def parse_lines(path: Path, parse: Callable[[str], Parsed]) -> Iterator[Parsed]:
    """Each line of a file, parsed; what can not be parsed is said with file and line."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield parse(line)
        except DataError as error:
            raise DataError(f"{path}:{number}: {error}") from None


@contextmanager
def output_stream(path: Path | None) -> Iterator[BinaryIO]:
    """Stdout, or a file that appears only when all of it is written; a pipe or a device is written to directly."""
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            yield stream
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_line(stream: BinaryIO, line: str) -> None:
    r"""One line of UTF-8 that ends in \n, whatever the locale says."""
    stream.write(line.encode() + b"\n")
