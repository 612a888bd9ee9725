"""Several attentions side by side: split into heads, attend, merge.

head_h = Attention(Q W_h^Q, K W_h^K, V W_h^V);  output = concat(head_1 .. head_H) W^O
(Vaswani et al. 2017, section 3.2.2, https://arxiv.org/abs/1706.03762)

The inner attention is the three-stage object of `nmt.model.attention`, with any score: heads are just one more leading
axis to it. Shapes: B sentences, H heads, T queries, S keys, D width.
"""

from __future__ import annotations

from torch import Tensor, nn

from nmt.model.attention import Attended, Attention, Memory
from nmt.model.positions import RotaryPositions


class MultiHeadAttention(nn.Module):
    """`num_heads` attentions over `width / num_heads` features each, around one inner attention.

    With `rotary`, queries and keys are turned by where they stand (`nmt.model.positions`).
    """

    def __init__(
        self, *, width: int, num_heads: int, attention: Attention, rotary: RotaryPositions | None = None
    ) -> None:
        super().__init__()
        if width % num_heads:
            raise ValueError(f"width ({width}) must be a multiple of num_heads ({num_heads})")
        self.num_heads = num_heads
        self.attention = attention
        self.rotary = rotary
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.merge = nn.Linear(width, width)
        # Glorot & Bengio 2010, as in the paper's own code; PyTorch's default for Linear is smaller by sqrt(3).
        for linear in (self.query, self.key, self.value, self.merge):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Attended:
        """(B, T, D) queries, (B, S, D) keys and values -> context (B, T, D) and weights (B, H, T, S).

        Args:
            query: (B, T, D).
            key: (B, S, D).
            value: (B, S, D).
            mask: broadcasts to (B, T, S); True = may be attended to.
        """
        return self.attend(query, self.remember(key, value, mask))

    def remember(self, key: Tensor, value: Tensor, mask: Tensor | None = None, *, first: int = 0) -> Memory:
        """Keys and values of all heads, (B, H, S, ...) each, to be used at every step; key s stands at first + s."""
        by_head = None if mask is None else mask.unsqueeze(-3)  # (B, 1, T, S)
        keys = self._turn(self._split(self.key(key)), first)
        return self.attention.remember(keys, self._split(self.value(value)), by_head)

    def attend(self, query: Tensor, memory: Memory, *, first: int = 0) -> Attended:
        """(B, T, D) queries, from place `first` on, over what is remembered -> (B, T, D) and weights (B, H, T, S)."""
        context, weights = self.attention.attend(self._turn(self._split(self.query(query)), first), memory)
        return Attended(self.merge(context.transpose(1, 2).flatten(2)), weights)

    def _turn(self, heads: Tensor, first: int) -> Tensor:
        turned: Tensor = heads if self.rotary is None else self.rotary(heads, first)
        return turned

    def _split(self, sequence: Tensor) -> Tensor:
        batch, length, width = sequence.shape
        heads = sequence.view(batch, length, self.num_heads, width // self.num_heads)
        return heads.transpose(1, 2)  # (B, H, T, D / H)
