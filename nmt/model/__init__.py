"""Tensors only: the score, the attention around it, the encoders and decoders around that, and the model around those.

Read `score.py`, then `attention.py`: that is the idea. Everything else here uses it.
"""

from nmt.model.attention import Attended, Attention, Memory, SelfAttention, weighted_sum
from nmt.model.build import build_attention, build_model, build_score, num_parameters
from nmt.model.fused import FusedAttention
from nmt.model.normalise import masked_entmax15, masked_softmax, masked_sparsemax
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
    "FusedAttention",
    "GeneralScore",
    "Memory",
    "MlpScore",
    "ScaledDotScore",
    "Score",
    "SelfAttention",
    "Seq2Seq",
    "build_attention",
    "build_model",
    "build_score",
    "masked_entmax15",
    "masked_softmax",
    "masked_sparsemax",
    "num_parameters",
    "weighted_sum",
]
