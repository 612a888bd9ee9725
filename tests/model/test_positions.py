"""Positions: what is added, what is turned, and that search stands where training stood."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nmt import config as schema
from nmt.data.batch import collate
from nmt.model.build import build_model
from nmt.model.positions import RotaryPositions, SinusoidalPositions
from nmt.model.seq2seq import Seq2Seq

SOURCES, TARGETS = [[5, 6, 7, 8, 9], [7, 5], [6]], [[4, 9, 8], [5, 6, 7, 8, 9, 10, 4], [8]]
PARTS = {
    "encoder": {
        "recurrent": schema.RecurrentEncoderConfig(layers=1, width=10),
        "self_attention": schema.SelfAttentionEncoderConfig(layers=2, width=12, heads=3, feed_forward=17),
    },
    "decoder": {
        "recurrent": schema.RecurrentDecoderConfig(layers=1, width=13),
        "self_attention": schema.SelfAttentionDecoderConfig(layers=2, width=20, heads=5, feed_forward=7),
    },
}
CASES = [
    *(("self_attention", "self_attention", score) for score in schema.SCORES),
    ("recurrent", "self_attention", "scaled_dot"),
    ("self_attention", "recurrent", "scaled_dot"),
]


def make(encoder: str, decoder: str, own: str, positions: str = "rotary") -> Seq2Seq:
    config = schema.ModelConfig(
        embedding=11,
        positions=positions,
        encoder=PARTS["encoder"][encoder],
        decoder=PARTS["decoder"][decoder],
        attention=schema.ScaledDotConfig(),
        self_attention=schema.SCORES[own](),
    )
    return build_model(config, source_size=23, target_size=19).eval()


def test_the_waves_of_a_few_places() -> None:
    found = SinusoidalPositions(4)(torch.zeros(1, 2, 4), first=3)[0]
    expected = torch.tensor([[3.0, 3.0, 0.03, 0.03], [4.0, 4.0, 0.04, 0.04]])
    expected[:, 0::2], expected[:, 1::2] = expected[:, 0::2].sin(), expected[:, 1::2].cos()
    torch.testing.assert_close(found, expected)


def test_turning_is_multiplying_complex_numbers() -> None:
    heads = torch.randn(2, 3, 5, 14, dtype=torch.double)
    points = torch.complex(heads[..., :7], heads[..., 7:])
    places, pairs = torch.arange(4.0, 9.0).double(), torch.arange(7.0).double()
    turned = points * torch.exp(1j * places[:, None] * 10000 ** (-2 * pairs / 14))
    expected = torch.cat((turned.real, turned.imag), dim=-1)
    torch.testing.assert_close(RotaryPositions(14)(heads, first=4), expected, atol=1e-5, rtol=1e-5)


@given(query=st.integers(0, 300), key=st.integers(0, 300), shift=st.integers(0, 300))
def test_a_turned_dot_product_sees_only_the_distance(query: int, key: int, shift: int) -> None:
    turn = RotaryPositions(6)
    q, k = torch.tensor([[0.3, -1.2, 0.7, 2.0, 0.1, -0.4]]), torch.tensor([[1.5, 0.2, -0.6, 0.9, -1.1, 0.8]])
    here = turn(q, query) @ turn(k, key).t()
    there = turn(q, query + shift) @ turn(k, key + shift).t()
    torch.testing.assert_close(here, there, atol=1e-3, rtol=1e-3)


def test_turning_keeps_lengths_and_precision() -> None:
    heads = torch.randn(2, 3, 5, 8, dtype=torch.bfloat16)
    turned = RotaryPositions(8)(heads, first=100)
    assert turned.dtype == torch.bfloat16
    torch.testing.assert_close(turned.float().norm(dim=-1), heads.float().norm(dim=-1), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("sizes", [(1,) * 8, (3, 1, 4)])
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_step_by_step_equals_at_once(case: tuple[str, str, str], sizes: tuple[int, ...]) -> None:
    model, batch = make(*case), collate(SOURCES, TARGETS)
    at_once = model(batch.source_ids, batch.source_lengths, batch.target_in)
    state = model.start(model.encode(batch.source_ids, batch.source_lengths))
    for part, expected in zip(batch.target_in.split(sizes, dim=1), at_once.features.split(sizes, dim=1), strict=True):
        features, _, state = model.decode(part, state)
        torch.testing.assert_close(features, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("positions", "side"), list(itertools.product(("sinusoidal", "rotary"), ("source", "target"))))
def test_order_makes_a_difference(positions: str, side: str) -> None:
    model = make("self_attention", "self_attention", "scaled_dot", positions)
    sources, targets = torch.tensor([[5, 6, 7, 8], [7, 6, 5, 8]]), torch.tensor([[2, 4, 5, 6], [2, 5, 4, 6]])
    if side == "source":
        targets = targets[:1].expand(2, -1)
    else:
        sources = sources[:1].expand(2, -1)
    one, other = model(sources, torch.tensor([4, 4]), targets).features[:, -1]
    assert (one - other).abs().max() > 1e-3


def test_rotary_adds_nothing_and_has_nothing_to_learn() -> None:
    rotary, sinusoidal = (make("self_attention", "self_attention", "dot", kind) for kind in ("rotary", "sinusoidal"))
    assert rotary.encoder.positions is None
    assert rotary.decoder.positions is None
    assert rotary.state_dict().keys() == sinusoidal.state_dict().keys()
    blocks = rotary.decoder.blocks
    assert all(block.self_attention.rotary and block.source_attention.rotary is None for block in blocks)
