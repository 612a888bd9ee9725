"""Settings of the search for a translation."""

from __future__ import annotations

from dataclasses import dataclass

from nmt.config.checks import between, positive


@dataclass(kw_only=True)
class DecodeConfig:
    """How a trained model searches for a translation."""

    beam: int = 5
    """Hypotheses kept at each step; 1 is greedy."""
    length_penalty: float = 1.0
    """Scores are divided by (length ** this); 0 prefers short output."""
    max_ratio: float = 3.0
    """Most target pieces for each source piece ..."""
    max_extra: int = 20
    """... plus this many."""

    def __post_init__(self) -> None:
        positive("decode.beam", self.beam)
        between("decode.length_penalty", self.length_penalty, 0, 10)  # lengths to a higher power may overflow
        positive("decode.max_ratio", self.max_ratio)
        positive("decode.max_extra", self.max_extra)
