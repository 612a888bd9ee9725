from pathlib import Path

import pytest

from nmt.config import CleanConfig
from nmt.data.clean import EXAMPLES, Cleaned, check_extras, clean
from nmt.data.corpus import Pair, read_tsv
from nmt.data.table import batches
from nmt.errors import ConfigError, DataError

SAMPLE = Path(__file__).parents[2] / "data" / "sample.tsv"
HUMAN = Path(__file__).parents[3] / "shared" / "data" / "test"


def cleaned(*pairs: tuple[str, str], **settings) -> Cleaned:
    numbered = (Pair(*pair, line) for line, pair in enumerate(pairs, start=1))
    return clean(batches(numbered), CleanConfig(**settings))


def reasons(*pairs: tuple[str, str], **settings) -> dict[str, int]:
    result = cleaned(*pairs, **settings)
    counts = {name: entry.count for name, entry in result.dropped.items() if entry.count}
    assert len(result.pairs) + sum(counts.values()) == len(pairs)
    return counts


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("你好吗", "你好吗？", "identical sides"),
        ("Windows Pro", "windows pro.", "identical sides"),
        ("12:30", "现在十二点半。", "few letters"),
        ("Hello.", "...", "few letters"),
        ("42", "42", "few letters"),
        ("😂", "😂", "few letters"),
        ("(%) [-50 to 100]:", "(%) [-50 到 100]：", "few letters"),
        ("<b>12</b>", "<b>十二</b>", "few letters"),
        ("See https://example.com/a/long/address/of/a/page.", "https://example.com/a/long/address", "few letters"),
        ("Windows 11 Pro", "Windows 11 Professional", "not Han"),
        ("git hash-object -t -w --stdin", "git hash-object -t 类 -w --stdin", "not Han"),
        ("我叫Tom和他是好朋友", "我叫Tom和他。", "not Latin"),
        ("Меня зовут Том.", "我叫汤姆。", "not Latin"),
        ("My name is Tom.", "わたしはトムといいます", "not Han"),
        ("word " * 201, "字" * 200, "too long"),
        ("word " * 100, "字" * 201, "too long"),
        ("a" * 2001, "字", "too long"),
        ("one two three four five six seven", "字", "unequal lengths"),
        ("Hi", "字" * 7, "unequal lengths"),
        ("no no no no no no no no no", "不要啊我们已经说过了", "repeated"),
        ("That is very, very funny, you know.", "哈哈哈哈哈哈哈哈哈哈", "repeated"),
        ("A <b>bold</b> word", "一个粗体的词", "markup"),
        ("Tom &amp; Jerry", "汤姆和杰瑞", "markup"),
        ("See www.example.com for it.", "请看网站上的说明。", "web addresses"),
        ("The caf\ufffd is open.", "咖啡馆开着。", "lost characters"),
        ("The café is open.", "锟斤拷咖啡馆开着。", "lost characters"),
    ],
)
def test_each_rule_names_its_reason(source, target, reason):
    assert reasons((source, target)) == {reason: 1}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Hi", "字" * 6),  # four for one, and two more
        ("one two three four five six", "字"),  # one for two, and two fewer
        ("Tom bought an iPhone.", "Tom买了iPhone。"),
        ("The word 好 means good.", "好这个字的意思是good。"),
        (
            " ".join(f"word{i}" for i in range(100)),
            "".join(map(chr, range(0x4E00, 0x4E00 + 200))),
        ),  # as long as allowed
        ("no, no, no", "不，不，不"),
        ("A <b>bold</b> word &amp; more", "一个<b>粗体</b>的词&amp;更多"),
        ("See https://example.com/en/a for it.", "请看 https://example.com/zh/b 。"),
        ("if a < b and c > d, then stop", "如果a<b而且c>d，就停止"),
        ("R&D; it is expensive", "研发；它很贵"),
        ("In 2024, 35% of 1,200 people agreed.", "2024年，1200人中有35%同意。"),
    ],
)
def test_a_pair_that_may_be_right_is_kept(source, target):
    assert reasons((source, target)) == {}


@pytest.mark.parametrize(
    ("pair", "settings", "reason"),
    [
        (("one two three", "一二三"), {"max_units": 2}, "too long"),
        (("one two three", "一二三"), {"max_characters": 12}, "too long"),
        (("one two", "一二"), {"min_units": 3}, "too short"),
        (("one two three", "一二三四五六"), {"max_ratio": 1.0}, "unequal lengths"),
        (("one two three four", "一"), {"min_ratio": 1.0}, "unequal lengths"),
        (("Room 12", "12号"), {"min_letters": 0.7}, "few letters"),
        (("The word 好 means good.", "好的意思"), {"min_latin": 0.95}, "not Latin"),
        (("Tom bought an iPhone.", "Tom买了iPhone。"), {"min_han": 0.6}, "not Han"),
        (("no, no, no, no, no, I said, no", "不，不，不，不，不，我说过了，不"), {"max_repeated": 0}, "repeated"),
        (("A <b>bold</b> word", "一个<b>粗体</b>的词"), {"markup": "none"}, "markup"),
        (("See www.example.com for it.", "请看 www.example.com 。"), {"urls": "none"}, "web addresses"),
    ],
)
def test_settings_reach_their_rules(pair, settings, reason):
    assert reasons(pair) == {}
    assert reasons(pair, **settings) == {reason: 1}


