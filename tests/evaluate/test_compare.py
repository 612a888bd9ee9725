"""The table of several runs, their journals, and the scripts that show them."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from nmt.cli.main import main
from nmt.errors import ConfigError, DataError
from nmt.evaluate.bars import draw
from nmt.evaluate.compare import read_runs, table
from nmt.evaluate.history import events

SCRIPTS = Path(__file__).parents[2] / "scripts"
CARD = {
    "name": "demo", "direction": "en-zh", "encoder": "recurrent", "decoder": "recurrent", "attention": "mlp",
    "self_attention": None, "parameters": 5123456, "train_minutes": 6.02, "train_steps": 2100,
    "tokens_per_second": 9000.4, "dev_bleu": 23.456, "data": "tatoeba",
}  # fmt: skip


def make_run(folder: Path, *, bleu: float | None = None, tokenizer: str = "zh", **card: object) -> Path:
    (folder / "best").mkdir(parents=True)
    (folder / "best" / "card.json").write_text(json.dumps({**CARD, **card}), encoding="utf-8")
    if bleu is not None:
        score = {"score": bleu, "signature": f"nrefs:var|tok:{tokenizer}"}
        (folder / "test").mkdir()
        result = {"bleu": score, "chrf": {"score": 20.5}, "sentences": 3, "empty": 0}
        (folder / "test" / "result.json").write_text(json.dumps(result), encoding="utf-8")
    return folder


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table(tmp_path: Path) -> None:
    scored = make_run(tmp_path / "demo", bleu=22.345)
    bare = make_run(tmp_path / "余弦", attention="cosine", tokens_per_second=None)
    head, _, first, second, _, signature, missing = table([scored, bare]).split("\n")
    assert head.split("  ")[0].strip() == "run"
    assert first.split() == [
        *("demo", "en-zh", "recurrent", "recurrent", "mlp", "5,123,456", "6.0", "2,100", "9,000", "23.46"),
        *("22.34", "20.50", "-"),
    ]
    assert second.split()[-5:] == ["-", "23.46", "-", "-", "-"]
    # The Chinese name is two characters but four columns wide.
    assert first.index("en-zh") == second.index("en-zh") + 2
    assert signature == "BLEU (en-zh): nrefs:var|tok:zh"
    assert missing.startswith("余弦 has no test score")


def with_intervals(run: Path) -> Path:
    path = run / "test" / "result.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    for name, half_width in (("bleu", 1.234), ("chrf", 0.987)):
        result[name]["interval"] = {"mean": 20.0, "half_width": half_width, "samples": 1000, "seed": "12345"}
    path.write_text(json.dumps({**result, "attention_entropy": {"nats": 1.4794, "pieces": 9}}), encoding="utf-8")
    return run


def test_table_with_intervals_and_entropy(tmp_path: Path) -> None:
    run = with_intervals(make_run(tmp_path / "demo", bleu=22.345))
    head, _, row, _, _, *notes = table([run]).split("\n")
    assert head.split()[-6:] == ["BLEU", "test", "BLEU", "test", "chrF2", "entropy"]
    assert row.split()[-5:] == ["22.34", "±1.23", "20.50", "±0.99", "1.479"]
    assert notes[0].startswith("±: half of the 95 % confidence interval, by bootstrap with 1000 samples")
    assert notes[1].startswith("entropy: ")


def test_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `plots`")
    runs = [with_intervals(make_run(tmp_path / "余弦", bleu=22.345)), make_run(tmp_path / "$a$_b", bleu=20.0)]
    runs.append(make_run(tmp_path / "untested"))
    for name, begin in (("bars.png", b"\x89PNG"), ("bars.SVG", b"<?xml"), ("new/bars.pdf", b"%PDF")):
        assert main(["compare", *map(str, runs), "--picture", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_bytes().startswith(begin)


class Letters:
    """A font that says what was drawn with it."""

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def properties(self, size: float) -> object:
        from matplotlib.font_manager import FontProperties

        return FontProperties(size=size)

    def drawable(self, string: str) -> str:
        self.drawn.append(string)
        return "name"


def test_picture_shows_the_runs_with_a_score_and_the_measures_they_have(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `plots`")
    rows, _ = read_runs([make_run(tmp_path / "tested", bleu=20.0), make_run(tmp_path / "untested")])
    font = Letters()
    draw(rows, tmp_path / "one.png", font)
    assert font.drawn == ["tested"]
    narrow = (tmp_path / "one.png").read_bytes()
    draw(read_runs([with_intervals(tmp_path / "tested")])[0], tmp_path / "two.png", font)
    wide = (tmp_path / "two.png").read_bytes()
    assert int.from_bytes(wide[16:20]) > int.from_bytes(narrow[16:20])  # the width of a PNG: a panel for the entropy


def test_what_can_not_be_drawn(tmp_path: Path) -> None:
    rows, _ = read_runs([make_run(tmp_path / "untested")])
    with pytest.raises(DataError, match="no run has a test score to draw"):
        draw(rows, tmp_path / "bars.png", Letters())
    with pytest.raises(ConfigError, match=r"bars\.jpg can not be drawn: .* must end in \.png, \.svg, \.pdf"):
        draw(rows, tmp_path / "bars.jpg", Letters())


def test_table_warns_of_different_recipes(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, bleu=20.0, tokenizer=name) for name in ("zh", "13a")]
    assert "compare only those with the same line" in table(runs)
    same = [make_run(tmp_path / name, bleu=20.0) for name in ("a", "b")]
    assert "compare only" not in table(same)


def test_a_run_that_was_set_aside_has_the_name_of_its_folder(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name) for name in ("demo", "demo.before1")]
    assert [line.split()[0] for line in table(runs).split("\n")[2:4]] == ["demo", "demo.before1"]


def test_what_is_no_run_is_left_out_with_a_note(tmp_path: Path) -> None:
    make_run(tmp_path / "demo", bleu=20.0)
    (tmp_path / "begun").mkdir()
    (tmp_path / "notes.txt").touch()
    (make_run(tmp_path / "torn") / "best" / "card.json").write_text("{", encoding="utf-8")
    _, _, row, blank, signature, *notes = table(sorted(tmp_path.iterdir())).split("\n")
    assert (row.split()[0], blank, signature) == ("demo", "", "BLEU (en-zh): nrefs:var|tok:zh")
    for note, reason in zip(
        notes,
        ("begun holds no trained model", "notes.txt is not a folder", "torn/best/card.json is damaged"),
        strict=True,
    ):
        assert note.startswith(f"left out: {tmp_path}/{reason}")


def test_table_of_what_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere is not a folder"):
        table([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"empty holds no trained model .*nmt train name=empty"):
        table([tmp_path / "empty"])
    with pytest.raises(DataError, match="no run was given"):
        table([])
    run = make_run(tmp_path / "broken")
    (run / "best" / "card.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"card\.json is damaged"):
        table([run])


def write_journal(run: Path) -> Path:
    run.mkdir()
    lines = []
    for step in (1, 2, 3, 2, 3, 4):  # killed at 3 and resumed from 1
        lines.append(
            {"event": "step", "step": step, "epoch": 0, "loss": 9.0 / step, "lr": 1e-3 * step, "seconds": step}
        )
        if step % 2 == 0:
            lines.append({"event": "validation", "step": step, "bleu": 10.0 * step, "seconds": step})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (run / "journal.jsonl").write_text(text + '{"event": "st', encoding="utf-8")
    return run


def test_events(tmp_path: Path) -> None:
    run = write_journal(tmp_path / "run")
    assert [event["step"] for event in events(run, "step")] == [1, 2, 3, 4]
    assert [event["bleu"] for event in events(run, "validation")] == [20.0, 40.0]
    with pytest.raises(DataError, match=r"journal\.jsonl does not exist"):
        events(tmp_path, "step")
    (run / "journal.jsonl").write_text("{}\nnot json\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"journal\.jsonl:2: .* not JSON"):
        events(run, "step")


def test_report_bleu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = script("report_bleu")
    run = write_journal(tmp_path / "run")
    assert report.main([str(run)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["4", "4", "40.00", "best"]
    assert report.main([str(tmp_path / "nowhere")]) == 1
    assert "does not exist" in capsys.readouterr().err


def test_report_bleu_of_a_tested_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "demo", bleu=22.345)
    path = run / "test" / "result.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    result["chrf"]["signature"] = "chrF|x"
    path.write_text(json.dumps(result), encoding="utf-8")
    assert script("report_bleu").main([str(run)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("BLEU = 22.34\n  signature nrefs:var|tok:zh\nchrF2 = 20.50\n")


def test_plot_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="curves need the extra `plots`")
    run = write_journal(tmp_path / "run")
    assert script("plot_curves").main([str(run), "--output", str(tmp_path / "curves.png")]) == 0
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.strip().endswith("curves.png")


def test_dump_alignments_calls_align(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    stand_in = ModuleType("nmt.cli.main")
    stand_in.main = calls.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nmt.cli.main", stand_in)
    assert script("dump_alignments").main(["runs/demo", "--split", "test"]) == 0
    assert calls == [["align", "--model", str(Path("runs/demo/best")), "--split", "test"]]
