"""What is minimised: the smoothed cross-entropy of a batch and, if asked for, the distance of two dropout masks.

R-Drop (Liang et al. 2021, https://arxiv.org/abs/2106.14448) reads every pair twice under different dropout masks, p
and p', and adds weight * 1/2 (KL(p || p') + KL(p' || p)) for each piece to the mean of both cross-entropies: the model
shall say the same whatever dropout hides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from nmt.data.batch import Batch
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import Seq2Seq
from nmt.train.loss import SLICE, token_loss


class Losses(NamedTuple):
    """Both in nats, summed over the real target pieces of a batch."""

    wanted: Tensor  # () what is minimised
    plain: Tensor  # () cross-entropy, to report


class Objective(nn.Module):
    """Batch -> losses. A module, so that what wraps modules (several processes, a compiler) can wrap all of it."""

    def __init__(self, model: Seq2Seq, *, smoothing: float, r_drop: float = 0.0) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing
        self.r_drop = r_drop

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch."""
        if self.r_drop:
            return self._twice(batch)
        real = padding_mask(batch.target_lengths, batch.target_out.size(1))
        features = self.model(batch.source_ids, batch.source_lengths, batch.target_in).features
        weight, bias = self.model.output_weight, self.model.output_bias
        return Losses(*token_loss(features[real], weight, bias, batch.target_out[real], smoothing=self.smoothing))

    def _twice(self, batch: Batch) -> Losses:
        real = padding_mask(batch.target_lengths, batch.target_out.size(1))
        both = Batch(*(torch.cat((part, part)) for part in batch))  # one pass: dropout draws anew for each row
        features = self.model(both.source_ids, both.source_lengths, both.target_in).features
        first, second = (half[real] for half in features.chunk(2))  # (N, D) each
        targets = batch.target_out[real]
        weight, bias = self.model.output_weight, self.model.output_bias
        wanted, plain = features.new_zeros((), dtype=torch.float32), features.new_zeros((), dtype=torch.float32)
        for start in range(0, targets.size(0), SLICE):  # only one slice of logits is held at a time, backward too
            rows = slice(start, start + SLICE)
            part: Any = checkpoint(
                self._slice, first[rows], second[rows], weight, bias, targets[rows], use_reentrant=False
            )
            wanted, plain = wanted + part[0], plain + part[1].detach()
        return Losses(wanted, plain)

    def _slice(
        self, first: Tensor, second: Tensor, weight: Tensor, bias: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        p, q = (F.linear(half, weight, bias).float().log_softmax(-1) for half in (first, second))  # (n, V)
        divergence = 0.5 * ((p.exp() - q.exp()) * (p - q)).sum()  # both directions at once
        entropies = [F.cross_entropy(half, targets, label_smoothing=self.smoothing, reduction="sum") for half in (p, q)]
        plain = 0.5 * (F.nll_loss(p, targets, reduction="sum") + F.nll_loss(q, targets, reduction="sum"))
        return 0.5 * (entropies[0] + entropies[1]) + self.r_drop * divergence, plain
