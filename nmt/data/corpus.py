"""Parallel text as a stream of pairs: the pair itself, two aligned files, or lines with columns.

The other formats are in `nmt.data.readers`; every reader yields `Pair` and counts what gave none.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nmt.data.lines import STRICT, LineCounts, Rule, Unreadable, count_lines, read_with
from nmt.data.streams import STDIN, display
from nmt.errors import DataError

_EVIDENCE = 2.0  # nats by which the lengths after a place must agree better; random ups and downs give about one


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str
    line: int
    """Line (or record, where a format has no lines) of the file it was read from, counted from 1."""
    source_id: int | None = None
    """The corpus's own number of the sentence, if it has one: the same sentence in another pair has it too."""
    target_id: int | None = None

    def flipped(self) -> Pair:
        """The same pair with its sides exchanged."""
        return Pair(self.target, self.source, self.line, self.target_id, self.source_id)


def read_files(
    source: str | Path, target: str | Path, counts: LineCounts | None = None, rule: Rule = STRICT
) -> Iterator[Pair]:
    """Read two files in which line n of one is the translation of line n of the other (Moses format).

    Args:
        source: File of source sentences.
        target: File of target sentences.
        counts: Counts of both files are added to it.
        rule: How their bytes become lines.

    Returns:
        The pairs in order, blank ones included.

    Raises:
        DataError: At once, if a file can not be read or the files have different numbers of lines.
    """
    if str(source) == str(target) == STDIN:
        raise DataError("Only one of the two files can be stdin (-)")
    source_lines, target_lines = (count_lines(path, rule.encoding) for path in (source, target))
    if source_lines != target_lines:
        place = where_they_part(*(lengths(read_with(path, _tolerant(rule))) for path in (source, target)))
        raise DataError(
            f"{display(source)} has {source_lines} lines, but {display(target)} has {target_lines}: line n of one file "
            f"must be the translation of line n of the other. {place}"
        )
    return _side_by_side(source, target, rule, LineCounts() if counts is None else counts)


def _side_by_side(source: str | Path, target: str | Path, rule: Rule, counts: LineCounts) -> Iterator[Pair]:
    lines = zip(read_with(source, rule, counts), read_with(target, rule, counts), strict=True)
    for number, (one, other) in enumerate(lines, start=1):
        if isinstance(one, str) and isinstance(other, str):
            yield Pair(one, other, number)
            continue
        wrong, path = (one, source) if isinstance(one, Unreadable) else (other, target)
        assert isinstance(wrong, Unreadable)
        counts.skip(wrong.value, f"{display(path)}:{number}")


def where_they_part(one: Sequence[int], other: Sequence[int]) -> str:
    """A guess at the first line of two unequal files that is no longer beside its translation.

    Lengths of translations are proportional (Gale & Church 1993, https://aclanthology.org/J93-1004). If a block of
    lines is missing in one file, then up to it line n goes with line n, and after it with the line so much further on:
    the place is where lengths, read so, agree best.
    """
    for number, (here, there) in enumerate(zip(one, other, strict=False), start=1):
        if bool(here) != bool(there):
            return f"Look at line {number} first: it is blank on one side only."
    shorter, longer = sorted((one, other), key=len)
    usual = math.log((sum(longer) + 1) / (sum(shorter) + 1))
    total, lowest, place = 0.0, 0.0, 0
    for number, (here, beside, further) in enumerate(
        zip(shorter, longer, longer[len(longer) - len(shorter) :], strict=False), start=1
    ):
        total += abs(math.log((beside + 1) / (here + 1)) - usual) - abs(math.log((further + 1) / (here + 1)) - usual)
        if total < lowest:
            lowest, place = total, number
    if total - lowest < _EVIDENCE:
        return "No line looks suspicious; perhaps the shorter file was cut off at its end."
    return f"Look at line {place + 1} first: by their lengths, the lines from about there on do not belong together."


def lengths(lines: Iterable[str | Unreadable]) -> array[int]:
    """The length of each line in characters, without the spaces at its ends."""
    return array("l", (len(line.strip()) if isinstance(line, str) else 1 for line in lines))


def _tolerant(rule: Rule) -> Rule:
    return replace(rule, on_error="replace")


def read_tsv(
    path: str | Path,
    *,
    source_column: int,
    target_column: int,
    source_id_column: int | None = None,
    target_id_column: int | None = None,
    counts: LineCounts | None = None,
    rule: Rule = STRICT,
    has_header: bool = False,
) -> Iterator[Pair]:
    """Read one file with a pair a line and tabs between its columns; quotation marks mean nothing special.

    Args:
        path: The file.
        source_column: Column of the source sentence, counted from 1.
        target_column: Column of the target sentence.
        source_id_column: Column of the source sentence's number, if there is one.
        target_id_column: Column of the target sentence's number.
        counts: Counts are added to it.
        rule: How its bytes become lines; with `on_error` other than `fail`, lines with too few columns are skipped.
        has_header: The first line names the columns: it is counted as skipped.

    Yields:
        The pairs in order, blank ones included.

    Raises:
        DataError: A line has too few columns, or a number is not one.
    """
    counts, name = LineCounts() if counts is None else counts, display(path)
    needed = max(source_column, target_column, source_id_column or 0, target_id_column or 0)
    for number, line in enumerate(read_with(path, rule, counts), start=1):
        if isinstance(line, Unreadable):
            counts.skip(line.value, f"{name}:{number}")
            continue
        if number == 1 and has_header:
            counts.skip("header", f"{name}:1")
            continue
        columns = line.split("\t")
        if len(columns) < needed and not line.strip():
            yield Pair("", "", number)  # a blank line is a blank pair
            continue
        if len(columns) < needed:
            if rule.on_error == "fail":
                raise DataError(f"{name}:{number}: found {len(columns)} column(s), but column {needed} is to be read")
            counts.skip("too few columns", f"{name}:{number}")
            continue
        yield Pair(
            columns[source_column - 1],
            columns[target_column - 1],
            number,
            _number(columns, source_id_column, place=f"{name}:{number}"),
            _number(columns, target_id_column, place=f"{name}:{number}"),
        )


def _number(columns: list[str], column: int | None, *, place: str) -> int | None:
    if column is None:
        return None
    try:
        return int(columns[column - 1])
    except ValueError:
        raise DataError(f"{place}: column {column} is {columns[column - 1]!r}, but it must be a number") from None
