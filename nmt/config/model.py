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
    norm: bool = False
    """Layer-normalise what layers above the first read, and the result: for 3 layers and more."""

    def __post_init__(self) -> None:
        EncoderConfig.__post_init__(self)
        one_of("model.encoder.cell", self.cell, ("lstm", "gru"))


@dataclass(kw_only=True)
class SelfAttentionEncoderConfig(EncoderConfig):
    """Every source piece attends to every other one: query = key = value = source."""

    kind: str = "self_attention"
    heads: int | None = None
    """Attentions side by side; `model.heads` unless set."""
    feed_forward: int | None = None
    """Inner width of the position-wise network; `model.feed_forward` unless set."""

    def __post_init__(self) -> None:
        EncoderConfig.__post_init__(self)
        _blocks("model.encoder", self)


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
    """A recurrent network whose first layer's state is the query over the source, once a piece."""

    kind: str = "recurrent"
    cell: str = "gru"
    """`lstm` or `gru`."""
    timing: str = "luong"
    """When the query is taken: `luong`, after reading the last target piece; `bahdanau`, before it, and the context is
    read with the piece, step by step."""
    input_feeding: bool = False
    """Read the last step's attentional vector too (Luong et al. 2015, section 3.3): step by step, slower to train."""
    coverage: bool = False
    """Past attention weights enter the score (Tu et al. 2016): attention goes step by step, slower to train."""
    norm: bool = False
    """Layer-normalise what layers above the first and the output read: for 3 layers and more."""

    def __post_init__(self) -> None:
        DecoderConfig.__post_init__(self)
        one_of("model.decoder.cell", self.cell, ("lstm", "gru"))
        one_of("model.decoder.timing", self.timing, ("luong", "bahdanau"))


@dataclass(kw_only=True)
class SelfAttentionDecoderConfig(DecoderConfig):
    """Every target piece attends to those before it, and every layer to the source."""

    kind: str = "self_attention"
    heads: int | None = None
    """Attentions side by side, both inside and over the source; `model.heads` unless set."""
    feed_forward: int | None = None
    """Inner width of the position-wise network; `model.feed_forward` unless set."""

    def __post_init__(self) -> None:
        DecoderConfig.__post_init__(self)
        if self.width % 2:
            raise ConfigError(f"model.decoder.width must be even, but it is {self.width}")
        _blocks("model.decoder", self)


@dataclass(kw_only=True)
class RecurrentTransformerDecoderConfig(DecoderConfig):
    """A Transformer's decoder with a recurrent layer in the place of self-attention."""

    kind: str = "recurrent_transformer"
    cell: str = "gru"
    """`lstm` or `gru`."""
    heads: int | None = None
    """Attentions over the source side by side; `model.heads` unless set."""
    feed_forward: int | None = None
    """Inner width of the position-wise network; `model.feed_forward` unless set."""

    def __post_init__(self) -> None:
        DecoderConfig.__post_init__(self)
        one_of("model.decoder.cell", self.cell, ("lstm", "gru"))
        _blocks("model.decoder", self)


WithHeads = SelfAttentionEncoderConfig | SelfAttentionDecoderConfig | RecurrentTransformerDecoderConfig


def _blocks(name: str, part: WithHeads) -> None:
    if part.heads is not None:
        positive(f"{name}.heads", part.heads)
    if part.feed_forward is not None:
        positive(f"{name}.feed_forward", part.feed_forward)


@dataclass(kw_only=True)
class ModelConfig:
    """An encoder, a decoder and the attention between them."""

    embedding: int = 256
    """Features of a piece's vector."""
    dropout: float = 0.2
    """Share of features dropped."""
    dropout_per: str = "sentence"
    """`sentence`: one mask for all its steps (Gal & Ghahramani 2016), which recurrent parts always have; `position`: a
    mask for each piece (Srivastava et al. 2014) in parts that attend to themselves."""
    attention_dropout: float = 0.0
    """Share of attention weights dropped."""
    feed_forward_dropout: float = 0.0
    """Share of features dropped inside the position-wise networks."""
    embedding_dropout: float | None = None
    """Share of an embedded piece's features dropped before the first layer; `model.dropout` unless set."""
    recurrent_dropout: float = 0.0
    """Share of a recurrent layer's state-to-state weights dropped for a whole batch (Merity et al. 2018)."""
    word_dropout: float = 0.0
    """Share of whole input pieces replaced by zeros while training (Gal & Ghahramani 2016)."""
    lexical: bool = True
    """What the source words looked at say by themselves is added to the output (Nguyen & Chiang 2018): from little text
    a model learns in half the updates (docs/MODELS.md)."""
    heads: int = 4
    """Attentions side by side in parts that attend to themselves."""
    feed_forward: int = 512
    """Inner width of the position-wise networks in such parts."""
    positions: str = "sinusoidal"
    """How such parts know where a piece stands: `sinusoidal` (added to the embedded pieces) or `rotary` (queries and
    keys turned in every layer, Su et al. 2021)."""
    tie: str = "output"
    """What shares its weights: `output` (the output layer is the target's embedding), `all` (the source's embedding
    too, for which both languages must have one vocabulary) or `none`."""
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
        if self.embedding_dropout is not None:
            share("model.embedding_dropout", self.embedding_dropout)
        share("model.recurrent_dropout", self.recurrent_dropout)
        share("model.attention_dropout", self.attention_dropout)
        share("model.feed_forward_dropout", self.feed_forward_dropout)
        one_of("model.dropout_per", self.dropout_per, ("sentence", "position"))
        one_of("model.positions", self.positions, ("sinusoidal", "rotary"))
        one_of("model.tie", self.tie, ("none", "output", "all"))
        positive("model.heads", self.heads)
        positive("model.feed_forward", self.feed_forward)
        for name, part in (("encoder", self.encoder), ("decoder", self.decoder)):
            if isinstance(part, WithHeads):
                heads = part.heads or self.heads
                if part.width % heads:
                    raise ConfigError(f"model.{name}.width ({part.width}) must be a multiple of its heads ({heads})")
                if self.positions == "rotary" and part.width // heads % 2:
                    raise ConfigError(
                        f"model.positions=rotary turns features in pairs, but each of the {heads} heads of "
                        f"model.{name} has {part.width // heads}: choose other heads or another width"
                    )


ENCODERS = {"recurrent": RecurrentEncoderConfig, "self_attention": SelfAttentionEncoderConfig}
DECODERS = {
    "recurrent": RecurrentDecoderConfig,
    "self_attention": SelfAttentionDecoderConfig,
    "recurrent_transformer": RecurrentTransformerDecoderConfig,
}
SCORES = {
    "dot": DotConfig,
    "scaled_dot": ScaledDotConfig,
    "general": GeneralConfig,
    "cosine": CosineConfig,
    "mlp": MlpConfig,
}
