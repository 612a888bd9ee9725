"""Recurrent networks: a bidirectional encoder, and a decoder that looks at the source after every step.

The decoder follows Luong et al. 2015 (https://arxiv.org/abs/1508.04025) in the order of things: it reads the last
target piece, its new state h_t is the query, so row t of the weights belongs to the piece that is predicted at t. As in
GNMT (Wu et al. 2016, https://arxiv.org/abs/1609.08144) the query comes from the first layer and the context enters
every layer above and the output; nothing found at one step is fed to the first layer of the next, so that in training
each layer runs over the whole sentence in one kernel.

Shapes: B sentences, S source and T target pieces, D features, L layers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.model.attention import Attention
from nmt.model.embedding import SentenceDropout
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import Decoded, DecoderState, Encoded

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}


class Remembered(NamedTuple):
    """One layer's outputs and the state after them."""

    outputs: Tensor  # (B, T, D)
    state: tuple[Tensor, ...]  # (B, D) each: hidden, and cell for an LSTM


class RecurrentLayer(nn.Module):
    """One layer in one direction, over whole sentences, with its state as a value."""

    def __init__(self, *, cell: str, inputs: int, width: int) -> None:
        super().__init__()
        self.cell = CELLS[cell](inputs, width, batch_first=True)
        self.num_states = 2 if cell == "lstm" else 1
        _initialise(self.cell, width, is_lstm=cell == "lstm")

    def forward(self, vectors: Tensor, state: tuple[Tensor, ...] | None = None) -> Remembered:
        """(B, T, inputs) -> (B, T, width)."""
        before = None if state is None else tuple(part.unsqueeze(0).contiguous() for part in state)
        if before is not None and self.num_states == 1:
            outputs, after = self.cell(vectors, before[0])
        else:
            outputs, after = self.cell(vectors, before)
        after = after if self.num_states == 2 else (after,)
        return Remembered(outputs, tuple(part.squeeze(0) for part in after))


def _initialise(cell: nn.Module, width: int, *, is_lstm: bool) -> None:
    """Glorot inputs (2010), orthogonal recurrence (Saxe et al. 2014), forget gate open (Jozefowicz et al. 2015)."""
    for name, parameter in cell.named_parameters():
        if name.startswith("weight_ih"):
            for gate in parameter.data.chunk(4 if is_lstm else 3):
                nn.init.xavier_uniform_(gate)
        elif name.startswith("weight_hh"):
            for gate in parameter.data.chunk(4 if is_lstm else 3):
                nn.init.orthogonal_(gate)
        else:
            nn.init.zeros_(parameter)
            if is_lstm and name.startswith("bias_ih"):
                parameter.data[width : 2 * width] = 1.0


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
    """

    def __init__(self, *, cell: str, inputs: int, width: int, num_layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [inputs] + [width] * (num_layers - 1)
        self.forwards = nn.ModuleList(RecurrentLayer(cell=cell, inputs=size, width=width // 2) for size in sizes)
        self.backwards = nn.ModuleList(RecurrentLayer(cell=cell, inputs=size, width=width // 2) for size in sizes)
        self.dropout = SentenceDropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Encoded:
        """(B, S, inputs) embedded pieces and (B,) lengths -> (B, S, width) states."""
        states = self.dropout(vectors)
        for index, (forward, backward) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            from_left = forward(states).outputs
            from_right = reverse(backward(reverse(states, lengths)).outputs, lengths)
            both = self.dropout(torch.cat((from_left, from_right), dim=-1))
            states = both if index == 0 else states + both
        return Encoded(states, padding_mask(lengths, vectors.size(1)))


class RecurrentDecoder(nn.Module):
    """Reads target pieces; each state is a query over the source; state and context together predict the next piece."""

    def __init__(
        self, *, cell: str, inputs: int, memory: int, width: int, num_layers: int, outputs: int,
        attention: Attention, dropout: float,
    ) -> None:  # fmt: skip
        super().__init__()
        # Keys and queries must have equal width for dot and cosine; values keep the encoder's.
        self.bridge = nn.Identity() if memory == width else nn.Linear(memory, width, bias=False)
        sizes = [inputs] + [width + memory] * (num_layers - 1)
        self.layers = nn.ModuleList(RecurrentLayer(cell=cell, inputs=size, width=width) for size in sizes)
        self.num_states = 2 if cell == "lstm" else 1
        self.num_layers = num_layers
        self.first_state = nn.Linear(memory, self.num_states * num_layers * width)
        self.attention = attention
        self.combine = nn.Linear(inputs + width + memory, outputs)
        self.dropout = SentenceDropout(dropout)

    def start(self, encoded: Encoded) -> DecoderState:
        """Begin from the mean of the source's states."""
        real = encoded.mask.unsqueeze(-1).to(encoded.states.dtype)  # (B, S, 1)
        mean = (encoded.states * real).sum(1) / real.sum(1).clamp(min=1.0)  # (B, D)
        first = torch.tanh(self.first_state(mean)).view(mean.size(0), self.num_states, self.num_layers, -1)
        memory = self.attention.remember(self.bridge(encoded.states), encoded.states, encoded.mask.unsqueeze(1))
        return DecoderState((memory,), tuple(first.unbind(1)))

    def forward(self, vectors: Tensor, state: DecoderState) -> Decoded:
        """(B, T, inputs) embedded pieces -> (B, T, outputs) features and (B, T, S) weights."""
        vectors = self.dropout(vectors)
        first, *above = self.layers
        outputs, after = first(vectors, self._of_layer(state, 0))
        context, weights = self.attention.attend(outputs, state.memory[0])
        states, afters = outputs, [after]
        for index, layer in enumerate(above, start=1):
            read = torch.cat((self.dropout(states), context), dim=-1)
            outputs, after = layer(read, self._of_layer(state, index))
            states = states + outputs
            afters.append(after)
        features = torch.tanh(self.combine(torch.cat((self.dropout(states), context, vectors), dim=-1)))
        written = tuple(torch.stack(parts, dim=1) for parts in zip(*afters, strict=True))
        return Decoded(self.dropout(features), weights, state._replace(written=written))

    @staticmethod
    def _of_layer(state: DecoderState, index: int) -> tuple[Tensor, ...]:
        return tuple(part[:, index] for part in state.written)
