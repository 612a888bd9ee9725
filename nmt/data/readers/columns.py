"""Tables of text: tabs between columns and no quotation marks (TSV), or commas and quotation marks (CSV, RFC 4180).

Columns are numbers from 1, or names that the first line has. When nothing is said, a first line whose cells are names
of the two languages (or `source`, `target`) is a header; otherwise the first two columns are the pair.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from nmt.data.corpus import Pair, read_tsv
from nmt.data.lines import LineCounts, Unreadable, read_with, whole_lines
from nmt.data.readers.base import Job, pair_of
from nmt.data.readers.fields import find_fields
from nmt.errors import DataError

_LONGEST_NAME = 40


def read_tabs(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a TSV; a header is counted as skipped."""
    first = next(read_with(job.path, replace(job.rule, on_error="replace")), "")
    columns, header = find_columns(first.split("\t") if isinstance(first, str) else [], job)
    one, other = (column + 1 for column in columns)
    return read_tsv(job.path, source_column=one, target_column=other, counts=counts, rule=job.rule, has_header=header)


def read_csv(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a CSV; a field may be quoted and hold line breaks, which become spaces."""
    rows = _rows(job, counts)
    first = next(rows, None)
    if first is None:
        return
    columns, header = find_columns(first[0], job)
    if header:
        counts.skip("header", f"{job.name}:1")
    for row, line in rows if header else chain([first], rows):
        place = f"{job.name}:{line}"
        if not any(row):
            yield Pair("", "", line)
            continue
        if len(row) <= max(columns):
            if job.rule.on_error == "fail":
                raise DataError(f"{place}: found {len(row)} column(s), but column {max(columns) + 1} is to be read")
            counts.skip("too few columns", place)
            continue
        sides = [row[column] for column in columns]
        if job.rule.on_error == "skip" and counts.undecodable and any("\ufffd" in side for side in sides):
            counts.skip(Unreadable.BYTES.value, place)
        elif pair := pair_of(sides, line, place, job, counts):
            yield pair


def _rows(job: Job, counts: LineCounts) -> Iterator[tuple[list[str], int]]:
    """Each row with the line it begins at."""
    reader = csv.reader((f"{line}\n" for line in whole_lines(job.path, job.rule, counts)), strict=True)
    while True:
        begin = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{job.name}:{begin}: the row that begins here is not CSV: {error}") from None
        yield row, begin


def find_columns(first: list[str], job: Job) -> tuple[tuple[int, int], bool]:
    """The two columns, counted from 0, and whether the first row is a header.

    Args:
        first: The cells of the first row.
        job: The columns that the person asked for, as numbers from 1 or names.

    Raises:
        DataError: A name is not in the first row.
    """
    fields = (job.source_field, job.target_field)
    if all(field is not None and field.isdecimal() for field in fields):
        one, two = (int(str(field)) - 1 for field in fields)
        if min(one, two) < 0:
            raise DataError(f"{job.name}: columns are counted from 1, but column 0 is to be read")
        return (one, two), False
    names = [cell.strip() for cell in first]
    if fields == (None, None) and any(len(name) > _LONGEST_NAME for name in names):
        return (0, 1), False
    try:
        found = find_fields(names, job)
    except DataError:
        if fields != (None, None):
            raise
        return (0, 1), False
    return (names.index(found[0]), names.index(found[1])), True