@pytest.mark.parametrize(
    ("pair", "settings"),
    [
        (("好", "好"), {"identical": False, "min_latin": 0}),
        (("A <b>bold</b> word", "一个粗体的词"), {"markup": "any"}),
        (("See www.example.com for it.", "请看网站上的说明。"), {"urls": "any"}),
        (("no no no no no no no no no", "不要啊我们已经说过了"), {"max_repeated": 1}),
    ],
)
def test_rules_can_be_switched_off(pair, settings):
    assert reasons(pair) != {}
    assert reasons(pair, **settings) == {}


def test_impossible_settings_are_named():
    with pytest.raises(ConfigError, match=r"clean\.markup is 'some', but it must be one of: none, equal, any"):
        CleanConfig(markup="some")
    with pytest.raises(ConfigError, match=r"clean\.min_han must be from 0 to 1, but it is 2"):
        CleanConfig(min_han=2)
    with pytest.raises(ConfigError, match="min_units is greater"):
        CleanConfig(min_units=300)


def test_the_first_examples_are_kept_and_the_order_of_the_rest():
    result = cleaned(*[("Same.", "字" * 20)] * 9, ("Other.", "别的。"))
    assert [pair.line for pair in result.pairs] == [10]
    assert result.dropped["unequal lengths"].count == 9
    assert [pair.line for pair in result.dropped["unequal lengths"].examples] == list(range(1, 1 + EXAMPLES))


def test_several_processes_give_what_one_gives():
    pairs = [(f"Sentence number {n} <b>.", f"第{n}句。" if n % 3 else f"第{n}句<b>。") for n in range(20, 80)]
    numbered = [Pair(*pair, line) for line, pair in enumerate(pairs)]
    one, two = (clean(batches(numbered, 10), CleanConfig(), processes=number) for number in (1, 2))
    assert list(one.pairs) == list(two.pairs)
    assert one.dropped == two.dropped
    assert (len(one.pairs), one.dropped["markup"].count) == (20, 40)


# --- extras -----------------------------------------------------------------------------------------------------------


def test_broken_encodings_are_dropped_or_repaired():
    pytest.importorskip("ftfy")
    pairs = (
        ("I donâ€™t know him.", "我不认识他。"),
        ("How are you?", "浣犲ソ鍚楋紵"),
        ("The café is open.", "咖啡馆开着。"),
    )
    assert reasons(*pairs, mojibake="drop") == {"broken encoding": 2}
    mended = list(cleaned(*pairs, mojibake="repair").pairs)
    assert [(pair.source, pair.target) for pair in mended[:2]] == [
        ("I don't know him.", pairs[0][1]),
        ("How are you?", "你好吗？"),
    ]


def test_whole_sentences_in_another_language_are_dropped():
    pytest.importorskip("py3langid")
    german = "Das ist ein sehr schönes altes Haus am Rand der Stadt.", "这是城市边缘一座非常漂亮的老房子。"
    english = "This is a very beautiful old house at the edge of town.", german[1]
    assert reasons(german, english, ("Das Haus", "房子"), language=True) == {"another language": 1}
    assert reasons(german) == {}


def test_what_is_not_installed_is_named_before_any_work(monkeypatch):
    monkeypatch.setattr("nmt.data.clean.ftfy_available", lambda: False)
    monkeypatch.setattr("nmt.data.clean.langid_available", lambda: False)
    check_extras(CleanConfig())
    with pytest.raises(DataError, match=r"ftfy, which clean\.mojibake=drop needs; py3langid.*'nmt\[ftfy,langid\]'"):
        check_extras(CleanConfig(mojibake="drop", language=True))


# --- real text --------------------------------------------------------------------------------------------------------


def kept_share(path: Path, limit: int = 1000) -> float:
    pairs = list(read_tsv(path, source_column=1, target_column=2))[:limit]
    return len(clean(batches(pairs), CleanConfig(deduplicate=False)).pairs) / len(pairs)


def test_good_translations_are_kept():
    assert kept_share(SAMPLE) > 0.97


@pytest.mark.parametrize("name", ["wmt17.newstest2017", "test.flores101-devtest-en-zh", "test.wmt22.zh-en.refA"])
def test_clean_human_translations_are_kept(name, tmp_path):
    import lzma

    packed = HUMAN / f"{name}.tsv.xz"
    if not packed.is_file():
        pytest.skip("the test sets of ../shared are not here")
    (tmp_path / "pairs.tsv").write_bytes(lzma.decompress(packed.read_bytes()))
    assert kept_share(tmp_path / "pairs.tsv") >= 0.97
