"""Drawn translations: as likely as the model says, within what is asked for, and the same among any neighbours."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from toy import END, MARKS, log_probability, start, step

from nmt.decode.options import SearchOptions
from nmt.decode.rules import Bounds
from nmt.decode.sampling import draw, sample, streams
from nmt.decode.search import Hypothesis
from nmt.errors import ConfigError


def drawn(sentences: list[int], **options: float) -> list[list[Hypothesis]]:
    chosen = SearchOptions(sample=True, **options)
    bounds = [Bounds(4)] * len(sentences)
    numbers = streams([[sentence] for sentence in sentences], bounds, chosen)
    return sample(
        start(sentences), step, numbers=numbers, marks=MARKS, bounds=bounds, options=chosen, device=torch.device("cpu")
    )


def test_neighbours_do_not_matter_and_seeds_do() -> None:
    alone = [drawn([sentence], nbest=3)[0] for sentence in range(5)]
    assert drawn([4, 3, 2, 1, 0], nbest=3) == alone[::-1]
    assert drawn(list(range(5)), nbest=3, seed=1) != alone


def test_scores_are_the_models_own() -> None:
    for hypothesis in drawn([2], nbest=6, temperature=2.0, length_penalty=0.0)[0]:
        expected = log_probability(2, tuple(hypothesis.ids))
        assert hypothesis.log_probability == hypothesis.score == pytest.approx(expected, abs=1e-4)


def test_one_piece_to_choose_from_is_greedy_search() -> None:
    assert len({tuple(one.ids) for one in drawn([3], nbest=5, top_k=1)[0]}) == 1
    assert drawn([3], top_k=1)[0][0].ids == drawn([3], top_p=0.001)[0][0].ids


def test_pieces_are_drawn_as_often_as_they_are_likely() -> None:
    values = torch.tensor([[0.5, 0.3, 0.2, 0.0]]).log().expand(1000, 4)
    chances = torch.arange(1000, dtype=torch.float64) / 1000

    def counts(**options: float) -> dict[int, int]:
        return dict(Counter(draw(values, chances, SearchOptions(sample=True, **options)).tolist()))

    assert counts() == {0: pytest.approx(500, abs=1), 1: pytest.approx(300, abs=1), 2: pytest.approx(200, abs=1)}
    assert counts(top_k=2) == {0: pytest.approx(625, abs=1), 1: pytest.approx(375, abs=1)}
    assert counts(top_p=0.6) == counts(top_k=2)
    assert counts(temperature=0.5) == {
        0: pytest.approx(658, abs=1), 1: pytest.approx(237, abs=1), 2: pytest.approx(105, abs=1)
    }  # fmt: skip
    assert END not in counts(top_p=0.4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nbest": 6}, "nbest is 6, but a beam of 5 gives at most 5"),
        ({"top_p": 0.0}, "top_p must be from 0.001 to 1"),
        ({"length_penalty_kind": "gmt"}, "length_penalty_kind is 'gmt', but it must be one of: plain, gnmt"),
        ({"min_ratio": 4.0}, "min_ratio must be from 0 to 3.0"),
    ],
)
def test_values_out_of_range_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SearchOptions(**options)
