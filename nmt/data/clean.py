"""Cleaning: each pair is normalised, measured once, and dropped for the first reason that there is.

First come the rules that look at one pair alone, on all cores; then those that compare pairs, by hashes of 64 bits.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nmt.config import CleanConfig
from nmt.data.corpus import Pair
from nmt.data.dropped import EXAMPLES, Dropped
from nmt.data.duplicates import beyond, near_repeats, rensa_available, repeats, text_key
from nmt.data.measure import measure
from nmt.data.overlap import NearSentences, Sentence
from nmt.data.pool import spread
from nmt.data.rules import Rule, rules
from nmt.data.table import Columns, PairTable
from nmt.errors import DataError
from nmt.text.language import langid_available
from nmt.text.mojibake import ftfy_available, mend
from nmt.text.normalise import normalise

if TYPE_CHECKING:
    import numpy as np

SIDES = {"source": "en", "target": "zh"}
NEAR_HELD_OUT = "near dev or test"


@dataclass(slots=True)
class Cleaned:
    """What is left, normalised, and what was dropped for which reason, in the order of the rules."""

    pairs: PairTable = field(default_factory=PairTable)
    dropped: dict[str, Dropped] = field(default_factory=dict)
    overlaps: set[tuple[int, int]] = field(default_factory=set)
    """Held-out sentences (set, place) that are nearly the same as one in the pairs."""
    source_keys: array[int] = field(default_factory=lambda: array("Q"))
    """`text_key` of each source sentence."""
    target_keys: array[int] = field(default_factory=lambda: array("Q"))

    def sentences(self, language: str, *, most: int, seed: int) -> list[str]:
        """The different sentences of a language in their order, or so many of them drawn by chance.

        A sentence with twelve translations is still one sentence.
        """
        import numpy as np

        keys = _keys(self)[0 if language == "en" else 1]
        places = np.sort(np.unique(keys, return_index=True)[1])
        if len(places) > most:
            places = np.sort(np.random.default_rng(seed).choice(places, most, replace=False))
        chosen = self.pairs.take(places.tolist())
        return [pair.source if language == "en" else pair.target for pair in chosen]


@dataclass(slots=True)
class _Batch:
    columns: Columns
    dropped: dict[str, Dropped]
    overlaps: set[tuple[int, int]]
    source_keys: array[int]
    target_keys: array[int]


class Cleaner:
    """Normalises pairs and tries the rules on them; remembers nothing of a pair."""

    def __init__(self, config: CleanConfig, held_out: Iterable[list[Sentence]] = ()) -> None:
        self._mends = config.mojibake == "repair"
        self._near = NearSentences(list(held_out))
        self._decontaminates = config.decontaminate
        self.rules: dict[str, Rule] = rules(config)

    def reasons(self) -> list[str]:
        """What a pair can be dropped for, in the order in which it is tried."""
        return [*self.rules, *([NEAR_HELD_OUT] if self._decontaminates else [])]

    def __call__(self, columns: Columns) -> _Batch:
        """Clean some pairs, English as source."""
        batch = _Batch(Columns.empty(), {}, set(), array("Q"), array("Q"))
        for raw in columns.pairs():
            pair, reason = self.judge(raw)
            if reason is None and (overlaps := self._near(pair.source, pair.target)):
                batch.overlaps.update(overlaps)
                reason = NEAR_HELD_OUT if self._decontaminates else None
            if reason is None:
                batch.columns.add(pair)
                batch.source_keys.append(text_key(pair.source))
                batch.target_keys.append(text_key(pair.target))
            else:
                batch.dropped.setdefault(reason, Dropped()).add(pair)
        return batch

    def judge(self, pair: Pair) -> tuple[Pair, str | None]:
        """The normalised pair and the name of the first rule that drops it."""
        source, target = pair.source, pair.target
        if self._mends:
            source, target = mend(source), mend(target)
        pair = Pair(normalise(source, "en"), normalise(target, "zh"), pair.line)
        measured = measure(pair)
        return pair, next((name for name, rule in self.rules.items() if rule(measured)), None)


def clean(
    batches: Iterable[Columns], config: CleanConfig, *, held_out: Iterable[list[Sentence]] = (), processes: int = 1
) -> Cleaned:
    """Clean the training part.

    Args:
        batches: Its pairs, with text on both sides, English as source.
        config: Which rules there are.
        held_out: The sentences of every dev and test set; what is nearly the same is dropped, or noted only.
        processes: How many work.

    Returns:
        The normalised pairs that nothing speaks against, in their order.
    """
    held_out = list(held_out)
    cleaned = Cleaned(dropped={name: Dropped() for name in Cleaner(config).reasons()})
    for batch in spread(Cleaner, (config, held_out), batches, processes=processes):
        cleaned.pairs.append(batch.columns)
        cleaned.overlaps |= batch.overlaps
        cleaned.source_keys.extend(batch.source_keys)
        cleaned.target_keys.extend(batch.target_keys)
        for name, dropped in batch.dropped.items():
            cleaned.dropped[name].merge(dropped)
    _compare(cleaned, config)
    return cleaned


def _compare(cleaned: Cleaned, config: CleanConfig) -> None:
    """Drop what repeats an earlier pair."""
    import numpy as np

    if config.deduplicate:
        _drop(cleaned, "duplicate", repeats(*_keys(cleaned)))
    if config.near_duplicates is not None:
        _drop(cleaned, "near duplicate", near_repeats(cleaned.pairs, config.near_duplicates))
    if config.max_translations is not None:
        beyond_both = [beyond(keys, config.max_translations) for keys in _keys(cleaned)]
        _drop(cleaned, "translations", np.logical_or(*beyond_both))


def _keys(cleaned: Cleaned) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np

    return np.frombuffer(cleaned.source_keys, np.uint64), np.frombuffer(cleaned.target_keys, np.uint64)


def _drop(cleaned: Cleaned, name: str, found: np.ndarray) -> None:
    places = found.nonzero()[0]
    cleaned.dropped[name] = Dropped(len(places), cleaned.pairs.take(places[:EXAMPLES].tolist()))
    if len(places):
        kept = [array("Q", keys[~found].tobytes()) for keys in _keys(cleaned)]
        cleaned.pairs = cleaned.pairs.select(~found)
        cleaned.source_keys, cleaned.target_keys = kept


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
    if config.near_duplicates is not None and not rensa_available():
        missing["near"] = "rensa, which clean.near_duplicates needs"
    if missing:
        raise DataError(
            f"Not installed: {'; '.join(missing.values())}. Install with: pip install 'nmt[{','.join(missing)}]'"
        )
