"""Where an output fails: groups, rare words, numbers, and the lines that a person should look at."""

from __future__ import annotations

import pytest

from nmt.evaluate.failures import failures, summary
from nmt.evaluate.suspects import chinese_number, digits_missing, loops, numbers, suspects

SOURCES = ["I have 3 cats.", "He ran home.", "It cost 1,500 yuan.", "We all like to eat fish and rice at home."]
REFERENCES = [["我有三只猫。", "他跑回家了。", "它花了1500元。", "我们都喜欢在家里吃鱼和米饭。"]]
OUTPUT = ["我有3只猫。", "", "它花了1000元。", "We all like to eat fish and rice at home."]


def test_groups_and_bands() -> None:
    found = failures(OUTPUT, REFERENCES, target_language="zh", sources=SOURCES)
    assert [(group.name, group.sentences) for group in found.by_length] == [("1-5", 3), ("6-10", 1)]
    assert found.by_length[0].bleu > found.by_length[1].bleu
    # 我, 了 and 家 stand twice in the references; the first two were found once each.
    assert {band.name: (band.words, band.found) for band in found.by_frequency}["2-5"] == (6, 2)
    assert sum(band.words for band in found.by_frequency) == 5 + 5 + 5 + 13
    assert sum(band.found for band in found.by_frequency) == 4 + 4
    assert (found.with_numbers, found.numbers_right) == (2, 1)
    assert found.marks["。"] == (2, 4)
    assert found.marks["."] == (1, 0)
    assert found.worst[0] in (2, 4)
    assert found.best[0] in (1, 3)
    assert found.sentence_chrf[1] == 0.0


def test_suspects() -> None:
    found = suspects(OUTPUT, REFERENCES, target_language="zh", sources=SOURCES)
    assert [(one.line, one.reasons) for one in found] == [(2, ("empty",)), (3, ("number",)), (4, ("untranslated",))]
    assert suspects(REFERENCES[0], REFERENCES, target_language="zh", sources=SOURCES) == []


@pytest.mark.parametrize(
    ("output", "reference", "language", "reason"),
    [
        ("好好好好好好好好好好", "今天天气很好，我们去公园吧", "zh", "loop"),
        ("the the the the the cat", "the cat sat", "en", "loop"),
        ("The weather is fine", "天气很好啊", "zh", "wrong language"),
        ("天气很好", "The weather is fine", "en", "wrong language"),
        ("我們學習漢語", "我们学习汉语", "zh", "wrong script"),
        ("他有十本书", "他有12本书", "zh", "number"),
        ("我", "我们昨天下午在学校里学习汉语", "zh", "length"),
        ("one two " + "a b c d e f g h i j k", "one", "en", "length"),
    ],
)
def test_each_reason(output: str, reference: str, language: str, reason: str) -> None:
    others = ["我们学习汉语，这辆车很贵。" if language == "zh" else "We learn."] * 3
    found = suspects([*others, output], [[*others, reference]], target_language=language)
    assert [(one.line, reason in one.reasons) for one in found] == [(4, True)]


def test_what_the_reference_does_is_no_fault() -> None:
    laughter = ["哈哈哈哈哈哈"]
    assert suspects(laughter, [laughter], target_language="zh") == []
    assert (
        suspects(["很短"], [["一二三四五六七八九十一二三四"], ["短"]], target_language="zh") == []
    )  # one of them is short


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("三千零五", 3005),
        ("二〇一九", 2019),
        ("十万", 100_000),
        ("两百一十三", 213),
        ("一亿二千万", 120_000_000),
        ("十", 10),
        ("两万亿", 2 * 10**12),
    ],
)
def test_chinese_numbers(numeral: str, value: int) -> None:
    assert chinese_number(numeral) == value


def test_numbers() -> None:
    assert numbers("３,000 and 2.5, 十二, Twenty") == {"3000", "2.5", "12", "20"}
    assert digits_missing("5 of 1,000 in 2019", "一千个中的五个") == ["2019"]
    assert digits_missing("no number", "") == []


def test_loops() -> None:
    assert loops("a b a b a b a b")
    assert not loops("a b a b a b c")
    assert not loops("")


def test_summary() -> None:
    lines = summary(failures(OUTPUT, REFERENCES, target_language="zh", sources=SOURCES))
    assert lines[0].startswith("BLEU by length (sentences): 1-5: ")
    assert lines[2] == "numbers right: 1 of 2 sentences that have some"
    assert lines[3] == "suspect lines: 3 (1 empty, 1 number, 1 untranslated)"
