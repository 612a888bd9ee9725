"""A run: its folder, resuming, interruption, and what it refuses."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from support import changed

from nmt import config as schema
from nmt.checkpoint import load_model
from nmt.errors import CheckpointError, ConfigError, DataError
from nmt.train import loop
from nmt.train.folder import RunFolder
from nmt.train.loop import train

FOLDER = {"config.yaml", "data.txt", "journal.jsonl", "samples.txt", "best", "last", "last.2"}


def weights(folder: Path) -> dict[str, Any]:
    return {name: tensor.tolist() for name, tensor in load_file(folder / "model.safetensors").items()}


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def test_a_run_writes_its_folder(small_run: schema.RunConfig, tmp_path: Path) -> None:
    result = train(small_run, tmp_path / "run")
    assert result.stopped == "finished"
    assert {path.name for path in (tmp_path / "run").iterdir()} == FOLDER
    assert {path.name for path in (tmp_path / "run" / "best").iterdir()} == {
        "README.md", "card.json", "config.yaml", "manifest.json", "model.safetensors", "source.spm", "target.spm",
    }  # fmt: skip
    assert [event["step"] for event in events(tmp_path / "run", "validation")] == [10, 20]
    steps = events(tmp_path / "run", "step")
    assert [event["step"] for event in steps] == [10, 20]
    assert steps[1]["loss"] < steps[0]["loss"]
    assert all(event["tokens_per_second"] > 0 for event in steps)


def test_the_same_command_twice_gives_the_same_weights(small_run: schema.RunConfig, tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(small_run, tmp_path / name)
    assert weights(tmp_path / "one" / "last") == weights(tmp_path / "two" / "last")


@pytest.mark.parametrize("average", [0.0, 0.9])
def test_interrupted_and_resumed_equals_never_interrupted(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, average: float
) -> None:
    small_run = changed(small_run, average=average)
    train(small_run, tmp_path / "whole")

    update = loop.Trainer.update

    def interrupted_at_7(trainer: loop.Trainer, batch: Any) -> float:
        loss = update(trainer, batch)
        if trainer.limits.step == 7:
            os.kill(os.getpid(), signal.SIGTERM)
        return loss

    with monkeypatch.context() as patch:
        patch.setattr(loop.Trainer, "update", interrupted_at_7)
        assert train(small_run, tmp_path / "parts").stopped == "terminated"
    assert train(small_run, tmp_path / "parts").stopped == "finished"
    assert weights(tmp_path / "parts" / "last") == weights(tmp_path / "whole" / "last")
    assert [event["step"] for event in events(tmp_path / "parts", "validation")] == [10, 20]


def test_a_finished_run_is_not_repeated(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = train(small_run, tmp_path / "run")
    before = weights(tmp_path / "run" / "last")
    again = train(small_run, tmp_path / "run")
    assert "is already trained: 20 updates" in capsys.readouterr().err
    assert (again.dev_bleu, again.stopped) == (first.dev_bleu, "finished")
    assert weights(tmp_path / "run" / "last") == before


def test_more_steps_go_on_from_a_finished_run(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    train(changed(small_run, max_steps=30), tmp_path / "run")
    assert "going on from step 20" in capsys.readouterr().err
    assert [event["step"] for event in events(tmp_path / "run", "validation")] == [10, 20, 30]


def test_other_settings_begin_a_new_run_and_keep_the_old(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    before = weights(tmp_path / "run" / "best")
    train(dataclasses.replace(small_run, seed=2), tmp_path / "run")
    assert "seed: 1 -> 2" in capsys.readouterr().err
    assert weights(tmp_path / "run.before1" / "best") == before
    assert weights(tmp_path / "run" / "best") != before


def test_a_killed_save_leaves_the_one_before(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    (tmp_path / "run" / "last").rename(tmp_path / "run" / "last.previous")  # as between two renames
    (tmp_path / "run" / "last.999999999.tmp").mkdir()  # of a process that is long gone
    with (tmp_path / "run" / "journal.jsonl").open("a", encoding="utf-8") as journal:
        journal.write('{"event": "step", "st')  # cut short
    train(changed(small_run, max_steps=25), tmp_path / "run")
    assert "going on from step 20" in capsys.readouterr().err
    assert [event["step"] for event in events(tmp_path / "run", "validation")] == [10, 20, 25]
    assert {path.name for path in (tmp_path / "run").iterdir()} == FOLDER


def test_a_run_that_can_not_begin_leaves_the_old_one_in_place(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(small_run, tmp_path / "run")
    before = weights(tmp_path / "run" / "best")
    without_dev = tmp_path / "prepared"
    shutil.copytree(small_run.prepared, without_dev)
    shutil.rmtree(without_dev / "dev")
    with pytest.raises(DataError, match="dev"):
        train(dataclasses.replace(small_run, prepared=str(without_dev), seed=2), tmp_path / "run")
    assert weights(tmp_path / "run" / "best") == before
    assert not (tmp_path / "run.before1").exists()


def test_leftovers_of_other_settings_are_set_aside_too(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(small_run, tmp_path / "run")
    for name in ("best", "last", "last.2"):  # as if it had been killed before its first look
        shutil.rmtree(tmp_path / "run" / name)
    train(dataclasses.replace(small_run, seed=2), tmp_path / "run")
    assert (tmp_path / "run.before1" / "journal.jsonl").is_file()
    assert [event["step"] for event in events(tmp_path / "run", "validation")] == [10, 20]


def test_a_shorter_limit_does_not_train_on(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    train(changed(small_run, max_steps=15), tmp_path / "run")
    assert "is already trained: 20 updates" in capsys.readouterr().err


def test_a_finished_run_is_completed(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_run, tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "best")
    train(dataclasses.replace(small_run, decode=schema.DecodeConfig(beam=2)), tmp_path / "run")
    said = capsys.readouterr().err
    assert "best was missing: the last model is put there" in said
    assert "now searches with DecodeConfig(beam=2" in said
    assert load_model(tmp_path / "run").config.decode.beam == 2
    assert not (tmp_path / "run" / "best" / "training.pt").exists()


def test_two_processes_can_not_train_one_run(small_run: schema.RunConfig, tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run").lock(), pytest.raises(CheckpointError, match="being trained by another process"):
        train(small_run, tmp_path / "run")
    assert train(small_run, tmp_path / "run").stopped == "finished"


def test_settings_of_another_version_are_set_aside(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(small_run, tmp_path / "run")
    (tmp_path / "run" / "config.yaml").write_text("direction: en-zh\nwarp: 9\n", encoding="utf-8")
    train(small_run, tmp_path / "run")
    assert (tmp_path / "run.before1" / "best").is_dir()


def test_a_full_disk_is_told_before_anything_is_written(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        free = 1000

    monkeypatch.setattr("nmt.train.folder.shutil.disk_usage", lambda path: Full)
    with pytest.raises(CheckpointError, match=r"saving needs .* MiB, but the disk has 0 MiB left"):
        train(small_run, tmp_path / "run")


def test_a_run_without_an_end_is_refused(small_run: schema.RunConfig, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"set train\.max_steps or train\.max_minutes"):
        train(changed(small_run, max_steps=None), tmp_path / "run")


def test_a_missing_corpus_names_the_command(small_run: schema.RunConfig, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nmt prepare"):
        train(dataclasses.replace(small_run, prepared=str(tmp_path / "nowhere")), tmp_path / "run")


def test_a_time_limit_ends_a_run(small_run: schema.RunConfig, tmp_path: Path) -> None:
    timed = changed(small_run, max_steps=None, max_minutes=2 / 60, validate_every_steps=None)
    result = train(timed, tmp_path / "run")
    assert result.stopped == "finished"
    card = json.loads((tmp_path / "run" / "last" / "card.json").read_text(encoding="utf-8"))
    assert 0 < card["train_minutes"] < 0.5
    assert card["train_steps"] > 0


def test_patience_ends_a_run(small_run: schema.RunConfig, tmp_path: Path) -> None:
    frozen = dataclasses.replace(small_run, optim=dataclasses.replace(small_run.optim, lr=1e-12))
    train(changed(frozen, max_steps=500, patience=2), tmp_path / "run")
    assert [event["step"] for event in events(tmp_path / "run", "validation")] == [10, 20, 30]


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_trains_too(small_run: schema.RunConfig, tmp_path: Path, precision: str) -> None:
    train(dataclasses.replace(small_run, precision=precision), tmp_path / "run")
    steps = events(tmp_path / "run", "step")
    assert steps[-1]["loss"] < steps[0]["loss"]


@pytest.mark.parametrize("direction", ["en-zh", "zh-en"])
def test_a_model_folder_is_all_that_is_needed(small_run: schema.RunConfig, tmp_path: Path, direction: str) -> None:
    from nmt.decode.translator import Translator

    train(dataclasses.replace(small_run, direction=direction), tmp_path / "run")
    lines = ["How are you?", "你好吗？"]
    here = [t.text for t in Translator.load(tmp_path / "run" / "best", device="cpu").translate(lines)]
    (tmp_path / "run" / "best").rename(tmp_path / "elsewhere")
    for path in sorted((tmp_path / "run").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    moved = Translator.load(tmp_path / "elsewhere", device="cpu")
    assert moved.direction == direction
    assert [t.text for t in moved.translate(lines)] == here
