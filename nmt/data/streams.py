"""From a path to a stream of bytes: a plain file, a compressed one (by its content, not its name), or stdin (`-`).

A compressed file may be small and its content endless. Text shrinks to a twentieth at best, so a stream of which more
than `BOMB_BYTES` came out, at more than `BOMB_RATIO` times what went in, is no text and is refused.
"""

from __future__ import annotations

import atexit
import bz2
import gzip
import io
import lzma
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from nmt.errors import DataError

STDIN = "-"
COMPRESSED = (".gz", ".xz", ".zst", ".bz2")
BOMB_BYTES = 64 << 20
BOMB_RATIO = 200

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst", b"BZh": "bz2"}
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


def open_bytes(path: str | Path) -> BinaryIO:
    """Open a file for reading as it lies on disk, with an error for people.

    Raises:
        DataError: It can not be opened.
    """
    try:
        return on_disk(path).open("rb")
    except OSError as error:
        raise DataError(f"Can not read {path}: {error.strerror}") from None


def open_content(path: str | Path) -> BinaryIO:
    """Open a file for reading, decompressed if its first bytes say that it is compressed.

    Raises:
        DataError: It can not be opened; later, when it is read: it is damaged, cut off, or a decompression bomb.
    """
    stream = open_bytes(path)
    return decompressed(stream, display(path), size=stream.tell)


def decompressed(stream: BinaryIO, name: str, size: Any) -> BinaryIO:
    """What a stream holds, decompressed if its first bytes say that it is compressed.

    Args:
        stream: A stream that can seek.
        name: What an error calls it.
        size: Gives how many compressed bytes were read so far.
    """
    start = stream.read(6)
    stream.seek(0)
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    if kind is None:
        return stream
    return io.BufferedReader(cast(Any, Guarded(_decompressor(kind, stream, name), stream, name, size)), 1 << 16)


def _decompressor(kind: str, stream: BinaryIO, name: str) -> BinaryIO:
    match kind:
        case "gz":
            return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
        case "xz":
            return cast(BinaryIO, lzma.LZMAFile(stream))
        case "bz2":
            return cast(BinaryIO, bz2.BZ2File(stream))
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise missing_extra(f"Reading {name}, which is compressed with zstd,") from None
    return cast(BinaryIO, zstd.ZstdFile(stream))


class Guarded(io.RawIOBase):
    """A decompressed stream whose faults are sentences, and which stops when it grows without measure."""

    def __init__(self, inner: BinaryIO, outer: BinaryIO, name: str, size: Any) -> None:
        self._inner, self._outer, self._name, self._size = inner, outer, name, size
        self._written = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or say what is wrong with the file."""
        try:
            block = self._inner.read(len(buffer))
        except _BROKEN as error:
            raise DataError(f"{self._name} is damaged or cut off: {error}") from None
        self._written += len(block)
        if self._written > BOMB_BYTES and self._written > BOMB_RATIO * max(int(self._size()), 1):
            raise DataError(
                f"{self._name} grows to more than {BOMB_RATIO} times its size: no text does that, so it is not read. "
                "If it is what you want, decompress it yourself and give the plain file"
            )
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close the file as well."""
        if not self.closed:
            self._inner.close()
            self._outer.close()
        super().close()


def display(path: str | Path) -> str:
    """What a person calls a file."""
    return "stdin" if str(path) == STDIN else str(path)


def on_disk(path: str | Path) -> Path:
    """Where a file lies. Stdin or a pipe is first written to a temporary file: it is hashed, counted and then read."""
    file = Path(path)
    is_pipe = file.exists() and not file.is_file() and not file.is_dir()
    return _spooled(str(path)) if str(path) == STDIN or is_pipe else file


@cache
def _spooled(path: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="nmt-stdin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "stdin"
    with copy.open("wb") as file:
        if path == STDIN:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with Path(path).open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy


@contextmanager
def plain_file(path: str | Path) -> Iterator[Path]:
    """A file for a parser that has to jump about in it: the file itself, or a temporary decompressed copy."""
    with open_content(path) as stream:
        if not isinstance(getattr(stream, "raw", None), Guarded):
            yield on_disk(path)
            return
        with tempfile.TemporaryDirectory(prefix="nmt-") as folder:
            copy = Path(folder) / "content"
            with copy.open("wb") as file:
                shutil.copyfileobj(stream, file)
            yield copy


def without_compression(path: str | Path) -> str:
    """The name of a file in lower case, without the ending that says how it is compressed."""
    name = Path(path).name.lower()
    return name.removesuffix(next((ending for ending in COMPRESSED if name.endswith(ending)), ""))


def missing_extra(what: str) -> DataError:
    """The error for a format whose library is not installed."""
    return DataError(f"{what} needs an extra that is not installed. Install it with: pip install 'nmt[formats]'")
