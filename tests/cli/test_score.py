"""`nmt evaluate --hypotheses`: any systems' files, in three formats, scored and compared."""

import json
from pathlib import Path

import pytest

from nmt.cli.main import main

XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="t"><collection id="c">
<doc id="1"><src lang="en"><p><seg id="1">I like cats.</seg><seg id="2">He ran   home.</seg></p></src>
<ref lang="zh" translator="A"><p><seg id="1">我喜欢猫。</seg><seg id="2">他跑回家了。</seg></p></ref>
<hyp system="Good" lang="zh"><p><seg id="1">我喜欢猫。</seg><seg id="2">他跑回家了。</seg></p></hyp>
<hyp system="Bad" lang="zh"><p><seg id="1">我喜欢狗。</seg><seg id="2">他走。</seg></p></hyp></doc>
<doc id="2"><src lang="en"><p><seg id="1">We eat rice &amp; fish.</seg></p></src>
<ref lang="zh" translator="A"><p><seg id="1">我们吃米饭和鱼。</seg></p></ref>
<ref lang="zh" translator="B"><p><seg id="1">我们吃饭和鱼。</seg></p></ref>
<hyp system="Good" lang="zh"><p><seg id="1">我们吃米饭和鱼。</seg></p></hyp>
<hyp system="Bad" lang="zh"><p><seg id="1">我们吃米饭。</seg></p></hyp></doc>
</collection></dataset>
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.xml").write_text(XML, encoding="utf-8")
    Path("r.zh").write_text("我喜欢猫。\n他跑回家了。\n我们吃米饭和鱼。\n", encoding="utf-8")
    Path("h.zh").write_text("我喜欢狗。\n他走。\n我们吃米饭。\n", encoding="utf-8")
    Path("t.tsv").write_text(
        "I like cats.\t我喜欢猫。\nHe ran home.\t他跑回家了。\nWe eat rice & fish.\t我们吃米饭和鱼。\n",
        encoding="utf-8",
    )


