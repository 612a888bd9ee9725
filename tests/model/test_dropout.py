"""What is dropped, and for whom."""

from __future__ import annotations

import pytest
import torch

from nmt.model.attention import Attention
from nmt.model.embedding import PositionDropout, SentenceDropout
from nmt.model.score import DotScore

ONES = torch.ones(40, 50, 30)


@pytest.mark.parametrize("kind", [SentenceDropout, PositionDropout])
def test_the_mean_stays_and_the_share_is_dropped(kind: type[torch.nn.Module]) -> None:
    torch.manual_seed(1)
    found = kind(0.25)(ONES)
    assert float((found == 0).float().mean()) == pytest.approx(0.25, abs=0.03)
    assert float(found.mean()) == pytest.approx(1.0, abs=0.04)
    assert len(found.unique()) == 2


@pytest.mark.parametrize("kind", [SentenceDropout, PositionDropout])
def test_nothing_is_dropped_outside_of_training_or_with_share_zero(kind: type[torch.nn.Module]) -> None:
    assert torch.equal(kind(0.5).eval()(ONES), ONES)
    assert torch.equal(kind(0.0)(ONES), ONES)


def test_one_mask_a_sentence_or_one_a_position() -> None:
    torch.manual_seed(1)
    by_sentence, by_position = SentenceDropout(0.5)(ONES), PositionDropout(0.5)(ONES)
    assert (by_sentence == by_sentence[:, :1]).all()
    assert (by_position == by_position[:, :1]).float().mean() < 0.6


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 5, 7), (2, 0, 4)])
def test_positions_take_any_shape_and_gradient_follows_the_mask(shape: tuple[int, ...]) -> None:
    vectors = torch.ones(shape, requires_grad=True)
    found = PositionDropout(0.4)(vectors)
    found.sum().backward()
    assert vectors.grad is not None
    assert torch.equal(vectors.grad, found.detach())


def test_dropped_attention_weights_are_returned_whole() -> None:
    torch.manual_seed(1)
    attention = Attention(DotScore(), dropout=0.5)
    query, values = torch.zeros(2, 3, 4), torch.ones(2, 11, 5)
    context, weights = attention(query, torch.zeros(2, 11, 4), values)
    torch.testing.assert_close(weights, torch.full((2, 3, 11), 1 / 11))
    assert not torch.allclose(context, torch.ones_like(context))
    torch.testing.assert_close(attention.eval()(query, torch.zeros(2, 11, 4), values).context, torch.ones(2, 3, 5))
