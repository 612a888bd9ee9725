r"""Stage 2 of attention: scores become weights, none negative, each row summing to one.

All three are one idea, the distribution p that has the best expected score, with a reward H(p) for being undecided
(Martins & Astudillo 2016, https://arxiv.org/abs/1602.02068; Peters et al. 2019, https://arxiv.org/abs/1905.05702):

    a_t = argmax over p of  p . e_t + H(p)

    softmax      H = Shannon's entropy            exp(e_ts) / sum over s' of exp(e_ts'):  never exactly zero
    entmax15     H = Tsallis' entropy, 1.5        in between
    sparsemax    H = Tsallis' entropy, 2          the point of the simplex nearest to e_t:  many exact zeros

Shapes: T queries, S keys; `*batch` is any number of leading axes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import torch
from torch import Tensor

from nmt.errors import ConfigError

Normaliser = Callable[[Tensor, Tensor | None], Tensor]


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """a_ts = exp(e_ts) / sum over visible s' of exp(e_ts')."""
    return _over_visible(lambda exact: torch.softmax(exact, dim=-1), scores, mask)


def masked_sparsemax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """a_ts = max(e_ts - tau_t, 0), where tau_t makes the row sum to one. Needs the package `entmax`."""
    from entmax import sparsemax

    return _over_visible(sparsemax, scores, mask)


def masked_entmax15(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """a_ts = max(e_ts / 2 - tau_t, 0)^2, where tau_t makes the row sum to one. Needs the package `entmax`."""
    from entmax import entmax15

    return _over_visible(entmax15, scores, mask)


NORMALISERS: dict[str, Normaliser] = {
    "softmax": masked_softmax,
    "sparsemax": masked_sparsemax,
    "entmax15": masked_entmax15,
}


def find_normaliser(name: str) -> Normaliser:
    """The normaliser of this name.

    Raises:
        ConfigError: its package is not installed.
    """
    if name != "softmax" and find_spec("entmax") is None:
        raise ConfigError(f"normalise={name} needs the package entmax. Install it with: pip install 'nmt[entmax]'")
    return NORMALISERS[name]


def _over_visible(normalise: Callable[[Tensor], Tensor], scores: Tensor, mask: Tensor | None) -> Tensor:
    """Apply `normalise` to the visible part of each row, in float32 even where the scores are in half precision.

    A query that may see nothing gets a row of zeros, with zero gradient: a normaliser alone would answer NaN there, or,
    over "very negative" fillings, weights on padding.

    Args:
        normalise: (*batch, T, S) -> (*batch, T, S), over the last axis.
        scores: (*batch, T, S).
        mask: broadcasts to the scores; True = may be attended to.

    Returns:
        (*batch, T, S) weights, exactly 0 where the mask is False, in the precision of the scores.
    """
    exact = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if scores.dtype == torch.float16:  # a dot product beyond float16's range is infinite, and inf - inf is NaN
        exact = exact.clamp(torch.finfo(torch.float16).min, torch.finfo(torch.float16).max)
    if mask is None:
        return normalise(exact).to(scores.dtype)
    lowest = torch.finfo(exact.dtype).min
    weights = normalise(exact.masked_fill(~mask, lowest))
    return weights.masked_fill(~mask, 0.0).to(scores.dtype)
