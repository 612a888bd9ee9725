"""Settings -> model: the only place that knows both."""

from __future__ import annotations

import torch
from torch import nn

from nmt.config import (
    CosineConfig,
    DotConfig,
    GeneralConfig,
    MlpConfig,
    ModelConfig,
    RecurrentDecoderConfig,
    RecurrentEncoderConfig,
    RecurrentTransformerDecoderConfig,
    ScaledDotConfig,
    ScoreConfig,
    SelfAttentionDecoderConfig,
    SelfAttentionEncoderConfig,
)
from nmt.errors import ConfigError
from nmt.model.attention import Attention
from nmt.model.embedding import PositionDropout, SentenceDropout, TokenEmbedding
from nmt.model.fused import FusedAttention
from nmt.model.lexical import LexicalModel
from nmt.model.multihead import MultiHeadAttention
from nmt.model.normalise import find_normaliser
from nmt.model.positions import RotaryPositions, SinusoidalPositions
from nmt.model.recurrent_decoder import RecurrentDecoder
from nmt.model.recurrent_encoder import RecurrentEncoder
from nmt.model.recurrent_transformer import RecurrentTransformerBlock, RecurrentTransformerDecoder
from nmt.model.score import CosineScore, DotScore, GeneralScore, MlpScore, ScaledDotScore, Score
from nmt.model.self_attention import FeedForward, SelfAttentionBlock, SelfAttentionEncoder
from nmt.model.self_attention_decoder import SelfAttentionDecoder, SelfAttentionDecoderBlock
from nmt.model.seq2seq import Seq2Seq


def build_score(config: ScoreConfig, width: int) -> Score:
    """A score between queries and keys of `width` features."""
    match config:
        case DotConfig():
            return DotScore()
        case ScaledDotConfig():
            return ScaledDotScore()
        case GeneralConfig():
            return GeneralScore(width=width)
        case CosineConfig():
            return CosineScore(temperature=config.temperature)
        case MlpConfig():
            return MlpScore(width=width, hidden=config.hidden)
    raise ConfigError(f"there is no attention score {config.kind!r}")


def build_attention(config: ScoreConfig, width: int, *, dropout: float = 0.0) -> Attention:
    """An attention with this score and normaliser; in both forms, where there are two."""
    score, normalise = build_score(config, width), find_normaliser(config.normalise)
    if isinstance(score, DotScore) and config.normalise == "softmax" and config.backend != "readable":
        return FusedAttention(score, always=config.backend == "fused", dropout=dropout)
    return Attention(score, normalise, dropout=dropout)


def build_encoder(config: ModelConfig) -> nn.Module:
    """The encoder of a model, over embeddings of `config.embedding` features."""
    encoder = config.encoder
    match encoder:
        case RecurrentEncoderConfig():
            return RecurrentEncoder(
                cell=encoder.cell,
                inputs=config.embedding,
                width=encoder.width,
                num_layers=encoder.layers,
                dropout=config.dropout,
                embedding_dropout=_embedding_dropout(config),
                recurrent_dropout=config.recurrent_dropout,
                norm=encoder.norm,
            )
        case SelfAttentionEncoderConfig():
            return SelfAttentionEncoder(
                inputs=config.embedding,
                width=encoder.width,
                num_layers=encoder.layers,
                make_block=lambda: SelfAttentionBlock(
                    width=encoder.width,
                    attention=_self_attention(config, encoder),
                    feed_forward=_feed_forward(config, encoder),
                    dropout=_dropout(config, config.dropout),
                ),
                dropout=_dropout(config, _embedding_dropout(config)),
                positions=_positions(config, encoder),
            )
    raise ConfigError(f"there is no encoder {encoder.kind!r}")


