"""Help is complete, and costs no heavy import."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.cli.help import group_defaults
from nmt.cli.main import EXPERIMENTS, VERBS, main
from nmt.settings import ROOTS, leaves

ROOT = Path(__file__).parents[2]
HEAVY = ("torch", "hydra", "omegaconf", "datasets", "matplotlib", "sacrebleu", "sentencepiece", "numpy", "safetensors")


def imported_by(code: str) -> set[str]:
    """Heavy packages in `sys.modules` after some code has run in a fresh interpreter."""
    script = f"{code}\nimport sys\nprint('IMPORTED', *({HEAVY!r} & sys.modules.keys()))"
    script = script.replace(repr(HEAVY), f"set({HEAVY!r})")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"from nmt.cli.main import main\ntry: main({arguments!r})\nexcept SystemExit: pass"
    assert imported_by(code) == set()


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert imported_by("import nmt, nmt.config, nmt.errors, nmt.settings, nmt.cli.main") == set()


@pytest.mark.parametrize("line", ["nmt ", "nmt tr", "nmt evaluate --", "nmt align --split "])
def test_completing_verbs_and_flags_imports_nothing_heavy(line: str) -> None:
    assert imported_by(f"from nmt.cli.complete import candidates\nassert candidates({line!r})") == set()


def test_the_list_of_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {verb} " in text for verb in VERBS)
    assert main([]) == 2


@pytest.mark.parametrize("verb", EXPERIMENTS)
def test_help_of_an_experiment_names_every_setting_and_choice(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n  {leaf.path}" in text for leaf in leaves(ROOTS[verb]))
    assert all(f"\n  {group}\n" in text for group in group_defaults(verb))
    assert f"\n  nmt {verb} " in text
    assert max(map(len, text.splitlines()[:-1])) <= 120


def test_defaults_of_groups() -> None:
    assert group_defaults("train") == {
        "model": "rnn_small",
        "encoder": "recurrent",
        "decoder": "recurrent",
        "attention": "cosine",
        "self_attention": "scaled_dot",
        "experiment": "null",
    }
    assert group_defaults("prepare") == {"data": "tatoeba"}


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in EXPERIMENTS])
def test_help_of_a_tool_has_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([verb, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: nmt {verb}" in text
    assert "examples:\n  " in text


def test_chinese_is_printed_whatever_the_locale_says(tmp_path: Path) -> None:
    card = tmp_path / "余弦" / "best" / "card.json"
    card.parent.mkdir(parents=True)
    card.write_text("{}")
    done = subprocess.run(
        [sys.executable, "-m", "nmt", "compare", "余弦", "没有"],
        cwd=tmp_path, env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)},
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert "\n余弦 " in done.stdout
    assert "没有 is not a folder" in done.stdout
    assert done.stderr == ""


def test_the_module_is_the_script() -> None:
    done = subprocess.run([sys.executable, "-m", "nmt", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("nmt ")
