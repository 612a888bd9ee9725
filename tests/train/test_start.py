"""Fine-tuning: weights taken over, pieces matched by their spelling, parts held still."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from support import changed, prepare_sample

from nmt import config as schema
from nmt.checkpoint import load_model
from nmt.errors import ConfigError
from nmt.train.loop import train


@pytest.fixture
def old(small_run: schema.RunConfig, tmp_path: Path) -> Path:
    return train(changed(small_run, max_steps=10), tmp_path / "old").folder


def begun_with(run: schema.RunConfig, **start: str) -> schema.RunConfig:
    optim = dataclasses.replace(run.optim, lr=1e-9)  # next to nothing is learnt
    return dataclasses.replace(changed(run, max_steps=1), optim=optim, start=schema.StartConfig(**start))


def test_a_run_begins_with_the_weights_of_a_model(
    small_run: schema.RunConfig, old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = train(begun_with(changed(small_run, average=0.5), model=str(old)), tmp_path / "new")
    assert f"beginning with the weights of {old}" in capsys.readouterr().err
    before, after = (load_file(folder / "best" / "model.safetensors") for folder in (old, result.folder))
    for name, tensor in before.items():
        torch.testing.assert_close(after[name], tensor, rtol=0, atol=1e-6)


def test_frozen_parts_stay_as_they_are(small_run: schema.RunConfig, old: Path, tmp_path: Path) -> None:
    run = dataclasses.replace(small_run, start=schema.StartConfig(model=str(old), freeze="encoder+source"))
    train(run, tmp_path / "new")
    before = load_file(old / "best" / "model.safetensors")
    after = load_file(tmp_path / "new" / "last" / "model.safetensors")
    for name, tensor in before.items():
        assert torch.equal(after[name], tensor) == name.startswith(("encoder.", "source.")), name
    with pytest.raises(ConfigError, match="has 'heart', but the parts of this model are: decoder, encoder"):
        train(dataclasses.replace(small_run, start=schema.StartConfig(freeze="heart")), tmp_path / "other")


def test_another_vocabulary_is_refused_or_matched(small_run: schema.RunConfig, old: Path, tmp_path: Path) -> None:
    folder = prepare_sample(tmp_path / "prepared", "text.vocab_size_en=600", "text.vocab_size_zh=1180")
    other = dataclasses.replace(small_run, prepared=str(folder))
    with pytest.raises(ConfigError, match=r"has another source vocabulary .* start\.vocabulary=match"):
        train(begun_with(other, model=str(old)), tmp_path / "new")
    train(begun_with(other, model=str(old), vocabulary="match"), tmp_path / "new")
    first, second = load_model(old), load_model(tmp_path / "new")
    pieces = [trained.source_tokenizer.pieces(range(len(trained.source_tokenizer))) for trained in (first, second)]
    common = set(pieces[0]) & set(pieces[1])
    assert len(pieces[1]) > len(common) > 200
    for piece in list(common)[:50]:
        theirs, ours = (
            trained.model.source.weight[listed.index(piece)]
            for trained, listed in zip((first, second), pieces, strict=True)
        )
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)


def test_a_model_of_another_build_is_refused(small_run: schema.RunConfig, old: Path, tmp_path: Path) -> None:
    wider = dataclasses.replace(small_run.model, encoder=schema.RecurrentEncoderConfig(layers=1, width=48))
    with pytest.raises(ConfigError, match=r"is built otherwise: .* does not fit"):
        train(begun_with(dataclasses.replace(small_run, model=wider), model=str(old)), tmp_path / "new")
    with pytest.raises(ConfigError, match=r"translates en-zh, but this run zh-en"):
        train(begun_with(dataclasses.replace(small_run, direction="zh-en"), model=str(old)), tmp_path / "new")
