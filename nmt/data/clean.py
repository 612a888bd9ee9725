"""Cleaning: each pair is normalised, measured once, and dropped for the first rule that names it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from nmt.config import CleanConfig
from nmt.data.corpus import Pair
from nmt.data.measure import measure
from nmt.data.rules import Rule, rules
from nmt.errors import DataError
from nmt.text.language import langid_available
from nmt.text.mojibake import ftfy_available, mend
from nmt.text.normalise import normalise

EXAMPLES = 5


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


class Cleaner:
    """Normalises pairs and tries the rules on them; remembers nothing of a pair."""

    def __init__(self, config: CleanConfig) -> None:
        self._mends = config.mojibake == "repair"
        self.rules: dict[str, Rule] = rules(config)

    def __call__(self, pair: Pair) -> tuple[Pair, str | None]:
        """The normalised pair, English as source, and the name of the first rule that drops it."""
        if self._mends:
            pair = replace(pair, source=mend(pair.source), target=mend(pair.target))
        pair = replace(pair, source=normalise(pair.source, "en"), target=normalise(pair.target, "zh"))
        measured = measure(pair)
        return pair, next((name for name, rule in self.rules.items() if rule(measured)), None)


def check_extras(config: CleanConfig) -> None:
    """Name everything that is to be installed at once, before any work.

    Raises:
        DataError: Something is not installed.
    """
    missing = {}
    if config.mojibake != "keep" and not ftfy_available():
        missing["ftfy"] = f"ftfy, which clean.mojibake={config.mojibake} needs"
    if config.language and not langid_available():
        missing["langid"] = "py3langid, which clean.language=true needs"
    if missing:
        raise DataError(
            f"Not installed: {'; '.join(missing.values())}. Install with: pip install 'nmt[{','.join(missing)}]'"
        )


def clean(pairs: Iterable[Pair], config: CleanConfig, dropped: dict[str, Dropped]) -> Iterator[Pair]:
    """The normalised pairs that no rule drops, in their order.

    Args:
        pairs: Pairs with text on both sides, English as source.
        config: Which rules there are.
        dropped: Receives an entry for each rule, in the order of the rules, and the counts.
    """
    cleaner = Cleaner(config)
    dropped |= {name: Dropped() for name in cleaner.rules}
    for pair, reason in map(cleaner, pairs):
        if reason is None:
            yield pair
        else:
            dropped[reason].add(pair)


def without_duplicates(pairs: Iterable[Pair], dropped: Dropped) -> Iterator[Pair]:
    """The pairs that do not equal an earlier one on both sides."""
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        key = (pair.source, pair.target)
        if key in seen:
            dropped.add(pair)
        else:
            seen.add(key)
            yield pair
