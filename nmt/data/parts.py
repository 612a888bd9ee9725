"""From the `data` settings to the files of each part and the reader for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nmt.config import (
    DATA,
    AlignedFiles,
    AutoConfig,
    AutoFile,
    DataConfig,
    FilesConfig,
    HuggingFaceConfig,
    HuggingFaceSet,
    TatoebaConfig,
    TsvConfig,
    TsvFile,
)
from nmt.data import tatoeba
from nmt.data.corpus import Pair, read_tsv
from nmt.data.lines import LineCounts, Rule
from nmt.data.readers import Job, read, read_two
from nmt.data.readers.huggingface import local_files, read_huggingface
from nmt.errors import ConfigError, DataError
from nmt.text.script import opencc_available

PARTS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Part:
    """The files of one part and how to read them; pairs come with English as source."""

    files: tuple[Path, ...]
    read: Callable[[LineCounts], Iterator[Pair]]


def parts(data: DataConfig) -> dict[str, Part]:
    """What there is to read.

    Args:
        data: The settings of one kind of corpus.

    Returns:
        `train`, and `dev` and `test` where the person gave files for them.

    Raises:
        ConfigError: A file that is needed is not given.
        DataError: An extra that is needed is not installed.
    """
    _check_extras(data)
    rule = Rule(data.encoding, data.on_error, data.max_line_bytes)
    match data:
        case TatoebaConfig():
            path = tatoeba.find_tatoeba()
            return {"train": Part((path,), lambda counts: tatoeba.read_tatoeba(path, counts))}
        case FilesConfig():
            found = {name: _aligned(getattr(data, name), rule, name=name) for name in PARTS}
        case TsvConfig():
            found = {name: _columns(getattr(data, name), rule, name=name) for name in PARTS}
        case AutoConfig():
            found = {name: _any_file(getattr(data, name), data, rule, name=name) for name in PARTS}
        case HuggingFaceConfig():
            found = {name: _data_set(getattr(data, name), data, rule, name=name) for name in PARTS}
        case _:
            raise ConfigError(f"data.kind is {data.kind!r}, but it must be one of: {', '.join(DATA)}")
    if data.source_language == "zh":
        found = {name: part and _flipped(part) for name, part in found.items()}
    return {name: part for name, part in found.items() if part is not None}


def _check_extras(data: DataConfig) -> None:
    """Name everything that is to be installed at once, before any work."""
    missing = {}
    if isinstance(data, TatoebaConfig) and not tatoeba.tatoeba_available():
        missing["tatoeba"] = "the Tatoeba pairs"
    if data.script == "convert" and not opencc_available():
        missing["opencc"] = "OpenCC, which data.script=convert needs"
    if missing:
        raise DataError(
            f"Not installed: {'; '.join(missing.values())}. Install with: pip install 'nmt[{','.join(missing)}]'"
        )


def _aligned(files: AlignedFiles, rule: Rule, *, name: str) -> Part | None:
    if files.source is None and files.target is None and name != "train":
        return None
    for side, path in (("source", files.source), ("target", files.target)):
        if path is None:
            raise ConfigError(f"data.{name}.{side} is not given: set data.{name}.{side}=FILE")
    source, target = Path(str(files.source)), Path(str(files.target))
    return Part((source, target), lambda counts: read_two(source, target, counts, rule))


def _columns(file: TsvFile, rule: Rule, *, name: str) -> Part | None:
    if file.path is None:
        if name != "train":
            return None
        raise ConfigError("data.train.path is not given: set data.train.path=FILE")
    for side in ("source_column", "target_column"):
        if getattr(file, side) < 1:
            raise ConfigError(f"data.{name}.{side} is {getattr(file, side)}, but columns are counted from 1")
    path = Path(file.path)
    reader = partial(read_tsv, path, source_column=file.source_column, target_column=file.target_column)
    return Part((path,), lambda counts: reader(counts=counts, rule=rule))


def _any_file(file: AutoFile, data: DataConfig, rule: Rule, *, name: str) -> Part | None:
    job = _job(file, data, rule, name=name)
    return None if job is None else Part((job.path,), lambda counts: read(job, counts, file.format))


def _data_set(chosen: HuggingFaceSet, data: DataConfig, rule: Rule, *, name: str) -> Part | None:
    job = _job(chosen, data, rule, name=name)
    if job is None:
        return None
    reader = partial(read_huggingface, subset=chosen.subset, split=chosen.split, revision=chosen.revision)
    return Part(local_files(job.path), lambda counts: reader(job, counts))


def _job(file: AutoFile | HuggingFaceSet, data: DataConfig, rule: Rule, *, name: str) -> Job | None:
    if file.path is None:
        if name != "train":
            return None
        raise ConfigError("data.train.path is not given: set data.train.path=FILE")
    languages = (data.source_language, data.target_language)
    return Job(Path(file.path), *languages, file.source_field, file.target_field, rule)


def _flipped(part: Part) -> Part:
    return Part(part.files, lambda counts: (pair.flipped() for pair in part.read(counts)))
