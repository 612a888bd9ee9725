"""Paired tests: the command's numbers, and what the advice says of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.errors import DataError
from nmt.evaluate.paired import TESTS, Difference, advice, agreement, paired

WORDS = [f"{letter}at" for letter in "bcdfghjklmnpqrst"]
REFERENCE = [" ".join(WORDS[k % 7 : k % 7 + 8]) for k in range(60)]
SYSTEMS = {
    "base": [line if k % 3 else line.replace("hat", "hut") for k, line in enumerate(REFERENCE)],
    "better": [line if k % 10 else line.replace("hat", "hut") for k, line in enumerate(REFERENCE)],
}


@pytest.mark.parametrize("test", TESTS)
def test_the_commands_numbers(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    for name, lines in {**SYSTEMS, "reference": REFERENCE}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    call = [sys.executable, "-m", "sacrebleu", "reference", "-i", "base", "better", "-m", "bleu", "chrf", "-f", "text"]
    answer = subprocess.run(
        [*call, f"--paired-{TESTS[test]}", "-w", "6"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    theirs = [float(p) for p in re.findall(r"\(p = ([\d.]+)\)", answer.stdout)]  # its JSON fails on numpy's floats
    found = paired(SYSTEMS, [REFERENCE], target_language="en", test=test)
    assert [(one.metric, one.system, one.baseline) for one in found] == [
        *(("BLEU", "better", "base"), ("chrF2", "better", "base"))
    ]
    for ours, p in zip(found, theirs, strict=True):
        assert ours.p == pytest.approx(p, abs=5e-5)
        assert ours.value > 0.5
        assert f"{TESTS[test]}:" in ours.signature


def test_one_system_alone() -> None:
    with pytest.raises(DataError, match="two systems or more"):
        paired({"base": REFERENCE}, [REFERENCE], target_language="en")


def difference(value: float, p: float, metric: str = "BLEU") -> str:
    return advice(Difference(metric, "b", "a", value, p, "signature"))


def test_advice() -> None:
    assert difference(2.0, 0.2) == (
        "b v a: BLEU +2.00, p = 0.2000: may well be the choice of sentences; call neither better"
    )
    assert difference(-1.0, 0.001).endswith("not chance; people agree with the sign in about 64 % of such cases")
    assert "at least the 1.63 chrF2" in difference(-1.63, 0.01, "chrF2")
    assert "less than the 1.63 chrF2" in difference(1.6, 0.01, "chrF2")


def test_agreement_follows_the_table() -> None:
    assert [agreement(value) for value in (0.0, 1.0, -2.34, 5.0, 30.0)] == pytest.approx([50, 64, 80, 87.6, 87.6])
    assert agreement(0.75) == pytest.approx((54.6 + 64.0) / 2)
