"""OPUS's Moses archives (https://opus.nlpl.eu): a zip with `NAME.en-zh.en`, `NAME.en-zh.zh` and a licence.

Members are read where they are and never extracted, so no name of a member can lead out of a folder.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

from nmt.data.corpus import Pair, lengths, where_they_part
from nmt.data.lines import LineCounts, Unreadable, try_lines
from nmt.data.readers.base import Job, speaks
from nmt.data.streams import Guarded, plain_file
from nmt.errors import DataError

_BROKEN = (zipfile.BadZipFile, OSError, EOFError, zlib.error, ValueError, RuntimeError, NotImplementedError)


def read_zip(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of an archive's two members.

    Raises:
        DataError: At once if the archive is damaged, no two members belong together, or they differ in length.
    """
    with plain_file(job.path) as path:
        try:
            archive = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise DataError(f"{job.name} is not a whole zip archive: {error}") from None
        with archive:
            yield from _pairs(archive, _members(archive, job), job, counts)


def _pairs(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], job: Job, counts: LineCounts) -> Iterator[Pair]:
    totals = [sum(1 for _ in _tolerantly(archive, member, job)) for member in members]
    if totals[0] != totals[1]:
        place = where_they_part(*(lengths(_tolerantly(archive, member, job)) for member in members))
        names = [member.filename for member in members]
        raise DataError(
            f"In {job.name}, {names[0]} has {totals[0]} lines, but {names[1]} has {totals[1]}: line n of one must be "
            f"the translation of line n of the other. {place}"
        )
    names = [f"{job.name}/{member.filename}" for member in members]
    with _open(archive, members[0], job) as one, _open(archive, members[1], job) as other:
        lines = (try_lines(stream, name, job.rule, counts) for stream, name in zip((one, other), names, strict=True))
        for number, sides in enumerate(zip(*lines, strict=True), start=1):
            wrong = next((n for n, side in enumerate(sides) if isinstance(side, Unreadable)), None)
            if wrong is None:
                yield Pair(str(sides[0]), str(sides[1]), number)
            else:
                counts.skip(cast(Unreadable, sides[wrong]).value, f"{names[wrong]}:{number}")


def _tolerantly(archive: zipfile.ZipFile, member: zipfile.ZipInfo, job: Job) -> Iterator[str | Unreadable]:
    with _open(archive, member, job) as stream:
        yield from try_lines(stream, member.filename, replace(job.rule, on_error="replace"))


def _members(archive: zipfile.ZipFile, job: Job) -> list[zipfile.ZipInfo]:
    """The members that the person named, or the only two with one stem and the two languages for endings."""
    files = {info.filename: info for info in archive.infolist() if info.filename and not info.is_dir()}
    if job.source_field in files and job.target_field in files:
        return [files[str(job.source_field)], files[str(job.target_field)]]
    found = [
        (one, other)
        for one in files
        for other in files
        if one != other and one.rpartition(".")[0] == other.rpartition(".")[0] != ""
        and speaks(one.rpartition(".")[2], job.source)
        and speaks(other.rpartition(".")[2], job.target)
    ]  # fmt: skip
    if len(found) != 1:
        what = "several pairs of members" if found else "no two members"
        raise DataError(
            f"{job.name} has {what} that end in .{job.source} and .{job.target}: "
            f"set source_field and target_field to two of: {', '.join(files) or '(it is empty)'}"
        )
    return [files[name] for name in found[0]]


@contextmanager
def _open(archive: zipfile.ZipFile, member: zipfile.ZipInfo, job: Job) -> Iterator[BinaryIO]:
    name = f"{job.name}/{member.filename}"
    try:
        inner = archive.open(member)
    except _BROKEN as error:
        raise DataError(f"{name} can not be read: {error}") from None
    raw = Guarded(cast(BinaryIO, inner), cast(BinaryIO, inner), name, lambda: member.compress_size)
    with io.BufferedReader(cast(Any, raw), 1 << 16) as stream:
        yield cast(BinaryIO, stream)
