"""Settings of `data`: where the parallel text of `nmt prepare` comes from and how its bytes are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from nmt.config.checks import MISSING, not_negative, one_of, positive
from nmt.errors import ConfigError

LANGUAGES = ("en", "zh")
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "gb18030")
FORMATS = ("tsv", "csv", "jsonl", "parquet", "tmx", "xliff", "po", "mo", "wmt", "zip")


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
    encoding: str = "utf-8"
    """Encoding of files of lines and tables: `utf-8`, `utf-16`, `utf-16-le`, `utf-16-be` or `gb18030`."""
    on_error: str = "fail"
    """A line that is not in the encoding, or not in the format: `fail`, or `skip` its pair and count it, or `replace`
    its bad bytes by U+FFFD."""
    max_line_bytes: int = 1_000_000
    """The pair of a line (or a field) longer than this is skipped and counted."""

    def __post_init__(self) -> None:
        one_of("data.source_language", self.source_language, LANGUAGES)
        one_of("data.target_language", self.target_language, LANGUAGES)
        one_of("data.encoding", self.encoding, ENCODINGS)
        one_of("data.on_error", self.on_error, ("fail", "skip", "replace"))
        positive("data.max_line_bytes", self.max_line_bytes)
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
class AutoFile:
    """One file of any format."""

    path: str | None = None
    """The file; it may be compressed (.gz .xz .zst .bz2), and `-` is stdin."""
    format: str = "auto"
    """`auto` (by content and name), or `tsv`, `csv`, `jsonl`, `parquet`, `tmx`, `xliff`, `po`, `mo`, `wmt`, `zip`."""
    source_field: str | None = None
    """Where the source side is, if the file does not say: a column (number from 1, or name), a key such as
    `translation.en`, a language such as `zh-TW`, a member of an archive, by format."""
    target_field: str | None = None

    def __post_init__(self) -> None:
        one_of("format", self.format, ("auto", *FORMATS))


@dataclass(kw_only=True)
class AutoConfig(DataConfig):
    """One file of any format per part; `dev` and `test` are split off `train` when they are not given."""

    kind: str = "auto"
    train: AutoFile = field(default_factory=AutoFile)
    dev: AutoFile = field(default_factory=AutoFile)
    test: AutoFile = field(default_factory=AutoFile)


@dataclass(kw_only=True)
class HuggingFaceSet:
    """One split of a data set."""

    path: str | None = None
    """Name on the Hugging Face hub, or a local folder or file that `datasets` can load."""
    subset: str | None = None
    """The data set's own configuration, such as `en-zh`."""
    split: str = "train"
    revision: str | None = None
    """Commit or tag of a data set on the hub; without it, the newest when it is first read."""
    source_field: str | None = None
    """The column of the source side, such as `translation.en`, if its name is not that of a language."""
    target_field: str | None = None


@dataclass(kw_only=True)
class HuggingFaceConfig(DataConfig):
    """A data set of the Hugging Face hub or of a local folder per part, read as a stream."""

    kind: str = "huggingface"
    train: HuggingFaceSet = field(default_factory=HuggingFaceSet)
    dev: HuggingFaceSet = field(default_factory=HuggingFaceSet)
    test: HuggingFaceSet = field(default_factory=HuggingFaceSet)


DATA = {
    "tatoeba": TatoebaConfig,
    "files": FilesConfig,
    "tsv": TsvConfig,
    "auto": AutoConfig,
    "huggingface": HuggingFaceConfig,
}
