"""A data set of the Hugging Face hub, or of a local folder or file, read as a stream by `datasets`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts
from nmt.data.readers.base import Job
from nmt.data.readers.fields import find_fields, flat_names, pair_from
from nmt.errors import DataError


def read_huggingface(
    job: Job, counts: LineCounts, *, subset: str | None = None, split: str = "train", revision: str | None = None
) -> Iterator[Pair]:
    """The pairs of one split, by its rows.

    Args:
        job: Its name or folder, and the fields to read.
        counts: What reading met is added to it.
        subset: The data set's own configuration.
        split: The split.
        revision: A commit or tag on the hub.

    Raises:
        DataError: There is no such data set, split or field, or it can not be read.
    """
    rows = _rows(job, subset, split, revision)
    fields: tuple[str, str] | None = None
    for number, row in enumerate(rows, start=1):
        fields = fields or find_fields(flat_names(row), job)
        if pair := pair_from(row, fields, number, job, counts):
            yield pair


def _rows(job: Job, subset: str | None, split: str, revision: str | None) -> Iterator[dict[str, Any]]:
    """Whatever goes wrong inside `datasets` (its errors have no common ancestor) is a sentence about this data set."""
    import datasets

    try:
        if (job.path / "state.json").is_file() or (job.path / "dataset_dict.json").is_file():  # of save_to_disk
            loaded = datasets.load_from_disk(str(job.path))
            rows = loaded[split] if isinstance(loaded, datasets.DatasetDict) else loaded
        elif job.path.is_file():
            rows = datasets.load_dataset(_builder(job), data_files=str(job.path), split="train", streaming=True)
        else:
            rows = datasets.load_dataset(str(job.path), subset, split=split, revision=revision, streaming=True)
        yield from rows
    except DataError:
        raise
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{job.name}: `datasets` can not read this data set (split {split}): {reason}") from error


def _builder(job: Job) -> str:
    ending = job.path.suffix.lower()
    found = {".parquet": "parquet", ".json": "json", ".jsonl": "json", ".csv": "csv", ".arrow": "arrow"}.get(ending)
    if found is None:
        raise DataError(f"{job.name}: `datasets` reads .parquet, .json, .jsonl, .csv and .arrow; try data=auto")
    return found


def local_files(path: Path) -> tuple[Path, ...]:
    """The files of a local data set, whose contents decide what is prepared; none for one on the hub."""
    if path.is_dir():
        return tuple(sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith(".")))
    return (path,) if path.is_file() else ()
