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
    """SentencePiece, one vocabulary per language, or one for both."""

    vocab_size_en: int = 4000
    """Pieces of the English vocabulary, 256 of which are the single bytes; a small corpus gives fewer."""
    vocab_size_zh: int = 4000
    """Pieces of the Chinese vocabulary."""
    joint: bool = False
    """One vocabulary for both languages, learned from their texts together; `model.tie=all` needs it."""
    vocab_size_joint: int = 8000
    """Pieces of the joint vocabulary."""
    coverage_en: float = 1.0
    """Share of the characters that get a piece of their own; the others are spelt in bytes."""
    coverage_zh: float = 0.9995
    """The same for Chinese, and for a joint vocabulary: the rarest characters are not worth a piece."""
    algorithm: str = "unigram"
    """`unigram` (Kudo 2018) or `bpe` (Sennrich et al. 2016)."""
    sample: int = 200_000
    """Most different sentences of a language from which its vocabulary is learned, drawn by `seed`."""

    def __post_init__(self) -> None:
        one_of("text.algorithm", self.algorithm, ("unigram", "bpe"))
        positive("text.sample", self.sample)
        for name in ("vocab_size_en", "vocab_size_zh", "vocab_size_joint"):
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
