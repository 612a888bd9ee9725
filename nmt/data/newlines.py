r"""Bytes to lines: cut at `\n`, in UTF-8, GB18030 (where that byte is never part of a character) and UTF-16."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from nmt.errors import DataError

UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Byte order marks."""


def split(stream: BinaryIO, name: str, encoding: str, longest: int | None) -> tuple[str, Iterator[bytes | None]]:
    """The lines of a stream as bytes.

    Args:
        stream: The bytes.
        name: What an error calls the stream.
        encoding: The declared encoding; `utf-16` asks the byte order mark for the order of bytes.
        longest: Bytes of the longest line that is kept in memory.

    Returns:
        The codec, and the lines without the newline; `None` for a line that is far too long.

    Raises:
        DataError: UTF-16 without a byte order mark.
    """
    if not encoding.startswith("utf-16"):
        return encoding, _byte_lines(stream, longest)
    first = stream.read(2)
    codec = UTF16.get(first, "") if encoding == "utf-16" else encoding
    if not codec and first:
        raise DataError(
            f"{name} has no byte order mark, so the order of its bytes is not known: "
            "set the encoding to utf-16-le or utf-16-be"
        )
    codec = codec or "utf-16-le"  # of an empty file
    return codec, _wide_lines(stream, first, codec, longest)


def _byte_lines(stream: BinaryIO, longest: int | None) -> Iterator[bytes | None]:
    limit = -1 if longest is None else longest + 2  # the line's end may be two bytes
    for raw in iter(partial(stream.readline, limit), b""):
        if raw.endswith(b"\n"):
            yield raw[:-1]
        elif len(raw) == limit:
            while (rest := stream.readline(1 << 16)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield raw


def _wide_lines(stream: BinaryIO, buffer: bytes, encoding: str, longest: int | None) -> Iterator[bytes | None]:
    """Lines of UTF-16: a newline is two bytes, at an even place."""
    newline, too_long = "\n".encode(encoding), False
    for block in chain([b""], iter(partial(stream.read, 1 << 16), b"")):
        buffer, start = buffer + block, 0
        while (at := _aligned(buffer, newline, start)) >= 0:
            yield None if too_long else buffer[start:at]
            start, too_long = at + 2, False
        buffer = buffer[start:]
        if longest is not None and len(buffer) > longest + 2:
            buffer, too_long = buffer[len(buffer) & ~1 :], True  # the place of what comes stays even or odd
    if buffer or too_long:
        yield None if too_long else buffer


def _aligned(buffer: bytes, newline: bytes, start: int) -> int:
    at = buffer.find(newline, start)
    while at >= 0 and (at - start) % 2:
        at = buffer.find(newline, at + 1)
    return at
