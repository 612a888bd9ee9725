"""Label-smoothed cross-entropy over real target pieces, with the output layer inside.

With p = softmax(W f + b), the smoothed target q = (1 - s) onehot(y) + s / V (Szegedy et al. 2016, section 7,
https://arxiv.org/abs/1512.00567) and loss = - sum_v q_v log p_v, the gradient of the logits is simply p - q. So loss
and gradients are formed in one pass, slice by slice: at most `SLICE` rows of logits exist at a time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

SLICE = 256  # rows of logits held at once on a CPU: 4 MiB at a vocabulary of 4,000, near the processor
SLICE_ELSEWHERE = 1024  # not measured on a GPU; larger products suit it


class _ProjectedLoss(torch.autograd.Function):
    """(N, D) features, (V, D) weight, (V,) bias, (N,) targets -> summed smoothed loss and summed plain loss."""

    @staticmethod
    def forward(  # noqa: PLR0917 (torch passes them by position)
        ctx: Any, features: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        exact = torch.promote_types(features.dtype, torch.float32)  # of probabilities and sums, whatever the products
        smoothed, plain = features.new_zeros(2, dtype=exact).unbind()
        into_features = torch.empty_like(features)
        into_weight, into_bias = torch.zeros_like(weight), torch.zeros_like(bias)
        narrow, narrow_bias = weight.to(features.dtype), bias.to(features.dtype)
        size = SLICE if features.device.type == "cpu" else SLICE_ELSEWHERE
        for start in range(0, features.size(0), size):
            part, wanted = features[start : start + size], targets[start : start + size].unsqueeze(1)
            scores = torch.addmm(narrow_bias, part, narrow.t()).log_softmax(-1, dtype=exact)  # log p, (n, V)
            right = -scores.gather(1, wanted).sum()
            plain += right
            smoothed += (1 - smoothing) * right
            if smoothing:
                smoothed -= smoothing * scores.mean(-1).sum()
            difference = scores.exp_()  # p, in place of log p
            difference.scatter_add_(1, wanted, difference.new_full((1, 1), smoothing - 1.0).expand_as(wanted))
            if smoothing:
                difference -= smoothing / weight.size(0)  # p - q
            into_bias += difference.sum(0)
            difference = difference.to(part.dtype)
            torch.mm(difference, narrow, out=into_features[start : start + size])
            _add_product(into_weight, difference.t(), part)
        ctx.save_for_backward(into_features, into_weight, into_bias)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        scale = gradients[0]
        into_features, into_weight, into_bias = ctx.saved_tensors
        return into_features * scale, into_weight * scale, into_bias * scale, None, None


def _add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """Total += left @ right, without a second (V, D) tensor where the precisions are equal."""
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
    device = features.device.type
    if torch.is_autocast_enabled(device):  # norms and sums leave float32 features; the products shall be narrow
        features = features.to(torch.get_autocast_dtype(device))
    with torch.autocast(device, enabled=False):
        smoothed, plain = _ProjectedLoss.apply(features, weight, bias, targets, smoothing)  # type: ignore[no-untyped-call]
    return smoothed, plain
