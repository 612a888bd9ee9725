"""Parallel text as a stream of pairs: two aligned files, or one file with columns.

A new format is one more generator of `Pair` here and one more `case` in `nmt.data.parts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nmt.data.lines import LineCounts, count_lines, read_lines
from nmt.errors import DataError

_EVIDENCE = 2.0  # nats by which the lengths after a place must agree better; random ups and downs give about one


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str
    line: int
    """Line of the file it was read from, counted from 1."""
    source_id: int | None = None
    """The corpus's own number of the sentence, if it has one: the same sentence in another pair has it too."""
    target_id: int | None = None

    def flipped(self) -> Pair:
        """The same pair with its sides exchanged."""
        return Pair(self.target, self.source, self.line, self.target_id, self.source_id)


def read_files(source: str | Path, target: str | Path, counts: LineCounts | None = None) -> Iterator[Pair]:
    """Read two files in which line n of one is the translation of line n of the other (Moses format).

    Args:
        source: File of source sentences.
        target: File of target sentences.
        counts: Counts of both files are added to it.

    Returns:
        The pairs in order, blank ones included.

    Raises:
        DataError: At once, if a file can not be read or the files have different numbers of lines.
    """
    source_lines, target_lines = count_lines(source), count_lines(target)
    if source_lines != target_lines:
        raise DataError(
            f"{source} has {source_lines} lines, but {target} has {target_lines}: line n of one file must be the "
            f"translation of line n of the other. {_where_they_part(source, target)}"
        )
    lines = zip(read_lines(source, counts), read_lines(target, counts), strict=True)
    return (Pair(one, other, number) for number, (one, other) in enumerate(lines, start=1))


def _where_they_part(source: str | Path, target: str | Path) -> str:
    """A guess at the first line of two unequal files that is no longer beside its translation.

    Lengths of translations are proportional (Gale & Church 1993, https://aclanthology.org/J93-1004). If a block of
    lines is missing in one file, then up to it line n goes with line n, and after it with the line so much further on:
    the place is where lengths, read so, agree best.
    """
    lengths = [[len(line.strip()) for line in read_lines(path)] for path in (source, target)]
    for number, (one, other) in enumerate(zip(*lengths, strict=False), start=1):
        if bool(one) != bool(other):
            return f"Look at line {number} first: it is blank on one side only."
    shorter, longer = sorted(lengths, key=len)
    usual = math.log((sum(longer) + 1) / (sum(shorter) + 1))
    total, lowest, place = 0.0, 0.0, 0
    for number, (here, one, further) in enumerate(
        zip(shorter, longer, longer[len(longer) - len(shorter) :], strict=False), start=1
    ):
        total += abs(math.log((one + 1) / (here + 1)) - usual) - abs(math.log((further + 1) / (here + 1)) - usual)
        if total < lowest:
            lowest, place = total, number
    if total - lowest < _EVIDENCE:
        return "No line looks suspicious; perhaps the shorter file was cut off at its end."
    return f"Look at line {place + 1} first: by their lengths, the lines from about there on do not belong together."


def read_tsv(
    path: str | Path,
    *,
    source_column: int,
    target_column: int,
    source_id_column: int | None = None,
    target_id_column: int | None = None,
    counts: LineCounts | None = None,
) -> Iterator[Pair]:
    """Read one file with a pair a line and tabs between its columns; quotation marks mean nothing special.

    Args:
        path: The file.
        source_column: Column of the source sentence, counted from 1.
        target_column: Column of the target sentence.
        source_id_column: Column of the source sentence's number, if there is one.
        target_id_column: Column of the target sentence's number.
        counts: Counts are added to it.

    Yields:
        The pairs in order, blank ones included.

    Raises:
        DataError: A line has too few columns, or a number is not one.
    """
    needed = max(source_column, target_column, source_id_column or 0, target_id_column or 0)
    for number, line in enumerate(read_lines(path, counts), start=1):
        columns = line.split("\t")
        if len(columns) < needed:
            raise DataError(f"{path}:{number}: found {len(columns)} column(s), but column {needed} is to be read")
        yield Pair(
            columns[source_column - 1],
            columns[target_column - 1],
            number,
            _number(columns, source_id_column, place=f"{path}:{number}"),
            _number(columns, target_id_column, place=f"{path}:{number}"),
        )


def _number(columns: list[str], column: int | None, *, place: str) -> int | None:
    if column is None:
        return None
    try:
        return int(columns[column - 1])
    except ValueError:
        raise DataError(f"{place}: column {column} is {columns[column - 1]!r}, but it must be a number") from None
