"""The commands of `make demo` and then those of README.md, run on the sample with few steps, all in one folder."""

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

from nmt.cli.main import VERBS

ROOT = Path(__file__).parents[2]
SMALL_CORPUS = [
    "data=tsv", "data.name=tatoeba", f"data.train.path='{SAMPLE}'", "text.vocab_size_en=700", "text.vocab_size_zh=1200",
]  # fmt: skip
SMALL_RUN = [
    "train.max_steps=6", "train.max_minutes=null", "train.validate_every_minutes=null", "train.validate_sentences=4",
    "train.batch_tokens=200", "decode.max_ratio=1", "decode.max_extra=3",
]  # fmt: skip


def blocks(text: str) -> list[tuple[str, str]]:
    """What stands between the fences of Markdown, each with its language."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Lines of fenced blocks that run a verb, `nmt ...` or something piped into it, without prompt and comment."""
    lines = [line for _, block in blocks(text) for line in block.replace("\\\n", " ").split("\n")]
    pattern = rf"(\$ (.*\| )?)?nmt ({'|'.join(VERBS)})\b"
    return [re.sub(r"\s+# .*", "", line.removeprefix("$ ")) for line in lines if re.match(pattern, line)]


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
        command = re.sub(r"(?= -m$)|$", lambda _: " " + shlex.join(SMALL_RUN), command, count=1)  # -m stays at the end
    return re.sub(r"\bnmt (?=[a-z-])", f"{shlex.quote(sys.executable)} -m nmt ", command)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, encoding="utf-8",
        timeout=300, check=False,
    )  # fmt: skip


def run_small(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that a person is told to run: it must succeed."""
    done = run(made_small(command), folder)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, subprocess.CompletedProcess[str]]]:
    """A folder in which the demo was run, and what each verb said."""
    folder = tmp_path_factory.mktemp("demo")
    return folder, {re.search(r"nmt (\w+)", step)[1]: run_small(step, folder) for step in demo_commands()}


def test_the_demo_on_a_few_hundred_pairs(demo: tuple[Path, dict[str, subprocess.CompletedProcess[str]]]) -> None:
    folder, outputs = demo
    assert list(outputs) == ["prepare", "train", "evaluate", "translate", "align"]
    assert "BLEU" in outputs["evaluate"].stdout
    assert "tok:zh" in outputs["evaluate"].stdout
    assert outputs["translate"].stdout.count("\n") == 3
    aligned = outputs["align"].stdout.splitlines()
    assert len(aligned) == 5
    assert all(re.fullmatch(r"(\d+-\d+ ?)+", line) for line in aligned)
    result = json.loads((folder / "runs" / "demo" / "test" / "result.json").read_text(encoding="utf-8"))
    assert result["bleu"]["signature"].split("|")[-2:][0].startswith("smooth")
    hypotheses = (folder / "runs" / "demo" / "test" / "hypotheses.txt").read_bytes()
    assert hypotheses.count(b"\n") == result["sentences"]
    assert (folder / "runs" / "demo" / "attention.png").read_bytes().startswith(b"\x89PNG")
    card = (folder / "runs" / "demo" / "best" / "README.md").read_text(encoding="utf-8")
    assert f"| prepared/tatoeba test | {result['bleu']['score']:.2f} |" in card

    again = [run_small(step, folder) for step in demo_commands()[:3]]
    assert "up to date" in again[0].stdout + again[0].stderr
    assert "already trained" in again[1].stderr
    assert "already" in again[2].stderr
    assert again[2].stdout == outputs["evaluate"].stdout


def test_the_commands_and_the_code_of_the_readme(
    demo: tuple[Path, dict[str, subprocess.CompletedProcess[str]]],
) -> None:
    folder, _ = demo
    shown = readme_commands()
    assert len(shown) >= 14
    assert any(command.endswith(" -m") for command in shown)
    (folder / "data").symlink_to(ROOT / "data")
    for name, column in (("mine.en", 0), ("mine.zh", 1)):
        lines = [line.split("\t")[column] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for command in shown:
        run_small(command, folder)
    [code] = [
        code
        for language, code in blocks((ROOT / "README.md").read_text(encoding="utf-8"))
        if language == "python" and "import" in code
    ]
    done = run(shlex.join([sys.executable, "-c", code]), folder)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr


def headings(path: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a document."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        found = path.parent / target if target else path
        assert found.exists(), f"{document} links to {link}"
        assert not anchor or anchor in headings(found), f"{document} links to {link}"
