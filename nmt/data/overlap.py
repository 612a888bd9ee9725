"""Decontamination: no sentence of a dev or test set, and nothing that is half of one, in the training text.

A model that was trained on what it is tested on is measured for its memory. Two sentences overlap if they are the same
but for case, punctuation, width and spaces (`split.fold`), or if at least half of the n-grams of the shorter one are in
the other: eight words of English, eight characters of Chinese. One n-gram in common is not enough, for a name or a
set phrase has as many.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.data.corpus import Pair
from nmt.data.lines import read_lines
from nmt.data.split import fold, sentence_key
from nmt.text.normalise import tidy
from nmt.text.units import HAN, units

if TYPE_CHECKING:
    import numpy as np

NGRAM = 8
SHARE = 0.5
"""Of the n-grams of the shorter sentence: with so many in the other, it is mostly in there."""

_HAN_CHARACTER = re.compile(f"[{HAN}]")

Sentence = tuple[str, str]
"""The English and the Chinese of a test set's line; either may be empty."""


@dataclass(slots=True)
class HeldOutSet:
    """The sentences of one dev or test set."""

    name: str
    sentences: list[Sentence]
    found: set[int] = field(default_factory=set)
    """Those that overlap with the training text, by their place."""
    file: bool = True
    """Whether the person gave it, so that its checksum is known elsewhere."""

    def entry(self, *, removed: bool) -> dict[str, Any]:
        """For the manifest."""
        sums = {
            language: checksum(sentence[side] for sentence in self.sentences)
            for side, language in enumerate(("en", "zh"))
        }
        return {
            "name": self.name,
            "sentences": len(self.sentences),
            "overlapping": len(self.found),
            "removed": removed,
            **({"sha256": sums} if self.file else {}),
        }


def checksum(sentences: Iterable[str]) -> str:
    """The checksum of one side of a test set, whatever kind of file it lies in."""
    text = "".join(f"{tidy(sentence)}\n" for sentence in sentences)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_set(path: Path) -> HeldOutSet:
    """Read a test set: lines with tabs between a sentence and its translations, or just sentences.

    A column with Han characters is Chinese. Of several translations each is a sentence of its own.
    """
    sentences: list[Sentence] = []
    for line in read_lines(path):
        columns = [tidy(column) for column in line.split("\t")]
        english = [column for column in columns if column and not _is_chinese(column)] or [""]
        chinese = [column for column in columns if column and _is_chinese(column)] or [""]
        more = max(len(english), len(chinese))
        sentences += zip(english + [""] * (more - len(english)), chinese + [""] * (more - len(chinese)), strict=True)
    return HeldOutSet(path.name, sentences)


def _is_chinese(text: str) -> bool:
    return bool(_HAN_CHARACTER.search(text))


def of_pairs(name: str, pairs: Iterable[Pair], *, file: bool) -> HeldOutSet:
    """The set of some pairs, English as source."""
    return HeldOutSet(name, [(pair.source, pair.target) for pair in pairs], file=file)


def same_sentences(sets: Sequence[HeldOutSet], source_keys: np.ndarray, target_keys: np.ndarray) -> np.ndarray:
    """Which pairs have a sentence of a set, word for word; notes in each set which ones were found.

    Args:
        sets: Dev and test sets.
        source_keys: `sentence_key` of the English sentences; uint64, shape (pairs,).
        target_keys: The same of the Chinese ones.

    Returns:
        A boolean for each pair.
    """
    import numpy as np

    found = np.zeros(len(source_keys), bool)
    for side, keys in enumerate((source_keys, target_keys)):
        own = array("Q"), array("Q"), array("Q")  # set, sentence, key
        for number, one in enumerate(sets):
            for place, sentence in enumerate(one.sentences):
                if sentence[side]:
                    for column, value in zip(own, (number, place, sentence_key(sentence[side])), strict=True):
                        column.append(value)
        if own[0]:
            known = np.frombuffer(own[2], np.uint64)
            found |= np.isin(keys, known)
            for index in np.isin(known, keys).nonzero()[0]:
                sets[own[0][index]].found.add(own[1][index])
    return found


class NearSentences:
    """The n-grams of all sets, to be asked about one pair after the other."""

    def __init__(self, sets: Sequence[list[Sentence]]) -> None:
        self._sides: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        self._places: list[tuple[int, int]] = []
        self._sizes: list[tuple[int, int]] = []
        for number, sentences in enumerate(sets):
            for place, sentence in enumerate(sentences):
                grams = english_ngrams(sentence[0]), chinese_ngrams(sentence[1])
                for known, own in zip(self._sides, grams, strict=True):
                    for gram in own:
                        known.setdefault(gram, []).append(len(self._places))
                self._places.append((number, place))
                self._sizes.append((len(grams[0]), len(grams[1])))

    def __call__(self, english: str, chinese: str) -> list[tuple[int, int]]:
        """The set and the place of every sentence that overlaps with a pair."""
        found = self._near(english, english_ngrams, 0) if self._sides[0] else []
        return found + (self._near(chinese, chinese_ngrams, 1) if self._sides[1] else [])

    def _near(self, text: str, ngrams: Callable[[str], set[str]], side: int) -> list[tuple[int, int]]:
        own, known = ngrams(text), self._sides[side]
        shared = known.keys() & own if len(own) > len(known) else [gram for gram in own if gram in known]
        counts: dict[int, int] = {}
        for gram in shared:
            for sentence in known[gram]:
                counts[sentence] = counts.get(sentence, 0) + 1
        return [
            self._places[sentence]
            for sentence, count in counts.items()
            if count >= SHARE * min(len(own), self._sizes[sentence][side])
        ]


def english_ngrams(text: str) -> set[str]:
    """Runs of eight words and numbers of a sentence; empty for a shorter one."""
    words = units(text.lower())
    return {" ".join(words[start : start + NGRAM]) for start in range(len(words) - NGRAM + 1)}


def chinese_ngrams(text: str) -> set[str]:
    """Runs of eight letters and characters of a sentence; empty for a shorter one."""
    letters = fold(text)
    return {letters[start : start + NGRAM] for start in range(len(letters) - NGRAM + 1)}
