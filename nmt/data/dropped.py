"""What a rule dropped: how many pairs, and the first few of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from nmt.data.corpus import Pair

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

    def merge(self, later: Dropped) -> None:
        """Add what was dropped after these."""
        self.count += later.count
        self.examples += later.examples[: EXAMPLES - len(self.examples)]
