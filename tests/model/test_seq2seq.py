"""Every pair of encoder, decoder and score keeps the contract of `nmt.model.seq2seq`."""

from __future__ import annotations

import itertools

import pytest
import torch

from nmt import config as schema
from nmt.data.batch import collate
from nmt.model.build import build_model
from nmt.model.recurrent_encoder import reverse
from nmt.model.seq2seq import Seq2Seq

ENCODERS = {
    "lstm": schema.RecurrentEncoderConfig(layers=2, width=14, cell="lstm"),
    "gru": schema.RecurrentEncoderConfig(layers=1, width=10, cell="gru"),
    "deep": schema.RecurrentEncoderConfig(layers=4, width=14, norm=True),
    "self_attention": schema.SelfAttentionEncoderConfig(layers=2, width=12, heads=3, feed_forward=17),
}
DECODERS = {
    "lstm": schema.RecurrentDecoderConfig(layers=2, width=14, cell="lstm"),
    "gru": schema.RecurrentDecoderConfig(layers=1, width=13, cell="gru"),
    "self_attention": schema.SelfAttentionDecoderConfig(layers=3, width=20, heads=5, feed_forward=7),
    "recurrent_transformer": schema.RecurrentTransformerDecoderConfig(
        layers=3, width=15, heads=5, feed_forward=7, cell="lstm"
    ),
}
# What else a recurrent decoder can do, each with every score.
OPTIONS = {
    "feeding": schema.RecurrentDecoderConfig(layers=2, width=13, cell="lstm", input_feeding=True),
    "feeding_gru": schema.RecurrentDecoderConfig(layers=1, width=14, cell="gru", input_feeding=True),
    "bahdanau": schema.RecurrentDecoderConfig(layers=2, width=14, cell="gru", timing="bahdanau"),
    "bahdanau_feeding": schema.RecurrentDecoderConfig(width=13, cell="lstm", timing="bahdanau", input_feeding=True),
    "coverage": schema.RecurrentDecoderConfig(layers=2, width=13, cell="lstm", coverage=True),
    "all": schema.RecurrentDecoderConfig(
        layers=4, width=13, timing="bahdanau", input_feeding=True, coverage=True, norm=True
    ),
    "hybrid_gru": schema.RecurrentTransformerDecoderConfig(layers=1, width=11, heads=1, feed_forward=5, cell="gru"),
}
OWN = "scaled_dot"
CASES = [
    *itertools.product(["lstm", "gru", "self_attention"], DECODERS, schema.SCORES, [OWN]),
    *(("self_attention", "lstm", "dot", own) for own in schema.SCORES if own != OWN),
    *(("gru", "self_attention", "dot", own) for own in schema.SCORES if own != OWN),
    *itertools.product(["deep"], OPTIONS, schema.SCORES, [OWN]),
]
SOURCES, TARGETS = [[5, 6, 7, 8, 9], [7, 5], [6]], [[4, 9, 8], [5, 6, 7, 8, 9, 10, 4], [8]]


@pytest.fixture(params=CASES, ids="-".join)
def model(request: pytest.FixtureRequest) -> Seq2Seq:
    encoder, decoder, score, own = request.param
    config = schema.ModelConfig(
        embedding=11,
        encoder=ENCODERS[encoder],
        decoder={**DECODERS, **OPTIONS}[decoder],
        attention=schema.SCORES[score](),
        self_attention=schema.SCORES[own](),
    )
    model = build_model(config, source_size=23, target_size=19).eval()
    with torch.no_grad():  # what starts at zero would hide mistakes
        for name, parameter in model.named_parameters():
            if name.endswith("into_key"):
                parameter.normal_()
    return model


def test_every_kind_is_among_the_cases() -> None:
    assert {config.kind for config in ENCODERS.values()} == set(schema.ENCODERS)
    assert {config.kind for config in DECODERS.values()} == set(schema.DECODERS)


def test_shapes(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    features, weights, _ = model(batch.source_ids, batch.source_lengths, batch.target_in)
    assert features.shape == (3, 8, 11)
    assert weights.shape == (3, 8, 6)
    assert model.logits(features).shape == (3, 8, 19)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 8))


