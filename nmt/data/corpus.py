"""Parallel text as a stream of pairs: two aligned files, or one file with columns.

A new format is one more generator of `Pair` here and one more `case` in `nmt.data.parts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nmt.data.lines import LineCounts, count_lines, read_lines
from nmt.errors import DataError


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
            "translation of line n of the other"
        )
    lines = zip(read_lines(source, counts), read_lines(target, counts), strict=True)
    return (Pair(one, other, number) for number, (one, other) in enumerate(lines, start=1))


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
