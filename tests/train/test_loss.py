"""The loss equals torch's, gradients included, whatever the slices."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from nmt.train import loss as module
from nmt.train.loss import token_loss


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows_at_once", [1024, 4])
def test_equals_cross_entropy(smoothing: float, rows_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", rows_at_once)
    torch.manual_seed(0)
    features, weight, bias = torch.randn(11, 5), torch.randn(13, 5), torch.randn(13)
    targets = torch.randint(0, 13, (11,))
    gradients = []
    for fused in (True, False):
        parts = [part.clone().requires_grad_() for part in (features, weight, bias)]
        if fused:
            smoothed, plain = token_loss(*parts, targets, smoothing=smoothing)
        else:
            logits = F.linear(*parts)
            smoothed = F.cross_entropy(logits, targets, label_smoothing=smoothing, reduction="sum")
            plain = F.cross_entropy(logits, targets, reduction="sum")
        (smoothed / 7).backward()
        gradients.append([smoothed.detach(), plain.detach(), *(part.grad for part in parts)])
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs)
