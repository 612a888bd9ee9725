"""A Transformer's decoder with a recurrent layer in the place of self-attention; the hybrid, over self-attention.

Domhan 2018 (https://aclanthology.org/P18-1167) found that what a recurrent decoder lacks beside a Transformer's is not
self-attention but what surrounds it: several layers that look at the source, each with a feed-forward network and
pre-norm residuals; Chen et al. 2018 (https://arxiv.org/abs/1804.09849) that a self-attention encoder under a recurrent
decoder beats either alone. A block is

    x = x + Recurrent(norm(x))              over the pieces written so far
    x = x + MultiHead(norm(x), source)      the query is the state after reading the last piece
    x = x + FeedForward(norm(x))

Order comes from the recurrence, so there are no positions. Nothing that is found at one step is read at the next by a
lower layer: in training each block runs over a whole sentence at once. A step of search needs one state a layer,
however much is written. Shapes: B sentences, H heads, S source and T target pieces, D features, L layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from nmt.model.attention import Memory
from nmt.model.cells import RecurrentLayer, State, num_states
from nmt.model.multihead import MultiHeadAttention
from nmt.model.self_attention import FeedForward
from nmt.model.seq2seq import Decoded, DecoderState, Encoded


class RecurrentTransformerBlock(nn.Module):
    """Read on, look at the source, think: each added to what is there."""

    def __init__(
        self, *, cell: str, width: int, attention: MultiHeadAttention, feed_forward: FeedForward, dropout: nn.Module,
        recurrent_dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_states = num_states(cell)
        self.recurrent_norm = nn.LayerNorm(width)
        self.recurrent = RecurrentLayer(cell=cell, inputs=width, width=width, recurrent_dropout=recurrent_dropout)
        self.attention_norm = nn.LayerNorm(width)
        self.attention = attention
        self.feed_forward_norm = nn.LayerNorm(width)
        self.feed_forward = feed_forward
        self.dropout = dropout

    def remember(self, source: Tensor, mask: Tensor) -> Memory:
        """Keys and values of (B, S, D) source states."""
        return self.attention.remember(source, source, mask)

    def forward(self, vectors: Tensor, source: Memory, before: State) -> tuple[Tensor, Tensor | None, State]:
        """(B, T, D) vectors -> (B, T, D) vectors, (B, H, T, S) weights, and the state after them."""
        outputs, after = self.recurrent(self.recurrent_norm(vectors), before)
        vectors = vectors + self.dropout(outputs)
        context, weights = self.attention.attend(self.attention_norm(vectors), source)
        vectors = vectors + self.dropout(context)
        vectors = vectors + self.dropout(self.feed_forward(self.feed_forward_norm(vectors)))
        return vectors, weights, after


class RecurrentTransformerDecoder(nn.Module):
    """A stack of blocks over embedded pieces.

    The weights it returns, which word alignment reads, are the mean over the heads of one layer: the last but one (Garg
    et al. 2019, https://arxiv.org/abs/1909.02074), or the last one where there are only two.
    """

    def __init__(
        self, *, inputs: int, memory: int, width: int, outputs: int, blocks: Sequence[RecurrentTransformerBlock],
        embedding_dropout: nn.Module,
    ) -> None:  # fmt: skip
        super().__init__()
        self.width = width
        self.widen = nn.Identity() if inputs == width else nn.Linear(inputs, width)
        self.bridge = nn.Identity() if memory == width else nn.Linear(memory, width, bias=False)
        self.blocks = nn.ModuleList(blocks)
        self.num_states = blocks[0].num_states
        self.aligning = len(blocks) - 2 if len(blocks) > 2 else len(blocks) - 1
        self.norm = nn.LayerNorm(width)
        self.narrow = nn.Identity() if width == outputs else nn.Linear(width, outputs)
        self.embedding_dropout = embedding_dropout

    def start(self, encoded: Encoded) -> DecoderState:
        """Keys and values of the source for every block; the recurrence begins at zero (B, L, D)."""
        source, mask = self.bridge(encoded.states), encoded.mask.unsqueeze(1)
        memory = tuple(block.remember(source, mask) for block in self._each())
        nothing = source.new_zeros(source.size(0), len(self.blocks), self.width)
        return DecoderState(memory, (nothing,) * self.num_states, self.aligning)

    def forward(self, vectors: Tensor, state: DecoderState) -> Decoded:
        """(B, T, inputs) embedded pieces -> (B, T, outputs) features and (B, T, S) weights."""
        states = self.widen(self.embedding_dropout(vectors))
        weights, afters = [], []
        for index, (block, source) in enumerate(zip(self._each(), state.memory, strict=True)):
            states, seen, after = block(states, source, tuple(part[:, index] for part in state.written))
            weights.append(seen)
            afters.append(after)
        features = self.narrow(self.norm(states))
        written = tuple(torch.stack(parts, dim=1) for parts in zip(*afters, strict=True))
        seen = weights[self.aligning]
        return Decoded(features, None if seen is None else seen.mean(1), state._replace(written=written))

    def _each(self) -> Iterator[RecurrentTransformerBlock]:
        return iter(self.blocks)  # type: ignore[arg-type]  # a ModuleList forgets what it holds
