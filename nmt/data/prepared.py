"""A prepared folder, opened: what training and evaluation read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config import DIRECTIONS, LANGUAGES
from nmt.data import arrow
from nmt.data.folder import read_manifest
from nmt.data.heldout import HeldOut, layout
from nmt.errors import DataError
from nmt.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["HeldOut", "Prepared", "load_prepared"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """One prepared folder."""

    path: Path
    manifest: dict[str, Any]

    def tokenizer(self, language: str) -> Tokenizer:
        """The vocabulary of `en` or `zh`."""
        if language not in LANGUAGES:
            raise DataError(f"{self.path} has no language {language!r}: it must be one of {', '.join(LANGUAGES)}")
        return Tokenizer.load(self.path / f"{language}.spm")

    def train(self) -> Dataset:
        """The training pairs: columns `en`, `zh` (normalised text), `en_ids`, `zh_ids` (without BOS and EOS)."""
        return self._table(arrow.TRAIN)

    def heldout(self, split: str, direction: str) -> HeldOut:
        """A held-out set.

        Args:
            split: `dev` or `test`.
            direction: `en-zh` or `zh-en`.

        Returns:
            Its sources, and its references in sacreBLEU's layout.

        Raises:
            DataError: There is no such set.
        """
        if split not in ("dev", "test") or direction not in DIRECTIONS:
            raise DataError(f"{self.path} has no {split} {direction}: it has dev and test, each en-zh and zh-en")
        table = self._table(f"{split}/{direction}")
        return layout(list(table["source"]), list(table["references"]))

    def _table(self, name: str) -> Dataset:
        folder = self.path / name
        if not folder.is_dir():
            raise DataError(f"{self.path} is not whole ({name} is missing): run the same `nmt prepare` again")
        return arrow.read(folder)


def load_prepared(path: str | Path) -> Prepared:
    """Open a folder that `nmt prepare` wrote.

    Args:
        path: The folder.

    Returns:
        The folder with its manifest; its tables are opened when they are asked for.

    Raises:
        DataError: The folder is missing or of another format.
    """
    path = Path(path)
    if not path.is_dir():
        raise DataError(f"There is no folder {path}. Make it with: {_command(path)}")
    return Prepared(path, read_manifest(path))


def _command(path: Path) -> str:
    if path.name == "tatoeba":
        return "nmt prepare data=tatoeba" + ("" if path == Path("prepared/tatoeba") else f" output={path}")
    return f"nmt prepare data=files data.name={path.name} data.train.source=FILE.en data.train.target=FILE.zh"
