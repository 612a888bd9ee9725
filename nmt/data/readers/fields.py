"""Records with named fields (JSON lines, Parquet, Hugging Face): which two of them are the pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts
from nmt.data.readers.base import Job, pair_of, speaks
from nmt.errors import DataError

_VARIETIES = {"cn", "tw", "hk", "mo", "sg", "us", "gb", "uk", "hans", "hant", "text", "sentence"}
_SIDES = (("source", "target"), ("src", "tgt"), ("src", "trg"))


def find_fields(names: Iterable[str], job: Job) -> tuple[str, str]:
    """The fields of the two sides: those the person named, or those whose names say so.

    Args:
        names: The fields of the file; a field inside `translation` is written `translation.en`.
        job: What was asked for.

    Raises:
        DataError: There is no such field, or none that says which side it is.
    """
    names = list(names)
    found = [
        _named(names, job.source_field, job) or _language(names, job.source_language),
        _named(names, job.target_field, job) or _language(names, job.target_language),
    ]
    if not all(found) and job.source_field is None and job.target_field is None:
        lower = {name.lower(): name for name in names}
        found = next(([lower[one], lower[two]] for one, two in _SIDES if one in lower and two in lower), [])
    if not found or not all(found):
        raise DataError(
            f"{job.name}: found the fields {', '.join(names) or '(none)'}, but none of them says which is "
            f"{job.source_language} and which is {job.target_language}: set source_field and target_field"
        )
    return str(found[0]), str(found[1])


def _named(names: list[str], wanted: str | None, job: Job) -> str | None:
    if wanted is not None and wanted not in names:
        raise DataError(f"{job.name}: there is no field {wanted!r}; it has: {', '.join(names) or '(none)'}")
    return wanted


def _language(names: list[str], language: str) -> str | None:
    """The first field named after a language; `en_id` is not, as an Indonesian `en-ID` is rarer than an id."""
    for name in names:
        tag = name.rpartition(".")[2]
        if speaks(tag, language) and {*tag.lower().replace("_", "-").split("-")[1:]} <= _VARIETIES:
            return name
    return None


def flat_names(record: Mapping[str, Any]) -> list[str]:
    """The fields of a record, those of records inside it included."""
    names = []
    for name, value in record.items():
        names += [f"{name}.{inner}" for inner in value] if isinstance(value, Mapping) else [name]
    return names


def look_up(record: Any, name: str) -> Any:
    """The value of a field, `None` if the record has no such field."""
    if isinstance(record, Mapping) and name in record:
        return record[name]
    outer, dot, inner = name.partition(".")
    return look_up(record.get(outer), inner) if dot and isinstance(record, Mapping) else None


def pair_from(record: Any, fields: tuple[str, str], number: int, job: Job, counts: LineCounts) -> Pair | None:
    """The pair of a record; a field that is missing or null is a blank side.

    Raises:
        DataError: A field is not text, and errors are to stop the program.
    """
    place, sides = f"{job.name}:{number}", []
    for field in fields:
        value = look_up(record, field)
        if value is not None and not isinstance(value, str):
            if job.rule.on_error == "fail":
                raise DataError(f"{place}: the field {field!r} is not text but {type(value).__name__}")
            counts.skip("not text", place)
            return None
        sides.append(value or "")
    return pair_of(sides, number, place, job, counts)
