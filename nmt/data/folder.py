"""A prepared folder on disk: what it was made from, and whether that is what the settings ask for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nmt.config import DIRECTIONS, LANGUAGES, PrepareConfig
from nmt.data.streams import display, open_bytes
from nmt.errors import DataError

MANIFEST = "manifest.json"
FORMAT_VERSION = 1
"""Raised whenever the same settings and inputs would be written differently, so that old folders are made anew."""

_PATHS = ("source", "target", "path")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what is written."""

    settings: dict[str, Any]
    inputs: list[dict[str, Any]]
    fingerprint: str


def describe(config: PrepareConfig, files: Iterable[Path]) -> Recipe:
    """The recipe of a folder: its settings and the checksums of what it is made from.

    Args:
        config: The settings. Where the folder lies, and in which folders its inputs lie, changes nothing in it.
        files: The input files.

    Returns:
        The recipe.

    Raises:
        DataError: A file can not be read.
    """
    settings = asdict(config)
    for key in ("output", "dry_run", "processes"):
        del settings[key]
    for part in ("train", "dev", "test"):
        for key, value in settings["data"].get(part, {}).items():
            if key in _PATHS and value is not None and Path(value).exists():  # not a name on a hub
                settings["data"][part][key] = Path(value).name
    settings["data"]["decontaminate"] = [Path(path).name for path in settings["data"]["decontaminate"]]
    inputs = [_input(path) for path in files]
    text = json.dumps([FORMAT_VERSION, settings, inputs], sort_keys=True, ensure_ascii=False)
    return Recipe(settings, inputs, hashlib.sha256(text.encode()).hexdigest())


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a prepared folder.

    Raises:
        DataError: There is none, or it is of another format.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{folder} is not a prepared folder: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise DataError(f"Can not read {path}: {error}") from None
    version = manifest.get("format_version") if isinstance(manifest, dict) else None
    if version != FORMAT_VERSION:
        raise DataError(
            f"{folder} has format version {version}, but this program reads version {FORMAT_VERSION}: "
            "run the same `nmt prepare` again"
        )
    return dict(manifest)


def changes(manifest: dict[str, Any], recipe: Recipe) -> list[str]:
    """In which settings and inputs a folder differs from what is asked for, one line each."""
    old, new = _flat(manifest.get("settings", {})), _flat(recipe.settings)
    lines = [f"{key}: {old.get(key)} -> {new.get(key)}" for key in {**old, **new} if old.get(key) != new.get(key)]
    inputs = zip(manifest["inputs"], recipe.inputs, strict=False)  # by position: train/a.en and dev/a.en are both a.en
    return lines + [
        f"{now['path']} has other contents"
        for before, now in inputs
        if before["path"] == now["path"] and before["sha256"] != now["sha256"]
    ]


def check_replaceable(folder: Path) -> None:
    """Refuse to overwrite what `nmt prepare` did not write.

    Raises:
        DataError: The folder holds something else, or is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is a file: choose another folder with output=FOLDER")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise DataError(
            f"{folder} is not empty and is not a prepared folder (it has no {MANIFEST}), so it stays as it is: "
            "choose another with output=FOLDER"
        )


def is_whole(folder: Path) -> bool:
    """Whether nothing that belongs to a prepared folder was removed from it."""
    tables = ["train", *(f"{split}/{direction}" for split in ("dev", "test") for direction in DIRECTIONS)]
    files = [MANIFEST, *(f"{language}.spm" for language in LANGUAGES)]
    return all((folder / table).is_dir() for table in tables) and all((folder / file).is_file() for file in files)


def _input(path: Path) -> dict[str, Any]:
    digest, size = hashlib.sha256(), 0
    with open_bytes(path) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
            size += len(block)
    return {"path": Path(display(path)).name, "sha256": digest.hexdigest(), "bytes": size}


def _flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat
