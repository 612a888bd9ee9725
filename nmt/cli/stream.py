"""Lines from a stream, in windows: as many as are there already, never more than fit, and at least one.

Translating sorts the lines of a window by length, so a large window is fast; but whoever writes a line into a pipe and
waits for its translation must get it. So a window ends where reading on would mean waiting.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from typing import BinaryIO

SIZE = 1 << 16


class Pipe:
    r"""The bytes of a file descriptor as lines that end in `\n`; it knows whether reading on would mean waiting."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._lines: list[bytes] = []  # whole ones, the last one first
        self._ended = False

    def readline(self, limit: int = -1) -> bytes:
        """The next line, or its next `limit` bytes; nothing at the end."""
        while not self._lines and not self._ended:
            self._read()
        if not self._lines:
            return b""
        line = self._lines.pop()
        if 0 <= limit < len(line):
            self._lines.append(line[limit:])
            line = line[:limit]
        return line

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def is_ready(self) -> bool:
        """Whether there is something to read at once: a line, a part of one, or the end."""
        return bool(self._lines) or self._ended or bool(select.select([self._descriptor], [], [], 0)[0])

    def _read(self) -> None:
        read = [self._rest]
        while chunk := os.read(self._descriptor, SIZE):
            read.append(chunk)
            if b"\n" in chunk:
                break
        *whole, self._rest = b"".join(read).split(b"\n")
        self._ended = not chunk
        self._lines = [line + b"\n" for line in reversed(whole)]
        if self._ended and self._rest:
            self._lines.insert(0, self._rest)


def stdin() -> Pipe | BinaryIO:
    """Standard input as bytes, as a `Pipe` where it is one."""
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, ValueError):  # not a real file
        return sys.stdin.buffer
    return sys.stdin.buffer if os.name == "nt" else Pipe(descriptor)


def windows(lines: Iterator[str], size: int, source: object = None) -> Iterator[list[str]]:
    """Lists of at most `size` lines; shorter ones only where the next line of `source` is not there yet."""
    window: list[str] = []
    for line in lines:
        window.append(line)
        if len(window) == size or (isinstance(source, Pipe) and not source.is_ready()):
            yield window
            window = []
    if window:
        yield window


def typed() -> Iterator[str]:
    """Lines that a person types, with editing and history where the terminal has them."""
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # `input` uses it once it is imported
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    while True:
        try:
            yield " ".join(input().splitlines())
        except EOFError:
            return
