"""Seven public systems on two test sets, both directions: our figures against those that were published for them.

BLEU against the stored figure; chrF2 and TER, for which none is stored, against the `sacrebleu` command. TER of long
Chinese sentences takes it a tenth of a second each, so TER is compared on the first sentences of every file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.evaluate.metrics import bleu, chrf, ter

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "published"
SYSTEMS = ("argos", "bergamot-base", "bergamot-base-memory", "google", "microsoft", "nllb", "opusmt")
OUTPUTS = [
    f"{pair}/{test_set}.{system}.{pair[-2:]}"
    for pair in ("en-zh", "zh-en")
    for test_set in ("flores-test", "wmt19")
    for system in SYSTEMS
]
FIRST = 40
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PUBLISHED.is_dir(),
        reason=f"the published system outputs are not here ({PUBLISHED}); they are not ours to ship",
    ),
]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def command(folder: Path, output: list[str], reference: list[str], *flags: str) -> float:
    for name, content in (("output", output), ("reference", reference)):
        (folder / name).write_text("".join(f"{line}\n" for line in content), encoding="utf-8", newline="\n")
    call = [sys.executable, "-m", "sacrebleu", str(folder / "reference"), "-i", str(folder / "output"), "-w", "6"]
    answer = subprocess.run([*call, *flags], capture_output=True, text=True, check=True).stdout
    return float(json.loads(answer)["score"])


def files(name: str) -> tuple[list[str], list[str], str]:
    path = PUBLISHED / name
    language = name[-2:]
    return lines(path), lines(path.with_name(f"{path.name.split('.')[0]}.{language}")), language


def test_all_of_them_are_here() -> None:
    found = {str(path.relative_to(PUBLISHED).with_suffix("")) for path in PUBLISHED.glob("*/*.bleu")}
    assert found == set(OUTPUTS)
    assert len(OUTPUTS) == 28


@pytest.mark.parametrize("name", OUTPUTS)
def test_bleu_is_the_stored_figure(name: str) -> None:
    output, reference, language = files(name)
    stored = float((PUBLISHED / f"{name}.bleu").read_text())
    assert round(bleu(output, [reference], target_language=language).value, 1) == stored


@pytest.mark.parametrize("name", OUTPUTS)
def test_chrf_and_ter_are_the_commands(name: str, tmp_path: Path) -> None:
    output, reference, language = files(name)
    ours = chrf(output, [reference], target_language=language).value
    assert ours == pytest.approx(command(tmp_path, output, reference, "-m", "chrf"), abs=1e-6)
    flags = ["--ter-normalized", "--ter-asian-support"] if language == "zh" else []
    output, reference = output[:FIRST], reference[:FIRST]
    ours = ter(output, [reference], target_language=language).value
    assert ours == pytest.approx(command(tmp_path, output, reference, "-m", "ter", *flags), abs=1e-6)
