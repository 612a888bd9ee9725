"""Which positions may be seen. A mask is boolean and True means "a real token, may be attended to"."""

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, size: int | None = None) -> Tensor:
    """True for the first `lengths[b]` positions of each row.

    Args:
        lengths: (B,) number of real tokens of each sentence.
        size: number of columns; the longest length unless given.

    Returns:
        (B, S) boolean.
    """
    size = int(lengths.max()) if size is None else size
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(-1)


def causal_mask(size: int, device: torch.device | None = None, *, past: int = 0) -> Tensor:
    """True where position t may look at position s, that is s <= t, after `past` earlier positions that all may see.

    Returns:
        (T, past + T) boolean.
    """
    return torch.ones(size, past + size, dtype=torch.bool, device=device).tril(past)
