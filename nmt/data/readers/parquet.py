"""Parquet (https://parquet.apache.org), read a batch of rows at a time; of the columns, only the two sides'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts, Unreadable
from nmt.data.readers.base import Job
from nmt.data.readers.fields import find_fields, pair_from
from nmt.data.streams import plain_file
from nmt.errors import DataError

_ROWS = 4096


def read_parquet(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a file, by its rows; a column inside a structure is written `translation.en`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with plain_file(job.path) as path:
        try:
            with pq.ParquetFile(path) as file:
                fields = find_fields(_names(file.schema_arrow, pa), job)
                yield from _pairs(file, fields, job, counts)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{job.name} is not a whole Parquet file: {str(error).splitlines()[0]}") from None


def _names(schema: Any, pa: Any) -> list[str]:
    names = []
    for field in schema:
        inner = [f"{field.name}.{part.name}" for part in field.type] if pa.types.is_struct(field.type) else []
        names += inner or [field.name]
    return names


def _pairs(file: Any, fields: tuple[str, str], job: Job, counts: LineCounts) -> Iterator[Pair]:
    number = 0
    for batch in file.iter_batches(batch_size=_ROWS, columns=list(fields)):
        sides = [_values(batch, field) for field in fields]
        for values in zip(*sides, strict=True):
            number += 1
            record = {
                f: _text(value, job, counts, f"{job.name}:{number}") for f, value in zip(fields, values, strict=True)
            }
            wrong = next((value for value in record.values() if isinstance(value, Unreadable)), None)
            if wrong is not None:
                counts.skip(wrong.value, f"{job.name}:{number}")
            elif pair := pair_from(record, fields, number, job, counts):
                yield pair


def _values(batch: Any, field: str) -> list[Any]:
    """A column as Python values; text as bytes, because nothing has checked yet that it is UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    outer, _, inner = field.partition(".")
    column = batch.column(field) if field in batch.schema.names else pc.struct_field(batch.column(outer), inner)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.binary_view())
    elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.cast(pa.large_binary())
    return list(column.to_pylist())


def _text(value: Any, job: Job, counts: LineCounts, place: str) -> Any:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        counts.note("undecodable", place)
    if job.rule.on_error == "fail":
        raise DataError(f"{place}: the text of this row is not UTF-8 (data.on_error=skip or replace goes on)")
    return Unreadable.BYTES if job.rule.on_error == "skip" else value.decode("utf-8", errors="replace")
