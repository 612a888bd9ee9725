"""The contract between encoders, decoders, training, search and alignment.

Training, search and alignment know these few names and nothing about what is behind them:

    encoded = model.encode(source_ids, source_lengths)     # once per sentence
    state = model.start(encoded)                           # everything that decoding has to remember, as a value
    decoded = model.decode(target_ids, state)              # any number T of target pieces at once
    logits = model.logits(decoded.features)

`decode` reads T pieces and returns a state that has read them: T = the whole sentence is teacher forcing, T = 1 is a
step of search, and both give the same numbers. Shapes: B sentences, S source pieces, T target pieces, D features.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from nmt.model.attention import Memory
from nmt.model.embedding import TokenEmbedding
from nmt.model.lexical import LexicalModel


class Encoded(NamedTuple):
    """A source sentence as the encoder sees it."""

    states: Tensor  # (B, S, D)
    mask: Tensor  # (B, S), True = real
    words: Tensor | None = None  # (B, S, I) the embedded pieces that it read


class DecoderState(NamedTuple):
    """What a decoder remembers. The first axis of every tensor is the sentence (or hypothesis)."""

    memory: tuple[Memory, ...]  # the source, as each attention over it remembers it: the same from step to step
    written: tuple[Tensor, ...]  # what has been written so far, as the decoder remembers it
    aligning: int = 0  # whose weights `Decoded.weights` are: the index of its memory
    words: Tensor | None = None  # (B, S, I) the embedded source, where a lexical model looks at it

    def reorder(self, rows: Tensor) -> DecoderState:
        """Continue from hypotheses `rows` of the same sentences: only what was written changes place."""
        return self._replace(written=tuple(part.index_select(0, rows) for part in self.written))

    def keep(self, rows: Tensor) -> DecoderState:
        """Go on with these rows only (repeats allowed), source included."""
        words = None if self.words is None else self.words.index_select(0, rows)
        return self.reorder(rows)._replace(memory=tuple(memory.keep(rows) for memory in self.memory), words=words)

    def with_weights(self) -> DecoderState:
        """Go on the same way, but with `Decoded.weights`: who wants to see where the decoder looks asks for it here."""
        memory = list(self.memory)
        memory[self.aligning] = memory[self.aligning]._replace(need_weights=True)
        return self._replace(memory=tuple(memory))


class Decoded(NamedTuple):
    """The decoder's answer for T target pieces."""

    features: Tensor  # (B, T, D) input of the output layer
    weights: Tensor | None  # (B, T, S) over the source, row t for the piece predicted at t; sure `with_weights` only
    state: DecoderState


class Encoder(Protocol):
    """Source vectors -> states."""

    def __call__(self, vectors: Tensor, lengths: Tensor) -> Encoded:
        """(B, S, D) embedded pieces and (B,) lengths -> what can be attended to."""


class Decoder(Protocol):
    """Target vectors and a state -> features, attention weights and the next state."""

    def start(self, encoded: Encoded) -> DecoderState:
        """The state before anything is written."""

    def __call__(self, vectors: Tensor, state: DecoderState) -> Decoded:
        """(B, T, D) embedded target pieces, read after `state`."""


class Seq2Seq(nn.Module):
    """An encoder and a decoder with their embeddings, and an output layer.

    The output layer is the target embedding, transposed (Press & Wolf 2017, https://arxiv.org/abs/1608.05859), unless
    `tied` is false: then it has weights of its own, which start alike. `source` and `target` may be the same embedding.
    """

    def __init__(
        self, *, encoder: nn.Module, decoder: nn.Module, source: TokenEmbedding, target: TokenEmbedding,
        lexical: LexicalModel | None = None,
        tied: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.source = source
        if target is source:  # three-way tying: one module, which is saved and trained once
            self.__dict__["target"] = source
        else:
            self.target = target
        self.lexical = lexical
        self.own_output = None if tied else nn.Parameter(torch.randn_like(target.weight) / target.weight.size(1) ** 0.5)
        self.output_bias = nn.Parameter(torch.zeros(target.weight.size(0)))

    @property
    def output_weight(self) -> Tensor:
        """(V, D) of the output layer."""
        return self.target.weight if self.own_output is None else self.own_output

    def encode(self, source_ids: Tensor, source_lengths: Tensor) -> Encoded:
        """(B, S) ids and (B,) lengths -> encoded source."""
        words = self.source(source_ids)
        encoded: Encoded = self.encoder(words, source_lengths)
        return encoded._replace(words=words)

    def start(self, encoded: Encoded) -> DecoderState:
        """The decoder's state before its first piece."""
        decoder: Decoder = self.decoder  # type: ignore[assignment]  # modules are not told apart by their methods
        state = decoder.start(encoded)
        return state if self.lexical is None else state._replace(words=encoded.words).with_weights()

    def decode(self, target_ids: Tensor, state: DecoderState) -> Decoded:
        """(B, T) ids of the pieces read (the first one of a sentence is BOS) -> features, weights, next state."""
        decoded: Decoded = self.decoder(self.target(target_ids), state)
        if self.lexical is None:
            return decoded
        return decoded._replace(features=decoded.features + self.lexical(decoded.weights, state.words))

    def logits(self, features: Tensor) -> Tensor:
        """(..., D) -> (..., V)."""
        return nn.functional.linear(features, self.output_weight, self.output_bias)

    def forward(self, source_ids: Tensor, source_lengths: Tensor, target_ids: Tensor) -> Decoded:
        """Teacher forcing: the features that should predict the piece after each of `target_ids`."""
        return self.decode(target_ids, self.start(self.encode(source_ids, source_lengths)))
