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
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nmt.data.corpus import Pair

LARGEST_SHARE = 20
"""Dev and test take at most one of this many groups each."""
LARGEST_GROUP = 100
"""Pairs of the largest group that may be held out. In subtitles "Yes." connects thousands of pairs: they are for
training, and stand for one test sentence at most anyway."""

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs that are connected by a sentence in common."""

    id: int
    """The smallest id of its sentences."""
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """The three parts; no sentence of either side is in two of them."""

    train: tuple[Group, ...]
    dev: tuple[Group, ...]
    test: tuple[Group, ...]


def fold(text: str) -> str:
    """What two sentences have in common if they are "the same": their letters and digits, without case and width.

    Examples:
        >>> fold("Ｈｅｌｌｏ, World!") == fold("hello world")
        True
    """
    return _NOT_ALPHANUMERIC.sub("", unicodedata.normalize("NFKC", text).casefold()) or text


def sentence_id(text: str, own: int | None) -> int:
    """The corpus's own number of a sentence, or else one made of its folded text (63 bits)."""
    return _hash(fold(text)) >> 1 if own is None else own


def connect(pairs: Iterable[Pair]) -> list[Group]:
    """Put pairs that share a folded sentence into one group (union-find).

    Args:
        pairs: Pairs with text on both sides.

    Returns:
        The groups, in the order of their first pairs; each keeps the order of its pairs.
    """
    pairs = list(pairs)
    parents = list(range(len(pairs)))
    first: dict[tuple[str, str], int] = {}
    for index, pair in enumerate(pairs):
        for key in _sides(pair):
            parents[_root(parents, index)] = _root(parents, first.setdefault(key, index))
    members: dict[int, list[Pair]] = {}
    for index, pair in enumerate(pairs):
        members.setdefault(_root(parents, index), []).append(pair)
    return [Group(_smallest_id(group), tuple(group)) for group in members.values()]


def split(groups: Sequence[Group], *, dev: int, test: int) -> Split:
    """Choose the groups of test, then of dev, by the hash of their ids; the others are for training.

    Args:
        groups: What `connect` returned.
        dev: Most groups for validation.
        test: Most groups for testing.

    Returns:
        The parts; train keeps the order of `groups`.
    """
    limit = len(groups) // LARGEST_SHARE
    dev, test = min(dev, limit), min(test, limit)
    by_hash = sorted(
        (index for index, group in enumerate(groups) if len(group.pairs) <= LARGEST_GROUP),
        key=lambda index: (_hash(str(groups[index].id)), groups[index].id),
    )
    held_out = set(by_hash[: test + dev])
    return Split(
        train=tuple(group for index, group in enumerate(groups) if index not in held_out),
        dev=tuple(groups[index] for index in by_hash[test : test + dev]),
        test=tuple(groups[index] for index in by_hash[:test]),
    )


def shares_a_sentence(held_out: Iterable[Pair]) -> Callable[[Pair], bool]:
    """A rule that is true for a pair with a folded sentence of a dev or test set that somebody else chose."""
    known = {key for pair in held_out for key in _sides(pair)}

    def rule(pair: Pair) -> bool:
        return bool(known) and any(key in known for key in _sides(pair))

    return rule


def _sides(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("source", fold(pair.source)), ("target", fold(pair.target))


def _root(parents: list[int], index: int) -> int:
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index


def _smallest_id(pairs: Iterable[Pair]) -> int:
    return min(
        min(sentence_id(pair.source, pair.source_id), sentence_id(pair.target, pair.target_id)) for pair in pairs
    )


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
