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


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_gradients_are_those_of_the_loss(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 3)
    torch.manual_seed(0)
    parts = [torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in ((7, 5), (11, 5), (11,))]
    targets = torch.randint(0, 11, (7,))
    assert torch.autograd.gradcheck(lambda *given: token_loss(*given, targets, smoothing=smoothing)[0], parts)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_under_autocast_the_loss_is_near_that_of_float32(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 4)
    torch.manual_seed(0)
    features = torch.randn(11, 16).to(dtype).requires_grad_()
    weight, bias = torch.randn(13, 16).div(4).requires_grad_(), torch.randn(13, requires_grad=True)
    targets = torch.randint(0, 13, (11,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        smoothed, _ = token_loss(features, weight, bias, targets, smoothing=0.1)
    smoothed.backward()
    found = [smoothed, features.grad, weight.grad, bias.grad]
    exact = [part.detach().float().requires_grad_() for part in (features, weight, bias)]
    wanted = F.cross_entropy(F.linear(*exact), targets, label_smoothing=0.1, reduction="sum")
    wanted.backward()
    assert smoothed.dtype == weight.grad.dtype == torch.float32
    assert features.grad.dtype == dtype
    for ours, theirs in zip(found, [wanted, *(part.grad for part in exact)], strict=True):
        torch.testing.assert_close(ours.float(), theirs, rtol=3e-2, atol=3e-2)
