"""A toy decoder whose probabilities are known, for tests of search and sampling."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from nmt.decode.rules import Marks

VOCABULARY, BEGIN, END = 5, 0, 1
MARKS = Marks(begin=BEGIN, end=END, forbidden=(BEGIN,))


class Toy(NamedTuple):
    """A decoder whose next piece depends on its sentence and on all that was written."""

    sentence: Tensor
    history: Tensor  # a number for each row that sums up what was written

    def reorder(self, rows: Tensor) -> Toy:
        return self._replace(history=self.history[rows])

    def keep(self, rows: Tensor) -> Toy:
        return Toy(self.sentence[rows], self.history[rows])


def log_probabilities(sentence: int, history: int) -> Tensor:
    generator = torch.Generator().manual_seed(1000 * sentence + history)
    logits = 2.0 * torch.randn(VOCABULARY, generator=generator)
    logits[BEGIN] = float("-inf")
    return torch.log_softmax(logits, dim=0)


def step(last: Tensor, state: Toy) -> tuple[Tensor, Toy]:
    history = (state.history * 7 + last + 1) % 997
    rows = [log_probabilities(s, h) for s, h in zip(state.sentence.tolist(), history.tolist(), strict=True)]
    return torch.stack(rows), state._replace(history=history)


def start(sentences: list[int]) -> Toy:
    return Toy(torch.tensor(sentences), torch.zeros(len(sentences), dtype=torch.long))


def log_probability(sentence: int, pieces: tuple[int, ...]) -> float:
    total, history, last = 0.0, 0, BEGIN
    for piece in (*pieces, END):
        history = (history * 7 + last + 1) % 997
        total += float(log_probabilities(sentence, history)[piece])
        last = piece
    return total
