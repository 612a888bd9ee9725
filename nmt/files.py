"""Writing so that a killed program never leaves half a file or half a folder, and reading so that damage is noticed."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MANIFEST = "manifest.json"


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
def new_folder(folder: Path, *, older: Sequence[Path] = ()) -> Iterator[Path]:
    """A folder to fill, which replaces `folder` whole when the block ends well and vanishes when it does not.

    Renaming a folder over another is not possible in one step: between two renames the old one is at `older[0]`, or
    else at `previous(folder)`, where a model or a run is looked for when `folder` itself is missing.

    Args:
        folder: where it will be.
        older: where versions before it are kept: the latest moves to the first place, the one there to the second, and
            the one in the last place goes. Without places the version before is removed.
    """
    temporary = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    _sweep(folder)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for path in (*temporary.rglob("*"), temporary):
            _flush(path)
        places = [folder, *(older or [previous(folder)])]
        _shift(places)
        temporary.rename(folder)
        _flush(folder.parent)
        shutil.rmtree(previous(folder), ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _shift(places: Sequence[Path]) -> None:
    """Make the first place free: what lies there moves on by one, up to the first place that is free already."""
    free = next((index for index, place in enumerate(places) if not place.exists()), len(places) - 1)
    shutil.rmtree(places[free], ignore_errors=True)
    for index in range(free, 0, -1):
        places[index - 1].rename(places[index])


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
    """To the disk; of a folder, the names in it (Windows has no way to ask for that)."""
    if path.is_dir() and os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- damage -----------------------------------------------------------------------------------------------------------


def write_manifest(folder: Path, names: Iterable[str]) -> None:
    """Note size and SHA-256 of these files of a folder, those that are never written again."""
    entries = {name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)} for name in names}
    write_text(folder / MANIFEST, json.dumps({"files": entries}, indent=2) + "\n")


def damage(folder: Path) -> str | None:
    """What is wrong with the files of a folder, in words, or None: they are as its manifest says, or it has none."""
    if not (folder / MANIFEST).is_file():
        return None
    try:
        entries = dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"])
        for name, entry in entries.items():
            if not (folder / name).is_file():
                return f"{name} is missing"
            if (size := (folder / name).stat().st_size) != entry["bytes"]:
                return f"{name} has {size:,} bytes instead of {entry['bytes']:,}"
            if sha256(folder / name) != entry["sha256"]:
                return f"the contents of {name} have changed since it was written"
    except (OSError, ValueError, KeyError, TypeError):
        return f"{MANIFEST} can not be read"
    return None


def sha256(path: Path) -> str:
    """The checksum of a file, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
