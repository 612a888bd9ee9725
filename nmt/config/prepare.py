"""Settings of `nmt prepare`: what is dropped, and how text is cut into pieces; where it comes from is in `data`."""

from __future__ import annotations

from dataclasses import dataclass, field

from nmt.config.checks import MAX_SEED, between, not_negative, one_of, positive
from nmt.config.data import DataConfig
from nmt.errors import ConfigError


@dataclass(kw_only=True)
class CleanConfig:
    """Which pairs are dropped from the *training* part; dev and test keep every pair with text on both sides.

    Lengths are counted in the one unit of `nmt.text.units`: Han characters + Latin words + runs of digits.
    """

    max_units: int = 200
    """Longest sentence of either side."""
    min_ratio: float = 0.5
    """Fewest Chinese units for each English unit (two units of either side are always allowed)."""
    max_ratio: float = 4.0
    """Most Chinese units for each English unit."""
    deduplicate: bool = True
    """Drop pairs that equal an earlier pair on both sides."""

    def __post_init__(self) -> None:
        positive("clean.max_units", self.max_units)
        not_negative("clean.min_ratio", self.min_ratio)
        not_negative("clean.max_ratio", self.max_ratio)
        if self.min_ratio > self.max_ratio:
            raise ConfigError("clean.min_ratio is greater than clean.max_ratio")


@dataclass(kw_only=True)
class TextConfig:
    """SentencePiece, one vocabulary per language."""

    vocab_size_en: int = 4000
    """Pieces of the English vocabulary, 256 of which are the single bytes; a small corpus gives fewer."""
    vocab_size_zh: int = 4000
    """Pieces of the Chinese vocabulary."""
    coverage_en: float = 1.0
    """Share of the characters that get a piece of their own; the others are spelt in bytes."""
    coverage_zh: float = 0.9995
    """The same for Chinese: the rarest characters are not worth a piece."""
    algorithm: str = "unigram"
    """`unigram` (Kudo 2018) or `bpe` (Sennrich et al. 2016)."""

    def __post_init__(self) -> None:
        one_of("text.algorithm", self.algorithm, ("unigram", "bpe"))
        for name in ("vocab_size_en", "vocab_size_zh"):
            if getattr(self, name) < 300:
                raise ConfigError(f"text.{name} must be at least 300: 256 pieces are the single bytes")
        for name in ("coverage_en", "coverage_zh"):
            between(f"text.{name}", getattr(self, name), 0.98, 1)  # what SentencePiece takes


@dataclass(kw_only=True)
class PrepareConfig:
    """Settings of `nmt prepare`."""

    output: str = "prepared/${data.name}"
    """The folder to write."""
    seed: int = 1
    """Of the sample that SentencePiece draws from a very large corpus; nothing else here is random."""
    data: DataConfig
    clean: CleanConfig = field(default_factory=CleanConfig)
    text: TextConfig = field(default_factory=TextConfig)

    def __post_init__(self) -> None:
        between("seed", self.seed, 0, MAX_SEED)
