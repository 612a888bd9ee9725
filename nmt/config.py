"""What a run *is*: every setting with its type, its default and its meaning.

These dataclasses are the single schema. Hydra checks YAML files and the command line against them (an unknown key or
a wrong type fails when the configuration is composed), and the program receives plain, typed values. A choice between
parts (an encoder, a score ...) is a sub-class with a literal `kind`; `nmt.model.build` turns it into the module.

No torch and no Hydra here: `nmt --help` stays instant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from nmt.errors import ConfigError

LANGUAGES = ("en", "zh")
DIRECTIONS = ("en-zh", "zh-en")
MAX_SEED = 2**32 - 1  # SentencePiece's
MISSING = "???"  # how OmegaConf spells "must be given"; a checked value may still hold it while a schema is built


def _finite(name: str, value: float) -> None:
    if not isinstance(value, str) and not -math.inf < value < math.inf:  # YAML reads `nan` and `inf` as numbers
        raise ConfigError(f"{name} must be a finite number, but it is {value}")


def _positive(name: str, value: float) -> None:
    _finite(name, value)
    if not isinstance(value, str) and value <= 0:
        raise ConfigError(f"{name} must be greater than 0, but it is {value}")


def _not_negative(name: str, value: float) -> None:
    _finite(name, value)
    if not isinstance(value, str) and value < 0:
        raise ConfigError(f"{name} can not be negative, but it is {value}")


def _between(name: str, value: float, lowest: float, highest: float) -> None:
    if not isinstance(value, str) and not lowest <= value <= highest:
        raise ConfigError(f"{name} must be from {lowest} to {highest}, but it is {value}")


def _one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value != MISSING and value not in choices:
        raise ConfigError(f"{name} is {value!r}, but it must be one of: {', '.join(choices)}")


def _share(name: str, value: float) -> None:
    if not isinstance(value, str) and not 0.0 <= value < 1.0:
        raise ConfigError(f"{name} must be at least 0 and less than 1, but it is {value}")


# --- nmt prepare ------------------------------------------------------------------------------------------------------


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
        _one_of("data.source_language", self.source_language, LANGUAGES)
        _one_of("data.target_language", self.target_language, LANGUAGES)
        _one_of("data.script", self.script, ("keep", "convert"))
        if self.source_language == self.target_language:
            raise ConfigError("data.source_language and data.target_language are the same")
        for name in ("dev_groups", "test_groups"):
            _not_negative(f"data.{name}", getattr(self, name))


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
        _positive("clean.max_units", self.max_units)
        _not_negative("clean.min_ratio", self.min_ratio)
        _not_negative("clean.max_ratio", self.max_ratio)
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
        _one_of("text.algorithm", self.algorithm, ("unigram", "bpe"))
        for name in ("vocab_size_en", "vocab_size_zh"):
            if getattr(self, name) < 300:
                raise ConfigError(f"text.{name} must be at least 300: 256 pieces are the single bytes")
        for name in ("coverage_en", "coverage_zh"):
            _between(f"text.{name}", getattr(self, name), 0.98, 1)  # what SentencePiece takes


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
        _between("seed", self.seed, 0, MAX_SEED)


# --- nmt train: the model ---------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class ScoreConfig:
    """Stage 1 of attention: how well does a query match a key? See `nmt.model.score`."""

    kind: str = MISSING


@dataclass(kw_only=True)
class DotConfig(ScoreConfig):
    """q . k"""

    kind: str = "dot"


@dataclass(kw_only=True)
class ScaledDotConfig(ScoreConfig):
    """q . k / sqrt(d)"""

    kind: str = "scaled_dot"


@dataclass(kw_only=True)
class CosineConfig(ScoreConfig):
    """cos(q, k) / temperature, with a learned positive temperature."""

    kind: str = "cosine"
    temperature: float = 0.1
    """Where the learned temperature starts: raw cosines lie in [-1, 1] and can not focus."""

    def __post_init__(self) -> None:
        _positive("temperature", self.temperature)


@dataclass(kw_only=True)
class MlpConfig(ScoreConfig):
    """v . tanh(W q + U k)"""

    kind: str = "mlp"
    hidden: int = 128
    """Width of the small network."""

    def __post_init__(self) -> None:
        _positive("hidden", self.hidden)


@dataclass(kw_only=True)
class EncoderConfig:
    """What every encoder has; presets in `configs/model` set only these, so that `encoder=` may be changed."""

    kind: str = MISSING
    layers: int = 1
    """Layers on top of each other."""
    width: int = 512
    """Features of each state that the encoder returns."""

    def __post_init__(self) -> None:
        _positive("model.encoder.layers", self.layers)
        _positive("model.encoder.width", self.width)
        if self.width % 2:
            raise ConfigError(f"model.encoder.width must be even, but it is {self.width}")


@dataclass(kw_only=True)
class RecurrentEncoderConfig(EncoderConfig):
    """A bidirectional recurrent network; each direction gives half of `width`."""

    kind: str = "recurrent"
    cell: str = "gru"
    """`lstm` or `gru`."""

    def __post_init__(self) -> None:
        EncoderConfig.__post_init__(self)
        _one_of("model.encoder.cell", self.cell, ("lstm", "gru"))


@dataclass(kw_only=True)
class SelfAttentionEncoderConfig(EncoderConfig):
    """Every source piece attends to every other one: query = key = value = source."""

    kind: str = "self_attention"
    heads: int = 4
    feed_forward: int = 512
    """Inner width of the position-wise network."""

    def __post_init__(self) -> None:
        EncoderConfig.__post_init__(self)
        _positive("model.encoder.heads", self.heads)
        _positive("model.encoder.feed_forward", self.feed_forward)
        if self.width % self.heads:
            raise ConfigError(f"model.encoder.width ({self.width}) must be a multiple of its heads ({self.heads})")


@dataclass(kw_only=True)
class DecoderConfig:
    """What every decoder has."""

    kind: str = MISSING
    layers: int = 1
    """Layers on top of each other; the first one's state is the query."""
    width: int = 512
    """Features of each state."""

    def __post_init__(self) -> None:
        _positive("model.decoder.layers", self.layers)
        _positive("model.decoder.width", self.width)


