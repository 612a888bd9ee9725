"""The mean of checkpoints, as a model folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from support import changed

from nmt import config as schema
from nmt.cli.main import main
from nmt.train.loop import train


def test_the_mean_of_the_best_is_a_model(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    train(changed(small_run, keep_best=3, validate_every_steps=5), Path("run"))
    assert main(["average", "run", "--output", "mean"]) == 0
    assert capsys.readouterr().out == "mean is the mean of run/best, run/best.2, run/best.3\n"
    parts = [load_file(Path("run") / name / "model.safetensors") for name in ("best", "best.2", "best.3")]
    mean = load_file("mean/model.safetensors")
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, torch.stack([part[name] for part in parts]).mean(0))
    assert not torch.equal(mean["output_bias"], parts[0]["output_bias"])
    assert main(["translate", "--model", "mean", "--device", "cpu", "Hello."]) == 0
    capsys.readouterr()
    assert main(["average", "run", "--output", "mean"]) == 1
    assert "exists already" in capsys.readouterr().err
    assert main(["average", "run/best", "--output", "other"]) == 1
    assert "train.keep_best=5" in capsys.readouterr().err


def test_models_of_two_runs_have_no_mean(
    small_run: schema.RunConfig, model_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(changed(small_run, max_steps=2), tmp_path / "run")
    arguments = [str(tmp_path / "run" / "best"), str(model_folder), "--output", str(tmp_path / "mean")]
    assert main(["average", *arguments]) == 1
    assert "another model than the first one" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()
