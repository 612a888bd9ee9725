"""A decoder in which every target piece looks at those before it, and at the source.

Pre-norm blocks (Xiong et al. 2020, https://arxiv.org/abs/2002.04745) around the three parts of Vaswani et al. 2017,
section 3.1:

    x = x + SelfAttention(norm(x))          over the pieces written so far: s <= t
    x = x + Attention(norm(x), source)      the same three stages, query and keys from two languages
    x = x + FeedForward(norm(x));   ...   norm(x)

What it remembers of its own writing is the keys and values of each layer, (B, H, P, ...) for P pieces: a step of search
computes those of the new piece and appends them. Keys and values of the source are computed once, in `start`.

Shapes: B sentences, H heads, S source and T target pieces, D features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor, nn

from nmt.model.attention import Memory
from nmt.model.masks import causal_mask
from nmt.model.multihead import MultiHeadAttention
from nmt.model.positions import SinusoidalPositions
from nmt.model.self_attention import FeedForward
from nmt.model.seq2seq import Decoded, DecoderState, Encoded


class SelfAttentionDecoderBlock(nn.Module):
    """Look back, look at the source, think: each added to what is there."""

    def __init__(
        self, *, width: int, self_attention: MultiHeadAttention, source_attention: MultiHeadAttention,
        feed_forward: FeedForward, dropout: nn.Module,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attention_norm = nn.LayerNorm(width)
        self.self_attention = self_attention
        self.source_attention_norm = nn.LayerNorm(width)
        self.source_attention = source_attention
        self.feed_forward_norm = nn.LayerNorm(width)
        self.feed_forward = feed_forward
        self.dropout = dropout

    def forward(
        self, vectors: Tensor, source: Memory, written: tuple[Tensor, ...], mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None, tuple[Tensor, ...]]:
        """Read T pieces after the P that are written.

        Args:
            vectors: (B, T, D).
            source: what `source_attention` remembers of the source.
            written: keys and values of the P earlier pieces, (B, H, P, ...) each; empty where P is 0.
            mask: (T, P + T), True = may be seen; none where all may be.

        Returns:
            (B, T, D) vectors, (B, H, T, S) weights over the source, and the keys and values of P + T pieces.
        """
        pieces = self.self_attention_norm(vectors)
        past = written[0].size(2) if written else 0
        keys, values, *_ = self.self_attention.remember(pieces, pieces, first=past)
        if written:
            keys, values = torch.cat((written[0], keys), dim=2), torch.cat((written[1], values), dim=2)
        context, _ = self.self_attention.attend(pieces, Memory(keys, values, mask), first=past)
        vectors = vectors + self.dropout(context)
        context, weights = self.source_attention.attend(self.source_attention_norm(vectors), source)
        vectors = vectors + self.dropout(context)
        vectors = vectors + self.dropout(self.feed_forward(self.feed_forward_norm(vectors)))
        return vectors, weights, (keys, values)


class SelfAttentionDecoder(nn.Module):
    """A stack of blocks over embedded pieces, to which `positions` are added unless the blocks know them (rotary).

    The weights it returns, which word alignment reads, are the mean over the heads of one layer: the last but one, as
    Garg et al. 2019 found best (https://arxiv.org/abs/1909.02074), or the last one where there are only two (measured:
    docs/MODELS.md).
    """

    def __init__(
        self, *, inputs: int, memory: int, width: int, num_layers: int, outputs: int,
        make_block: Callable[[], SelfAttentionDecoderBlock], dropout: nn.Module, positions: SinusoidalPositions | None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.widen = nn.Identity() if inputs == width else nn.Linear(inputs, width)
        self.bridge = nn.Identity() if memory == width else nn.Linear(memory, width, bias=False)
        self.positions = positions
        self.blocks = nn.ModuleList(make_block() for _ in range(num_layers))
        self.aligning = num_layers - 2 if num_layers > 2 else num_layers - 1
        self.norm = nn.LayerNorm(width)
        self.narrow = nn.Identity() if width == outputs else nn.Linear(width, outputs)
        self.dropout = dropout

    def start(self, encoded: Encoded) -> DecoderState:
        """Keys and values of the source for every layer; nothing is written."""
        source, mask = self.bridge(encoded.states), encoded.mask.unsqueeze(1)
        attentions = (cast(SelfAttentionDecoderBlock, block).source_attention for block in self.blocks)
        memory = tuple(attention.remember(source, source, mask) for attention in attentions)
        return DecoderState(memory, (), self.aligning)

    def forward(self, vectors: Tensor, state: DecoderState) -> Decoded:
        """(B, T, inputs) embedded pieces -> (B, T, outputs) features and (B, T, S) weights."""
        size, past = vectors.size(1), state.written[0].size(2) if state.written else 0
        mask = None if size == 1 else causal_mask(size, vectors.device, past=past)
        states = self.widen(vectors)
        if self.positions is not None:
            states = self.positions(states, first=past)
        states = self.dropout(states)
        weights: list[Tensor | None] = []
        written: list[Tensor] = []  # keys and values of the first layer, of the second, ...
        for index, (block, source) in enumerate(zip(self.blocks, state.memory, strict=True)):
            before = state.written[2 * index : 2 * index + 2]
            states, seen, after = block(states, source, before, mask)
            weights.append(seen)
            written += after
        features = self.narrow(self.norm(states))
        seen = weights[self.aligning]
        return Decoded(features, None if seen is None else seen.mean(1), state._replace(written=tuple(written)))
