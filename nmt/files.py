"""Writing so that a killed program never leaves half a file or half a folder."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file: to a temporary sibling, to the disk, then renamed."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file: to a temporary sibling, to the disk, then renamed."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def previous(folder: Path) -> Path:
    """Where the last good version of a folder waits while the new one takes its place."""
    return folder.with_name(f"{folder.name}.previous")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which replaces `folder` whole when the block ends well and vanishes when it does not.

    Renaming a folder over another is not possible in one step: between two renames the old one is at
    `previous(folder)`, where a model or a run is looked for when `folder` itself is missing.
    """
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    _sweep(folder)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for file in temporary.rglob("*"):
            _flush(file)
        if folder.exists():
            shutil.rmtree(previous(folder), ignore_errors=True)
            folder.rename(previous(folder))
        temporary.rename(folder)
        shutil.rmtree(previous(folder), ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left of this folder; the temporary folder of a living one is its own."""
    for path in folder.parent.glob(f"{glob.escape(folder.name)}.*.tmp"):
        owner = re.fullmatch(r".*\.(\d+)\.tmp", path.name)
        if owner and (int(owner[1]) == os.getpid() or not _is_alive(int(owner[1]))):
            shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _flush(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as file:
            os.fsync(file.fileno())
