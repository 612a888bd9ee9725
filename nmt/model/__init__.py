"""Tensors only: the score, the attention around it, the encoders and decoders around that, and the model around those.

Read `score.py`, then `attention.py`: that is the idea. Everything else here uses it.
"""

from nmt.model.attention import Attended, Attention, Memory, SelfAttention, masked_softmax, weighted_sum
from nmt.model.build import build_model, build_score, num_parameters
from nmt.model.score import CosineScore, DotScore, GeneralScore, MlpScore, ScaledDotScore, Score
from nmt.model.seq2seq import Decoded, DecoderState, Encoded, Seq2Seq

__all__ = [
    "Attended",
    "Attention",
    "CosineScore",
    "Decoded",
    "DecoderState",
    "DotScore",
    "Encoded",
    "GeneralScore",
    "Memory",
    "MlpScore",
    "ScaledDotScore",
    "Score",
    "SelfAttention",
    "Seq2Seq",
    "build_model",
    "build_score",
    "masked_softmax",
    "num_parameters",
    "weighted_sum",
]