@dataclass(kw_only=True)
class RecurrentDecoderConfig(DecoderConfig):
    """A recurrent network whose state, after reading the last target piece, is the query over the source."""

    kind: str = "recurrent"
    cell: str = "gru"
    """`lstm` or `gru`."""

    def __post_init__(self) -> None:
        DecoderConfig.__post_init__(self)
        _one_of("model.decoder.cell", self.cell, ("lstm", "gru"))


@dataclass(kw_only=True)
class ModelConfig:
    """An encoder, a decoder and the attention between them."""

    embedding: int = 256
    """Features of a piece's vector; the output layer is tied to the target's."""
    dropout: float = 0.2
    """Share of features dropped, with one mask for all steps of a sentence (Gal & Ghahramani 2016)."""
    word_dropout: float = 0.0
    """Share of whole input pieces replaced by zeros while training (Gal & Ghahramani 2016)."""
    encoder: EncoderConfig
    decoder: DecoderConfig
    attention: ScoreConfig
    """The score between target and source."""
    self_attention: ScoreConfig
    """The score inside an encoder or decoder that attends to itself."""

    def __post_init__(self) -> None:
        _positive("model.embedding", self.embedding)
        _share("model.dropout", self.dropout)
        _share("model.word_dropout", self.word_dropout)


