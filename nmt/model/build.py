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
    ScaledDotConfig,
    ScoreConfig,
    SelfAttentionEncoderConfig,
)
from nmt.errors import ConfigError
from nmt.model.attention import Attention
from nmt.model.embedding import TokenEmbedding
from nmt.model.fused import FusedAttention
from nmt.model.multihead import MultiHeadAttention
from nmt.model.normalise import find_normaliser
from nmt.model.recurrent import RecurrentDecoder, RecurrentEncoder
from nmt.model.score import CosineScore, DotScore, GeneralScore, MlpScore, ScaledDotScore, Score
from nmt.model.self_attention import SelfAttentionEncoder
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


def build_attention(config: ScoreConfig, width: int) -> Attention:
    """An attention with this score and normaliser; in both forms, where there are two."""
    score, normalise = build_score(config, width), find_normaliser(config.normalise)
    if isinstance(score, DotScore) and config.normalise == "softmax" and config.backend != "readable":
        return FusedAttention(score, always=config.backend == "fused")
    return Attention(score, normalise)


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
            )
        case SelfAttentionEncoderConfig():
            head_width = encoder.width // encoder.heads
            return SelfAttentionEncoder(
                inputs=config.embedding,
                width=encoder.width,
                num_layers=encoder.layers,
                feed_forward=encoder.feed_forward,
                dropout=config.dropout,
                make_attention=lambda: MultiHeadAttention(
                    width=encoder.width,
                    num_heads=encoder.heads,
                    attention=build_attention(config.self_attention, head_width),
                ),
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
                attention=build_attention(config.attention, decoder.width),
                dropout=config.dropout,
            )
    raise ConfigError(f"there is no decoder {decoder.kind!r}")


def build_model(config: ModelConfig, *, source_size: int, target_size: int, seed: int = 1) -> Seq2Seq:
    """A freshly initialised model.

    Args:
        config: what to build.
        source_size: pieces in the source vocabulary.
        target_size: pieces in the target vocabulary.
        seed: of the initial weights; the caller's random state is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Seq2Seq(
            encoder=build_encoder(config),
            decoder=build_decoder(config),
            source=TokenEmbedding(source_size, config.embedding, config.word_dropout),
            target=TokenEmbedding(target_size, config.embedding, config.word_dropout),
        )


def num_parameters(model: nn.Module) -> int:
    """Trained numbers in a model."""
    return sum(parameter.numel() for parameter in model.parameters())
