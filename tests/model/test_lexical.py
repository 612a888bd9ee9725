"""The lexical model: its formula, that words tell it apart from states, and folders of before it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nmt import config as schema
from nmt.model.build import build_model
from nmt.model.lexical import LexicalModel
from nmt.model.seq2seq import DecoderState, Seq2Seq
from nmt.settings import to_yaml

WIDTH, SOURCE, TARGET, BATCH = 2, 3, 5, 7  # every axis another prime


def test_the_formula_by_hand() -> None:
    """One sentence of two words; the first weight is 0.25, U doubles, W swaps."""
    lexical = LexicalModel(WIDTH)
    with torch.no_grad():
        lexical.inner.weight.copy_(2 * torch.eye(WIDTH))
        lexical.inner.bias.copy_(torch.tensor([0.0, 1.0]))
        lexical.outer.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    words = torch.tensor([[[4.0, 0.0], [0.0, 2.0]]])
    looked_at = [math.tanh(1.0), math.tanh(1.5)]
    added = [looked_at[0] + math.tanh(2 * looked_at[0]), looked_at[1] + math.tanh(2 * looked_at[1] + 1)]
    found = lexical(torch.tensor([[[0.25, 0.75]]]), words)
    torch.testing.assert_close(found, torch.tensor([[[added[1], added[0]]]]))


def test_shapes_and_gradients() -> None:
    lexical = LexicalModel(WIDTH).double()
    weights = torch.rand(BATCH, TARGET, SOURCE, dtype=torch.float64, requires_grad=True)
    words = torch.randn(BATCH, SOURCE, WIDTH, dtype=torch.float64, requires_grad=True)
    assert lexical(weights, words).shape == (BATCH, TARGET, WIDTH)
    assert torch.autograd.gradcheck(lexical, (weights, words))


def test_dropout_acts_while_training_only() -> None:
    lexical = LexicalModel(WIDTH, dropout=0.5)
    given = torch.rand(BATCH, TARGET, SOURCE), torch.randn(BATCH, SOURCE, WIDTH)
    assert (lexical(*given) == 0).any()
    assert (lexical.eval()(*given) != 0).all()


def config(*, lexical: bool) -> schema.ModelConfig:
    return schema.ModelConfig(
        embedding=6,
        lexical=lexical,
        encoder=schema.SelfAttentionEncoderConfig(layers=1, width=4, heads=2, feed_forward=3),
        decoder=schema.SelfAttentionDecoderConfig(layers=2, width=4, heads=2, feed_forward=3),
        attention=schema.DotConfig(),
        self_attention=schema.DotConfig(),
    )


def test_it_is_added_to_the_features_and_to_nothing_else() -> None:
    source, lengths, target = torch.tensor([[5, 6, 7]]), torch.tensor([3]), torch.tensor([[2, 5]])
    torch.manual_seed(0)
    with_it = build_model(config(lexical=True), source_size=11, target_size=9).eval()
    without = build_model(config(lexical=False), source_size=11, target_size=9).eval()
    assert without.load_state_dict(with_it.state_dict(), strict=False).unexpected_keys
    more, less = (model(source, lengths, target) for model in (with_it, without))
    torch.testing.assert_close(more.weights, without.decode(target, _seen(without, source, lengths)).weights)
    expected = less.features + with_it.lexical(more.weights, with_it.source(source))
    torch.testing.assert_close(more.features, expected)


def _seen(model: Seq2Seq, source: torch.Tensor, lengths: torch.Tensor) -> DecoderState:
    return model.start(model.encode(source, lengths)).with_weights()


@pytest.mark.parametrize(("version", "lexical"), [(1, False), (2, True)])
def test_folders_of_before_have_none(tmp_path: Path, version: int, lexical: bool) -> None:
    from nmt.checkpoint import folder_config, read_config

    written = folder_config(
        direction="en-zh",
        script="keep",
        model=config(lexical=True),
        decode=schema.DecodeConfig(),
        source=[0],
        target=[0],
    )
    text = to_yaml(replace(written, format_version=version))
    if version == 1:
        text = "".join(line for line in text.splitlines(keepends=True) if "lexical" not in line)
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    assert read_config(tmp_path).model.lexical is lexical
