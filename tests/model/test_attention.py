"""The three stages: golden values from docs/ATTENTION.md, properties, and parity with torch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from nmt.config import SCORES
from nmt.model.attention import Attention, SelfAttention, masked_softmax
from nmt.model.build import build_score
from nmt.model.masks import causal_mask, padding_mask
from nmt.model.multihead import MultiHeadAttention
from nmt.model.score import CosineScore, GeneralScore, MlpScore, ScaledDotScore, Score

DOCS = Path(__file__).parents[2] / "docs" / "ATTENTION.md"
BATCH, QUERIES, KEYS, WIDTH, VALUES = 2, 3, 5, 7, 11  # every axis another prime: none can be taken for another


KINDS = tuple(SCORES)  # what a property states, it states of every score
WORKED = ("dot", "scaled_dot", "general", "cosine", "mlp")  # these have a section in docs/ATTENTION.md


def make(kind: str) -> Score:
    torch.manual_seed(0)
    return build_score(SCORES[kind](), WIDTH)


def by_hand(kind: str) -> Score:
    """The scores with the parameters of the worked case."""
    if kind == "cosine":
        return CosineScore(temperature=0.5)
    if kind == "general":
        score = GeneralScore(width=2)
        score.from_key.weight.data = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
        return score
    if kind != "mlp":
        return make(kind)
    score = MlpScore(width=2, hidden=2)
    for weight, value in (
        (score.from_query.weight, torch.eye(2)),
        (score.from_key.weight, torch.eye(2)),
        (score.from_key.bias, torch.zeros(2)),
        (score.to_score.weight, torch.ones(1, 2)),
    ):
        weight.data = value
    return score


def golden(kind: str) -> torch.Tensor:
    """The table under the heading `kind`: (2 queries, 3 scores + 3 weights + 2 numbers of context)."""
    section = DOCS.read_text(encoding="utf-8").split(f"### {kind}\n")[1].split("\n#")[0]
    rows = re.findall(r"^\| q\d \|(.*)\|$", section, flags=re.MULTILINE)
    return torch.tensor([[float(cell) for cell in row.split("|")] for row in rows])


@pytest.mark.parametrize("kind", WORKED)
def test_the_worked_case(kind: str) -> None:
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    value = torch.tensor([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])
    attention = Attention(by_hand(kind))
    scores = attention.score(query, attention.score.prepare(key))
    context, weights = attention(query, key, value)
    found = torch.cat((scores, weights, context), dim=1)
    assert golden(kind).shape == (2, 8)
    torch.testing.assert_close(found, golden(kind), atol=6e-5, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_rows(kind: str) -> None:
    query, key = torch.randn(BATCH, QUERIES, WIDTH), torch.randn(BATCH, KEYS, WIDTH)
    context, weights = Attention(make(kind))(query, key, torch.randn(BATCH, KEYS, VALUES))
    assert context.shape == (BATCH, QUERIES, VALUES)
    assert weights.shape == (BATCH, QUERIES, KEYS)
    torch.testing.assert_close(weights.sum(-1), torch.ones(BATCH, QUERIES))


@pytest.mark.parametrize("kind", KINDS)
def test_masked_keys_weigh_nothing_and_change_nothing(kind: str) -> None:
    attention = Attention(make(kind))
    query, key, value = (
        torch.randn(BATCH, QUERIES, WIDTH),
        torch.randn(BATCH, KEYS, WIDTH),
        torch.randn(BATCH, KEYS, 11),
    )
    lengths = torch.tensor([3, 5])
    mask = padding_mask(lengths).unsqueeze(1)
    context, weights = attention(query, key, value, mask)
    assert (weights[0, :, 3:] == 0).all()
    alone = attention(query[:1], key[:1, :3], value[:1, :3])
    torch.testing.assert_close(context[:1], alone.context)
    key[0, 3:], value[0, 3:] = 1e4, -1e4
    torch.testing.assert_close(attention(query, key, value, mask).context, context)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_that_sees_nothing_gets_zeros_and_finite_gradients(kind: str) -> None:
    attention = Attention(make(kind))
    query = torch.randn(1, QUERIES, WIDTH, requires_grad=True)
    mask = torch.ones(1, QUERIES, KEYS, dtype=torch.bool)
    mask[0, 1] = False
    context, weights = attention(query, torch.randn(1, KEYS, WIDTH), torch.randn(1, KEYS, VALUES), mask)
    assert (weights[0, 1] == 0).all()
    assert (context[0, 1] == 0).all()
    context.sum().backward()
    assert torch.isfinite(query.grad).all()


@pytest.mark.parametrize("kind", KINDS)
def test_scoring_step_by_step_equals_scoring_at_once(kind: str) -> None:
    attention = Attention(make(kind))
    query, key, value = (
        torch.randn(BATCH, QUERIES, WIDTH),
        torch.randn(BATCH, KEYS, WIDTH),
        torch.randn(BATCH, KEYS, 11),
    )
    memory = attention.remember(key, value)
    at_once = attention.attend(query, memory)
    for step in range(QUERIES):
        one = attention.attend(query[:, step : step + 1], memory)
        torch.testing.assert_close(one.context, at_once.context[:, step : step + 1])
        torch.testing.assert_close(one.weights, at_once.weights[:, step : step + 1])


@pytest.mark.parametrize("kind", KINDS)
@given(order=st.permutations(range(KEYS)))
def test_the_order_of_key_value_pairs_does_not_matter(kind: str, order: list[int]) -> None:
    attention = Attention(make(kind))
    query, key, value = torch.randn(QUERIES, WIDTH), torch.randn(KEYS, WIDTH), torch.randn(KEYS, VALUES)
    before, after = attention(query, key, value), attention(query, key[order], value[order])
    torch.testing.assert_close(after.context, before.context)
    torch.testing.assert_close(after.weights, before.weights[:, order])


@given(by=st.floats(0.01, 100.0))
def test_cosine_does_not_see_lengths(by: float) -> None:
    score = CosineScore()
    query, key = torch.randn(QUERIES, WIDTH), torch.randn(KEYS, WIDTH)
    expected = score(query, score.prepare(key))
    torch.testing.assert_close(score(by * query, score.prepare(key)), expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(score(query, score.prepare(by * key)), expected, rtol=1e-4, atol=1e-4)


def test_cosine_can_focus_because_its_temperature_is_learned() -> None:
    score = CosineScore(temperature=1.0)
    query, keys = torch.tensor([[1.0, 0.0]]), torch.cat((torch.tensor([[1.0, 0.0]]), torch.randn(29, 2)))
    optimizer = torch.optim.SGD(score.parameters(), lr=0.5)
    before = masked_softmax(score(query, score.prepare(keys)))[0, 0].item()
    for _ in range(50):
        optimizer.zero_grad()
        (-masked_softmax(score(query, score.prepare(keys)))[0, 0].log()).backward()
        optimizer.step()
    assert score.log_temperature.exp().item() < 0.5
    assert masked_softmax(score(query, score.prepare(keys)))[0, 0].item() > before


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_right(kind: str) -> None:
    attention = Attention(make(kind)).double()
    shapes = ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, VALUES))
    inputs = [torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(lambda *parts: attention(*parts).context, inputs)


@pytest.mark.parametrize("mask_kind", ["none", "padding", "causal", "empty row"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)])
def test_scaled_dot_equals_the_fused_kernel(mask_kind: str, dtype: torch.dtype, tolerance: float) -> None:
    torch.manual_seed(1)
    query, key, value = (torch.randn(BATCH, 5, WIDTH, dtype=dtype) for _ in range(3))
    empty = torch.ones(5, 5, dtype=torch.bool)
    empty[2] = False
    masks = {
        "none": None,
        "padding": padding_mask(torch.tensor([2, 5])).unsqueeze(1),
        "causal": causal_mask(5),
        "empty row": empty,
    }
    mask = masks[mask_kind]
    ours = Attention(ScaledDotScore())(query, key, value, mask).context
    fused = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(ours, fused, rtol=tolerance, atol=tolerance)


def test_multi_head_equals_torch() -> None:
    width, heads = 12, 3
    ours = MultiHeadAttention(width=width, num_heads=heads, attention=Attention(ScaledDotScore()))
    theirs = nn.MultiheadAttention(width, heads, batch_first=True)
    theirs.in_proj_weight.data = torch.cat((ours.query.weight, ours.key.weight, ours.value.weight))
    theirs.out_proj.weight.data = ours.merge.weight.data
    query, key = torch.randn(BATCH, QUERIES, width), torch.randn(BATCH, KEYS, width)
    mask = padding_mask(torch.tensor([2, 5]))
    context, weights = ours(query, key, key, mask.unsqueeze(1))
    their_context, their_weights = theirs(query, key, key, key_padding_mask=~mask, average_attn_weights=False)
    torch.testing.assert_close(context, their_context)
    torch.testing.assert_close(weights, their_weights)


@pytest.mark.parametrize("kind", KINDS)
def test_self_attention_is_attention_with_one_source(kind: str) -> None:
    attention = Attention(make(kind))
    sequence = torch.randn(BATCH, KEYS, WIDTH)
    mask = padding_mask(torch.tensor([2, 5])).unsqueeze(1)
    torch.testing.assert_close(SelfAttention(attention)(sequence, mask), attention(sequence, sequence, sequence, mask))
