"""gettext catalogues: PO (text) and MO (binary), parsed by polib. The message is one side, its translation the other.

Left out and counted: the header, entries that are fuzzy (a guess that a person has yet to check), obsolete or not
translated. Of a plural, the general form and its last translation are the pair.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts, Unreadable, whole_lines
from nmt.data.readers.base import Job, pair_of, speaks
from nmt.data.streams import missing_extra, plain_file
from nmt.errors import DataError

_BROKEN = (OSError, ValueError, LookupError, struct.error, OverflowError, MemoryError, TypeError, AttributeError)


def read_po(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a PO file. Its lines are read by the reading rule first, so that no separator breaks an entry."""
    polib = _polib(job)
    text = "\n".join([*whole_lines(job.path, job.rule, counts), ""])
    try:
        catalogue = polib.pofile(text)  # ends in a newline: it can not be taken for a file's name
    except _BROKEN as error:
        raise DataError(f"{job.name} is not a PO file: {_reason(error)}") from None
    yield from _pairs(catalogue, job, counts)


def read_mo(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of an MO file, numbered as they lie in it."""
    polib = _polib(job)
    with plain_file(job.path) as path:
        try:
            catalogue = polib.mofile(str(path))
        except _BROKEN as error:
            raise DataError(f"{job.name} is not a whole MO file: {_reason(error)}") from None
    yield from _pairs(catalogue, job, counts)


def _polib(job: Job) -> Any:
    try:
        import polib
    except ImportError:
        raise missing_extra(f"Reading {job.name}, a gettext catalogue,") from None
    return polib


def _reason(error: BaseException) -> str:
    return str(error).removeprefix("Syntax error in po file None ").strip("()") or type(error).__name__


def _pairs(catalogue: Any, job: Job, counts: LineCounts) -> Iterator[Pair]:
    is_reversed = _is_reversed(catalogue, job)
    if catalogue.metadata:
        counts.skip("header", f"{job.name}:1")
    for number, entry in enumerate(catalogue, start=1):
        line = getattr(entry, "linenum", 0) or number  # MO has no lines
        place = f"{job.name}:{line}"
        sides = [entry.msgid_plural or entry.msgid, _translation(entry)]
        if is_reversed:
            sides.reverse()
        if reason := _unfit(entry, sides, job, counts):
            counts.skip(reason, place)
        elif pair := pair_of(sides, line, place, job, counts):
            yield pair


def _translation(entry: Any) -> str:
    plurals = entry.msgstr_plural
    return str(plurals[max(plurals)] if plurals else entry.msgstr)


def _unfit(entry: Any, sides: list[str], job: Job, counts: LineCounts) -> str | None:
    if getattr(entry, "obsolete", False):  # neither is in MO
        return "obsolete"
    if not _translation(entry):
        return "not translated"
    if getattr(entry, "fuzzy", False):
        return "fuzzy"
    if job.rule.on_error == "skip" and counts.undecodable and any("\ufffd" in side for side in sides):
        return Unreadable.BYTES.value
    return None


def _is_reversed(catalogue: Any, job: Job) -> bool:
    """A catalogue says what it was translated into; when it does not, it is taken for the target language."""
    tag = catalogue.metadata.get("Language") or None
    for wanted, is_reversed in ((job.target, False), (job.source, True)):
        if tag is None or speaks(tag, wanted):
            return is_reversed
    raise DataError(f"{job.name} is a catalogue in {tag!r}, but {job.source} and {job.target} are to be read")
