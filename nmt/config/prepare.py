"""Settings of `nmt prepare`: where text comes from, what is dropped, how it is cut into pieces."""

from __future__ import annotations

from dataclasses import dataclass, field

from nmt.config.checks import MAX_SEED, MISSING, between, not_negative, one_of, positive
from nmt.errors import ConfigError

LANGUAGES = ("en", "zh")


@dataclass(kw_only=True)
class DataConfig:
    """Where parallel text comes from. `kind` names the reader."""

    kind: str = MISSING
    name: str = MISSING
    """Name of the prepared folder: `prepared/NAME`."""
    source_language: str = "en"
    """Language of the source side of the files as they lie on disk; the prepared folder serves both directions."""
    target_language: str = "zh"
    script: str = "keep"
    """What to do with Chinese text: `keep` it as written, or `convert` it to simplified script (OpenCC)."""
    dev_groups: int = 1000
    """Groups of connected sentences held out for validation, at most a twentieth of all groups."""
    test_groups: int = 1000
    """Groups of connected sentences held out for testing, at most a twentieth of all groups."""
    licence: str = ""
    """Licence of the text, written to the manifest and to the card of every model trained on it."""
    attribution: str = ""
    """Whom to name, written beside the licence."""

    def __post_init__(self) -> None:
        one_of("data.source_language", self.source_language, LANGUAGES)
        one_of("data.target_language", self.target_language, LANGUAGES)
        one_of("data.script", self.script, ("keep", "convert"))
        if self.source_language == self.target_language:
            raise ConfigError("data.source_language and data.target_language are the same")
        for name in ("dev_groups", "test_groups"):
            not_negative(f"data.{name}", getattr(self, name))


@dataclass(kw_only=True)
class TatoebaConfig(DataConfig):
    """Tatoeba's Chinese-English pairs as installed by the extra `tatoeba`; no path is needed."""

    kind: str = "tatoeba"


@dataclass(kw_only=True)
class AlignedFiles:
    """Two files in which line n of one is the translation of line n of the other."""

    source: str | None = None
    target: str | None = None


@dataclass(kw_only=True)
class FilesConfig(DataConfig):
    """Two aligned files (Moses format) per part; `dev` and `test` are split off `train` when they are not given."""

    kind: str = "files"
    train: AlignedFiles = field(default_factory=AlignedFiles)
    dev: AlignedFiles = field(default_factory=AlignedFiles)
    test: AlignedFiles = field(default_factory=AlignedFiles)


@dataclass(kw_only=True)
class TsvFile:
    """One file with a pair a line, columns separated by tabs."""

    path: str | None = None
    source_column: int = 1
    """Column of the source sentence, counted from 1."""
    target_column: int = 2


@dataclass(kw_only=True)
class TsvConfig(DataConfig):
    """One TSV per part; `dev` and `test` are split off `train` when they are not given."""

    kind: str = "tsv"
    train: TsvFile = field(default_factory=TsvFile)
    dev: TsvFile = field(default_factory=TsvFile)
    test: TsvFile = field(default_factory=TsvFile)


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


DATA = {"tatoeba": TatoebaConfig, "files": FilesConfig, "tsv": TsvConfig}
