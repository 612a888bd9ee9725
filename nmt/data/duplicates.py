"""Pairs that say again what an earlier pair says, found by hashes: 16 bytes a pair, whatever the length of the text.

- exact: both sides equal those of an earlier pair;
- near: MinHash (Broder 1997). A pair is the set of its runs of characters; the least values of some hashes of the set
  agree between two sets about as often as the sets do (their Jaccard index). `BANDS` groups of `ROWS` such values are
  64 bytes a pair; where a group is the same, the two texts themselves are compared;
- a sentence with very many translations: all but the first few.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from nmt.data.split import fold
from nmt.data.table import PairTable
from nmt.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np

BANDS, ROWS = 8, 5
_ENGLISH_RUN, _CHINESE_RUN = 5, 2
_SEED = 1
_PORTION = 4096


def rensa_available() -> bool:
    """Whether rensa is installed; does not import it."""
    return find_spec("rensa") is not None


def text_key(text: str) -> int:
    """A hash of a sentence as it is, 64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def repeats(source_keys: np.ndarray, target_keys: np.ndarray) -> np.ndarray:
    """Which pairs equal an earlier one on both sides.

    Args:
        source_keys: `text_key` of each source sentence; uint64, shape (pairs,).
        target_keys: The same of the targets.

    Returns:
        A boolean for each pair.
    """
    import numpy as np

    pair_keys = source_keys * np.uint64(0x9E3779B97F4A7C15) + target_keys  # modulo 2^64; the multiplier is odd
    found = np.ones(len(pair_keys), bool)
    found[np.unique(pair_keys, return_index=True)[1]] = False
    return found


def beyond(keys: np.ndarray, most: int) -> np.ndarray:
    """Which pairs come after the first `most` with their key.

    Args:
        keys: `text_key` of one side of each pair; uint64, shape (pairs,).
        most: How many are kept.

    Returns:
        A boolean for each pair.
    """
    import numpy as np

    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]][: len(keys)]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(keys)), 0))
    found = np.empty(len(keys), bool)
    found[order] = np.arange(len(keys)) - starts >= most
    return found


def near_repeats(pairs: PairTable, similarity: float) -> np.ndarray:
    """Which pairs are nearly the same as an earlier one.

    Args:
        pairs: Normalised pairs.
        similarity: The Jaccard index from which two pairs are nearly the same.

    Returns:
        A boolean for each pair.

    Raises:
        ConfigError: rensa is not installed.
    """
    import numpy as np

    bands = _bands(pairs)
    found = np.zeros(len(pairs), bool)
    for band in bands.T:
        _, first, bucket = np.unique(band, return_index=True, return_inverse=True)
        earlier = first[bucket]
        doubtful = ((earlier != np.arange(len(pairs))) & ~found).nonzero()[0]
        for start in range(0, len(doubtful), _PORTION):
            portion = doubtful[start : start + _PORTION]
            needed = np.unique(np.r_[portion, earlier[portion]])
            runs = {
                index: _runs(pair.source, pair.target)
                for index, pair in zip(needed.tolist(), pairs.take(needed.tolist()), strict=True)
            }
            for index in portion.tolist():
                found[index] = _jaccard(runs[index], runs[int(earlier[index])]) >= similarity
    return found


def _bands(pairs: PairTable) -> np.ndarray:
    """A hash of each band's values; uint64, shape (pairs, BANDS)."""
    import numpy as np

    try:
        from rensa import RMinHash
    except ImportError:
        raise ConfigError("Finding near duplicates needs rensa: pip install 'nmt[near]'") from None
    parts = [np.empty((0, BANDS), np.uint64)]
    for columns in pairs.batches():
        sets = [list(_runs(*sides)) for sides in zip(columns.source, columns.target, strict=True)]
        digests = np.array(RMinHash.digests_from_token_sets(sets, BANDS * ROWS, _SEED), np.uint64)
        parts.append(_mixed(digests.reshape(-1, BANDS, ROWS)))
    return np.concatenate(parts)


def _mixed(values: np.ndarray) -> np.ndarray:
    """The rows of each band as one number; (pairs, bands, rows) -> (pairs, bands)."""
    import numpy as np

    mixed = np.zeros(values.shape[:2], np.uint64)
    for row in range(values.shape[2]):
        mixed = (mixed ^ values[:, :, row]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _runs(english: str, chinese: str) -> set[str]:
    """The runs of characters of both sides, with a mark of their language."""
    one, other = fold(english), fold(chinese)
    return set(_cut(one, _ENGLISH_RUN)) | {f"/{run}" for run in _cut(other, _CHINESE_RUN)}


def _cut(text: str, length: int) -> Iterable[str]:
    return (text[start : start + length] for start in range(max(len(text) - length + 1, 1)))


def _jaccard(one: set[str], other: set[str]) -> float:
    shared = len(one & other)
    return shared / max(len(one) + len(other) - shared, 1)
