"""The fused attention and the readable one are the same function: fp32, bf16, every mask, gradients, whole models."""

from __future__ import annotations

import pytest
import torch

from nmt import config as schema
from nmt.config import SCORES
from nmt.data.batch import collate
from nmt.errors import ConfigError
from nmt.model import fused as fused_module
from nmt.model.attention import Attention
from nmt.model.build import build_attention, build_model
from nmt.model.fused import FusedAttention
from nmt.model.masks import causal_mask, padding_mask
from nmt.model.score import ScaledDotScore

BATCH, HEADS, LENGTH, WIDTH, VALUES = 2, 3, 5, 7, 11
TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 5e-2}
FUSED = ("dot", "scaled_dot", "general", "cosine")
EMPTY_ROW = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
EMPTY_ROW[2] = False
PADDING = padding_mask(torch.tensor([2, LENGTH])).unsqueeze(1)  # (B, 1, S)
MASKS = {
    "none": None,
    "padding": PADDING,
    "causal": causal_mask(LENGTH),
    "causal and padding": causal_mask(LENGTH) & PADDING,
    "cached": causal_mask(LENGTH)[-2:],  # the last two of five queries, in a decoder that remembers the others
    "empty row": EMPTY_ROW,
    "empty sentence": padding_mask(torch.tensor([0, LENGTH])).unsqueeze(1),
}


def pair(kind: str) -> tuple[Attention, FusedAttention]:
    torch.manual_seed(0)
    fused = build_attention(SCORES[kind](backend="fused"), WIDTH)
    assert isinstance(fused, FusedAttention)
    return Attention(fused.score), fused


def outcome(attention: Attention, parts: list[torch.Tensor], mask: torch.Tensor | None) -> list[torch.Tensor]:
    """The context, and the gradients of the inputs and of what is learned."""
    attention.zero_grad()
    parts = [part.clone().requires_grad_() for part in parts]
    context = attention(*parts, mask).context
    context.float().square().sum().backward()
    return [
        context.detach(),
        *(part.grad for part in parts),
        *(weight.grad.clone() for weight in attention.parameters()),
    ]


@pytest.mark.parametrize("mask_kind", MASKS)
@pytest.mark.parametrize("kind", FUSED)
@pytest.mark.parametrize("heads", [0, HEADS])
@pytest.mark.parametrize("values", [WIDTH, VALUES])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_both_give_the_same(kind: str, mask_kind: str, heads: int, values: int, dtype: torch.dtype) -> None:
    readable, fused = pair(kind)
    fused.to(dtype)  # the score is the same object in both
    mask = MASKS[mask_kind]
    queries = LENGTH if mask is None else max(mask.size(-2), 3 if mask.size(-2) == 1 else 1)
    leading = (BATCH, heads) if heads else (BATCH,)
    if mask is not None and heads and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    sizes = ((queries, WIDTH), (LENGTH, WIDTH), (LENGTH, values))
    parts = [(0.5 * torch.randn(*leading, *size)).to(dtype) for size in sizes]
    tolerance = TOLERANCE[dtype]
    for ours, theirs in zip(outcome(readable, parts, mask), outcome(fused, parts, mask), strict=True):
        assert torch.isfinite(theirs).all()
        scale = float(ours.abs().max().clamp(min=1.0))
        torch.testing.assert_close(theirs, ours, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("kind", FUSED)
def test_who_asks_for_weights_gets_them(kind: str) -> None:
    readable, fused = pair(kind)
    query, key, value = torch.randn(BATCH, 3, WIDTH), torch.randn(BATCH, LENGTH, WIDTH), torch.randn(BATCH, LENGTH, 11)
    memory = fused.remember(key, value, PADDING)
    assert fused.attend(query, memory).weights is None
    asked = fused.attend(query, memory._replace(need_weights=True))
    torch.testing.assert_close(asked, readable(query, key, value, PADDING))


@pytest.mark.parametrize("backend", ["readable", "fused"])
def test_dropout_of_weights_changes_nothing_on_average_nor_after_training(backend: str) -> None:
    torch.manual_seed(4)
    attention = {"readable": Attention, "fused": FusedAttention}[backend](ScaledDotScore(), dropout=0.25)
    query, key, value = torch.randn(1, 3, WIDTH), torch.randn(1, LENGTH, WIDTH), torch.randn(1, LENGTH, WIDTH)
    whole = Attention(ScaledDotScore())(query, key, value).context
    draws = attention(query.expand(4000, -1, -1), key.expand(4000, -1, -1), value.expand(4000, -1, -1)).context
    assert draws.std(0).min() > 0.05
    torch.testing.assert_close(draws.mean(0), whole[0], atol=0.1, rtol=0)
    torch.testing.assert_close(attention.eval()(query, key, value).context, whole)


def test_auto_uses_the_kernel_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fused_module, "CPU_KEYS", 5)
    attention = build_attention(SCORES["scaled_dot"](), WIDTH)
    few, many = torch.randn(BATCH, 4, WIDTH), torch.randn(BATCH, 5, WIDTH)
    assert attention(few, few, few).weights is not None
    assert attention(many, many, many).weights is None
    dropping = FusedAttention(ScaledDotScore(), dropout=0.1, always=False)
    assert dropping(many, many, many).weights is not None
    assert dropping.eval()(many, many, many).weights is None


