"""The tables of a prepared folder, written as Arrow by `datasets`: they are mapped into memory, not read into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config import DIRECTIONS
from nmt.data.corpus import Pair
from nmt.data.heldout import Item
from nmt.errors import DataError
from nmt.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from datasets import Dataset

TRAIN = "train"


def write_train(folder: Path, pairs: Sequence[Pair], tokenizers: dict[str, Tokenizer]) -> None:
    """Write the training pairs: their normalised text, and their ids without `BOS` and `EOS`.

    Args:
        folder: The prepared folder.
        pairs: Normalised pairs, English as source.
        tokenizers: The tokenizer of each language.
    """
    english, chinese = [pair.source for pair in pairs], [pair.target for pair in pairs]
    columns: dict[str, list[Any]] = {
        "en": english,
        "zh": chinese,
        "en_ids": tokenizers["en"].encode(english),
        "zh_ids": tokenizers["zh"].encode(chinese),
    }
    _write(folder / TRAIN, columns, kinds={"en": "string", "zh": "string", "en_ids": "ids", "zh_ids": "ids"})


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
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    from datasets import Dataset

    text = pyarrow.string()
    known = {
        "string": text,
        "number": pyarrow.int64(),
        "strings": pyarrow.list_(text),
        "ids": pyarrow.list_(pyarrow.int32()),
    }
    arrays = {name: pyarrow.array(values, type=known[kinds[name]]) for name, values in columns.items()}
    empty = not next(iter(columns.values()))
    with _quiet():  # an empty table without a file can not be read again
        Dataset.from_dict(arrays).save_to_disk(str(folder), num_shards=1 if empty else None)


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
