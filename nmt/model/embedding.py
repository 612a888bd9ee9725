"""Ids to vectors: piece embeddings, and the dropout that suits sentences.

Shapes: B sentences, T positions, D features, V vocabulary.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A vector per piece, scaled by sqrt(D) when used as input (Vaswani et al. 2017, section 3.4).

    The table starts at N(0, 1/D), so that inputs have unit variance while the same table, tied to the output layer
    (Press & Wolf 2017, https://arxiv.org/abs/1608.05859), gives logits of unit variance.
    """

    def __init__(self, vocabulary_size: int, width: int, word_dropout: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocabulary_size, width) / math.sqrt(width))
        self.word_dropout = word_dropout

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids -> (B, T, D). While training, whole words are zeroed at random (Gal & Ghahramani 2016)."""
        vectors = nn.functional.embedding(ids, self.weight) * math.sqrt(self.weight.size(1))
        if self.training and self.word_dropout:
            vectors = vectors * (torch.rand(*ids.shape, 1, device=ids.device) >= self.word_dropout)
        return vectors


class SentenceDropout(nn.Module):
    """Dropout with one mask for all positions of a sentence (Gal & Ghahramani 2016, arxiv.org/abs/1512.05287).

    In recurrent networks it disturbs memory less than a new mask at each step, and T times fewer random numbers have to
    be drawn, which on a CPU shows (docs/RESULTS.md).
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Tensor) -> Tensor:
        """(B, T, D) -> the same with features zeroed at random, for whole sentences, and the rest scaled up."""
        if not self.training or self.share == 0.0:
            return vectors
        batch, _, width = vectors.shape
        keep = torch.rand(batch, 1, width, device=vectors.device) >= self.share
        return vectors * (keep.to(vectors.dtype) / (1.0 - self.share))


class PositionDropout(nn.Module):
    """Dropout with a mask of its own at every position (Srivastava et al. 2014), as Transformers are trained with.

    `nn.Dropout` draws a random number for each feature, one after the other on a CPU. Eight features share one
    64-bit number here, a byte each, so the share is rounded to 256ths: a third of the time (docs/MODELS.md).
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, vectors: Tensor) -> Tensor:
        """(...) -> the same with features zeroed at random and the rest scaled up."""
        if not self.training or self.share == 0.0:
            return vectors
        if vectors.device.type != "cpu":
            return nn.functional.dropout(vectors, self.share)
        dropped = min(max(round(self.share * 256), 1), 255)
        size = vectors.numel()
        numbers = torch.empty((size + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
        keep = numbers.view(torch.uint8)[:size].view(vectors.shape) >= dropped
        return vectors * keep.to(vectors.dtype).mul_(256 / (256 - dropped))
