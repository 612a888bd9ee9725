"""Units, numbers and the page as text; what it does in a browser is in `test_browser.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pages import HTML, example

from nmt.cli.main import main
from nmt.view.page import page


def test_a_piece_of_two_characters_is_parted_between_them() -> None:
    units = example()["predicted"]["units"]
    assert [(unit["text"], unit["parts"]) for unit in units["word"]] == [
        ("它", [[0, 0.5]]), ("的", [[0, 0.5]]), ("用", [[1, 1.0]]), ("</s>", [[2, 1.0]]),
    ]  # fmt: skip
    assert [unit["text"] for unit in units["piece"]] == ["它的", "用", "</s>"]


def test_every_piece_is_shared_out_whole_in_every_unit() -> None:
    made = example()
    for side in (made["source"], made["written"], made["predicted"]):
        for units in side["units"].values():
            shares = dict.fromkeys(range(len(side["pieces"])), 0.0)
            for unit in units:
                for piece, share in unit["parts"]:
                    shares[piece] += share
            assert list(shares.values()) == pytest.approx([1.0] * len(side["pieces"]))


def test_what_is_hidden_is_null_and_values_are_cut() -> None:
    head = example()["attentions"][1]["heads"][0]
    assert head["scores"][0] == [None, 0.5, 0.5]
    assert head["values"][0] == [1.0, 1.0, 1.0]


def test_no_sentence_ends_the_block_of_numbers() -> None:
    text = page({"model": "m", "sentences": [example(HTML)]})
    assert text.count("</script>") == 2  # of the block and of the page's own script
    [block] = re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(block)["sentences"][0]["source"]["text"] == HTML


def test_the_page_names_no_other_file() -> None:
    text = page({"model": "m", "sentences": [example()]})
    assert not re.findall(r"(?:src|href)=[\"']|@import|url\(|fetch\(|{{", text)
    assert "default-src 'none'" in text


def test_the_verb_writes_pairs_and_own_translations(model_folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "new" / "page.html"
    lines = ["I like tea.\t我喜欢茶。", "I like tea."]
    assert (
        main(["view", "--model", str(model_folder), "--device", "cpu", "--text", *lines, "--output", str(output)]) == 0
    )
    [block] = re.findall(r'id="data">(.*?)</script>', output.read_text(encoding="utf-8"), re.DOTALL)
    assert [(each["own"], each["source"]["text"]) for each in json.loads(block)["sentences"]] == [
        (False, "I like tea."), (True, "I like tea."),
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["\t我", "a\t", "a\tb\tc"])
def test_a_line_that_is_no_pair_is_named(line: str, tmp_path: Path, capsys) -> None:
    assert main(["view", "--model", "m", "--text", "fine", line, "--output", str(tmp_path / "page.html")]) == 1
    assert "line 2: expected a sentence or `source TAB target`" in capsys.readouterr().err
