"""The tables of a prepared folder, written as Arrow by `datasets`: they are mapped into memory, not read into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config import DIRECTIONS
from nmt.data.heldout import Item
from nmt.data.table import PairTable
from nmt.errors import DataError
from nmt.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    from datasets import Dataset

TRAIN = "train"


def write_train(folder: Path, pairs: PairTable, tokenizers: dict[str, Tokenizer]) -> None:
    """Write the training pairs: their normalised text, and their ids without `BOS` and `EOS`.

    Args:
        folder: The prepared folder.
        pairs: Normalised pairs, English as source.
        tokenizers: The tokenizer of each language.
    """
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

    text, ids = pyarrow.string(), pyarrow.list_(pyarrow.int32())
    schema = pyarrow.schema({"en": text, "zh": text, "en_ids": ids, "zh_ids": ids})
    batches = []
    for batch in pairs.batches():
        encoded = tokenizers["en"].encode(batch.source), tokenizers["zh"].encode(batch.target)
        arrays = [pyarrow.array(batch.source, text), pyarrow.array(batch.target, text)]
        arrays += [pyarrow.array(own, ids) for own in encoded]
        batches.append(pyarrow.record_batch(arrays, schema=schema))
    _save(folder / TRAIN, pyarrow.Table.from_batches(batches, schema))


def write_heldout(folder: Path, split: str, directions: dict[str, list[Item]]) -> None:
    """Write a held-out set, a table for each direction, in the corpus's own words."""
    for direction in DIRECTIONS:
        items = directions[direction]
        columns: dict[str, list[Any]] = {
            "source": [item.source for item in items],
            "references": [list(item.references) for item in items],
            "group": [item.group for item in items],
        }
        kinds = {"source": "string", "references": "strings", "group": "number"}
        _write(folder / split / direction, columns, kinds=kinds)


def read(folder: Path) -> Dataset:
    """Open a table that was written here.

    Raises:
        DataError: It is damaged.
    """
    from datasets import load_from_disk

    try:
        with _quiet():
            return load_from_disk(str(folder))
    except (ValueError, OSError, KeyError, TypeError):  # Arrow cut short is a ValueError; the rest is damaged JSON
        raise DataError(
            f"{folder} is damaged and can not be read: remove it and run the same `nmt prepare` again"
        ) from None


def _write(folder: Path, columns: dict[str, list[Any]], *, kinds: dict[str, str]) -> None:
    import pyarrow

    text = pyarrow.string()
    known = {"string": text, "number": pyarrow.int64(), "strings": pyarrow.list_(text)}
    arrays = {name: pyarrow.array(values, type=known[kinds[name]]) for name, values in columns.items()}
    _save(folder, pyarrow.table(arrays))


def _save(folder: Path, table: pyarrow.Table) -> None:
    from datasets import Dataset

    with _quiet():  # an empty table without a file can not be read again
        Dataset(table).save_to_disk(str(folder), num_shards=None if len(table) else 1)


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars of `datasets` for these few lines, and the person's own choice afterwards."""
    from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    disabled = are_progress_bars_disabled()
    disable_progress_bars()
    try:
        yield
    finally:
        if not disabled:
            enable_progress_bars()
