"""What is recorded is what the model computes, stage by stage, in every attention."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch

from nmt import config as schema
from nmt.decode.inspect import inspect, recording
from nmt.decode.translator import Translator
from nmt.errors import DataError
from nmt.model.build import build_model

RECURRENT = schema.RecurrentDecoderConfig(layers=2, width=16)
SELF = schema.SelfAttentionDecoderConfig(layers=2, width=16)
SOURCE, WRITTEN = torch.tensor([[5, 6, 7, 3]]), torch.tensor([[2, 8, 9]])


def built(decoder: object) -> torch.nn.Module:
    torch.manual_seed(0)
    model = schema.ModelConfig(
        embedding=16, encoder=schema.SelfAttentionEncoderConfig(layers=2, width=16), decoder=decoder,
        attention=schema.MlpConfig(), self_attention=schema.ScaledDotConfig(),
    )  # fmt: skip
    return build_model(model, source_size=20, target_size=20).eval()


DECODERS = {
    "recurrent": RECURRENT,
    "step by step": schema.RecurrentDecoderConfig(layers=1, width=16, input_feeding=True),
    "self-attention": SELF,
}


@pytest.mark.parametrize("name", DECODERS)
@torch.inference_mode()
def test_each_weighted_sum_is_that_of_the_weights_and_nothing_changes(name: str) -> None:
    model = built(DECODERS[name])
    lengths = torch.tensor([4])
    expected = model(SOURCE, lengths, WRITTEN)
    with recording(model) as calls:
        recorded = model(SOURCE, lengths, WRITTEN)
    torch.testing.assert_close(recorded.features, expected.features)
    made = {module: looked for module, looked in calls.items() if looked}
    assert any(module.startswith("encoder.") for module in made)
    assert any(module.startswith("decoder.") for module in made)
    for looked in (one for each in made.values() for one in each):
        torch.testing.assert_close(looked.context, looked.weights @ looked.values)
        visible = torch.softmax(looked.scores.nan_to_num(nan=-math.inf), dim=-1)
        torch.testing.assert_close(looked.weights, visible)


@torch.inference_mode()
def test_a_decoder_that_looks_back_does_not_see_ahead() -> None:
    with recording(model := built(SELF)) as calls:
        model(SOURCE, torch.tensor([4]), WRITTEN)
    [first] = calls["decoder.blocks.0.self_attention.attention"]
    assert first.scores.isnan()[0, 0].equal(torch.ones(3, 3).triu(1).bool())


@torch.inference_mode()
def test_after_the_block_nothing_is_recorded() -> None:
    with recording(model := built(RECURRENT)) as calls:
        pass
    model(SOURCE, torch.tensor([4]), WRITTEN)
    assert not any(calls.values())


def test_the_weights_are_those_that_alignment_reads(model_folder) -> None:
    translator = Translator.load(model_folder, device="cpu")
    seen = inspect(translator, "I like tea.", "我喜欢茶。")
    [look] = seen.looks
    assert (look.kind, look.layer) == ("source-target", 0)
    assert look.weights.shape == (1, len(seen.target_pieces) + 1, len(seen.source_pieces) + 1)
    weights = look.weights[0, :-1, :-1]
    [aligned] = translator.align([("I like tea.", "我喜欢茶。")], unit="piece")
    torch.testing.assert_close(torch.tensor(aligned.weights), weights / weights.sum(-1, keepdim=True))


def test_a_blank_side_is_refused() -> None:
    blank = SimpleNamespace(_clean=lambda line, _: line.strip(), source_language="en", target_language="zh")
    with pytest.raises(DataError, match="blank"):
        inspect(blank, "Hello", " ")
