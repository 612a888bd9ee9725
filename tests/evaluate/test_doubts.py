"""What a person is warned of: each warning on text that earns it, and none on text that does not."""

from __future__ import annotations

import pytest

from nmt.evaluate.doubts import ascii_share, doubts, han_share, script
from nmt.evaluate.metrics import bleu

SIMPLIFIED = ["我们学习汉语，他们学习英语。", "这辆车很贵，但是很漂亮！", "请问图书馆在哪里？"]
TRADITIONAL = ["我們學習漢語，他們學習英語。", "這輛車很貴，但是很漂亮！", "請問圖書館在哪裡？"]
NARROW = [line.translate(str.maketrans("，！？", ",!?")) for line in SIMPLIFIED]
ENGLISH = ["We learn Chinese and they learn English.", "This car is nice!", "Where is the library?"]


def warnings(output: list[str], reference: list[str], language: str = "zh") -> list[str]:
    score = bleu(output, [reference], target_language=language)
    return list(doubts(output, [reference], target_language=language, bleu_score=score))


def test_no_doubt() -> None:
    assert warnings(SIMPLIFIED, SIMPLIFIED) == []
    assert warnings(TRADITIONAL, TRADITIONAL) == []
    assert warnings(NARROW, NARROW) == []  # the references are written so as well
    assert warnings(ENGLISH, ENGLISH, "en") == []


def test_the_other_script() -> None:
    found = warnings(TRADITIONAL, SIMPLIFIED)
    assert len(found) == 1
    assert found[0].startswith("the output is in traditional script, but the references are in simplified")
    assert warnings(SIMPLIFIED, TRADITIONAL)[0].startswith("the output is in simplified script")


def test_ascii_punctuation_and_what_it_costs() -> None:
    found = warnings(NARROW, SIMPLIFIED)
    score = bleu(NARROW, [SIMPLIFIED], target_language="zh").value
    assert found == [
        "80% of the output's punctuation after Han characters is ASCII (0% in the references): with full-width marks "
        f"BLEU would be 100.0 instead of {score:.1f}"
    ]


def test_nearly_no_bleu() -> None:
    found = warnings(SIMPLIFIED[1:] + SIMPLIFIED[:1], SIMPLIFIED)
    assert [text.partition(",")[0] for text in found] == ["BLEU is under 3"]


def test_another_language() -> None:
    found = warnings(ENGLISH, SIMPLIFIED)
    assert found[0].startswith("0% of the output's letters are Han characters, but 100% of the references'")
    assert warnings(SIMPLIFIED, ENGLISH, "en")[0].startswith("100% of the output's letters are Han")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (SIMPLIFIED, "simplified"),
        (TRADITIONAL, "traditional"),
        (SIMPLIFIED + TRADITIONAL, "mixed"),
        (["我是人，你也是人。"], None),  # alike in both
        (ENGLISH, None),
    ],
)
def test_script(lines: list[str], expected: str | None) -> None:
    assert script(lines) == expected


def test_shares() -> None:
    assert ascii_share(["好,真的 3,5 a,b 好。"]) == 0.5  # only marks after a Han character count
    assert ascii_share([]) == han_share(["12 ."]) == 0.0
    assert han_share(["好ab"]) == pytest.approx(1 / 3)
