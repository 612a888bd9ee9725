"""Label-smoothed cross-entropy over real target pieces, with the output layer inside.

With p = softmax(W f + b), the smoothed target q = (1 - s) onehot(y) + s / V (Szegedy et al. 2016, section 7,
https://arxiv.org/abs/1512.00567) and loss = - sum_v q_v log p_v, the gradient of the logits is simply p - q. So loss
and gradients are formed in one pass, slice by slice: at most `SLICE` rows of
logits exist at a time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

SLICE = 256  # rows of logits held at once: 4 MiB at a vocabulary of 4,000, which stays in a processor's cache
SLICE_ELSEWHERE = 1024  # a GPU has no use for products of fewer rows


class _ProjectedLoss(torch.autograd.Function):
    """(N, D) features, (V, D) weight, (V,) bias, (N,) targets -> summed smoothed loss and summed plain loss."""

    @staticmethod
    def forward(  # noqa: PLR0917 (torch passes them by position)
        ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        smoothed, plain = features.new_zeros((), dtype=torch.float32), features.new_zeros((), dtype=torch.float32)
        into_features = torch.empty_like(features)
        into_weight, into_bias = torch.zeros_like(weight), torch.zeros_like(bias)
        size = SLICE if features.device.type == "cpu" else SLICE_ELSEWHERE
        for start in range(0, features.size(0), size):
            part, wanted = features[start : start + size], targets[start : start + size].unsqueeze(1)
            logits = torch.addmm(bias.to(part.dtype), part, weight.to(part.dtype).t()).float()
            log_p = logits.log_softmax(-1)
            right = -log_p.gather(1, wanted).sum()  # - log p(y)
            plain += right
            smoothed += (1 - smoothing) * right - smoothing * log_p.mean(-1).sum()
            difference = log_p.exp_()  # p, in place of its logarithm
            difference.scatter_add_(1, wanted, difference.new_full((1, 1), smoothing - 1.0).expand_as(wanted))
            difference -= smoothing / weight.size(0)  # p - q
            difference = difference.to(part.dtype)
            torch.mm(difference, weight.to(part.dtype), out=into_features[start : start + size])
            _add_product(into_weight, difference.t(), part)
            into_bias += difference.sum(0)
        ctx.save_for_backward(into_features, into_weight, into_bias)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        scale = gradients[0]
        into_features, into_weight, into_bias = ctx.saved_tensors
        return into_features * scale, into_weight * scale, into_bias * scale, None, None


def _add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """Total += left @ right, without a matrix in between where the precision is the same."""
    if total.dtype == left.dtype:
        total.addmm_(left, right)
    else:
        total += left @ right


def token_loss(
    features: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, *, smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Loss of the real pieces of a batch, summed.

    Args:
        features: (N, D) the decoder's features at the N real positions (padding already left out).
        weight: (V, D) output layer.
        bias: (V,).
        targets: (N,) ids that should be predicted.
        smoothing: share of the target probability spread evenly over the vocabulary.

    Returns:
        The smoothed loss to minimise, and the plain cross-entropy to report; both in nats, summed over N.
    """
    smoothed, plain = _ProjectedLoss.apply(features, weight, bias, targets, smoothing)  # type: ignore[no-untyped-call]
    return smoothed, plain
