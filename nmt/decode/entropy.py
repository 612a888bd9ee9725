"""How sharp is the attention? The entropy of its rows, in nats.

A row of source-target weights w says where the decoder looked when it wrote one target piece; its entropy -Σ w log w is
0 when it looked at one source piece alone, and log S when it looked at all S of them alike. The mean over the target
pieces of a test set is one number for a model. The target is forced on the decoder, and it is the *reference*, so that
two models are measured on the very same pieces (if they share their vocabulary). Weights are taken as the model uses
them: the column of the end of the source counts, the row of the end of the target does not, since that is no piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class AttentionEntropy:
    """Mean entropy of the source-target weights, and of how many rows it is the mean."""

    nats: float
    pieces: int


def row_entropies(weights: Tensor, target_lengths: Tensor) -> Tensor:
    """The entropy of the row of each real target piece, in nats, sentence by sentence.

    Args:
        weights: (B, *heads, T, S), rows summing to one; any axes between are averaged.
        target_lengths: (B,) pieces and the end of each sentence.

    Returns:
        (N,) where N = the sum of `target_lengths` - B.
    """
    entropies = torch.special.entr(weights.float()).sum(dim=-1)  # entr(w) = -w log w, and 0 at 0
    per_row = entropies.reshape(weights.size(0), -1, weights.size(-2)).mean(dim=1)
    positions = torch.arange(per_row.size(1), device=per_row.device)
    real: Tensor = per_row[positions < (target_lengths - 1).unsqueeze(1)]
    return real
