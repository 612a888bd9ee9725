"""The commands of README.md and of `make demo`, run on the sample with few steps, one after the other."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import SAMPLE

ROOT = Path(__file__).parents[2]
SMALL_CORPUS = [
    "data=tsv", "data.name=tatoeba", f"data.train.path='{SAMPLE}'", "text.vocab_size_en=700", "text.vocab_size_zh=1200",
]  # fmt: skip
SMALL_RUN = [
    "train.max_steps=6", "train.max_minutes=null", "train.validate_every_minutes=null", "train.validate_sentences=4",
    "train.batch_tokens=200", "decode.max_ratio=1", "decode.max_extra=3",
]  # fmt: skip


def commands(text: str) -> list[str]:
    """Lines that are commands: `nmt ...`, or something piped into it."""
    text = text.replace("\\\n", " ")
    return [line.removeprefix("$ ") for line in text.split("\n") if re.match(r"\$ .*\bnmt ", line)]


def readme_commands() -> list[str]:
    return commands((ROOT / "README.md").read_text(encoding="utf-8"))


def demo_commands() -> list[str]:
    script = (ROOT / "scripts" / "demo.sh").read_text(encoding="utf-8").replace("\\\\\n", " ")
    found = [shlex.split(line)[1] for line in script.split("\n") if line.startswith("step ")]
    return [command.replace("\\\\", "\\") for command in found]


def made_small(command: str) -> str:
    """The same command on a few hundred pairs, for a few steps."""
    command = command.replace("data=tatoeba", shlex.join(SMALL_CORPUS))
    if re.search(r"\bnmt train\b", command):
        command += " " + shlex.join(SMALL_RUN)
    return re.sub(r"\bnmt (?=[a-z-])", f"{shlex.quote(sys.executable)} -m nmt ", command)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, encoding="utf-8",
        timeout=300, check=False,
    )  # fmt: skip


def test_the_demo_on_a_few_hundred_pairs(tmp_path: Path) -> None:
    steps = demo_commands()
    assert [re.search(r"nmt (\w+)", step)[1] for step in steps] == [
        "prepare", "train", "evaluate", "translate", "align",
    ]  # fmt: skip
    outputs = {}
    for step in steps:
        done = run(made_small(step), tmp_path)
        assert done.returncode == 0, f"{step}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        outputs[re.search(r"nmt (\w+)", step)[1]] = done
    assert "BLEU" in outputs["evaluate"].stdout
    assert "tok:zh" in outputs["evaluate"].stdout
    assert outputs["translate"].stdout.count("\n") == 3
    assert all(re.fullmatch(r"(\d+-\d+ ?)+", line) for line in outputs["align"].stdout.splitlines())
    result = json.loads((tmp_path / "runs" / "demo" / "test" / "result.json").read_text(encoding="utf-8"))
    assert result["bleu"]["signature"].split("|")[-2:][0].startswith("smooth")
    hypotheses = (tmp_path / "runs" / "demo" / "test" / "hypotheses.txt").read_bytes()
    assert hypotheses.count(b"\n") == result["sentences"]
    assert (tmp_path / "runs" / "demo" / "attention.png").read_bytes().startswith(b"\x89PNG")

    again = [run(made_small(step), tmp_path) for step in steps[:3]]
    assert [done.returncode for done in again] == [0, 0, 0]
    assert "up to date" in again[0].stdout + again[0].stderr
    assert "already trained" in again[1].stderr
    assert "already" in again[2].stderr
    assert again[2].stdout == outputs["evaluate"].stdout


def test_the_commands_of_the_readme(tmp_path: Path) -> None:
    shown = readme_commands()
    assert len(shown) >= 8
    (tmp_path / "data").symlink_to(ROOT / "data")
    for name, column in (("mine.en", 0), ("mine.zh", 1)):
        lines = [line.split("\t")[column] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in shown:
        done = run(made_small(command), tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (path.parent / target).exists(), f"{document} links to {target}"
