"""A recurrent decoder that looks at the source once for every piece.

Its first layer asks, after GNMT (Wu et al. 2016, https://arxiv.org/abs/1609.08144): its state h_t is the query, and the
context c_t that it finds enters every layer above and the output. Row t of the weights belongs to the piece that is
predicted at t. What the first layer reads, and when it asks:

    timing=luong     h_t = f(h_{t-1}, y_{t-1});        c_t from h_t       (Luong et al. 2015, section 3)
    timing=bahdanau  h_t = f(h_{t-1}, y_{t-1}, c_t);   c_t from h_{t-1}   (Bahdanau et al. 2015, section A.2.2)
    input_feeding    f also reads ~h_{t-1} = tanh(W [c_{t-1}; h_{t-1}])   (Luong et al. 2015, section 3.3)
    coverage         past weights enter the score                         (Tu et al. 2016, see `coverage.py`)

y_{t-1} is the last target piece. With none of the lower three every layer runs over a whole sentence in one kernel and
attention looks for all steps at once. With them the first layer goes step by step (with coverage only its attention
does), and the layers above, which feed nothing back, still run over the whole sentence. Training and search do the
same: any number of pieces is read at once.

Shapes: B sentences, S source and T target pieces, D features of a state, E of an encoder's, F of the attentional
vector, L layers.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.model.attention import Attended, Attention, Memory
from nmt.model.cells import RecurrentLayer, State, Stepper, num_states
from nmt.model.coverage import Coverage
from nmt.model.delayed import DelayedProduct
from nmt.model.embedding import SentenceDropout
from nmt.model.seq2seq import Decoded, DecoderState, Encoded


class Asked(NamedTuple):
    """What the first layer found."""

    outputs: Tensor  # (B, T, D)
    attended: Attended  # (B, T, E) and (B, T, S)
    state: State  # (B, D) each
    carried: tuple[Tensor, ...]  # (B, 1, F) last attentional vector, (B, 1, S) coverage: those that are on


class RecurrentDecoder(nn.Module):
    """Reads target pieces; the first layer looks at the source; all together predict the next piece."""

    def __init__(
        self, *, cell: str, inputs: int, memory: int, width: int, num_layers: int, outputs: int,
        attention: Attention, dropout: float, embedding_dropout: float, recurrent_dropout: float = 0.0,
        timing: str = "luong", input_feeding: bool = False, coverage: bool = False, norm: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.asks_first = timing == "bahdanau"
        self.input_feeding = input_feeding
        # Keys and queries must have equal width for dot and cosine; values keep the encoder's.
        self.bridge = nn.Identity() if memory == width else nn.Linear(memory, width, bias=False)
        read_first = inputs + memory * self.asks_first + outputs * input_feeding
        self.layers = nn.ModuleList(
            RecurrentLayer(cell=cell, inputs=size, width=width, recurrent_dropout=recurrent_dropout)
            for size in [read_first] + [width + memory] * (num_layers - 1)
        )
        self.num_states = num_states(cell)
        self.num_layers = num_layers
        self.first_state = nn.Linear(memory, self.num_states * num_layers * width)
        self.attention = attention
        self.combine = nn.Linear(inputs + width + memory, outputs)
        self.norms = nn.ModuleList(nn.LayerNorm(width) if norm else nn.Identity() for _ in range(num_layers))
        self.attentional = nn.Linear(memory + width, outputs) if input_feeding else None
        self.coverage = Coverage(attention.score, width) if coverage else None
        self.embedding_dropout = SentenceDropout(embedding_dropout)
        self.dropout = SentenceDropout(dropout)

    def start(self, encoded: Encoded) -> DecoderState:
        """Begin from the mean of the source's states; nothing has been looked at."""
        states, mask = encoded.states, encoded.mask
        real = mask.unsqueeze(-1).to(states.dtype)  # (B, S, 1)
        mean = (states * real).sum(1) / real.sum(1).clamp(min=1.0)  # (B, E)
        first = torch.tanh(self.first_state(mean)).view(mean.size(0), self.num_states, self.num_layers, -1)
        memory = self.attention.remember(self.bridge(states), states, mask.unsqueeze(1))
        carried = []
        if self.attentional is not None:
            carried.append(states.new_zeros(states.size(0), 1, self.attentional.out_features))
        if self.coverage is not None:
            carried.append(states.new_zeros(states.size(0), 1, states.size(1)))
        return DecoderState((memory,), (*first.unbind(1), *carried))

    def forward(self, vectors: Tensor, state: DecoderState) -> Decoded:
        """(B, T, inputs) embedded pieces -> (B, T, outputs) features and (B, T, S) weights."""
        vectors = self.embedding_dropout(vectors)
        recurrent = state.written[: self.num_states]  # (B, L, D) each
        before = [tuple(part[:, index] for part in recurrent) for index in range(self.num_layers)]
        asked = self._ask(vectors, before[0], state)
        context, weights = asked.attended
        states, afters = asked.outputs, [asked.state]
        for index in range(1, self.num_layers):
            read = torch.cat((self.dropout(self.norms[index - 1](states)), context), dim=-1)
            outputs, after = self.layers[index](read, before[index])
            states = states + outputs
            afters.append(after)
        read = torch.cat((self.dropout(self.norms[-1](states)), context, vectors), dim=-1)
        features = self.dropout(torch.tanh(self.combine(read)))
        written = tuple(torch.stack(parts, dim=1) for parts in zip(*afters, strict=True))
        return Decoded(features, weights, state._replace(written=(*written, *asked.carried)))

    def _ask(self, vectors: Tensor, before: State, state: DecoderState) -> Asked:
        """The first layer over (B, T, inputs) vectors, and its look at the source for each of them."""
        carried = state.written[self.num_states :]
        if self.asks_first or self.input_feeding:
            return self._step_by_step(vectors, before, state.memory[0], carried)
        first: RecurrentLayer = self.layers[0]  # type: ignore[assignment]  # a ModuleList forgets what it holds
        outputs, after = first(vectors, before)
        if self.coverage is None:
            return Asked(outputs, self.attention.attend(outputs, state.memory[0]), after, carried)
        (covered,) = carried
        found = []
        for query in outputs.split(1, dim=1):
            found.append(self._look(query, state.memory[0], covered))
            covered = _with(covered, found[-1])
        return Asked(outputs, _joined(found), after, (covered,))

    def _step_by_step(self, vectors: Tensor, now: State, memory: Memory, carried: tuple[Tensor, ...]) -> Asked:
        """The first layer when it reads what it found one step before."""
        first: RecurrentLayer = self.layers[0]  # type: ignore[assignment]
        stepper = Stepper(first, vectors)
        fed = carried[0].squeeze(1) if self.input_feeding else None  # (B, F)
        covered = carried[-1] if self.coverage is not None else None  # (B, 1, S)
        attentional = _Attentional(self.attentional, self.dropout, vectors) if self.attentional is not None else None
        outputs, found = [], []
        for step in range(vectors.size(1)):
            if self.asks_first:
                found.append(self._look(now[0].unsqueeze(1), memory, covered))
            reads = [found[-1].context.squeeze(1)] if self.asks_first else []
            now = stepper(step, reads if fed is None else [*reads, fed], now)
            outputs.append(now[0])
            if not self.asks_first:
                found.append(self._look(now[0].unsqueeze(1), memory, covered))
            if attentional is not None:
                fed = attentional(found[-1].context.squeeze(1), now[0])
            if covered is not None:
                covered = _with(covered, found[-1])
        after = (() if fed is None else (fed.unsqueeze(1),)) + (() if covered is None else (covered,))
        return Asked(torch.stack(outputs, dim=1), _joined(found), now, after)

    def _look(self, query: Tensor, memory: Memory, covered: Tensor | None) -> Attended:
        """(B, 1, D) query, (B, 1, S) weights so far."""
        if self.coverage is not None and covered is not None:
            memory = self.coverage(memory, covered)
        return self.attention.attend(query, memory)


class _Attentional:
    """~h_t = tanh(W [c_t; h_t] + b), step after step, with one dropout mask a sentence."""

    def __init__(self, linear: nn.Linear, dropout: SentenceDropout, like: Tensor) -> None:
        self.product = DelayedProduct(linear.weight)
        self.bias = linear.bias.expand(like.size(0), -1)
        ones = like.new_ones(like.size(0), 1, linear.out_features)
        self.mask = dropout(ones).squeeze(1) if dropout.training else None

    def __call__(self, context: Tensor, hidden: Tensor) -> Tensor:
        """(B, E) and (B, D) -> (B, F)."""
        vector = torch.tanh(self.product(self.bias, torch.cat((context, hidden), dim=-1)))
        return vector if self.mask is None else vector * self.mask


def _joined(found: list[Attended]) -> Attended:
    weights = [one.weights for one in found if one.weights is not None]
    return Attended(torch.cat([one.context for one in found], dim=1), torch.cat(weights, dim=1) if weights else None)


def _with(covered: Tensor, found: Attended) -> Tensor:
    assert found.weights is not None  # coverage asks for them
    return covered + found.weights
