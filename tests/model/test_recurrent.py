"""Recurrent layers and decoders: step by step as at once, gradients as autograd's, deep ones sound, dropout."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import Tensor

from nmt import config as schema
from nmt.model.build import build_model
from nmt.model.cells import RecurrentLayer, Stepper, num_states
from nmt.model.delayed import DelayedProduct
from nmt.model.seq2seq import Seq2Seq

BATCH, STEPS, KNOWN, FOUND, WIDTH = 2, 5, 3, 7, 11  # every axis another prime


def make(decoder: schema.DecoderConfig, score: str = "dot", **model: object) -> Seq2Seq:
    config = schema.ModelConfig(
        embedding=5,
        encoder=schema.RecurrentEncoderConfig(width=6),
        decoder=decoder,
        attention=schema.SCORES[score](),
        self_attention=schema.DotConfig(),
        **{"dropout": 0.0, **model},  # type: ignore[arg-type]
    )
    return build_model(config, source_size=13, target_size=11)


def ids(size: int) -> Tensor:
    return torch.arange(BATCH * size).view(BATCH, size) % 9 + 2


LENGTHS = torch.tensor([4, 2])


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_layer_step_by_step_equals_its_kernel(cell: str) -> None:
    torch.manual_seed(1)
    layer = RecurrentLayer(cell=cell, inputs=KNOWN + FOUND, width=WIDTH)
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)  # biases too, which start at zero
    known, found = torch.randn(BATCH, STEPS, KNOWN), torch.randn(BATCH, STEPS, FOUND)
    state = tuple(torch.randn(BATCH, WIDTH) for _ in range(num_states(cell)))
    outputs, after = layer(torch.cat((known, found), dim=-1), state)
    stepper = Stepper(layer, known)
    for step in range(STEPS):
        state = stepper(step, (found[:, step, :2], found[:, step, 2:]), state)
        torch.testing.assert_close(state[0], outputs[:, step])
    torch.testing.assert_close(state, after)


def test_a_delayed_gradient_is_the_gradient() -> None:
    torch.manual_seed(1)
    weight = torch.randn(WIDTH, KNOWN, dtype=torch.float64, requires_grad=True)
    base = torch.randn(STEPS, BATCH, WIDTH, dtype=torch.float64, requires_grad=True)
    vectors = torch.randn(BATCH, KNOWN, dtype=torch.float64, requires_grad=True)

    def steps(*, delayed: bool) -> Tensor:
        product = DelayedProduct(weight)
        found, last = [], vectors
        for bias in base:
            last = product(bias, last) if delayed else bias + last @ weight.t()
            last = torch.tanh(last)[:, :KNOWN]
            found.append(last)
        return torch.stack(found).square().sum()

    for wanted, found in zip(
        torch.autograd.grad(steps(delayed=False), (weight, base, vectors)),
        torch.autograd.grad(steps(delayed=True), (weight, base, vectors)),
        strict=True,
    ):
        torch.testing.assert_close(found, wanted)


SMALL = {
    "plain": schema.RecurrentDecoderConfig(width=4, layers=2, norm=True),
    "feeding": schema.RecurrentDecoderConfig(width=4, cell="lstm", layers=2, input_feeding=True),
    "bahdanau": schema.RecurrentDecoderConfig(width=4, timing="bahdanau"),
    "coverage": schema.RecurrentDecoderConfig(width=4, cell="lstm", coverage=True),
    "all": schema.RecurrentDecoderConfig(width=4, timing="bahdanau", input_feeding=True, coverage=True),
    "hybrid": schema.RecurrentTransformerDecoderConfig(width=4, heads=2, feed_forward=3, layers=2),
}


@pytest.mark.parametrize(("decoder", "score"), [*itertools.product(SMALL, ["cosine"]), ("all", "mlp")])
def test_gradients_in_float64(decoder: str, score: str) -> None:
    torch.manual_seed(1)
    model = make(SMALL[decoder], score).double()
    names = [name for name, _ in model.decoder.named_parameters()]
    parameters = [torch.randn_like(parameter) / 2 for parameter in model.decoder.parameters()]
    encoded = model.encode(ids(4), LENGTHS)
    encoded = encoded._replace(states=encoded.states.detach())
    vectors = model.target(ids(3)).detach()

    class Decode(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.decoder = model.decoder

        def forward(self, vectors: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
            features, weights, _ = self.decoder(vectors, self.decoder.start(encoded._replace(states=states)))
            return features, weights

    decode = Decode()

    def run(vectors: Tensor, states: Tensor, *values: Tensor) -> tuple[Tensor, Tensor]:
        given = {f"decoder.{name}": value for name, value in zip(names, values, strict=True)}
        answer: tuple[Tensor, Tensor] = torch.func.functional_call(decode, given, (vectors, states))
        return answer

    inputs = [value.requires_grad_() for value in (vectors, encoded.states, *parameters)]
    assert torch.autograd.gradcheck(run, inputs, fast_mode=True)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize("decoder", ["recurrent", "recurrent_transformer"])
def test_four_layers_begin_with_sound_gradients(cell: str, decoder: str) -> None:
    """Every matrix learns, and none a thousand times as fast as another of its kind."""
    norm = {"norm": True} if decoder == "recurrent" else {}
    config = schema.ModelConfig(
        embedding=32,
        dropout=0.1,
        encoder=schema.RecurrentEncoderConfig(width=32, layers=4, cell=cell, norm=True),
        decoder=schema.DECODERS[decoder](width=32, layers=4, cell=cell, **norm),
        attention=schema.ScaledDotConfig(),
        self_attention=schema.DotConfig(),
    )
    model = build_model(config, source_size=50, target_size=50).train()
    torch.manual_seed(1)
    features = model(torch.randint(4, 50, (7, 31)), torch.full((7,), 31), torch.randint(4, 50, (7, 29))).features
    torch.nn.functional.cross_entropy(model.logits(features).flatten(0, 1), torch.randint(4, 50, (7 * 29,))).backward()
    norms = {
        n: float(p.grad.norm() / p.detach().norm())
        for n, p in model.named_parameters()
        if "weight_" in n and p.grad is not None
    }
    assert len(norms) == 2 * 2 * 4 + 2 * 4
    assert max(norms.values()) < 1000 * min(norms.values()), norms


@pytest.mark.parametrize("feeding", [False, True])
def test_recurrent_dropout_drops_recurrent_weights_only_while_training(feeding: bool) -> None:
    decoder = schema.RecurrentDecoderConfig(width=8, cell="lstm", input_feeding=feeding)
    plain, dropped = make(decoder), make(decoder, recurrent_dropout=0.5)
    call = (ids(4), LENGTHS, ids(3))
    torch.testing.assert_close(dropped.eval()(*call).features, plain.eval()(*call).features)
    torch.manual_seed(1)
    layer: RecurrentLayer = dropped.train().decoder.layers[0]  # type: ignore[union-attr, index, assignment]
    assert not torch.equal(dropped(*call).features, plain.train()(*call).features)
    kept = layer.recurrent_weight()
    assert 0.3 < float((kept == 0).float().mean()) < 0.7
    torch.testing.assert_close(kept[kept != 0], 2 * layer.cell.weight_hh_l0[kept != 0])  # type: ignore[index]


def test_embedding_dropout_is_its_own_or_the_model_s() -> None:
    decoder = schema.RecurrentDecoderConfig(width=8)
    shares = [make(decoder, **given).decoder.embedding_dropout.share for given in (  # type: ignore[union-attr]
        {"dropout": 0.3}, {"dropout": 0.3, "embedding_dropout": 0.0}, {"embedding_dropout": 0.4},
    )]  # fmt: skip
    assert shares == [0.3, 0.0, 0.4]


def test_input_feeding_in_bfloat16() -> None:
    model = make(schema.RecurrentDecoderConfig(width=8, layers=2, cell="lstm", input_feeding=True)).eval()
    exact = model(ids(4), LENGTHS, ids(3)).features
    with torch.autocast("cpu", dtype=torch.bfloat16):
        features = model(ids(4), LENGTHS, ids(3)).features
    torch.testing.assert_close(features.float(), exact, atol=0.05, rtol=0.05)
    features.float().square().sum().backward()
    assert all(p.grad is None or (p.grad.dtype == p.dtype and p.grad.isfinite().all()) for p in model.parameters())


def test_what_was_looked_at_is_counted() -> None:
    model = make(schema.RecurrentDecoderConfig(width=8, coverage=True)).eval()
    _, weights, state = model(ids(4), LENGTHS, ids(3))
    torch.testing.assert_close(state.written[-1].squeeze(1), weights.sum(1))


def test_what_was_found_enters_the_next_step_only_where_it_is_fed() -> None:
    """Changing how the first step's context is read changes the first layer's second state, or does not."""
    for decoder, depends in (("feeding", True), ("bahdanau", True), ("coverage", False)):
        model = make(SMALL[decoder]).eval()
        encoded = model.encode(ids(4), LENGTHS)
        state = model.start(encoded)
        memory = state.memory[0]._replace(values=state.memory[0].values + 1.0)
        hidden, other = (model.decode(ids(2), given).state.written[0][:, 0] for given in (
            state, state._replace(memory=(memory,))
        ))  # fmt: skip
        assert torch.equal(hidden, other) is not depends, decoder
