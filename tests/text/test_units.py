import pytest

from nmt.text.units import count_units, is_han, units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("，。！？（）《》“”…—", []),
        (" .,!?-* ", []),
        ("你好，世界！", ["你", "好", "世", "界"]),
        ("Hello, world!", ["Hello", "world"]),
        ("I don't know; it’s 5.", ["I", "don't", "know", "it’s", "5"]),
        ("我有3本book", ["我", "有", "3", "本", "book"]),
        ("2024年10月", ["2024", "年", "10", "月"]),
        ("A4纸", ["A", "4", "纸"]),
        ("café crème", ["café", "crème"]),
        ("cafe\u0301 cre\u0300me", ["cafe\u0301", "cre\u0300me"]),
        ("snake_case", ["snake", "case"]),
        ("３本ＡＢＣ", ["３", "本", "ＡＢＣ"]),
        ("人人々〇", ["人", "人", "々", "〇"]),
        ("𠀀𠮷\U00030000\U000323af豈", ["𠀀", "𠮷", "\U00030000", "\U000323af", "豈"]),
        ("😂🎉", []),
    ],
)
def test_units_are_han_characters_words_and_runs_of_digits(text, expected):
    assert units(text) == expected
    assert count_units(text) == len(expected)


@pytest.mark.parametrize(
    "char", ["一", "鿿", "㐀", "𠀀", "\U0002b740", "\U0002ebf0", "\U00030000", "\U000323af", "\uf900"]
)
def test_every_block_of_han_characters_is_han(char):
    assert is_han(char)


@pytest.mark.parametrize("char", ["", "a", "1", "，", "。", "あ", "한", "😂", "一一"])
def test_nothing_else_is_han(char):
    assert not is_han(char)
