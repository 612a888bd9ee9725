"""Settings of a model: encoder, decoder and the score of each attention."""

from __future__ import annotations

from dataclasses import dataclass

from nmt.config.checks import MISSING, one_of, positive, share
from nmt.errors import ConfigError

NORMALISERS = ("softmax", "sparsemax", "entmax15")


@dataclass(kw_only=True)
class ScoreConfig:
    """An attention: its score (stage 1, the kind), what makes weights of scores (stage 2), and who computes it."""

    kind: str = MISSING
    normalise: str = "softmax"
    """From scores to weights: `softmax`, or `sparsemax` or `entmax15`, which can give exact zeros (extra `entmax`)."""
    backend: str = "auto"
    """`readable` (the three stages), `fused` (torch's kernel: dot products and softmax only) or `auto` (the faster)."""

    def __post_init__(self) -> None:
        one_of("normalise", self.normalise, NORMALISERS)
        one_of("backend", self.backend, ("auto", "readable", "fused"))
        if self.backend == "fused" and (self.kind == "mlp" or self.normalise != "softmax"):
            raise ConfigError(
                f"backend=fused is for dot products (dot, scaled_dot, general, cosine) with softmax, but here is "
                f"{self.kind} with {self.normalise}; use backend=auto"
            )


@dataclass(kw_only=True)
class DotConfig(ScoreConfig):
    """q . k"""

    kind: str = "dot"


@dataclass(kw_only=True)
class ScaledDotConfig(ScoreConfig):
    """q . k / sqrt(d)"""

    kind: str = "scaled_dot"


@dataclass(kw_only=True)
class GeneralConfig(ScoreConfig):
    """q . W k"""

    kind: str = "general"


@dataclass(kw_only=True)
class CosineConfig(ScoreConfig):
    """cos(q, k) / temperature, with a learned positive temperature."""

    kind: str = "cosine"
    temperature: float = 0.1
    """Where the learned temperature starts: raw cosines lie in [-1, 1] and can not focus."""

    def __post_init__(self) -> None:
        ScoreConfig.__post_init__(self)
        positive("temperature", self.temperature)


@dataclass(kw_only=True)
class MlpConfig(ScoreConfig):
    """v . tanh(W q + U k)"""

    kind: str = "mlp"
    hidden: int = 128
    """Width of the small network."""

    def __post_init__(self) -> None:
        ScoreConfig.__post_init__(self)
        positive("hidden", self.hidden)


@dataclass(kw_only=True)
class EncoderConfig:
    """What every encoder has; presets in `configs/model` set only these, so that `encoder=` may be changed."""

    kind: str = MISSING
    layers: int = 1
    """Layers on top of each other."""
    width: int = 512
    """Features of each state that the encoder returns."""

    def __post_init__(self) -> None:
        positive("model.encoder.layers", self.layers)
        positive("model.encoder.width", self.width)
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
        one_of("model.encoder.cell", self.cell, ("lstm", "gru"))


@dataclass(kw_only=True)
class SelfAttentionEncoderConfig(EncoderConfig):
    """Every source piece attends to every other one: query = key = value = source."""

    kind: str = "self_attention"
    heads: int = 4
    feed_forward: int = 512
    """Inner width of the position-wise network."""

    def __post_init__(self) -> None:
        EncoderConfig.__post_init__(self)
        positive("model.encoder.heads", self.heads)
        positive("model.encoder.feed_forward", self.feed_forward)
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
        positive("model.decoder.layers", self.layers)
        positive("model.decoder.width", self.width)


@dataclass(kw_only=True)
class RecurrentDecoderConfig(DecoderConfig):
    """A recurrent network whose state, after reading the last target piece, is the query over the source."""

    kind: str = "recurrent"
    cell: str = "gru"
    """`lstm` or `gru`."""

    def __post_init__(self) -> None:
        DecoderConfig.__post_init__(self)
        one_of("model.decoder.cell", self.cell, ("lstm", "gru"))


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
        positive("model.embedding", self.embedding)
        share("model.dropout", self.dropout)
        share("model.word_dropout", self.word_dropout)


ENCODERS = {"recurrent": RecurrentEncoderConfig, "self_attention": SelfAttentionEncoderConfig}
DECODERS = {"recurrent": RecurrentDecoderConfig}
SCORES = {
    "dot": DotConfig,
    "scaled_dot": ScaledDotConfig,
    "general": GeneralConfig,
    "cosine": CosineConfig,
    "mlp": MlpConfig,
}
