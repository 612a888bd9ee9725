r"""The one reading rule: bytes to lines.

A line ends with `\n` and with nothing else. Python's text mode also breaks lines at a lone `\r`, and `str.splitlines`
at U+2028, U+0085, form feeds and others; one such character inside a sentence then shifts every later pair of a
parallel corpus. Here they become a space and are counted. One `\r` before the `\n` belongs to the line's end, a byte
order mark is removed from the first line only. Bytes that are not in the declared encoding stop the program with
their place, unless `Rule.on_error` says otherwise. The same rule cleans a field of any other format (`field`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from nmt.data.newlines import UTF16, split
from nmt.data.streams import display, open_content
from nmt.errors import DataError

PLACES = 5
"""How many places of each oddity are remembered."""

_BOM = "\ufeff"
_SEPARATORS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x9f]")  # read after the separators; a tab is neither
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # half a character: JSON can write it, no encoding can


class Unreadable(Enum):
    """Stands in the place of a line that is to be skipped, so that line n stays line n; its value is the reason."""

    BYTES = "bad bytes"
    LENGTH = "too long to read"


@dataclass(frozen=True, slots=True)
class Rule:
    """How the bytes of a corpus become lines."""

    encoding: str = "utf-8"
    on_error: str = "fail"
    """What a line that is not in this encoding does: `fail`, `skip` its pair, or `replace` its bad bytes by U+FFFD."""
    max_bytes: int | None = None
    """The longest line; the pair of a longer one is skipped, and no more of it than this is ever in memory."""


STRICT = Rule()


@dataclass(slots=True)
class LineCounts:
    """What reading met; one object may count several files."""

    lines: int = 0
    separators: int = 0
    """Separators inside a line or field, each now a space."""
    controls: int = 0
    """Control characters, removed; NUL is one of them."""
    nul: int = 0
    """NUL characters."""
    carriage_returns: int = 0
    r"""Lines that end in `\r\n`."""
    byte_order_marks: int = 0
    """Files that begin with a byte order mark."""
    undecodable: int = 0
    """Lines or fields that are not in the declared encoding."""
    over_long: int = 0
    """Lines or fields longer than `Rule.max_bytes`."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Records that gave no pair, by reason."""
    places: dict[str, list[str]] = field(default_factory=dict)
    """Where the first few of each were, as `file:line`; the keys are the names above and the reasons."""

    def note(self, what: str, place: str, times: int = 1) -> None:
        """Count an oddity (the name of a field of this class)."""
        setattr(self, what, getattr(self, what) + times)
        self._remember(what, place)

    def skip(self, reason: str, place: str) -> None:
        """Count a record that gives no pair."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        self._remember(reason, place)

    def _remember(self, what: str, place: str) -> None:
        places = self.places.setdefault(what, [])
        if len(places) < PLACES:
            places.append(place)


def read_lines(path: str | Path, counts: LineCounts | None = None) -> Iterator[str]:
    """The lines of a UTF-8 file, one at a time; `try_lines` with a rule that skips none.

    Args:
        path: A file, possibly compressed.
        counts: Counts are added to it while the lines are read.

    Yields:
        Each line without its end.

    Raises:
        DataError: The file can not be read, or a line is not UTF-8.
    """
    with open_content(path) as stream:
        yield from lines_of(stream, display(path), counts)


def lines_of(stream: BinaryIO, name: str, counts: LineCounts | None = None) -> Iterator[str]:
    """The lines of an open stream of UTF-8, such as `sys.stdin.buffer`; see `try_lines`."""
    for line in try_lines(stream, name, STRICT, counts):
        assert isinstance(line, str)  # the strict rule skips nothing
        yield line


def read_with(path: str | Path, rule: Rule, counts: LineCounts | None = None) -> Iterator[str | Unreadable]:
    """The lines of a file by a rule of the person's; see `try_lines`."""
    with open_content(path) as stream:
        yield from try_lines(stream, display(path), rule, counts)


def whole_lines(path: str | Path, rule: Rule, counts: LineCounts) -> Iterator[str]:
    """The lines of a file in which a record spans several lines, so that none may be left out.

    Where the rule says to skip, bad bytes become U+FFFD, and the caller skips the records that have one.

    Raises:
        DataError: A line is not in the encoding and errors are to stop the program, or it is too long.
    """
    on_error = "fail" if rule.on_error == "fail" else "replace"
    for number, line in enumerate(read_with(path, replace(rule, on_error=on_error), counts), start=1):
        if isinstance(line, Unreadable):
            raise DataError(
                f"{display(path)}:{number}: the line is longer than {rule.max_bytes:,} bytes; in this format a record "
                "spans several lines, so that none can be skipped. Is a quotation mark missing before it?"
            )
        yield line