# --- nmt train: the rest ----------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class OptimConfig:
    """AdamW (Loshchilov & Hutter 2019) and its schedule over the run's whole length."""

    lr: float = 2e-3
    """Highest learning rate."""
    warmup: float = 0.05
    """Share of the run in which the learning rate rises linearly from zero."""
    floor: float = 0.02
    """Share of the highest rate at which the cosine decay ends."""
    weight_decay: float = 0.01
    """Share of the learning rate by which weights shrink at each update."""
    beta1: float = 0.9
    """Decay of the mean of the gradients."""
    beta2: float = 0.98
    """Decay of the mean of their squares."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    label_smoothing: float = 0.1
    """Probability mass spread over the other pieces (Szegedy et al. 2016)."""

    def __post_init__(self) -> None:
        _positive("optim.lr", self.lr)
        _positive("optim.clip", self.clip)
        _not_negative("optim.weight_decay", self.weight_decay)
        for name in ("warmup", "floor", "label_smoothing", "beta1", "beta2"):
            _share(f"optim.{name}", getattr(self, name))


@dataclass(kw_only=True)
class TrainConfig:
    """How long, in what batches, and when to look."""

    max_minutes: float | None = None
    """Stop after this much training time, validation included; the schedule follows the clock."""
    max_steps: int | None = None
    """Stop after this many updates; the schedule follows the steps, so that the run can be repeated exactly."""
    batch_tokens: int = 2048
    """Target and source pieces of a batch, padding counted, the larger side."""
    max_length: int = 128
    """Pairs with more pieces on either side are left out of training and counted."""
    validate_every_minutes: float | None = 5.0
    """Look at the dev set and save after so much training time."""
    validate_every_steps: int | None = None
    """Look at the dev set and save after so many updates."""
    validate_sentences: int = 500
    """Dev sentences translated (greedily) at each validation."""
    patience: int | None = None
    """Stop after this many validations without a better BLEU."""
    average: float = 0.0
    """Decay of the exponential moving average of the weights that is validated and saved; 0 turns it off."""

    def __post_init__(self) -> None:
        for name in ("max_minutes", "max_steps", "validate_every_minutes", "validate_every_steps", "patience"):
            if (value := getattr(self, name)) is not None:
                _positive(f"train.{name}", value)
        for name in ("batch_tokens", "max_length", "validate_sentences"):
            _positive(f"train.{name}", getattr(self, name))
        _share("train.average", self.average)


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
        _positive("decode.beam", self.beam)
        _between("decode.length_penalty", self.length_penalty, 0, 10)  # lengths to a higher power may overflow
        _positive("decode.max_ratio", self.max_ratio)
        _positive("decode.max_extra", self.max_extra)


@dataclass(kw_only=True)
class RunConfig:
    """Settings of `nmt train`."""

    name: str = MISSING
    """The run is written to `runs/NAME`."""
    prepared: str = "prepared/tatoeba"
    """Folder written by `nmt prepare`."""
    direction: str = "en-zh"
    """`en-zh` or `zh-en`."""
    seed: int = 1
    """Of initial weights, order of batches and dropout: the same seed, settings and machine give the same run."""
    device: str = "auto"
    """`auto` (a GPU if there is one), `cpu`, `cuda` or `cuda:N`."""
    precision: str = "auto"
    """`auto` (bf16 where the hardware has it), `fp32` or `bf16`."""
    threads: int | None = None
    """CPU threads; as many as there are cores unless set."""
    model: ModelConfig
    optim: OptimConfig = field(default_factory=OptimConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    decode: DecodeConfig = field(default_factory=DecodeConfig)

    def __post_init__(self) -> None:
        _one_of("direction", self.direction, DIRECTIONS)
        _one_of("precision", self.precision, ("auto", "fp32", "bf16"))
        _between("seed", self.seed, 0, MAX_SEED)
        if self.threads is not None:
            _positive("threads", self.threads)


@dataclass(kw_only=True)
class ModelFolderConfig:
    """The `config.yaml` of a trained model's folder: all that is needed to build it and to treat its text."""

    format_version: int
    nmt_version: str
    direction: str
    script: str
    """`convert`: Chinese input is turned into simplified script, as the training text was."""
    source_size: int
    """Pieces in the source vocabulary."""
    target_size: int
    model: ModelConfig
    decode: DecodeConfig


DATA = {"tatoeba": TatoebaConfig, "files": FilesConfig, "tsv": TsvConfig}
ENCODERS = {"recurrent": RecurrentEncoderConfig, "self_attention": SelfAttentionEncoderConfig}
DECODERS = {"recurrent": RecurrentDecoderConfig}
SCORES = {"dot": DotConfig, "scaled_dot": ScaledDotConfig, "cosine": CosineConfig, "mlp": MlpConfig}
