"""What shares its weights with what, and that a model folder holds each of them once."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from support import changed

from nmt import config as schema
from nmt.checkpoint import load_model
from nmt.model.build import build_model
from nmt.model.seq2seq import Seq2Seq
from nmt.train.loop import train

WIDTH = 12


def make(tie: str) -> Seq2Seq:
    config = schema.ModelConfig(
        embedding=WIDTH,
        tie=tie,
        encoder=schema.RecurrentEncoderConfig(width=10),
        decoder=schema.RecurrentDecoderConfig(width=14),
        attention=schema.DotConfig(),
        self_attention=schema.DotConfig(),
    )
    return build_model(config, source_size=23, target_size=19)


def test_a_tied_output_layer_is_the_targets_table() -> None:
    model, features = make("output"), torch.randn(2, 3, WIDTH)
    assert model.output_weight is model.target.weight
    torch.testing.assert_close(model.logits(features), features @ model.target.weight.t() + model.output_bias)


def test_an_output_layer_of_its_own() -> None:
    model, features = make("none"), torch.randn(2, 3, WIDTH)
    assert model.output_weight.shape == (19, WIDTH)
    assert model.output_weight.std().item() == pytest.approx(WIDTH**-0.5, rel=0.3)  # as the tables start
    torch.testing.assert_close(model.logits(features), features @ model.own_output.t() + model.output_bias)
    model.logits(features).square().sum().backward()
    assert model.target.weight.grad is None
    assert model.own_output.grad.abs().sum() > 0


@pytest.mark.parametrize("tie", ["none", "output"])
def test_trained_saved_and_read_again(small_run: schema.RunConfig, tmp_path: Path, tie: str) -> None:
    run = changed(small_run, max_steps=2)
    run.model.tie = tie
    folder = train(run, tmp_path / "run").folder
    saved = load_file(folder / "best" / "model.safetensors")
    model = load_model(folder).model
    assert ("own_output" in saved) == (tie == "none")
    assert sum(tensor.numel() for tensor in saved.values()) == sum(part.numel() for part in model.parameters())
    torch.testing.assert_close(model.output_weight, saved["own_output" if tie == "none" else "target.weight"])
    if tie == "none":
        assert not torch.equal(model.output_weight, model.target.weight)
