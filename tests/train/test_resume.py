"""Ten updates, a new process, ten more: bit for bit the weights of twenty. Whatever changes on the way is said."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from support import changed

from nmt import config as schema
from nmt.errors import ConfigError
from nmt.train.loop import train


def same_state(one: Path, other: Path) -> None:
    """Weights, averages, optimiser and random generators are equal to the last bit."""
    states = [torch.load(folder / "last" / "training.pt", weights_only=True) for folder in (one, other)]
    for key in ("model", "average"):
        assert states[0][key].keys() == states[1][key].keys()
        for name, tensor in states[0][key].items():
            assert torch.equal(tensor, states[1][key][name]), name
    for index, moments in states[0]["optimizer"]["state"].items():
        for name, tensor in moments.items():
            assert torch.equal(tensor, states[1]["optimizer"]["state"][index][name]), name
    assert torch.equal(states[0]["random"][0]["cpu"], states[1]["random"][0]["cpu"])
    counters = [{k: v for k, v in state["counters"].items() if "seconds" not in k} for state in states]
    assert counters[0] == counters[1]
    weights = [load_file(folder / "last" / "model.safetensors") for folder in (one, other)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


@pytest.mark.parametrize("update_tokens", [None, 500])
@pytest.mark.parametrize("encoder", schema.ENCODERS)
@pytest.mark.parametrize("decoder", schema.DECODERS)
def test_ten_and_ten_are_twenty(
    small_run: schema.RunConfig, tmp_path: Path, encoder: str, decoder: str, update_tokens: int | None
) -> None:
    parts = {"encoder": schema.ENCODERS[encoder], "decoder": schema.DECODERS[decoder]}
    small = {name: part(layers=2, width=16) for name, part in parts.items()}  # type: ignore[call-arg]
    model = dataclasses.replace(small_run.model, embedding=16, dropout=0.3, word_dropout=0.1, **small)
    run = dataclasses.replace(small_run, model=model)
    run = changed(run, update_tokens=update_tokens, average=0.9, validate_every_steps=10)
    train(run, tmp_path / "whole")
    # The schedule must know the end, so the first half is a run of twenty that is stopped by a full stop after ten.
    half = tmp_path / "half"
    _stop_after(10, run, half)
    journal = (half / "journal.jsonl").read_text(encoding="utf-8")
    assert json.loads(journal.splitlines()[-1])["step"] == 10
    train(run, half)
    same_state(tmp_path / "whole", half)
    epochs = [event["epoch"] for event in map(json.loads, journal.splitlines()) if event["event"] == "step"]
    assert epochs[0] % 1.0 != 0.0  # in the middle of an epoch


def _stop_after(step: int, run: schema.RunConfig, folder: Path) -> None:
    from nmt.train import loop

    class StopError(Exception):
        pass

    whole = loop.Trainer.validate

    def validate(trainer: loop.Trainer, **options: Any) -> None:
        whole(trainer, **options)
        if trainer.limits.step == step:
            raise StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Trainer, "validate", validate)
        with pytest.raises(StopError):
            train(run, folder)


def test_changed_settings_are_said_and_used(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    optim = dataclasses.replace(small_run.optim, lr=5e-4, weight_decay=0.5)
    other = dataclasses.replace(changed(small_run, max_steps=30, batch_tokens=200), optim=optim, resume="changed")
    train(other, tmp_path / "run")
    said = capsys.readouterr().err
    for line in ("optim.lr: 0.002 -> 0.0005", "optim.weight_decay: 0.01 -> 0.5", "train.batch_tokens: 300 -> 200"):
        assert line in said
    assert "a new pass over the text begins" in said
    assert "going on from step 20" in said
    state = torch.load(tmp_path / "run" / "last" / "training.pt", weights_only=True)
    assert state["optimizer"]["param_groups"][0]["weight_decay"] == 0.5
    assert state["counters"]["step"] == 30
    assert state["counters"]["epoch"] >= 1
    assert not (tmp_path / "run.before1").exists()


def test_what_may_not_change_is_refused(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(small_run, tmp_path / "run")
    other = dataclasses.replace(small_run, direction="zh-en", resume="changed")
    with pytest.raises(ConfigError, match=r"can not go on with another direction: en-zh -> zh-en"):
        train(other, tmp_path / "run")
    with pytest.raises(ConfigError, match=r"can not go on with another train\.metric: bleu -> loss"):
        train(dataclasses.replace(changed(small_run, metric="loss"), resume="changed"), tmp_path / "run")
    wider = dataclasses.replace(small_run.model, embedding=48)
    with pytest.raises(ConfigError, match=r"can not go on with another model\.embedding: 24 -> 48"):
        train(dataclasses.replace(small_run, model=wider, resume="changed"), tmp_path / "run")


def test_a_run_in_minutes_records_its_progress_and_rate(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timed = changed(small_run, max_steps=None, max_minutes=0.5, validate_every_steps=10)
    _stop_after(10, timed, tmp_path / "run")
    counters = torch.load(tmp_path / "run" / "last" / "training.pt", weights_only=True)["counters"]
    assert 0 < counters["progress"] < 1
    assert counters["rate"] > 0
    train(changed(timed, max_minutes=max(0.01, 1.2 * counters["seconds"] / 60)), tmp_path / "run")
    said = capsys.readouterr().err
    assert "going on from step 10" in said
    assert f"learning rate {counters['rate']:.2e})" in said


@pytest.mark.parametrize("metric", ["chrf", "loss"])
def test_other_scores_can_decide(small_run: schema.RunConfig, tmp_path: Path, metric: str) -> None:
    result = train(changed(small_run, metric=metric), tmp_path / "run")
    events = [json.loads(line) for line in (tmp_path / "run" / "journal.jsonl").read_text("utf-8").splitlines()]
    looks = [event for event in events if event["event"] == "validation"]
    values = [-look["loss"] if metric == "loss" else look["chrf"] for look in looks]
    assert result.value == pytest.approx(max(values), abs=0.01)
    card = json.loads((tmp_path / "run" / "best" / "card.json").read_text(encoding="utf-8"))
    assert card["dev_value"] == pytest.approx(max(values), abs=0.01)
