"""Sentences -> padded tensors. Masks are derived from lengths and never stored.

Shapes: B sentences, S source pieces, T target pieces, both with the end mark counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from nmt.text.tokenizer import BOS, EOS, PAD


class Batch(NamedTuple):
    """Pairs of one update or one look at the dev set."""

    source_ids: Tensor  # (B, S) pieces and EOS, padded
    source_lengths: Tensor  # (B,)
    target_in: Tensor  # (B, T) BOS and pieces, padded: what the decoder reads
    target_out: Tensor  # (B, T) pieces and EOS, padded: what it should say
    target_lengths: Tensor  # (B,)

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        return Batch(*(part.to(device, non_blocking=True) for part in self))

    @property
    def num_tokens(self) -> int:
        """Real source and target pieces, padding not counted."""
        return int(self.source_lengths.sum() + self.target_lengths.sum())


def pad(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Rows of ids -> (B, longest) tensor, padded on the right, and their (B,) lengths."""
    lengths = torch.tensor([len(row) for row in rows])
    padded = torch.full((len(rows), int(lengths.max())), PAD)
    for index, row in enumerate(rows):
        padded[index, : len(row)] = torch.as_tensor(row)
    return padded, lengths


def source_batch(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Pieces of source sentences -> (B, S) ids with EOS, padded, and (B,) lengths."""
    return pad([[*row, EOS] for row in rows])


def collate(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> Batch:
    """Pieces of pairs, without marks -> a batch."""
    source_ids, source_lengths = source_batch(sources)
    target_in, target_lengths = pad([[BOS, *row] for row in targets])
    target_out, _ = pad([[*row, EOS] for row in targets])
    return Batch(source_ids, source_lengths, target_in, target_out, target_lengths)
