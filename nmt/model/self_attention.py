"""An encoder in which every source piece looks at every other one: query = key = value = source.

Two pieces are one step apart whatever lies between them, and all positions are computed at once; a recurrent network
needs as many steps as there are pieces between them (the essay, section 3). Pre-norm blocks (Xiong et al. 2020,
https://arxiv.org/abs/2002.04745):

    x = x + SelfAttention(norm(x));   x = x + FeedForward(norm(x));   ...   norm(x)

Shapes: B sentences, S source pieces, D features.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from nmt.model.attention import SelfAttention
from nmt.model.masks import padding_mask
from nmt.model.multihead import MultiHeadAttention
from nmt.model.positions import SinusoidalPositions
from nmt.model.seq2seq import Encoded


class FeedForward(nn.Module):
    """W_2 relu(W_1 x), at each position alone (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, width: int, inner: int, dropout: nn.Module | None = None) -> None:
        super().__init__()
        self.dropout = dropout or nn.Identity()  # between the two products
        self.widen = nn.Linear(width, inner)
        self.narrow = nn.Linear(inner, width)
        for linear in (self.widen, self.narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """(B, S, D) -> (B, S, D)."""
        narrowed: Tensor = self.narrow(self.dropout(torch.relu(self.widen(vectors))))
        return narrowed


class SelfAttentionBlock(nn.Module):
    """Look around, then think: both added to what is there."""

    def __init__(
        self, *, width: int, attention: MultiHeadAttention, feed_forward: FeedForward, dropout: nn.Module
    ) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = SelfAttention(attention)
        self.feed_forward_norm = nn.LayerNorm(width)
        self.feed_forward = feed_forward
        self.dropout = dropout

    def forward(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S, D) vectors -> (B, S, D) vectors and (B, H, S, S) weights."""
        context, weights = self.attention(self.attention_norm(vectors), mask)
        vectors = vectors + self.dropout(context)
        vectors = vectors + self.dropout(self.feed_forward(self.feed_forward_norm(vectors)))
        return vectors, weights


class SelfAttentionEncoder(nn.Module):
    """A stack of blocks over embedded pieces, to which `positions` are added unless the blocks know them (rotary)."""

    def __init__(
        self, *, inputs: int, width: int, num_layers: int, make_block: Callable[[], SelfAttentionBlock],
        dropout: nn.Module, positions: SinusoidalPositions | None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.widen = nn.Identity() if inputs == width else nn.Linear(inputs, width)
        self.positions = positions
        self.blocks = nn.ModuleList(make_block() for _ in range(num_layers))
        self.norm = nn.LayerNorm(width)
        self.dropout = dropout

    def forward(self, vectors: Tensor, lengths: Tensor) -> Encoded:
        """(B, S, inputs) embedded pieces and (B,) lengths -> (B, S, width) states."""
        mask = padding_mask(lengths, vectors.size(1))
        states = self.widen(vectors)
        if self.positions is not None:
            states = self.positions(states)
        states = self.dropout(states)
        for block in self.blocks:
            states, _ = block(states, mask.unsqueeze(1))
        return Encoded(self.norm(states), mask)
