"""The three stages: golden values from docs/ATTENTION.md, and properties of every score with every normaliser."""

from __future__ import annotations

import math
import re
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.config import NORMALISERS, SCORES
from nmt.errors import ConfigError
from nmt.model import normalise
from nmt.model.attention import Attention, SelfAttention
from nmt.model.build import build_attention, build_score
from nmt.model.masks import padding_mask
from nmt.model.normalise import find_normaliser, masked_softmax
from nmt.model.score import CosineScore, GeneralScore, MlpScore, Score

DOCS = Path(__file__).parents[2] / "docs" / "ATTENTION.md"
BATCH, QUERIES, KEYS, WIDTH, VALUES, HIDDEN = (
    2,
    3,
    5,
    7,
    11,
    13,
)  # every axis another prime: none can be taken for another


KINDS = tuple(SCORES)
every_score = pytest.mark.parametrize("kind", KINDS)
needs_entmax = pytest.mark.skipif(find_spec("entmax") is None, reason="needs the extra `entmax`")
every_normaliser = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "softmax" else [needs_entmax]) for name in NORMALISERS]
)
WORKED = ("dot", "scaled_dot", "general", "cosine", "mlp")  # these have a section in docs/ATTENTION.md


def make(kind: str) -> Score:
    torch.manual_seed(0)
    return build_score(SCORES[kind](**{"hidden": HIDDEN} if kind == "mlp" else {}), WIDTH)


def attend_by(kind: str, name: str) -> Attention:
    """The three stages with this score and normaliser."""
    return Attention(make(kind), find_normaliser(name))


def exact(kind: str, name: str) -> Attention:
    """The same in float64: scores of thousands leave float32 too few digits to tell wrong from rounded."""
    return attend_by(kind, name).double()


