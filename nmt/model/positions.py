"""Where a piece stands, told to parts that attend to themselves: attention alone sees a set, not a sequence.

Both ways turn D / 2 clock hands at rates r_i = 10000^(-2i/D), from one radian a position down to almost none:

    sinusoidal   the hands' sines and cosines are added to the vectors, once (Vaswani et al. 2017, section 3.5)
    rotary       queries and keys are turned by the hands' angles in every layer, so that q_t . k_s depends on what they
                 are and on t - s alone (Su et al. 2021, https://arxiv.org/abs/2104.09864)

Shapes: B sentences, T positions, D features (of a head, for rotary).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class _Hands(nn.Module):
    """Angles t r_i."""

    def __init__(self, width: int) -> None:
        super().__init__()
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        self.register_buffer("rates", rates, persistent=False)
        self.rates: Tensor

    def angles(self, size: int, first: int) -> Tensor:
        """(T, D / 2) for positions first, first + 1, ..."""
        places = torch.arange(first, first + size, device=self.rates.device)
        return places.unsqueeze(1) * self.rates


class SinusoidalPositions(_Hands):
    """p_{t,2i} = sin(t r_i), p_{t,2i+1} = cos(t r_i)."""

    def forward(self, vectors: Tensor, first: int = 0) -> Tensor:
        """(B, T, D) at positions first, first + 1, ... -> the same with each position's wave added."""
        angles = self.angles(vectors.size(1), first)
        waves = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # (T, D)
        return vectors + waves.to(vectors.dtype)


class RotaryPositions(_Hands):
    """Features i and D/2 + i, taken as a point of the plane, are turned by t r_i.

    The paper turns neighbours (2i and 2i + 1): the same but for the order of learned features, and slower to reach.
    """

    def forward(self, vectors: Tensor, first: int = 0) -> Tensor:
        """(..., T, D) queries or keys at positions first, first + 1, ... -> the same, turned."""
        angles = self.angles(vectors.size(-2), first)
        cos, sin = angles.cos(), angles.sin()
        across, up = vectors.chunk(2, dim=-1)
        return torch.cat((across * cos - up * sin, across * sin + up * cos), dim=-1).to(vectors.dtype)
