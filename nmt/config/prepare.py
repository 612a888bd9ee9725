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
    script: str = "drop"
    """Chinese lines in the other script: `drop` those that clearly are, `convert` them (OpenCC), or `keep` them."""
    chinese: str = "hans"
    """The script of Chinese text: `hans` (simplified) or `hant` (traditional)."""
    decontaminate: list[str] = field(default_factory=list)
    """Files of dev and test sets that no training pair may overlap with: sentences, or lines with tabs."""
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
        one_of("data.script", self.script, ("drop", "convert", "keep"))
        one_of("data.chinese", self.chinese, ("hans", "hant"))
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

    min_units: int = 1
    """Shortest sentence of either side."""
    max_units: int = 200
    """Longest sentence of either side."""
    max_characters: int = 2000
    """Most characters of either side: one "word" may be a page of code."""
    min_ratio: float = 0.5
    """Fewest Chinese units for each English unit (two units of either side are always allowed)."""
    max_ratio: float = 4.0
    """Most Chinese units for each English unit."""
    min_letters: float = 0.3
    """Smallest share of letters in what either side has beside spaces, tags and web addresses."""
    min_latin: float = 0.5
    """Smallest share of Latin letters among the letters of the English side."""
    min_han: float = 0.2
    """Smallest share of Han characters among the units of the Chinese side; one is needed in any case."""
    identical: bool = True
    """Drop pairs whose sides are the same but for case, spaces and punctuation."""
    max_repeated: float = 0.4
    """Largest share of the 4-grams of a side (of units) that stand in it for the second time or more; 1 allows all."""
    markup: str = "equal"
    """HTML tags and entities: keep pairs with `none`, with `equal` ones on both sides, or with `any`."""
    urls: str = "equal"
    """Web addresses: keep pairs with `none`, with as many on both sides (`equal`), or with `any`."""
    mojibake: str = "keep"
    """Text read in another encoding than it was written in: `keep`, `drop` or `repair` it (extra `ftfy`)."""
    numbers: bool = False
    """Drop pairs with a number in digits on one side that the other lacks; knows 两万, 九一一 and "two million"."""
    language: bool = False
    """Drop pairs with a side of 8 units or more that is in another language (extra `langid`; slow)."""
    decontaminate: bool = True
    """Drop pairs that overlap with dev, test or a file of data.decontaminate; otherwise overlaps are counted only."""
    deduplicate: bool = True
    """Drop pairs that equal an earlier pair on both sides."""
    near_duplicates: float | None = None
    """Drop pairs that are as similar as this to an earlier one (Jaccard index, such as 0.8; extra `near`)."""
    max_translations: int | None = None
    """Most pairs with the same sentence on a side; the later ones are dropped."""

    def __post_init__(self) -> None:
        for name in ("max_units", "max_characters"):
            positive(f"clean.{name}", getattr(self, name))
        for name in ("min_units", "min_ratio", "max_ratio"):
            not_negative(f"clean.{name}", getattr(self, name))
        for name in ("min_letters", "min_latin", "min_han", "max_repeated"):
            between(f"clean.{name}", getattr(self, name), 0, 1)
        for name in ("markup", "urls"):
            one_of(f"clean.{name}", getattr(self, name), ("none", "equal", "any"))
        if self.near_duplicates is not None:
            between("clean.near_duplicates", self.near_duplicates, 0.5, 1)
        if self.max_translations is not None:
            positive("clean.max_translations", self.max_translations)
        one_of("clean.mojibake", self.mojibake, ("keep", "drop", "repair"))
        if self.min_ratio > self.max_ratio:
            raise ConfigError("clean.min_ratio is greater than clean.max_ratio")
        if self.min_units > self.max_units:
            raise ConfigError("clean.min_units is greater than clean.max_units")


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
    sample: int = 200_000
    """Most different sentences of a language from which its vocabulary is learned, drawn by `seed`."""

    def __post_init__(self) -> None:
        one_of("text.algorithm", self.algorithm, ("unigram", "bpe"))
        positive("text.sample", self.sample)
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
    dry_run: bool = False
    """Read, split and clean only, and report: the table, OUTPUT.report.json and OUTPUT.report.html."""
    seed: int = 1
    """Of the sample from which a vocabulary is learned; nothing else here is random."""
    processes: int | None = None
    """Processes that clean a large corpus; all cores unless given. The result is the same."""
    data: DataConfig
    clean: CleanConfig = field(default_factory=CleanConfig)
    text: TextConfig = field(default_factory=TextConfig)

    def __post_init__(self) -> None:
        between("seed", self.seed, 0, MAX_SEED)
        if self.processes is not None:
            positive("processes", self.processes)


DATA = {"tatoeba": TatoebaConfig, "files": FilesConfig, "tsv": TsvConfig}
