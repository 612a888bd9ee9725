"""A pair with everything that the rules of cleaning count in it, counted once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nmt.data.corpus import Pair
from nmt.text.units import HAN, units

_NOT_A_LETTER = re.compile(r"[\W\d_]+")
_HAN = re.compile(f"[{HAN}]")
_NOT_LATIN = re.compile("[^A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]+")


@dataclass(slots=True)
class Side:
    """One side of a pair, normalised."""

    text: str
    units: list[str]
    letters: str
    """Its letters and Han characters, without anything between them."""

    @property
    def latin(self) -> float:
        """The share of Latin letters among its letters; 1 for a text without letters."""
        if self.letters.isascii():
            return 1.0
        return len(_NOT_LATIN.sub("", self.letters)) / max(len(self.letters), 1)

    @property
    def han(self) -> float:
        """The share of Han characters among its units, a Latin word counting as much as one of them."""
        return len(_HAN.findall(self.letters)) / max(len(self.units), 1)


@dataclass(slots=True)
class Measured:
    """A normalised pair, its sides measured."""

    pair: Pair
    english: Side
    chinese: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both of them."""
        return self.english, self.chinese


def measure(pair: Pair) -> Measured:
    """Measure a normalised pair, English as source."""
    return Measured(pair, _side(pair.source), _side(pair.target))


def _side(text: str) -> Side:
    return Side(text, units(text), _NOT_A_LETTER.sub("", text))
