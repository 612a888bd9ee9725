"""Search over a toy decoder whose probabilities are known."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from nmt.decode.search import Hypothesis, Marks, beam_search

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


def search(sentences: list[int], *, beam: int, limit: int = 4, penalty: float = 1.0) -> list[list[Hypothesis]]:
    state = Toy(torch.tensor(sentences), torch.zeros(len(sentences), dtype=torch.long))
    limits = [limit] * len(sentences)
    return beam_search(
        state, step, marks=MARKS, limits=limits, beam=beam, length_penalty=penalty, device=torch.device("cpu")
    )


def log_probability(sentence: int, pieces: tuple[int, ...]) -> float:
    total, history, last = 0.0, 0, BEGIN
    for piece in (*pieces, END):
        history = (history * 7 + last + 1) % 997
        total += float(log_probabilities(sentence, history)[piece])
        last = piece
    return total


@pytest.mark.parametrize("sentence", range(6))
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_full_beam_is_exhaustive_search(sentence: int, penalty: float) -> None:
    limit = 4
    letters = range(2, VOCABULARY)
    candidates = [c for length in range(limit) for c in itertools.product(letters, repeat=length)]
    best = max(candidates, key=lambda c: log_probability(sentence, c) / (len(c) + 1) ** penalty)
    found = search([sentence], beam=len(candidates), limit=limit, penalty=penalty)[0][0]
    assert tuple(found.ids) == best
    assert found.log_probability == pytest.approx(log_probability(sentence, best), abs=1e-5)
    assert found.score == pytest.approx(found.log_probability / (len(best) + 1) ** penalty)


@pytest.mark.parametrize("sentence", range(6))
def test_a_beam_of_one_is_greedy_search(sentence: int) -> None:
    limit, pieces, last, history = 6, [], BEGIN, 0
    while len(pieces) < limit - 1:
        history = (history * 7 + last + 1) % 997
        last = int(log_probabilities(sentence, history).argmax())
        if last == END:
            break
        pieces.append(last)
    assert search([sentence], beam=1, limit=limit)[0][0].ids == pieces


@pytest.mark.parametrize("beam", [1, 2, 3])
def test_neighbours_do_not_matter(beam: int) -> None:
    alone = [search([sentence], beam=beam)[0] for sentence in range(7)]
    assert search(list(range(7)), beam=beam) == alone
    assert search(list(reversed(range(7))), beam=beam) == alone[::-1]


def test_hypotheses_are_ranked_and_within_the_limit() -> None:
    for hypotheses in search(list(range(9)), beam=3, limit=3):
        scores = [hypothesis.score for hypothesis in hypotheses]
        assert scores == sorted(scores, reverse=True)
        assert 1 <= len(hypotheses) <= 3
        for hypothesis in hypotheses:
            assert len(hypothesis.ids) < 3
            assert BEGIN not in hypothesis.ids
            assert math.isfinite(hypothesis.log_probability)


@pytest.mark.parametrize("beam", [1, 2, 3, 5])
def test_a_confident_model_is_not_cut_short(beam: int) -> None:
    """The end is the second best piece everywhere: a beam soon holds many finished hypotheses, all of them bad."""

    def sure(last: Tensor, state: Toy) -> tuple[Tensor, Toy]:
        length = state.history
        values = torch.full((len(last), VOCABULARY), math.log(0.01))
        values[:, END] = math.log(0.03)
        wanted = torch.where(length < 9, 2 + length % 3, END)
        values[torch.arange(len(last)), wanted] = math.log(0.95)
        return values, state._replace(history=length + 1)

    state = Toy(torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long))
    found = beam_search(
        state, sure, marks=MARKS, limits=[20], beam=beam, length_penalty=1.0, device=torch.device("cpu")
    )
    assert found[0][0].ids == [2, 3, 4, 2, 3, 4, 2, 3, 4]
