"""A corpus into its parts: what the person gave for dev and test, or groups of sentences that are held out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nmt.config import PrepareConfig
from nmt.data import heldout
from nmt.data.dropped import EXAMPLES, Dropped
from nmt.data.gather import Gathered
from nmt.data.heldout import Group, Item
from nmt.data.lines import LineCounts
from nmt.data.overlap import HeldOutSet, of_pairs, same_sentences
from nmt.data.split import Groups, connect, split

if TYPE_CHECKING:
    import numpy as np

HeldOutSets = dict[str, dict[str, list[Item]]]
"""`dev` and `test`, each with its two directions."""


@dataclass(slots=True)
class Corpus:
    """What was read, in parts, and the sets that the person wants to test on."""

    parts: dict[str, Gathered]
    lines: LineCounts
    files: list[HeldOutSet]


@dataclass(slots=True)
class Divided:
    """Which pairs serve what."""

    train: np.ndarray
    """Which pairs of the part `train` are for training; shape (pairs,)."""
    heldout: HeldOutSets
    groups: int
    kept: dict[str, int]
    """Pairs of dev and test."""
    sets: list[HeldOutSet]
    """Every dev and test set."""
    overlapping: Dropped
    """Pairs with a sentence of a set that the person gave."""


def divide(corpus: Corpus, config: PrepareConfig) -> Divided:
    """Hold out what the settings ask for, and leave out of training what shares a sentence with a given set."""
    import numpy as np

    train = corpus.parts["train"]
    given = {name: list(part.pairs) for name, part in corpus.parts.items() if name != "train"}
    sets = [of_pairs(name, pairs, file=True) for name, pairs in given.items()] + corpus.files
    same = same_sentences(sets, *train.sentence_keys())
    free = ~same if config.clean.decontaminate else np.ones(len(same), bool)
    keys = (own[free] for own in train.sentence_keys())
    groups = connect(*keys, *(train.pairs.numbers(name)[free] for name in ("source_id", "target_id")))
    dev, test = split(
        groups,
        dev=0 if "dev" in given else config.data.dev_groups,
        test=0 if "test" in given else config.data.test_groups,
    )
    members = _members(train, free.nonzero()[0], groups, dev + test)
    heldout_sets: HeldOutSets = {}
    pairs_of = {name: len(pairs) for name, pairs in given.items()}
    for name, chosen in (("dev", dev), ("test", test)):
        own = [members[number] for number in chosen]
        heldout_sets[name] = _both_directions(own)
        pairs_of.setdefault(name, sum(len(group.pairs) for group in own))
        if name not in given:
            sets.append(of_pairs(name, (pair for group in own for pair in group.pairs), file=False))
    for name, pairs in given.items():
        heldout_sets[name] = {
            "en-zh": heldout.from_pairs(pairs),
            "zh-en": heldout.from_pairs(pair.flipped() for pair in pairs),
        }
    kept = free.copy()
    kept[free] = ~np.isin(groups.of, dev + test)
    places = (~free).nonzero()[0]
    overlapping = Dropped(len(places), train.pairs.take(places[:EXAMPLES].tolist()))
    return Divided(kept, heldout_sets, len(groups), pairs_of, sets, overlapping)


def _members(train: Gathered, places: np.ndarray, groups: Groups, chosen: list[int]) -> dict[int, Group]:
    """The groups with these numbers, with their pairs."""
    import numpy as np

    found = np.isin(groups.of, chosen).nonzero()[0]
    pairs: dict[int, list[Any]] = {number: [] for number in chosen}
    for number, pair in zip(groups.of[found].tolist(), train.pairs.take(places[found].tolist()), strict=True):
        pairs[number].append(pair)
    return {number: Group(int(groups.ids[number]), tuple(own)) for number, own in pairs.items()}


def _both_directions(groups: Iterable[Group]) -> dict[str, list[Item]]:
    groups = list(groups)
    return {"en-zh": heldout.from_groups(groups), "zh-en": heldout.from_groups(map(heldout.flipped, groups))}
