"""One file of any format as a stream of pairs: a small reader for each, chosen by the file's content and name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nmt.data.corpus import Pair, read_files
from nmt.data.lines import STRICT, LineCounts, Rule
from nmt.data.readers.archive import read_zip
from nmt.data.readers.base import Job, Reader
from nmt.data.readers.catalogue import read_mo, read_po
from nmt.data.readers.columns import read_csv, read_tabs
from nmt.data.readers.detect import detect, is_sgm
from nmt.data.readers.jsonl import read_jsonl
from nmt.data.readers.parquet import read_parquet
from nmt.data.readers.tmx import read_tmx
from nmt.data.readers.wmt import read_sgm, read_wmt
from nmt.data.readers.xliff import read_xliff
from nmt.errors import DataError

READERS: dict[str, Reader] = {
    "tsv": read_tabs,
    "csv": read_csv,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "tmx": read_tmx,
    "xliff": read_xliff,
    "po": read_po,
    "mo": read_mo,
    "wmt": read_wmt,
    "zip": read_zip,
}

__all__ = ["READERS", "Job", "detect", "read", "read_two"]


def read(job: Job, counts: LineCounts, kind: str = "auto") -> Iterator[Pair]:
    """The pairs of a file, source and target as `job` says.

    Args:
        job: The file, and where in it the two sides are.
        counts: What reading met is added to it; each record gives a pair or is counted in `skipped`.
        kind: One of `READERS`, or `auto`.

    Raises:
        DataError: The file can not be read as it is.
    """
    kind = detect(job.path) if kind == "auto" else kind
    if kind == "sgm":
        raise DataError(
            f"{job.name} is one side of an SGM test set: give both with data=files "
            "data.train.source=X-src.en.sgm data.train.target=X-ref.zh.sgm"
        )
    return READERS[kind](job, counts)


def read_two(source: str | Path, target: str | Path, counts: LineCounts, rule: Rule = STRICT) -> Iterator[Pair]:
    """The pairs of two files: lines (Moses format), or the two sides of an SGM test set."""
    if is_sgm(source) and is_sgm(target):
        return read_sgm(source, target, rule, counts)
    return read_files(source, target, counts, rule)
