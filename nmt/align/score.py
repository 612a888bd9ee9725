"""How good are links? Against links that people drew (Och & Ney 2003).

People mark some links as *sure* (S) and some as *possible* (P, which includes S). With A, the links to be scored, and
sums over all sentences:

    precision = |A ∩ P| / |A|      recall = |A ∩ S| / |S|      AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

The alignment error rate is 0 for all of S and nothing outside of P; lower is better. A link is two numbers, and one
side that counts from 1 where the other counts from 0 gives a figure near 70 or 85 that looks like a bad aligner:
`shift` tries the neighbours, and the sides exchanged, and tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nmt.align.links import Link
from nmt.errors import DataError

_GOLD = re.compile(r"([0-9]+)([-p?])([0-9]+)")
_CLEARLY = 0.10  # an index error costs far more than this; no honest shift gains as much


@dataclass(frozen=True, slots=True)
class Gold:
    """The links that people drew in one sentence."""

    sure: frozenset[Link]
    possible: frozenset[Link]
    """All of `sure`, and the doubtful ones."""


@dataclass(frozen=True, slots=True)
class AlignmentScore:
    """AER, precision, recall and F1 from 0 to 1, and what they were counted over."""

    aer: float
    precision: float
    recall: float
    f1: float
    links: int
    sure: int
    possible: int
    """Links that are possible but not sure."""
    sentences: int


@dataclass(frozen=True, slots=True)
class Shift:
    """A change to every link after which they fit the gold far better."""

    source: int
    target: int
    exchanged: bool
    aer: float

    def __str__(self) -> str:
        changes = ["source and target exchanged"] if self.exchanged else []
        if self.source or self.target:
            changes.append(f"{self.source:+d} on every source and {self.target:+d} on every target index")
        return " and ".join(changes)


def read_gold(line: str, first: int = 0) -> Gold:
    """The links of a line: `i-j` is sure, `ipj` (or `i?j`) possible.

    Args:
        line: Links of one sentence, source before target.
        first: The index of a sentence's first word, 0 or 1.

    Raises:
        DataError: A word is not a link, or an index lies before the first.
    """
    sure, possible = set(), set()
    for number, word in enumerate(line.split(), start=1):
        match = _GOLD.fullmatch(word)
        if match is None:
            raise DataError(f"link {number} is {word!r}, but a link is i-j (sure) or ipj (possible)")
        link = (int(match[1]) - first, int(match[3]) - first)
        if min(link) < 0:
            raise DataError(f"link {number} is {word!r}, but the first word was said to have the index {first}")
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return Gold(frozenset(sure), frozenset(possible))


def score(links: Sequence[Iterable[Link]], gold: Sequence[Gold]) -> AlignmentScore:
    """Compare the links of each sentence, (source, target) from 0, with its gold links.

    Raises:
        DataError: There are more sentences on one side, or no sure link, or no sentence at all.
    """
    if len(links) != len(gold):
        raise DataError(f"there are links of {len(links)} sentences, but gold links of {len(gold)}")
    found = [set(sentence) for sentence in links]
    count = sum(map(len, found))
    sure = sum(len(one.sure) for one in gold)
    if not sure:
        raise DataError("the gold has no sure link, so there is nothing to compare with")
    right_sure = sum(len(one & by.sure) for one, by in zip(found, gold, strict=True))
    right = sum(len(one & by.possible) for one, by in zip(found, gold, strict=True))
    precision, recall = right / count if count else 0.0, right_sure / sure
    return AlignmentScore(
        aer=1.0 - (right_sure + right) / (count + sure),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        links=count,
        sure=sure,
        possible=sum(len(one.possible) for one in gold) - sure,
        sentences=len(gold),
    )


def shift(links: Sequence[Iterable[Link]], gold: Sequence[Gold]) -> Shift | None:
    """The index error that these links seem to have: the change that helps most, if it helps by 10 AER or more."""
    found = [list(sentence) for sentence in links]
    as_they_are = score(found, gold).aer
    tried = []
    for exchanged in (False, True):
        for source in (-1, 0, 1):
            for target in (-1, 0, 1):
                moved = [
                    [(j + source, i + target) if exchanged else (i + source, j + target) for i, j in sentence]
                    for sentence in found
                ]
                tried.append(Shift(source, target, exchanged, score(moved, gold).aer))
    best = min(tried, key=lambda one: (one.aer, one.exchanged, abs(one.source) + abs(one.target)))
    return best if best.aer < as_they_are - _CLEARLY else None
