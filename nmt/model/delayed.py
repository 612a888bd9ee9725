"""A matrix that is used at every step of a loop, and whose gradient is one product after all of them.

In y_t = b_t + W x_t the gradient of W is sum over t of dy_t x_t'. Autograd forms and adds up one (N, K) matrix at each
step; here the factors are kept and multiplied once, over B x T rows. The numbers are the same.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

Kept = list[tuple[Tensor, Tensor]]  # inputs (B, K) and gradients of outputs (B, N), a pair a step


class DelayedProduct:
    """y = b + W x, step after step."""

    def __init__(self, weight: Tensor) -> None:
        """(N, K) weight."""
        if torch.is_autocast_enabled(weight.device.type):  # once, where autocast would cast at each step
            weight = weight.to(torch.get_autocast_dtype(weight.device.type))
        self.kept: Kept = []
        self.weight: Tensor = weight
        if torch.is_grad_enabled() and weight.requires_grad:
            self.weight = _Collect.apply(weight, self.kept)  # type: ignore[no-untyped-call]

    def __call__(self, base: Tensor, vectors: Tensor) -> Tensor:
        """(B, N) base and (B, K) vectors -> (B, N)."""
        dtype = self.weight.dtype
        added: Tensor = _Product.apply(base.to(dtype), vectors.to(dtype), self.weight, self.kept)  # type: ignore[no-untyped-call]
        return added


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, base: Tensor, vectors: Tensor, weight: Tensor, kept: Kept) -> Tensor:
        ctx.save_for_backward(vectors, weight)
        ctx.kept = kept
        return torch.addmm(base, vectors, weight.t())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        vectors, weight = ctx.saved_tensors
        ctx.kept.append((vectors, gradients[0]))
        return gradients[0], gradients[0] @ weight, None, None


class _Collect(torch.autograd.Function):
    """The identity; autograd comes back to it when all steps have been."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, kept: Kept) -> Tensor:
        ctx.kept = kept
        ctx.set_materialize_grads(False)
        return weight.view_as(weight)

    @staticmethod
    def backward(ctx: Any, *_: Tensor | None) -> tuple[Tensor | None, None]:
        if not ctx.kept:
            return None, None
        inputs, outputs = (torch.cat(parts) for parts in zip(*ctx.kept, strict=True))
        ctx.kept.clear()
        return outputs.t() @ inputs, None
