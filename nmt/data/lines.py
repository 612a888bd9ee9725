r"""The one reading rule: bytes to lines.

A line ends with `\n` and with nothing else. Python's text mode also breaks lines at a lone `\r`, and `str.splitlines`
at U+2028, U+0085, form feeds and others; one such character inside a sentence then shifts every later pair of a
parallel corpus. Here they become a space and are counted. One `\r` before the `\n` belongs to the line's end, a byte
order mark is removed from the first line only, and text that is not UTF-8 stops the program with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nmt.errors import DataError

_BOM = b"\xef\xbb\xbf"
_SEPARATORS = re.compile(r"[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x9f]")  # read after the separators; a tab is neither


@dataclass(slots=True)
class LineCounts:
    """What the reading rule met; one object may count several files."""

    lines: int = 0
    separators: int = 0
    """Separators inside a line, each now a space."""
    controls: int = 0
    """NUL and other control characters, removed."""


def read_lines(path: str | Path, counts: LineCounts | None = None) -> Iterator[str]:
    """The lines of a file, one at a time.

    Args:
        path: A UTF-8 file.
        counts: Counts are added to it while the lines are read.

    Yields:
        Each line without its end.

    Raises:
        DataError: The file can not be read, or a line is not UTF-8.
    """
    with open_bytes(path) as stream:
        yield from lines_of(stream, str(path), counts)


def lines_of(stream: BinaryIO, name: str, counts: LineCounts | None = None) -> Iterator[str]:
    r"""The lines of an open stream of bytes, such as `sys.stdin.buffer`.

    Args:
        stream: Anything that yields bytes up to `\n`.
        name: What an error calls the stream.
        counts: Counts are added to it while the lines are read.

    Yields:
        Each line without its end; a last line without `\n` counts as a line.

    Raises:
        DataError: A line is not UTF-8.
    """
    counts = LineCounts() if counts is None else counts
    for number, raw in enumerate(stream, start=1):
        counts.lines += 1
        text = _decode(raw.removeprefix(_BOM) if number == 1 else raw, place=f"{name}:{number}")
        yield text if text.isprintable() else _clean(text, counts)


def count_lines(path: str | Path) -> int:
    """How many lines `read_lines` gives, without decoding them."""
    with open_bytes(path) as stream:
        return sum(1 for _ in stream)


def open_bytes(path: str | Path) -> BinaryIO:
    """Open a file for reading, with an error for people.

    Raises:
        DataError: It can not be opened.
    """
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise DataError(f"Can not read {path}: {error.strerror}") from None


def _decode(raw: bytes, *, place: str) -> str:
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"{place}: byte {error.start + 1} of the line (0x{raw[error.start]:02X}) is not UTF-8"
    if place.endswith(":1") and raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{found}; the file looks like UTF-16. Convert it with: iconv -f UTF-16 -t UTF-8")
    raise DataError(f"{found}. Mend the line, or convert the file, for example with: iconv -f GB18030 -t UTF-8")


def _clean(text: str, counts: LineCounts) -> str:
    text, separators = _SEPARATORS.subn(" ", text)
    text, controls = _CONTROLS.subn("", text)
    counts.separators += separators
    counts.controls += controls
    return text