def build_decoder(config: ModelConfig) -> nn.Module:
    """The decoder of a model; its features have `config.embedding` numbers, as the tied output layer wants."""
    decoder = config.decoder
    match decoder:
        case RecurrentDecoderConfig():
            return RecurrentDecoder(
                cell=decoder.cell,
                inputs=config.embedding,
                memory=config.encoder.width,
                width=decoder.width,
                num_layers=decoder.layers,
                outputs=config.embedding,
                attention=build_attention(config.attention, decoder.width, dropout=config.attention_dropout),
                dropout=config.dropout,
                embedding_dropout=_embedding_dropout(config),
                recurrent_dropout=config.recurrent_dropout,
                timing=decoder.timing,
                input_feeding=decoder.input_feeding,
                coverage=decoder.coverage,
                norm=decoder.norm,
            )
        case RecurrentTransformerDecoderConfig():
            return RecurrentTransformerDecoder(
                inputs=config.embedding,
                memory=config.encoder.width,
                width=decoder.width,
                outputs=config.embedding,
                blocks=[
                    RecurrentTransformerBlock(
                        cell=decoder.cell,
                        width=decoder.width,
                        attention=_heads(config, decoder, config.attention),
                        feed_forward=_feed_forward(config, decoder),
                        dropout=SentenceDropout(config.dropout),
                        recurrent_dropout=config.recurrent_dropout,
                    )
                    for _ in range(decoder.layers)
                ],
                embedding_dropout=SentenceDropout(_embedding_dropout(config)),
            )
        case SelfAttentionDecoderConfig():
            return SelfAttentionDecoder(
                inputs=config.embedding,
                memory=config.encoder.width,
                width=decoder.width,
                num_layers=decoder.layers,
                outputs=config.embedding,
                make_block=lambda: SelfAttentionDecoderBlock(
                    width=decoder.width,
                    self_attention=_self_attention(config, decoder),
                    source_attention=_heads(config, decoder, config.attention),
                    feed_forward=_feed_forward(config, decoder),
                    dropout=_dropout(config, config.dropout),
                ),
                dropout=_dropout(config, _embedding_dropout(config)),
                positions=_positions(config, decoder),
            )
    raise ConfigError(f"there is no decoder {decoder.kind!r}")


_Attending = SelfAttentionEncoderConfig | SelfAttentionDecoderConfig | RecurrentTransformerDecoderConfig


def _self_attention(config: ModelConfig, part: _Attending) -> MultiHeadAttention:
    rotary = RotaryPositions(part.width // (part.heads or config.heads)) if config.positions == "rotary" else None
    return _heads(config, part, config.self_attention, rotary)


def _heads(
    config: ModelConfig, part: _Attending, score: ScoreConfig, rotary: RotaryPositions | None = None
) -> MultiHeadAttention:
    heads = part.heads or config.heads
    attention = build_attention(score, part.width // heads, dropout=config.attention_dropout)
    return MultiHeadAttention(width=part.width, num_heads=heads, attention=attention, rotary=rotary)


def _positions(config: ModelConfig, part: _Attending) -> SinusoidalPositions | None:
    return SinusoidalPositions(part.width) if config.positions == "sinusoidal" else None


def _feed_forward(config: ModelConfig, part: _Attending) -> FeedForward:
    return FeedForward(
        part.width, part.feed_forward or config.feed_forward, _dropout(config, config.feed_forward_dropout)
    )


def _embedding_dropout(config: ModelConfig) -> float:
    return config.dropout if config.embedding_dropout is None else config.embedding_dropout


def _dropout(config: ModelConfig, share: float) -> nn.Module:
    return PositionDropout(share) if config.dropout_per == "position" else SentenceDropout(share)


def build_model(config: ModelConfig, *, source_size: int, target_size: int, seed: int = 1) -> Seq2Seq:
    """A freshly initialised model.

    Args:
        config: what to build.
        source_size: pieces in the source vocabulary.
        target_size: pieces in the target vocabulary; where all embeddings are tied it is the source's.
        seed: of the initial weights; the caller's random state is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        source = TokenEmbedding(source_size, config.embedding, config.word_dropout)
        target = TokenEmbedding(target_size, config.embedding, config.word_dropout) if config.tie != "all" else source
        return Seq2Seq(
            encoder=build_encoder(config),
            decoder=build_decoder(config),
            source=source,
            target=target,
            lexical=LexicalModel(config.embedding, config.dropout) if config.lexical else None,
            tied=config.tie != "none",
        )


def num_parameters(model: nn.Module) -> int:
    """Trained numbers in a model."""
    return sum(parameter.numel() for parameter in model.parameters())