def scores(*arguments: str) -> dict[str, object]:
    assert main(["evaluate", "--hypotheses", *arguments, "--output", "out"]) == 0
    return json.loads(Path("out/scores.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_one_plain_file(capfd: pytest.CaptureFixture[str]) -> None:
    saved = scores("h.zh", "--references", "r.zh")
    out, err = capfd.readouterr()
    assert out.startswith("h.zh\n  sentences = 3; references = 3;")
    assert "tok:zh" in out
    assert err == ""
    assert (saved["target"], saved["references"], saved["differences"]) == ("zh", ["r.zh"], [])


def test_the_formats_hold_the_same_text() -> None:
    plain = scores("h.zh", "--references", "r.zh")["systems"][0]
    for hypotheses, references in (("t.xml:Bad", "t.xml:refA"), ("h.zh", "t.tsv:2"), ("t.xml:Bad", "r.zh")):
        other = scores(hypotheses, "--references", references)["systems"][0]
        assert {**other, "system": "h.zh"} == plain


def test_a_whole_xml_file_is_all_its_systems_and_references(capfd: pytest.CaptureFixture[str]) -> None:
    saved = scores("t.xml", "--references", "t.xml")
    assert saved["references"] == ["t.xml:refA", "t.xml:refB"]
    assert [(one["system"], one["references"]) for one in saved["systems"]] == [("t.xml:Good", 4), ("t.xml:Bad", 4)]
    assert saved["systems"][0]["bleu"]["score"] == pytest.approx(100.0)
    out = capfd.readouterr().out
    table = out[out.index("\nsystem") :].split("\n")
    assert [line.split()[0] for line in table[2:4]] == ["t.xml:Good", "t.xml:Bad"]  # the best first
    assert "t.xml:Bad v t.xml:Good: BLEU -" in out
    assert [one["metric"] for one in saved["differences"]] == ["BLEU", "chrF2"]


def test_the_source_of_an_xml_file() -> None:
    from nmt.cli.testsets import source

    assert source("t.xml") == source("t.tsv:1") == ["I like cats.", "He ran home.", "We eat rice & fish."]


def test_randomisation_and_ter(capfd: pytest.CaptureFixture[str]) -> None:
    saved = scores("t.xml", "--references", "r.zh", "--test", "randomisation", "--ter")
    assert "ar:10000" in saved["differences"][0]["signature"]
    assert "asian:yes" in saved["systems"][0]["ter"]["signature"]
    assert saved["systems"][0]["ter"]["score"] == 0.0
    out = capfd.readouterr().out
    assert "\n  TER = " in out
    assert "TER (lower is better)" in out


def test_another_tokeniser_is_forced_and_marked(capfd: pytest.CaptureFixture[str]) -> None:
    saved = scores("h.zh", "--references", "r.zh", "--force-tokenize", "13a")
    assert saved["systems"][0]["bleu"]["name"] == "BLEU (13a, not zh)"
    assert "\n  BLEU (13a, not zh) = 0.00" in capfd.readouterr().out
    saved = scores("h.zh", "--references", "r.zh", "--force-tokenize", "zh")
    assert "name" not in saved["systems"][0]["bleu"]


def test_a_page_with_sources(capfd: pytest.CaptureFixture[str]) -> None:
    saved = scores("t.xml", "--references", "t.xml", "--source", "t.xml", "--report", "new/page.html")
    page = Path("new/page.html").read_text(encoding="utf-8")
    assert "We eat rice &amp; fish." in page
    assert "t.xml:Bad beside t.xml:Good" in page
    assert saved["systems"][1]["failures"]["by_length"][0]["name"] == "1-5"
    assert "suspect lines: 0" in capfd.readouterr().out


def test_the_language_is_seen_or_said() -> None:
    Path("r.en").write_text("I like cats.\nHe ran home.\nWe eat rice.\n")
    assert "tok:13a" in scores("r.en", "--references", "r.en")["systems"][0]["bleu"]["signature"]
    assert "tok:zh" in scores("r.en", "--references", "r.en", "--target", "zh")["systems"][0]["bleu"]["signature"]


def test_a_doubt_is_shown_and_kept(capfd: pytest.CaptureFixture[str]) -> None:
    Path("h.zh").write_text("我们吃米饭和鱼。\n我喜欢狗。\n猫。\n", encoding="utf-8")
    saved = scores("h.zh", "--references", "r.zh", "--force-tokenize", "none")
    assert saved["systems"][0]["doubts"]
    assert "\n  WARNING: BLEU (none, not zh) is under 3" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t.xml:Best"], "t.xml holds no 'Best'; it holds: src, refA, Good, Bad, refB"),
        (["t.tsv"], "t.tsv is a TSV: say which column, counted from 1, such as t.tsv:2"),
        (["t.tsv:3"], "t.tsv:1: there is no column 3, but 2 columns"),
        (["h.zh:2"], "h.zh:2: only the columns of a .tsv and the parts of a .xml file have names after a colon"),
        (["h.zh", "h.zh"], "h.zh is given twice"),
        (["short.zh"], "r.zh has 3 lines, but short.zh has 1"),
        (["broken.xml"], "broken.xml is not XML: "),
        (["t.xml:refB"], "t.xml:refB has nothing for sentence 1"),
        (["h.zh", "--output", "full"], "full is not empty and holds no scores.json"),
        (["h.zh", "--output", "r.zh"], "r.zh is a file"),
    ],
)
def test_what_can_not_be_read(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("short.zh").write_text("我\n", encoding="utf-8")
    Path("broken.xml").write_text("<a>", encoding="utf-8")
    Path("full").mkdir()
    Path("full/mine.txt").touch()
    assert main(["evaluate", "--references", "r.zh", "--hypotheses", *arguments]) == 1
    assert capfd.readouterr().err.startswith(f"nmt evaluate: {message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hypotheses", "h.zh"], "--hypotheses needs --references"),
        (["--hypotheses", "h.zh", "--references", "r.zh", "--model", "m"], "--model, --data and --split do not go"),
        (["--references", "r.zh"], "give --model DIR and --output DIR, or --hypotheses"),
        (["--model", "m", "--output", "o", "--target", "zh"], "need --hypotheses"),
    ],
)
def test_flags_that_do_not_go_together(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", *arguments])
    assert stopped.value.code == 2
    assert message in capfd.readouterr().err
