from pathlib import Path

import pytest

from nmt.data.clean import EXAMPLES, clean, rules
from nmt.data.corpus import Pair, read_tsv
from nmt.text.normalise import normalise

SAMPLE = Path(__file__).parents[2] / "data" / "sample.tsv"


def chosen(*, max_units=200, min_ratio=0.5, max_ratio=4.0, deduplicate=True):
    return rules(max_units=max_units, min_ratio=min_ratio, max_ratio=max_ratio, deduplicate=deduplicate)


def reasons(*pairs: tuple[str, str], **settings) -> dict[str, int]:
    cleaned = clean([Pair(*pair, line) for line, pair in enumerate(pairs, start=1)], chosen(**settings))
    return {name: entry.count for name, entry in cleaned.dropped.items() if entry.count}


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("你好吗", "你好吗？", "no English"),
        ("12:30", "现在十二点半。", "no English"),
        ("Windows 11 Pro", "Windows 11 Pro", "no Chinese"),
        ("Hello.", "...", "no Chinese"),
        ("我叫Tom和他", "我叫Tom和他。", "untranslated"),
        ("word " * 201, "字" * 200, "too long"),
        ("word " * 100, "字" * 201, "too long"),
        ("one two three four five six seven", "字", "unequal lengths"),
        ("Hi", "字" * 7, "unequal lengths"),
    ],
)
def test_each_rule_names_its_reason(source, target, reason):
    assert reasons((source, target)) == {reason: 1}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Hi", "字" * 6),  # four for one, and two more
        ("one two three four five six", "字"),  # one for two, and two fewer
        ("42", "42"),
        ("😂", "😂"),
        ("Tom bought an iPhone.", "Tom买了iPhone。"),
        ("The word 好 means good.", "好这个字的意思是good。"),
        ("word " * 200, "字" * 200),
    ],
)
def test_a_pair_that_may_be_right_is_kept(source, target):
    assert reasons((source, target)) == {}


def test_only_pairs_equal_on_both_sides_are_duplicates():
    pairs = [("Hello.", "你好。"), ("Hello.", "您好。"), ("Hi.", "你好。"), ("Hello.", "你好。")]
    assert reasons(*pairs) == {"duplicate": 1}
    assert reasons(*pairs, deduplicate=False) == {}


def test_settings_reach_their_rules():
    assert reasons(("one two three", "一二三"), max_units=2) == {"too long": 1}
    assert reasons(("one two three", "一二三四五六"), max_ratio=1.0) == {"unequal lengths": 1}
    assert reasons(("one two three four", "一"), min_ratio=1.0) == {"unequal lengths": 1}


def test_the_first_examples_are_kept_and_the_order_of_the_rest():
    pairs = [Pair("Same.", "同样。", line) for line in range(1, 10)] + [Pair("Other.", "别的。", 10)]
    cleaned = clean(pairs, chosen())
    assert [pair.line for pair in cleaned.pairs] == [1, 10]
    assert cleaned.dropped["duplicate"].count == 8
    assert [pair.line for pair in cleaned.dropped["duplicate"].examples] == list(range(2, 2 + EXAMPLES))


def test_good_translations_are_kept():
    pairs = [
        Pair(normalise(pair.source, "en"), normalise(pair.target, "zh"), pair.line)
        for pair in read_tsv(SAMPLE, source_column=1, target_column=2)
    ]
    assert len(clean(pairs, chosen()).pairs) > 0.97 * len(pairs)