def try_lines(stream: BinaryIO, name: str, rule: Rule, counts: LineCounts | None = None) -> Iterator[str | Unreadable]:
    r"""The lines of an open stream of bytes by the reading rule.

    Args:
        stream: Anything with `readline` and `read` in bytes.
        name: What an error calls the stream.
        rule: The encoding, and what becomes of lines that are wrong or too long.
        counts: Counts are added to it while the lines are read.

    Yields:
        Each line without its end, or why it is to be skipped; a last line without `\n` counts as a line.

    Raises:
        DataError: A line is not in the encoding and `rule.on_error` is `fail`.
    """
    counts = LineCounts() if counts is None else counts
    encoding, raws = split(stream, name, rule.encoding, rule.max_bytes)
    end = "\r".encode(encoding)
    for number, raw in enumerate(raws, start=1):
        counts.lines += 1
        if raw is None:
            counts.note("over_long", f"{name}:{number}")
            yield Unreadable.LENGTH
            continue
        if raw.endswith(end) and _is_aligned(raw, encoding):
            counts.note("carriage_returns", f"{name}:{number}")
            raw = raw[: -len(end)]  # noqa: PLW2901
        if rule.max_bytes is not None and len(raw) > rule.max_bytes:
            counts.note("over_long", f"{name}:{number}")
            yield Unreadable.LENGTH
            continue
        text = _decode(raw, encoding, rule, counts, f"{name}:{number}")
        if isinstance(text, Unreadable):
            yield text
            continue
        if number == 1 and text.startswith(_BOM):
            counts.note("byte_order_marks", f"{name}:1")
            text = text[1:]
        yield text if text.isprintable() else clean(text, counts, f"{name}:{number}")


def count_lines(path: str | Path, encoding: str = "utf-8") -> int:
    """How many lines `read_lines` gives, without decoding them."""
    with open_content(path) as stream:
        if encoding.startswith("utf-16"):
            return sum(1 for _ in split(stream, display(path), encoding, None)[1])
        lines, last = 0, b"\n"
        while block := stream.read(1 << 20):
            lines += block.count(b"\n")
            last = block[-1:]
        return lines + (last != b"\n")


def clean(text: str, counts: LineCounts, place: str) -> str:
    """Separators in a text become spaces and control characters vanish; both are counted."""
    text, separators = _SEPARATORS.subn(" ", text)
    if separators:
        counts.note("separators", place, separators)
    if nul := text.count("\0"):
        counts.note("nul", place, nul)
    text, controls = _CONTROLS.subn("", text)
    if controls:
        counts.note("controls", place, controls)
    return text


def clean_field(text: str, rule: Rule, counts: LineCounts, place: str) -> str | Unreadable:
    """A field that some parser gave as text, by the same rule as a line.

    Returns:
        The field, or why its record is to be skipped (the caller counts the record).

    Raises:
        DataError: It holds half a character, and `rule.on_error` is `fail`.
    """
    if rule.max_bytes is not None and len(text) * 4 > rule.max_bytes < len(text.encode("utf-8", "replace")):
        counts.note("over_long", place)
        return Unreadable.LENGTH
    if text.isprintable():
        return text
    if _SURROGATE.search(text):
        counts.note("undecodable", place)
        if rule.on_error == "fail":
            raise DataError(f"{place}: there is half a surrogate pair in the text, which is no character. {_advice()}")
        if rule.on_error == "skip":
            return Unreadable.BYTES
        text = _SURROGATE.sub("\ufffd", text)
    return clean(text, counts, place)


def _is_aligned(raw: bytes, encoding: str) -> bool:
    return len(raw) % 2 == 0 or not encoding.startswith("utf-16")


def _decode(raw: bytes, encoding: str, rule: Rule, counts: LineCounts, place: str) -> str | Unreadable:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        found = f"{place}: byte {error.start + 1} of the line (0x{raw[error.start]:02X}) is not {encoding.upper()}"
    if place.endswith(":1") and raw[:2] in UTF16:
        raise DataError(f"{found}; the file looks like UTF-16. Convert it with: iconv -f UTF-16 -t UTF-8")
    counts.note("undecodable", place)
    if rule.on_error == "fail":
        raise DataError(f"{found}. {_advice()}")
    return Unreadable.BYTES if rule.on_error == "skip" else raw.decode(encoding, errors="replace")


def _advice() -> str:
    return (
        "Mend the line, or convert the file, for example with: iconv -f GB18030 -t UTF-8 "
        "(`nmt prepare` also takes data.encoding=gb18030, and data.on_error=skip or replace)"
    )
