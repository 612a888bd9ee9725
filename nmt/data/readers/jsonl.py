"""JSON lines: an object a line, such as `{"en": "Hello.", "zh": "你好。"}` or `{"translation": {...}}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts, Unreadable, read_with
from nmt.data.readers.base import Job
from nmt.data.readers.fields import find_fields, flat_names, pair_from
from nmt.errors import DataError


def read_jsonl(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a file; its first object decides which fields are read."""
    fields: tuple[str, str] | None = None
    for number, line in enumerate(read_with(job.path, job.rule, counts), start=1):
        place = f"{job.name}:{number}"
        if isinstance(line, Unreadable):
            counts.skip(line.value, place)
        elif not line.strip():
            yield Pair("", "", number)
        elif (record := _object(line, job, counts, place)) is not None:
            fields = fields or find_fields(flat_names(record), job)
            if pair := pair_from(record, fields, number, job, counts):
                yield pair


def _object(line: str, job: Job, counts: LineCounts, place: str) -> Mapping[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        found = f"{place}: this line is not JSON: {error}"
    else:
        if isinstance(record, Mapping):
            return record
        found = f"{place}: this line is not a JSON object"
    if job.rule.on_error == "fail":
        raise DataError(found)
    counts.skip("not a JSON object", place)
    return None