@pytest.mark.parametrize(
    "config",
    [SCORES["mlp"](), SCORES["dot"](backend="readable"), SCORES["cosine"](normalise="sparsemax")],
    ids=["no dot product", "readable", "not softmax"],
)
def test_what_has_no_kernel_is_readable(config: schema.ScoreConfig) -> None:
    assert type(build_attention(config, WIDTH)) is Attention


@pytest.mark.parametrize("wrong", [("mlp", "softmax"), ("dot", "sparsemax")])
def test_asking_for_a_kernel_that_does_not_exist_is_an_error(wrong: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match=rf"backend=fused is for dot products .* {wrong[0]} with {wrong[1]}"):
        SCORES[wrong[0]](normalise=wrong[1], backend="fused")


DECODERS = {
    "recurrent": schema.RecurrentDecoderConfig(layers=2, width=12),
    "covered": schema.RecurrentDecoderConfig(layers=1, width=12, coverage=True),
    "self_attention": schema.SelfAttentionDecoderConfig(layers=2, width=12, heads=3, feed_forward=17),
    "recurrent_transformer": schema.RecurrentTransformerDecoderConfig(layers=2, width=12, heads=3, feed_forward=17),
}


def test_every_decoder_is_among_the_cases() -> None:
    assert {config.kind for config in DECODERS.values()} == set(schema.DECODERS)


@pytest.mark.parametrize("lexical", [False, True])
@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("score", FUSED)
def test_whole_models_are_the_same(decoder: str, score: str, lexical: bool) -> None:
    """Features without weights, and weights for those who ask, whole sentences and step by step."""
    batch = collate([[5, 6, 7, 8, 9], [7, 5]], [[4, 9, 8], [5, 6, 7, 8, 9, 10, 4]])
    models = [
        build_model(
            schema.ModelConfig(
                embedding=11,
                encoder=schema.SelfAttentionEncoderConfig(layers=2, width=12, heads=3, feed_forward=17),
                decoder=DECODERS[decoder],
                attention=SCORES[score](backend=backend),
                self_attention=SCORES[score](backend=backend),
                lexical=lexical,
            ),
            source_size=23,
            target_size=19,
        ).eval()
        for backend in ("readable", "fused")
    ]
    states = [model.start(model.encode(batch.source_ids, batch.source_lengths)) for model in models]
    readable, fused = (model.decode(batch.target_in, state) for model, state in zip(models, states, strict=True))
    torch.testing.assert_close(fused.features, readable.features, rtol=1e-4, atol=1e-4)
    assert (fused.weights is None) == (decoder != "covered" and not lexical)  # both read them
    state = states[1].with_weights()
    for step in range(batch.target_in.size(1)):
        decoded = models[1].decode(batch.target_in[:, step : step + 1], state)
        state = decoded.state
        torch.testing.assert_close(decoded.features[:, 0], readable.features[:, step], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(decoded.weights[:, 0], readable.weights[:, step], rtol=1e-4, atol=1e-4)
    rows = torch.tensor([1, 0])
    torch.testing.assert_close(
        models[1].decode(batch.target_in[rows], states[1].with_weights().keep(rows)).weights, readable.weights[rows],
        rtol=1e-4, atol=1e-4,
    )  # fmt: skip
