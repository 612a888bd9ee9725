"""A held-out set: source sentences, and for each every reference that the corpus has.

With one source sentence a group no sentence is tested twice, and with all its translations as references a good
translation that differs from the first of them is not punished.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from nmt.data.corpus import Pair
from nmt.data.split import fold, sentence_id


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs that are connected by sentences in common."""

    id: int
    """The smallest id of its sentences."""
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One source sentence with its references."""

    source: str
    references: tuple[str, ...]
    """At least one, all different."""
    group: int
    """Id of the group it stands for, or its line in a file that the person gave."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A held-out set in sacreBLEU's layout."""

    sources: list[str]
    references: list[list[str | None]]
    """A list of reference *sets*, each as long as `sources`: `references[k][i]` is the k-th reference of sentence i,
    `None` where that sentence has fewer."""

    def __len__(self) -> int:
        return len(self.sources)


def represent(group: Group) -> Item:
    """The group's source sentence with the smallest id, and every target paired with it directly."""
    chosen = min(group.pairs, key=lambda pair: (sentence_id(pair.source, pair.source_id), pair.line))
    same = [pair for pair in group.pairs if fold(pair.source) == fold(chosen.source)]
    return Item(chosen.source, tuple(dict.fromkeys(pair.target for pair in same)), group.id)


def from_groups(groups: Iterable[Group]) -> list[Item]:
    """One item for each group that was split off, source to target as its pairs have them."""
    return [represent(group) for group in groups]


def from_pairs(pairs: Iterable[Pair]) -> list[Item]:
    """One item for each line of a file that the person gave: a published test set keeps its lines.

    A format with several references of a sentence gives a pair for each, one after the other, with the same line.
    """
    grouped = groupby(pairs, key=lambda pair: (pair.line, pair.source))
    return [Item(source, tuple(pair.target for pair in same), line) for (line, source), same in grouped]


def flipped(group: Group) -> Group:
    """The same group with source and target exchanged."""
    return Group(group.id, tuple(pair.flipped() for pair in group.pairs))


def layout(sources: Sequence[str], references: Sequence[Sequence[str]]) -> HeldOut:
    """From the references of each sentence to sacreBLEU's reference sets.

    Args:
        sources: The sentences.
        references: For each sentence, its references.

    Returns:
        As many sets as the sentence with most references has.
    """
    depth = max(map(len, references), default=0)
    sets: list[list[str | None]] = [
        [own[level] if level < len(own) else None for own in references] for level in range(depth)
    ]
    return HeldOut(list(sources), sets)
