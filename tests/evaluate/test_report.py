"""What an evaluation says and what it leaves on disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.evaluate.report import Evaluation, evaluate, write

SOURCES = ["It is fine today.", "Thanks.", "He has 3 books."]
HYPOTHESES = ["今天天气很好。", "", "他有3本书。"]
REFERENCES = [["今天天气真好。", "谢谢。", "他有三本书。"], ["今天的天气很好。", None, None]]


def result() -> Evaluation:
    return evaluate(HYPOTHESES, REFERENCES, target_language="zh")


def save(folder: Path, **extra: object) -> None:
    write(result(), folder, sources=SOURCES, hypotheses=HYPOTHESES, references=REFERENCES, extra=extra)


def test_counts() -> None:
    evaluation = result()
    assert (evaluation.sentences, evaluation.references, evaluation.empty) == (3, 4, 1)
    assert evaluation.length_ratio == evaluation.bleu.length_ratio == pytest.approx(13 / 16)


def test_lines() -> None:
    evaluation = result()
    lines = evaluation.lines()
    assert lines[0].startswith("sentences = 3, 1 of them blank; references = 4; ")
    assert lines[1].startswith(f"BLEU = {evaluation.bleu.value:.2f}  (")
    assert lines[2].strip() == f"signature {evaluation.bleu.signature}"
    assert "tok:zh" in lines[2]
    assert lines[3] == f"chrF2 = {evaluation.chrf.value:.2f}"


def test_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "test"
    save(folder, model="runs/demo/best")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("hypotheses.txt", "references.0.txt", "references.1.txt", "result.json", "sources.txt")
    ]
    assert (folder / "hypotheses.txt").read_bytes().decode() == "今天天气很好。\n\n他有3本书。\n"
    assert (folder / "references.1.txt").read_text(encoding="utf-8") == "今天的天气很好。\n谢谢。\n他有三本书。\n"
    saved = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert saved == {**result().to_json(), "model": "runs/demo/best"}


def test_the_files_give_the_same_score_to_the_command(tmp_path: Path) -> None:
    save(tmp_path)
    references = sorted(map(str, tmp_path.glob("references.*.txt")))
    call = [sys.executable, "-m", "sacrebleu", *references, "-i", str(tmp_path / "hypotheses.txt")]
    call += ["-m", "bleu", "chrf", "--tokenize", "zh", "-w", "6"]
    theirs = json.loads(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    assert [one["score"] for one in theirs] == [round(one.value, 6) for one in (result().bleu, result().chrf)]


def test_one_line_for_each_sentence(tmp_path: Path) -> None:
    awkward = ["a\nb", "c\u2028d\r\ne", "f\rg\x0b\x85h\n"]
    evaluation = evaluate(awkward, [awkward], target_language="en")
    write(evaluation, tmp_path, sources=awkward, hypotheses=awkward, references=[awkward], extra={})
    for name in ("sources.txt", "hypotheses.txt", "references.0.txt"):
        content = (tmp_path / name).read_bytes().decode()
        assert content == "a b\nc d e\nf g  h \n"
        assert len(content.splitlines()) == 3


def test_writing_again_leaves_nothing_old(tmp_path: Path) -> None:
    save(tmp_path)
    one = REFERENCES[:1]
    write(
        evaluate(HYPOTHESES, one, target_language="zh"),
        tmp_path, sources=SOURCES, hypotheses=HYPOTHESES, references=one, extra={},
    )  # fmt: skip
    assert not (tmp_path / "references.1.txt").exists()
    assert not list(tmp_path.glob(".*"))


def test_extra_can_not_replace_a_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bleu"):
        save(tmp_path, bleu=99)
    assert not list(tmp_path.iterdir())
