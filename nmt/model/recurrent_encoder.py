"""A bidirectional recurrent encoder. Shapes: B sentences, S source pieces, D features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.model.cells import RecurrentLayer
from nmt.model.embedding import SentenceDropout
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import Encoded


def reverse(vectors: Tensor, lengths: Tensor) -> Tensor:
    """Turn each sentence round within its own length; padding stays where it is. (B, S, D) -> (B, S, D)."""
    positions = torch.arange(vectors.size(1), device=vectors.device).unsqueeze(0)  # (1, S)
    last = lengths.unsqueeze(1) - 1
    source = torch.where(positions <= last, last - positions, positions)  # (B, S)
    return vectors.gather(1, source.unsqueeze(-1).expand_as(vectors))


class RecurrentEncoder(nn.Module):
    """Bidirectional layers (Schuster & Paliwal 1997); each half of a state has read from its own side.

    The backward half is a forward layer over the reversed sentence: right padding is then never read before real text,
    and nothing has to be packed. On two CPU cores it is as fast as a packed bidirectional layer (docs/RESULTS.md).
    Layers above the first are added to what is there (He et al. 2016); with `norm` they read it layer-normalised, and
    so do those who look at it (pre-norm: Xiong et al. 2020, https://arxiv.org/abs/2002.04745).
    """

    def __init__(
        self, *, cell: str, inputs: int, width: int, num_layers: int, dropout: float, embedding_dropout: float,
        recurrent_dropout: float = 0.0, norm: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = [inputs] + [width] * (num_layers - 1)
        self.forwards, self.backwards = (
            nn.ModuleList(
                RecurrentLayer(cell=cell, inputs=size, width=width // 2, recurrent_dropout=recurrent_dropout)
                for size in sizes
            )
            for _ in range(2)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) if norm else nn.Identity() for _ in sizes)
        self.embedding_dropout = SentenceDropout(embedding_dropout)
        self.dropout = SentenceDropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Encoded:
        """(B, S, inputs) embedded pieces and (B,) lengths -> (B, S, width) states."""
        read = states = self.embedding_dropout(vectors)
        for index, (forward, backward, norm) in enumerate(zip(self.forwards, self.backwards, self.norms, strict=True)):
            from_left = forward(read).outputs
            from_right = reverse(backward(reverse(read, lengths)).outputs, lengths)
            both = self.dropout(torch.cat((from_left, from_right), dim=-1))
            states = both if index == 0 else states + both
            read = norm(states)
        return Encoded(read, padding_mask(lengths, vectors.size(1)))
