"""Which pairs are not worth learning from: pure rules, each with a name and a reason a person can check.

The rules act on the *training* part only, on normalised text with English as source and Chinese as target. Lengths are
in the unit of `nmt.text.units`, so that they mean the same on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from nmt.data.corpus import Pair
from nmt.text.units import HAN, count_units

Rule = Callable[[Pair], bool]
"""True for a pair that is to be dropped."""

EXAMPLES = 5
ALWAYS_ALLOWED = 2
"""Units by which either side may exceed the ratio: "Hi!" and its translations have any ratio."""

_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(rf"[^\W\d_{HAN}]")


@dataclass(slots=True)
class Dropped:
    """The pairs that one rule dropped."""

    count: int = 0
    examples: list[Pair] = field(default_factory=list)
    """The first few."""

    def add(self, pair: Pair) -> None:
        """Count a pair, and keep it if it is among the first."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(pair)


@dataclass(slots=True)
class Cleaned:
    """What is left, and what was dropped for which reason, in the order of the rules."""

    pairs: list[Pair]
    dropped: dict[str, Dropped]


def no_english(pair: Pair) -> bool:
    """The English side has not one letter, but the Chinese side has."""
    return not _LETTER.search(pair.source) and bool(_HAN.search(pair.target) or _LETTER.search(pair.target))


def no_chinese(pair: Pair) -> bool:
    """The Chinese side has not one Han character, but the English side has letters."""
    return not _HAN.search(pair.target) and bool(_LETTER.search(pair.source))


def untranslated(pair: Pair) -> bool:
    """The English side is mostly Chinese."""
    return bool(_HAN.search(pair.source)) and 2 * len(_HAN.findall(pair.source)) > count_units(pair.source)


def too_long(*, max_units: int) -> Rule:
    """Either side is longer than `max_units`."""

    def is_long(text: str) -> bool:
        return len(text) > max_units and count_units(text) > max_units  # no unit is shorter than a character

    return lambda pair: is_long(pair.source) or is_long(pair.target)


def unequal_lengths(*, min_ratio: float, max_ratio: float) -> Rule:
    """The Chinese side is too short or too long for its English side, by more than `ALWAYS_ALLOWED` units."""

    def rule(pair: Pair) -> bool:
        english, chinese = count_units(pair.source), count_units(pair.target)
        return chinese + ALWAYS_ALLOWED < min_ratio * english or chinese - ALWAYS_ALLOWED > max_ratio * english

    return rule


def duplicate() -> Rule:
    """Both sides equal those of an earlier pair. The rule remembers: make one for each corpus."""
    seen: set[tuple[str, str]] = set()

    def rule(pair: Pair) -> bool:
        key = (pair.source, pair.target)
        known = key in seen
        seen.add(key)
        return known

    return rule


def rules(*, max_units: int, min_ratio: float, max_ratio: float, deduplicate: bool) -> dict[str, Rule]:
    """The rules in the order in which they are tried, each under the name that the report gives it."""
    chosen: dict[str, Rule] = {
        "no English": no_english,
        "no Chinese": no_chinese,
        "untranslated": untranslated,
        "too long": too_long(max_units=max_units),
        "unequal lengths": unequal_lengths(min_ratio=min_ratio, max_ratio=max_ratio),
    }
    return chosen | ({"duplicate": duplicate()} if deduplicate else {})


def clean(pairs: Iterable[Pair], chosen: dict[str, Rule]) -> Cleaned:
    """Drop each pair that a rule names; the first rule that does is the reason.

    Args:
        pairs: Normalised pairs, English as source.
        chosen: What `rules` returned.

    Returns:
        The other pairs in their order, and what was dropped.
    """
    cleaned = Cleaned([], {name: Dropped() for name in chosen})
    for pair in pairs:
        for name, rule in chosen.items():
            if rule(pair):
                cleaned.dropped[name].add(pair)
                break
        else:
            cleaned.pairs.append(pair)
    return cleaned
