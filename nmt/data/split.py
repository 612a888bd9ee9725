"""Train, dev and test without a sentence in common.

In a corpus where one sentence has many translations, a random split of the *pairs* puts the same sentence on both
sides, and the test then measures memory. Here pairs that share a sentence, on either side, are connected, directly or
through others; a connected group goes to one part as a whole. Two sentences are the same if they differ in nothing but
case, punctuation, width and spaces (`fold`).

Which groups are held out is decided by a hash of each group's smallest sentence id. It depends on no random number, no
order of the file and no cleaning rule, so scores stay comparable when those change.
"""

from __future__ import annotations

import hashlib
import heapq
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

LARGEST_SHARE = 20
"""Dev and test take at most one of this many groups each."""
LARGEST_GROUP = 100
"""Pairs of the largest group that may be held out. In subtitles "Yes." connects thousands of pairs: they are for
training, and stand for one test sentence at most anyway."""

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Groups:
    """Pairs that are connected by sentences in common, numbered in the order of their first pairs."""

    of: np.ndarray
    """The group of each pair; int32, shape (pairs,)."""
    ids: np.ndarray
    """The smallest id of each group's sentences; int64, shape (groups,)."""
    sizes: np.ndarray
    """The pairs of each group; shape (groups,)."""

    def __len__(self) -> int:
        return len(self.ids)


def fold(text: str) -> str:
    """What two sentences have in common if they are "the same": their letters and digits, without case and width.

    Examples:
        >>> fold("Ｈｅｌｌｏ, World!") == fold("hello world")
        True
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NOT_ALPHANUMERIC.sub("", plain) or text


def sentence_key(text: str) -> int:
    """A hash of the folded text. Of ten million sentences, two agree in its 64 bits by chance once in 300,000 times."""
    return _hash(fold(text))


def sentence_id(text: str, own: int | None) -> int:
    """The corpus's own number of a sentence, or else one made of its folded text (63 bits)."""
    return sentence_key(text) >> 1 if own is None else own


def connect(source_keys: np.ndarray, target_keys: np.ndarray, source_ids: np.ndarray, target_ids: np.ndarray) -> Groups:
    """Put pairs that share a sentence into one group.

    Every pair begins as a group of its own, named by its number. In each round every group takes the smallest name
    among those that share a sentence with it; the number of rounds grows with the logarithm of the longest chain.

    Args:
        source_keys: `sentence_key` of each source sentence; uint64, shape (pairs,).
        target_keys: The same of the targets.
        source_ids: The corpus's own number of each source sentence, negative if it has none; int64, shape (pairs,).
        target_ids: The same of the targets.
    """
    import numpy as np

    names = np.arange(len(source_keys), dtype=np.int32)
    sides = [np.unique(keys, return_inverse=True)[1].astype(np.int32) for keys in (source_keys, target_keys)]
    while len(names):
        smallest = names
        for side in sides:
            least = np.full(int(side.max()) + 1, len(names), np.int32)
            np.minimum.at(least, side, names)
            smallest = np.minimum(smallest, least[side])
        if (smallest == names).all():
            break
        renamed = np.arange(len(names), dtype=np.int32)
        np.minimum.at(renamed, names, smallest)
        while (renamed[renamed] != renamed).any():
            renamed = renamed[renamed]
        names = renamed[names]
    _, of, sizes = np.unique(names, return_inverse=True, return_counts=True)
    ids = np.full(len(sizes), np.iinfo(np.int64).max)
    for keys, own in ((source_keys, source_ids), (target_keys, target_ids)):
        np.minimum.at(ids, of, np.where(own < 0, (keys >> np.uint64(1)).astype(np.int64), own))
    return Groups(of.astype(np.int32), ids, sizes)


def split(groups: Groups, *, dev: int, test: int) -> tuple[list[int], list[int]]:
    """Choose the groups of dev and of test by the hash of their ids.

    Args:
        groups: What `connect` returned.
        dev: Most groups for validation.
        test: Most groups for testing.

    Returns:
        The numbers of the groups of dev and of test, in the order of their hashes.
    """
    limit = len(groups) // LARGEST_SHARE
    dev, test = min(dev, limit), min(test, limit)
    small = (groups.sizes <= LARGEST_GROUP).nonzero()[0].tolist()
    ids = groups.ids
    chosen = heapq.nsmallest(dev + test, small, key=lambda index: (_hash(str(ids[index])), int(ids[index])))
    return chosen[test:], chosen[:test]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