class Case(NamedTuple):
    query: torch.Tensor  # (BATCH, T, WIDTH)
    key: torch.Tensor  # (BATCH, S, WIDTH)
    value: torch.Tensor  # (BATCH, S, VALUES)
    lengths: list[int]  # real keys of each row; a row may have none


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random numbers of queries and keys, contents of any size, and padding."""
    queries, keys = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    size = draw(st.sampled_from((1e-3, 1.0, 30.0)))
    shapes = (queries, WIDTH), (keys, WIDTH), (keys, VALUES)
    parts = (size * torch.randn(BATCH, *shape, generator=generator, dtype=torch.float64) for shape in shapes)
    return Case(*parts, draw(st.lists(st.integers(0, keys), min_size=BATCH, max_size=BATCH)))


def by_hand(kind: str) -> Score:
    """The scores with the parameters of the worked case."""
    if kind == "cosine":
        return CosineScore(temperature=0.5)
    if kind == "general":
        score = GeneralScore(width=2)
        score.from_key.weight.data = 2**0.5 * torch.tensor([[1.0, 2.0], [0.0, 1.0]])
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


@every_score
def test_shapes(kind: str) -> None:
    query, key = torch.randn(BATCH, QUERIES, WIDTH), torch.randn(BATCH, KEYS, WIDTH)
    context, weights = Attention(make(kind))(query, key, torch.randn(BATCH, KEYS, VALUES))
    assert context.shape == (BATCH, QUERIES, VALUES)
    assert weights.shape == (BATCH, QUERIES, KEYS)


@every_score
@every_normaliser
@given(case=cases())
@settings(max_examples=25, deadline=None)
def test_rows_sum_to_one_over_what_may_be_seen(kind: str, name: str, case: Case) -> None:
    mask = padding_mask(torch.tensor(case.lengths), case.key.size(1)).unsqueeze(1)
    context, weights = exact(kind, name)(case.query, case.key, case.value, mask)
    assert (weights >= 0).all()
    assert (weights[~mask.expand_as(weights)] == 0).all()
    expected = mask.any(-1).double().expand(BATCH, case.query.size(1))  # zero where nothing may be seen
    torch.testing.assert_close(weights.sum(-1), expected)
    torch.testing.assert_close(context, weights @ case.value)


@every_score
@every_normaliser
@given(case=cases(), padding=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_padding_changes_nothing(kind: str, name: str, case: Case, padding: int) -> None:
    attention, keys = exact(kind, name), case.key.size(1)
    mask = padding_mask(torch.tensor(case.lengths), keys + padding).unsqueeze(1)
    longer = [torch.cat((part, part.new_full((BATCH, padding, part.size(2)), 1e4)), dim=1) for part in case[1:3]]
    before = attention(case.query, case.key, case.value, mask[:, :, :keys])
    after = attention(case.query, *longer, mask)
    torch.testing.assert_close(after.context, before.context)
    torch.testing.assert_close(after.weights[..., :keys], before.weights)
    for row, length in enumerate(case.lengths):
        if length:
            alone = attention(case.query[row], case.key[row, :length], case.value[row, :length])
            torch.testing.assert_close(after.context[row], alone.context)


@every_score
@every_normaliser
@given(case=cases(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_order_of_key_value_pairs_does_not_matter(kind: str, name: str, case: Case, data: st.DataObject) -> None:
    attention = exact(kind, name)
    order = data.draw(st.permutations(range(case.key.size(1))))
    before, after = attention(*case[:3]), attention(case.query, case.key[:, order], case.value[:, order])
    torch.testing.assert_close(after.context, before.context)
    torch.testing.assert_close(after.weights, before.weights[..., order])


@every_normaliser
@given(case=cases(), by=st.floats(0.01, 100.0))
@settings(max_examples=25, deadline=None)
def test_cosine_does_not_see_lengths(name: str, case: Case, by: float) -> None:
    attention = exact("cosine", name)
    expected = attention(*case[:3]).weights
    torch.testing.assert_close(attention(by * case.query, *case[1:3]).weights, expected)
    torch.testing.assert_close(attention(case.query, by * case.key, case.value).weights, expected)


@every_score
@every_normaliser
def test_a_query_that_sees_nothing_gets_zeros_and_finite_gradients(kind: str, name: str) -> None:
    attention = attend_by(kind, name)
    inputs = [torch.randn(1, size, width) for size, width in ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, VALUES))]
    query, key, value = (part.requires_grad_() for part in inputs)
    mask = torch.ones(1, QUERIES, KEYS, dtype=torch.bool)
    mask[0, 1] = False
    context, weights = attention(query, key, value, mask)
    assert (weights[0, 1] == 0).all()
    assert (context[0, 1] == 0).all()
    context.sum().backward()
    assert all(torch.isfinite(part.grad).all() for part in (query, key, value))
    assert (query.grad[0, 1] == 0).all()
    assert value.grad.abs().sum() > 0


@every_score
@every_normaliser
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_safe(kind: str, name: str, dtype: torch.dtype) -> None:
    """Scores beyond float16's range, a key of zeros, a row that sees nothing: weights near those of float32, no NaN."""
    torch.manual_seed(1)
    attention = attend_by(kind, name)
    query, key, value = 200 * torch.randn(3, WIDTH), 200 * torch.randn(KEYS, WIDTH), torch.randn(KEYS, VALUES)
    query, key, value = (part.to(dtype).float() for part in (query, key, value))
    key[4] = 0.0
    query[0] = 2.0 * query[1]
    mask = torch.ones(3, KEYS, dtype=torch.bool)
    mask[2] = False
    exact = attention(query, key, value, mask)
    attention.to(dtype)
    halves = [part.to(dtype).requires_grad_() for part in (query, key, value)]
    context, weights = attention(*halves, mask)
    assert context.dtype == weights.dtype == dtype
    if kind in ("cosine", "mlp"):  # bounded scores, so rounding can not move the peak
        torch.testing.assert_close(weights.float(), exact.weights, atol=0.06, rtol=0)
    torch.testing.assert_close(weights.float().sum(-1), torch.tensor([1.0, 1.0, 0.0]), atol=0.02, rtol=0)
    context.float().sum().backward()
    assert all(torch.isfinite(part.grad).all() for part in halves)


@every_score
@every_normaliser
def test_scoring_step_by_step_equals_scoring_at_once(kind: str, name: str) -> None:
    attention = attend_by(kind, name)
    memory = attention.remember(torch.randn(BATCH, KEYS, WIDTH), torch.randn(BATCH, KEYS, VALUES))
    query = torch.randn(BATCH, QUERIES, WIDTH)
    at_once = attention.attend(query, memory)
    for step in range(QUERIES):
        one = attention.attend(query[:, step : step + 1], memory)
        torch.testing.assert_close(one.context, at_once.context[:, step : step + 1])
        torch.testing.assert_close(one.weights, at_once.weights[:, step : step + 1])


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


