"""One recurrent layer: over whole sentences in one kernel, or step by step where a step needs what the last one found.

    LSTM   i, f, g, o = W x + U h + b
           c' = sigmoid(f) c + sigmoid(i) tanh(g)
           h' = sigmoid(o) tanh(c')                   (Hochreiter & Schmidhuber 1997; Gers et al. 2000)
    GRU    r = sigmoid(W_r x + U_r h + b_r);  z = sigmoid(W_z x + U_z h + b_z)
           n = tanh(W_n x + b_n + r (U_n h + d_n))
           h' = (1 - z) n + z h                       (Cho et al. 2014, with the reset gate after U_n as in cuDNN)

Both ways have the same weights and give the same numbers.
Shapes: B sentences, T pieces, D features of a state, G gates (4 of an LSTM, 3 of a GRU).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.model.delayed import DelayedProduct

CELLS = {"lstm": nn.LSTM, "gru": nn.GRU}
State = tuple[Tensor, ...]  # (B, D) each: hidden, and cell for an LSTM


class Remembered(NamedTuple):
    """One layer's outputs and the state after them."""

    outputs: Tensor  # (B, T, D)
    state: State


class RecurrentLayer(nn.Module):
    """One layer in one direction, with its state as a value.

    `recurrent_dropout` zeroes single weights of U for a whole batch (DropConnect on the recurrence: Merity et al. 2018,
    https://arxiv.org/abs/1708.02182); the kernels stay the same.
    """

    def __init__(self, *, cell: str, inputs: int, width: int, recurrent_dropout: float = 0.0) -> None:
        super().__init__()
        self.cell = CELLS[cell](inputs, width, batch_first=True)
        self.num_states = num_states(cell)
        self.recurrent_dropout = recurrent_dropout
        _initialise(self.cell, width, is_lstm=cell == "lstm")

    def forward(self, vectors: Tensor, state: State | None = None) -> Remembered:
        """(B, T, inputs) -> (B, T, width)."""
        before = None if state is None else tuple(part.unsqueeze(0).contiguous() for part in state)
        initial = before[0] if before is not None and self.num_states == 1 else before
        if self.training and self.recurrent_dropout:
            outputs, after = torch.func.functional_call(
                self.cell, {"weight_hh_l0": self.recurrent_weight()}, (vectors, initial)
            )
        else:
            outputs, after = self.cell(vectors, initial)
        after = after if self.num_states == 2 else (after,)
        return Remembered(outputs, tuple(part.squeeze(0) for part in after))

    def recurrent_weight(self) -> Tensor:
        """U, (G D, D); while training, with its dropout."""
        weight: Tensor = self.cell.weight_hh_l0
        return nn.functional.dropout(weight, self.recurrent_dropout, self.training)


class Stepper:
    """A layer whose inputs are in part known for all steps (one product), in part found at each step."""

    def __init__(self, layer: RecurrentLayer, vectors: Tensor) -> None:
        """(B, T, known) vectors: the first `known` of the layer's inputs."""
        cell = layer.cell
        known = vectors.size(-1)
        bias = cell.bias_ih_l0
        self.is_lstm = layer.num_states == 2
        if self.is_lstm:  # of a GRU, the bias of U h is inside the reset gate
            bias = bias + cell.bias_hh_l0
        self.gates = nn.functional.linear(vectors, cell.weight_ih_l0[:, :known], bias).unbind(1)  # T of (B, G D)
        self.bias = cell.bias_hh_l0
        self.into_gates = DelayedProduct(cell.weight_ih_l0[:, known:])
        self.recurrence = DelayedProduct(layer.recurrent_weight())

    def __call__(self, step: int, found: Sequence[Tensor], state: State) -> State:
        """The state after piece `step`, whose remaining inputs are `found`, (B, ...) each."""
        gates = self.gates[step]
        if found:
            gates = self.into_gates(gates, found[0] if len(found) == 1 else torch.cat(tuple(found), dim=-1))
        if self.is_lstm:
            return _lstm(self.recurrence(gates, state[0]), state[1])
        return _gru(gates, self.recurrence(self.bias.expand_as(gates), state[0]), state[0])


def _lstm(gates: Tensor, cell: Tensor) -> State:
    entry, forget, value, out = gates.chunk(4, dim=-1)
    cell = torch.addcmul(torch.sigmoid(forget) * cell, torch.sigmoid(entry), torch.tanh(value))
    return torch.sigmoid(out) * torch.tanh(cell), cell


def _gru(gates: Tensor, recurrent: Tensor, hidden: Tensor) -> State:
    width = hidden.size(-1)
    reset, update = torch.sigmoid(gates[:, : 2 * width] + recurrent[:, : 2 * width]).chunk(2, dim=-1)
    new = torch.tanh(torch.addcmul(gates[:, 2 * width :], reset, recurrent[:, 2 * width :]))
    return (torch.lerp(new, hidden, update),)


def num_states(cell: str) -> int:
    """How many vectors a cell carries from step to step."""
    return 2 if cell == "lstm" else 1


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
