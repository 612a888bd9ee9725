"""The units that a person sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.align.units import words
from nmt.errors import ConfigError


def units(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in words(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know.", ["I", "don't", "know", "."]),
        ("He said: “It’s 3.14!”", ["He", "said", ":", "“", "It’s", "3.14", "!", "”"]),
        ("the 1990s, 3rd of 1,000", ["the", "1990s", ",", "3rd", "of", "1,000"]),
        ("well-known (naïve) dogs'", ["well", "-", "known", "(", "naïve", ")", "dogs", "'"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("Wait... what?!", ["Wait", "...", "what", "?", "!"]),
        ("snake_case", ["snake", "_", "case"]),
        ("say 你好 now", ["say", "你", "好", "now"]),
        ("", []),
    ],
)
def test_english(text: str, expected: list[str]) -> None:
    assert units(text, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我爱你，真的！", ["我", "爱", "你", "，", "真", "的", "！"]),
        ("用Python3写2023年的", ["用", "Python", "3", "写", "2023", "年", "的"]),
        ("等等……他——走了", ["等", "等", "……", "他", "——", "走", "了"]),
        ("涨了3.5%，约1,000元", ["涨", "了", "3.5", "%", "，", "约", "1,000", "元"]),
        ("我 爱 New York", ["我", "爱", "New", "York"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("", []),
    ],
)
def test_chinese(text: str, expected: list[str]) -> None:
    assert units(text, "zh") == expected


@pytest.mark.parametrize("language", ["en", "zh"])
@given(text=st.text(max_size=40))
def test_every_character_but_spaces_is_in_one_unit(language: str, text: str) -> None:
    covered = [place for start, end in words(text, language) for place in range(start, end)]
    assert covered == [place for place, char in enumerate(text) if not char.isspace()]


def test_unknown_language() -> None:
    with pytest.raises(ConfigError, match="'de', but it must be one of: en, zh"):
        words("x", "de")
