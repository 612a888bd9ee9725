"""Search over a toy decoder whose probabilities are known."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor
from toy import BEGIN, END, MARKS, VOCABULARY, Toy, log_probabilities, log_probability, start, step

from nmt.decode.ranking import Ranking
from nmt.decode.rules import Bounds
from nmt.decode.search import Hypothesis, beam_search


def search(
    sentences: list[int], *, beam: int, limit: int = 4, penalty: float = 1.0, kind: str = "plain", nbest: int = 1,
    minimum: int = 1, prefix: tuple[int, ...] = (), no_repeat: int = 0,
) -> list[list[Hypothesis]]:  # fmt: skip
    return beam_search(
        start(sentences), step, marks=MARKS, bounds=[Bounds(limit, minimum, prefix)] * len(sentences), beam=beam,
        ranking=Ranking(penalty, kind), device=torch.device("cpu"), nbest=nbest, no_repeat=no_repeat,
    )  # fmt: skip


def candidates(limit: int) -> list[tuple[int, ...]]:
    """All that can be written."""
    return [c for length in range(limit) for c in itertools.product(range(2, VOCABULARY), repeat=length)]


@pytest.mark.parametrize("sentence", range(6))
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_full_beam_is_exhaustive_search(sentence: int, penalty: float) -> None:
    limit = 4
    best = max(candidates(limit), key=lambda c: log_probability(sentence, c) / (len(c) + 1) ** penalty)
    found = search([sentence], beam=len(candidates(limit)), limit=limit, penalty=penalty)[0][0]
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
        state, sure, marks=MARKS, bounds=[Bounds(20)], beam=beam, ranking=Ranking(), device=torch.device("cpu")
    )
    assert found[0][0].ids == [2, 3, 4, 2, 3, 4, 2, 3, 4]


@pytest.mark.parametrize("sentence", range(4))
def test_a_full_beam_finds_the_n_best(sentence: int) -> None:
    def score(pieces: tuple[int, ...]) -> float:
        return log_probability(sentence, pieces) / ((5 + len(pieces) + 1) / 6) ** 0.7

    best = sorted(candidates(4), key=score, reverse=True)[:5]
    found = search([sentence], beam=len(candidates(4)), penalty=0.7, kind="gnmt", nbest=5)[0][:5]
    assert [tuple(hypothesis.ids) for hypothesis in found] == best
    assert [hypothesis.score for hypothesis in found] == pytest.approx([score(pieces) for pieces in best], abs=1e-5)


@pytest.mark.parametrize("sentence", range(4))
@pytest.mark.parametrize(
    ("rules", "keeps"),
    [
        ({"minimum": 4}, lambda c: len(c) == 3),
        ({"prefix": (3, 3)}, lambda c: c[:2] == (3, 3)),
        ({"no_repeat": 1}, lambda c: len(set(c)) == len(c)),
        ({"no_repeat": 2}, lambda c: len(set(itertools.pairwise(c))) == max(len(c) - 1, 0)),
    ],
)
def test_a_full_beam_under_rules_is_exhaustive_search_of_what_keeps_them(sentence, rules, keeps) -> None:
    allowed = [c for c in candidates(4) if keeps(c)]
    assert len(allowed) < len(candidates(4))
    best = max(allowed, key=lambda c: log_probability(sentence, c) / (len(c) + 1))
    found = search([sentence], beam=len(candidates(4)), **rules)[0][0]
    assert tuple(found.ids) == best
    assert found.log_probability == pytest.approx(log_probability(sentence, best), abs=1e-5)


def test_where_nothing_new_is_left_the_sentence_ends() -> None:
    found = search([0, 1, 2], beam=2, limit=9, minimum=9, no_repeat=1)
    assert all(sorted(hypothesis.ids) == [2, 3, 4] for one in found for hypothesis in one)


def test_coverage_chooses_among_finished_hypotheses() -> None:
    """Whatever ends as the second piece is said to have missed the source."""

    def coverage(state: Toy) -> Tensor:
        return torch.where(state.history == (8 * 0 + 1) % 997, -100.0, 0.0)  # the history when nothing is written

    found = beam_search(
        start([0, 1, 2]), step, marks=MARKS, bounds=[Bounds(4)] * 3, beam=40, ranking=Ranking(0.0), nbest=40,
        device=torch.device("cpu"), coverage=coverage,
    )  # fmt: skip
    for hypotheses in found:
        assert hypotheses[-1].ids == []
        assert hypotheses[-1].score == pytest.approx(hypotheses[-1].log_probability - 100.0)
