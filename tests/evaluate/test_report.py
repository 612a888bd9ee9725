"""What an evaluation says and what it leaves on disk."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.errors import DataError
from nmt.evaluate.report import Evaluation, check_replaceable, evaluate, is_untouched, read, write

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
    assert evaluation.bleu.interval is not None
    assert evaluation.chrf.interval is not None
    within = f"{evaluation.bleu.value:.2f} ± {evaluation.bleu.interval.half_width:.2f}"
    assert lines[1].startswith(f"BLEU = {within}  ({evaluation.bleu.value:.2f} ")
    assert lines[2].strip() == f"signature {evaluation.bleu.signature}"
    assert "tok:zh" in lines[2]
    assert lines[3] == f"chrF2 = {evaluation.chrf.value:.2f} ± {evaluation.chrf.interval.half_width:.2f}"


def test_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "test"
    save(folder, model="runs/demo/best")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("hypotheses.txt", "references.0.txt", "references.1.txt", "result.json", "sources.txt")
    ]
    assert (folder / "hypotheses.txt").read_bytes().decode() == "今天天气很好。\n\n他有3本书。\n"
    assert (folder / "references.1.txt").read_text(encoding="utf-8") == "今天的天气很好。\n谢谢。\n他有三本书。\n"
    saved = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    checksum = hashlib.sha256((folder / "hypotheses.txt").read_bytes()).hexdigest()
    assert saved == {**result().to_json(), "model": "runs/demo/best", "hypotheses_sha256": checksum}
    assert read(folder) == saved
    assert Evaluation.from_json(saved).lines() == result().lines()


def test_an_edited_output_is_noticed(tmp_path: Path) -> None:
    save(tmp_path)
    saved = read(tmp_path)
    assert saved is not None
    assert is_untouched(tmp_path, saved)
    (tmp_path / "hypotheses.txt").write_text("今天天气真好。\n", encoding="utf-8")
    assert not is_untouched(tmp_path, saved)
    (tmp_path / "hypotheses.txt").unlink()
    assert not is_untouched(tmp_path, saved)


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
    (tmp_path / "references.gold.txt").write_text("mine")
    one = REFERENCES[:1]
    write(
        evaluate(HYPOTHESES, one, target_language="zh"),
        tmp_path, sources=SOURCES, hypotheses=HYPOTHESES, references=one, extra={},
    )  # fmt: skip
    assert not (tmp_path / "references.1.txt").exists()
    assert (tmp_path / "references.gold.txt").exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("name", ["sources.txt", "result.json"])
def test_what_others_wrote_is_not_written_over(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"accuracy": 1}')
    with pytest.raises(DataError, match=r"is not empty and holds no result of .* another folder with --output"):
        save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    for path in (tmp_path / name, tmp_path / name / "test"):
        with pytest.raises(DataError, match=f"{name} is a file: choose another folder with --output"):
            check_replaceable(path)


def test_a_killed_writer_can_begin_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(path: Path, text: str) -> None:
        if path.name == "hypotheses.txt":
            raise KeyboardInterrupt
        path.write_text(text)

    monkeypatch.setattr("nmt.evaluate.report.write_text", killed)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path)
    monkeypatch.undo()
    assert read(tmp_path) == {}
    save(tmp_path)
    assert read(tmp_path)


def test_extra_can_not_replace_a_result(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bleu"):
        save(tmp_path, bleu=99)
    assert not list(tmp_path.iterdir())