def test_step_by_step_equals_at_once(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    at_once = model(batch.source_ids, batch.source_lengths, batch.target_in)
    state = model.start(model.encode(batch.source_ids, batch.source_lengths))
    for step in range(batch.target_in.size(1)):
        decoded = model.decode(batch.target_in[:, step : step + 1], state)
        state = decoded.state
        torch.testing.assert_close(decoded.features[:, 0], at_once.features[:, step], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(decoded.weights[:, 0], at_once.weights[:, step], atol=1e-5, rtol=1e-5)


def test_neighbours_and_padding_change_nothing(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    together = model(batch.source_ids, batch.source_lengths, batch.target_in)
    for row, (source, target) in enumerate(zip(SOURCES, TARGETS, strict=True)):
        single = collate([source], [target])
        alone = model(single.source_ids, single.source_lengths, single.target_in)
        real_target, real_source = len(target) + 1, len(source) + 1
        torch.testing.assert_close(together.features[row, :real_target], alone.features[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(
            together.weights[row, :real_target, :real_source], alone.weights[0], atol=1e-5, rtol=1e-5
        )
        assert (together.weights[row, :, real_source:] == 0).all()


def test_what_stands_in_the_padding_does_not_matter(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    before = model(batch.source_ids, batch.source_lengths, batch.target_in).features
    noisy = batch.source_ids.masked_fill(batch.source_ids == 0, 17)
    torch.testing.assert_close(model(noisy, batch.source_lengths, batch.target_in).features, before)


def test_a_state_can_be_reordered_and_kept(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    state = model.start(model.encode(batch.source_ids, batch.source_lengths))
    rows = torch.tensor([2, 0])
    expected = model.decode(batch.target_in[:, :2], state).features[rows]
    found = model.decode(batch.target_in[rows][:, :2], state.keep(rows)).features
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_search_may_choose_among_what_is_half_written(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    state = model.start(model.encode(batch.source_ids, batch.source_lengths))
    rows = torch.tensor([2, 0, 0])
    expected = model.decode(batch.target_in[:, :5], state).features[rows][:, 3:]
    state = model.decode(batch.target_in[:, :3], state).state.keep(rows)
    found = model.decode(batch.target_in[rows][:, 3:5], state).features
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_reordering_takes_what_was_written_and_leaves_the_source(model: Seq2Seq) -> None:
    sources, targets = [SOURCES[0]] * 3, TARGETS  # three hypotheses of one sentence
    batch = collate(sources, targets)
    state = model.start(model.encode(batch.source_ids, batch.source_lengths))
    rows = torch.tensor([1, 1, 0])
    expected = model.decode(batch.target_in[:, :4], state).features[rows][:, 3:]
    before = model.decode(batch.target_in[:, :3], state).state
    after = before.reorder(rows)
    assert after.memory is before.memory
    found = model.decode(batch.target_in[rows][:, 3:4], after).features
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


def test_every_parameter_learns(model: Seq2Seq) -> None:
    batch = collate(SOURCES, TARGETS)
    features = model.train()(batch.source_ids, batch.source_lengths, batch.target_in).features
    model.logits(features).square().sum().backward()
    unused = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert unused == []


def test_the_same_seed_builds_the_same_model() -> None:
    config = schema.ModelConfig(
        encoder=ENCODERS["lstm"],
        decoder=DECODERS["lstm"],
        attention=schema.MlpConfig(),
        self_attention=schema.DotConfig(),
    )
    one, two, other = (build_model(config, source_size=7, target_size=5, seed=seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(one.target.weight, other.target.weight)


def test_reverse_turns_each_sentence_within_its_length() -> None:
    vectors = torch.arange(10.0).view(2, 5, 1)
    turned = reverse(vectors, torch.tensor([3, 5])).squeeze(-1)
    assert turned.tolist() == [[2, 1, 0, 3, 4], [9, 8, 7, 6, 5]]
