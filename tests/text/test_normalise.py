import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nmt.errors import ConfigError
from nmt.text.normalise import normalise, restore, tidy

TIDY = [
    ("a\tb\u00a0c\u3000d\u2009e", "a b c d e"),
    ("a\nb\rc\r\nd\u2028e\u2029f\u0085g\x0bh\x0ci\x1cj", "a b c d e f g h i j"),
    ("  a   b  ", "a b"),
    ("\ufeffsoft\u00adhy\u200bphen\u200d\u2060", "softhyphen"),
    ("a\x00b\x7fc", "a b c"),
    ("cafe\u0301", "café"),
    ("\u2581the\u2581house", "_the_house"),
    ("\uf900", "豈"),
    ("①㎏ﬁ", "①㎏ﬁ"),  # NFC, not NFKC
    ("\u200b \u3000", ""),
]
CHINESE = [
    ("ＡＢＣ１２３号", "ABC123号"),
    ("，。！？：；（）《》“”、……——「」", "，。！？：；（）《》“”、……——「」"),
    ("他说｢早上好｣､走了｡", "他说「早上好」、走了。"),
    ("等等,你确定吗?确定;对!", "等等，你确定吗？确定；对！"),
    ("时间:12:30", "时间：12:30"),
    ("真的吗?!好。", "真的吗？！好。"),
    ("你喜欢吗 ?", "你喜欢吗？"),
    ("我知道.", "我知道。"),
    ("他说“我知道.”", "他说“我知道。”"),
    ("用.art文件", "用.art文件"),
    ("约翰.史密斯", "约翰.史密斯"),
    ("我不知道...", "我不知道..."),
    ("3,000,000.99元", "3,000,000.99元"),
    ("8:40下班", "8:40下班"),
    ("Kate, 坐吧。", "Kate, 坐吧。"),
    ("见https://例.cn/a?b=1,c 好", "见https://例.cn/a?b=1,c 好"),
    ("看 https://a.cn/?q=1,2。", "看 https://a.cn/?q=1,2。"),
    ("代码`打印,x`好", "代码`打印,x`好"),
    ("好:)", "好:)"),
    ("你 好 ， 世 界 。", "你好，世界。"),
    ("“ 你好 ” ，他说", "“你好”，他说"),
    ("我 叫 Tom Smith", "我叫 Tom Smith".replace("我叫 ", "我叫 ")),
    ("他说 “hello world” 了", "他说“hello world”了"),
    ("𠀀 𠮷", "𠀀𠮷"),
]
ENGLISH = [
    ("“It’s” ‘fine’", "\"It's\" 'fine'"),
    ("Ｈｅｌｌｏ，　ｗｏｒｌｄ！", "Hello, world!"),
    ("Wait…", "Wait..."),
    ("①, 你好。 — naïve", "①, 你好。 — naïve"),
    ("Hello , world", "Hello , world"),
]
RESTORED = [
    ("zh", "", ""),
    ("zh", " 我 是 学 生 。 ", "我是学生。"),
    ("zh", "你好,世界!", "你好，世界！"),
    ("zh", "Tom,你好!", "Tom，你好！"),
    ("zh", "汤姆(Tom)来了", "汤姆（Tom）来了"),
    ("zh", "f(中)=3.5,1:2", "f(中)=3.5,1:2"),
    ("zh", "说 Hello world 吧", "说 Hello world 吧"),
    ("zh", "iPhone手机有2个", "iPhone手机有2个"),
    ("zh", "10:30开会,去https://a.cn/b?c=d吗?", "10:30开会，去https://a.cn/b?c=d吗？"),
    ("zh", "一行\n两行", "一行两行"),
    ("en", "", ""),
    ("en", " Hello , world ! ", "Hello, world!"),
    ("en", 'He said : " Yes . "', 'He said: " Yes. "'),
    ("en", "Really ?! Yes .", "Really?! Yes."),
    ("en", "wait ... what", "wait ... what"),
    ("en", "nice :)", "nice :)"),
    ("en", "3.5 , 1,000 and .net", "3.5, 1,000 and .net"),
    ("en", "two\nlines", "two lines"),
]

awkward = st.lists(
    st.sampled_from(
        [
            *"你好ab1,.!?:;()\"'`。，！“”…—「」（） \u3000\u200b\u00a0\n-Ｄ３/=\u0301\u0338\u2581",
            "https://",
            "...",
            "?!",
        ]
    )
    | st.characters(),
    max_size=24,
).map("".join)


@pytest.mark.parametrize(("text", "expected"), TIDY)
def test_tidy_cleans_spaces_and_what_can_not_be_seen(text, expected):
    assert tidy(text) == expected


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("text", "expected"), [case for case in TIDY if case[0].isascii()])
def test_both_languages_tidy(text, expected, language):
    assert normalise(text, language) == expected


@pytest.mark.parametrize(("text", "expected"), CHINESE)
def test_chinese_punctuation_is_full_width_and_letters_are_ascii(text, expected):
    assert normalise(text, "zh") == expected


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_english_quotation_marks_are_ascii(text, expected):
    assert normalise(text, "en") == expected


@pytest.mark.parametrize(("language", "text", "expected"), RESTORED)
def test_restore_gives_a_line_for_people(language, text, expected):
    assert restore(text, language) == expected


@pytest.mark.parametrize("language", ["en", "zh"])
@given(text=awkward)
@example(text="＝\u0338")
@example(text="Ａ\u0301")
@example(text="好 . ”")
def test_normalise_is_idempotent_and_gives_one_clean_line(language, text):
    clean = normalise(text, language)
    assert normalise(clean, language) == clean
    assert len(clean.splitlines()) <= 1
    assert not re.search(r"[\u2581\u200b\ufeff\x00-\x1f]|  |^ | $", clean)


@pytest.mark.parametrize("language", ["en", "zh"])
@given(text=awkward)
def test_restore_is_idempotent_and_gives_one_line(language, text):
    line = restore(text, language)
    assert restore(line, language) == line
    assert len(line.splitlines()) <= 1


def test_half_a_surrogate_pair_is_removed():
    assert normalise("a\ud800b", "en") == "ab"


def test_an_unknown_language_is_named():
    with pytest.raises(ConfigError, match="no rules for the language 'de'"):
        normalise("Hallo", "de")
