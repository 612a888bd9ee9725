"""Tab completion: verbs, flags, groups, keys."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.cli.complete import SCRIPTS, candidates
from nmt.cli.main import main

SIZES = ("base", "small", "tiny")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("nmt tr", ["train", "translate"]),
        ("nmt eval", ["evaluate"]),
        ("nmt --comp", ["--completion"]),
        ("nmt --completion ", ["bash", "zsh", "fish"]),
        ("nmt evaluate --split ", ["test", "dev"]),
        ("nmt align --format t", ["text"]),
        ("nmt align --heat", ["--heatmap"]),
        ("nmt translate --model ", []),
        ("nmt train model=rnn_s", [*(f"model=rnn_self_attention_{size}" for size in SIZES), "model=rnn_small"]),
        ("nmt train experiment=demo attention=m", ["attention=mlp"]),
        ("nmt train model.att", ["model.attention.", "model.attention_dropout="]),
        (
            "nmt train attention=mlp model.attention.",
            ["model.attention.backend=", "model.attention.hidden=", "model.attention.normalise="],
        ),
        ("nmt train optim.l", ["optim.label_smoothing=", "optim.lr="]),
        ("nmt prepare data=f", ["data=files"]),
        ("nmt prepare data=files data.train.", ["data.train.source=", "data.train.target="]),
        ("nmt nonsense x", []),
    ],
)
def test_candidates(line: str, expected: list[str]) -> None:
    assert candidates(line) == expected


def test_schemas_and_hydra_stay_out_of_sight() -> None:
    words = candidates("nmt train ")
    assert {"model=", "model.", "experiment=", "seed="} <= set(words)
    assert not [word for word in words if word.startswith(("schema", "hydra"))]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", shell]) == 0
    assert "--complete" in capsys.readouterr().out


def test_another_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", "cmd"]) == 2
    assert "bash|zsh|fish" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [("nmt tr", "train translate"), ("nmt train attention=m", "mlp"), ("nmt align --un", "--unit")],
)
def test_bash_fills_in_the_word_under_the_cursor(line: str, expected: str, tmp_path: Path) -> None:
    command = tmp_path / "nmt"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nmt "$@"\n')
    command.chmod(0o755)
    script = f"""
        eval "$('{command}' --completion bash)"
        compopt() {{ :; }}
        COMP_WORDBREAKS=' =:'
        COMP_LINE='{line} and more' COMP_POINT={len(line)}
        _nmt '{command}'
        echo "${{COMPREPLY[*]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected.split()
