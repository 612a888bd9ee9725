"""How to search: what a person may choose anew for every translation."""

from __future__ import annotations

from dataclasses import dataclass

from nmt.config import MAX_SEED, DecodeConfig
from nmt.config.checks import between, not_negative, one_of, positive
from nmt.decode.ranking import KINDS, Ranking
from nmt.decode.rules import Bounds
from nmt.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Beam search, or sampling, and the rules that its hypotheses keep.

    Raises:
        ConfigError: a value is out of its range.
    """

    beam: int = 5
    """Hypotheses kept at each step; 1 is greedy."""
    nbest: int = 1
    """Hypotheses given back for each sentence, at most `beam`; how many are drawn when sampling."""
    length_penalty: float = 1.0
    length_penalty_kind: str = "plain"
    """`plain` or `gnmt`, see `nmt.decode.ranking`."""
    coverage_penalty: float = 0.0
    """Weight of the source that was looked at too little; 0: it does not count."""
    max_ratio: float = 3.0
    """Most target pieces for each source piece ..."""
    max_extra: int = 20
    """... plus this many."""
    min_ratio: float = 0.0
    """Fewest target pieces for each source piece."""
    no_repeat_ngram: int = 0
    """No run of this many pieces is written twice; 0: anything goes."""
    sample: bool = False
    """Draw each piece instead of searching for the best ones."""
    temperature: float = 1.0
    top_k: int = 0
    """Draw among the K likeliest pieces only; 0: among all."""
    top_p: float = 1.0
    """Draw among the likeliest pieces that together have this probability."""
    seed: int = 0

    def __post_init__(self) -> None:
        positive("beam", self.beam)
        positive("nbest", self.nbest)
        if not self.sample and self.nbest > self.beam:
            raise ConfigError(f"nbest is {self.nbest}, but a beam of {self.beam} gives at most {self.beam} hypotheses")
        between("length_penalty", self.length_penalty, 0, 10)
        one_of("length_penalty_kind", self.length_penalty_kind, KINDS)
        between("coverage_penalty", self.coverage_penalty, 0, 100)
        positive("max_ratio", self.max_ratio)
        positive("max_extra", self.max_extra)
        between("min_ratio", self.min_ratio, 0, self.max_ratio)
        not_negative("no_repeat_ngram", self.no_repeat_ngram)
        between("temperature", self.temperature, 0.01, 100)
        not_negative("top_k", self.top_k)
        between("top_p", self.top_p, 0.001, 1)
        between("seed", self.seed, 0, MAX_SEED)

    @classmethod
    def of(cls, decode: DecodeConfig) -> SearchOptions:
        """A model's own settings."""
        return cls(
            beam=decode.beam,
            length_penalty=decode.length_penalty,
            max_ratio=decode.max_ratio,
            max_extra=decode.max_extra,
        )

    @property
    def ranking(self) -> Ranking:
        return Ranking(self.length_penalty, self.length_penalty_kind)

    @property
    def width(self) -> int:
        """Hypotheses of each sentence that are held at once."""
        return self.nbest if self.sample else self.beam

    def bounds(self, source_length: int, prefix: tuple[int, ...] = ()) -> Bounds:
        """The lengths that a translation may have; both lengths count the end mark."""
        limit = int(self.max_ratio * source_length) + self.max_extra
        fewest = int(self.min_ratio * source_length)
        return Bounds(max(limit, len(prefix) + self.max_extra), max(fewest, 1), prefix)