@every_score
@every_normaliser
def test_gradients_are_right(kind: str, name: str) -> None:
    """Analytical against numerical gradients, of inputs and parameters, with a mask and a row that sees nothing."""
    torch.manual_seed(2)
    attention = attend_by(kind, name).double()
    mask = torch.tensor([[True] * KEYS, [True, False, True, True, False], [False] * KEYS])
    shapes = ((QUERIES, WIDTH), (KEYS, WIDTH), (KEYS, VALUES))
    inputs = [torch.randn(*shape, dtype=torch.double, requires_grad=True) for shape in shapes]
    names = [name for name, _ in attention.named_parameters()]

    def context(*parts: torch.Tensor) -> torch.Tensor:
        parameters = dict(zip(names, parts[3:], strict=True))
        return torch.func.functional_call(attention, parameters, (*parts[:3], mask)).context

    assert torch.autograd.gradcheck(context, (*inputs, *attention.parameters()))


@every_normaliser
@given(seed=st.integers(0, 2**31), masked=st.lists(st.booleans(), min_size=6, max_size=6))
@settings(max_examples=10, deadline=None)
def test_gradients_of_normalisers_are_right(name: str, seed: int, masked: list[bool]) -> None:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(2, 3, dtype=torch.double, generator=generator).requires_grad_()
    mask = torch.tensor(masked).view(2, 3)
    # Float64 steps of 1e-7: a sparse normaliser has kinks, and a step must not cross one.
    assert torch.autograd.gradcheck(lambda part: find_normaliser(name)(part, mask), (scores,), eps=1e-7, atol=1e-4)


def test_softmax_is_exact() -> None:
    scores = torch.tensor([[0.0, math.log(2.0), math.log(5.0), 7.0]])
    mask = torch.tensor([[True, True, True, False]])
    torch.testing.assert_close(masked_softmax(scores, mask), torch.tensor([[1 / 8, 2 / 8, 5 / 8, 0.0]]))


@needs_entmax
def test_the_sparse_normalisers_are_exact() -> None:
    """Sparsemax: tau = (1.0 + 0.6 - 1) / 2 = 0.3. Entmax: (1.2 / 2 - tau)^2 + (1.0 / 2 - tau)^2 = 1 is solved below."""
    mask = torch.tensor([[True, True, True, False]])
    found = normalise.masked_sparsemax(torch.tensor([[1.0, 0.6, 0.2, 9.0]]), mask)
    torch.testing.assert_close(found, torch.tensor([[0.7, 0.3, 0.0, 0.0]]))
    tau = (1.1 - math.sqrt(1.1**2 - 2 * (0.36 + 0.25 - 1.0))) / 2
    expected = torch.tensor([[(0.6 - tau) ** 2, (0.5 - tau) ** 2, 0.0, 0.0]])
    assert 2 * tau > -0.4  # so the third key, with half its score below tau, weighs nothing
    found = normalise.masked_entmax15(torch.tensor([[1.2, 1.0, -0.4, 9.0]]), mask)
    torch.testing.assert_close(found, expected)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalise, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"normalise=sparsemax needs the package entmax.*pip install 'nmt\[entmax\]'"):
        build_attention(SCORES["dot"](normalise="sparsemax"), WIDTH)
    assert build_attention(SCORES["dot"](), WIDTH).normalise is masked_softmax


@needs_entmax
@every_score
@pytest.mark.parametrize("name", NORMALISERS)
def test_settings_choose_the_normaliser(kind: str, name: str) -> None:
    assert build_attention(SCORES[kind](normalise=name), WIDTH).normalise is normalise.NORMALISERS[name]


@every_score
def test_self_attention_is_attention_with_one_source(kind: str) -> None:
    attention = Attention(make(kind))
    sequence = torch.randn(BATCH, KEYS, WIDTH)
    mask = padding_mask(torch.tensor([2, 5])).unsqueeze(1)
    torch.testing.assert_close(SelfAttention(attention)(sequence, mask), attention(sequence, sequence, sequence, mask))
