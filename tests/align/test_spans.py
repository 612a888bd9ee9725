"""Spans are exact for real SentencePiece models, English (dummy prefix) and Chinese (none)."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.align.spans import SPACE, spans
from nmt.errors import DataError
from nmt.text.tokenizer import CONTROLS, Tokenizer, learn

LINES = {
    "en": [
        "I have always wanted to study in Beijing.",
        "He has 3 dogs and 2 cats, don't you know?",
        "It is 5 o'clock.",
    ],
    "zh": ["我一直想在北京学习。", "他有3只狗和2只猫，你不知道吗？", "我在用Python写程序，今天是2023年。"],
}


@cache
def model(language: str) -> Tokenizer:
    """Learnt from so few lines that most characters in the world are spelt in bytes."""
    return learn(LINES[language] * 3, language=language, vocab_size=330, coverage=0.98, algorithm="unigram", seed=1)


def pieces_of(language: str, text: str) -> list[str]:
    return model(language).pieces(model(language).encode([text])[0])


def normalised(text: str) -> str:
    """No space at the ends, single ones inside; U+2581 is SentencePiece's own space."""
    return re.sub(" +", " ", text.replace(SPACE, "")).strip(" ")


TEXTS = st.text(
    st.one_of(
        st.sampled_from("Ihave to study. 0123我想在北京学习，。？龘𠮷😀é"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"),
    ),
    max_size=30,
).map(normalised)


@pytest.mark.parametrize("language", ["en", "zh"])
@given(text=TEXTS)
@settings(max_examples=200, deadline=None)
def test_each_piece_has_its_characters(language: str, text: str) -> None:
    pieces = pieces_of(language, text)
    found = spans(pieces, text)
    assert len(found) == len(pieces)
    end = 0
    for piece, span in zip(pieces, found, strict=True):
        if piece.startswith("<0x") and len(piece) == 6:
            character = text[span[0] : span[1]]
            assert len(character) == 1
            assert bytes([int(piece[3:5], 16)]) in (SPACE if character == " " else character).encode()
            assert span[0] == end or span[1] == end  # the next character, or another byte of this one
        else:
            assert text[span[0] : span[1]] in (piece.replace(SPACE, " "), piece.replace(SPACE, " ")[1:])
            assert span[0] == end
        end = span[1]
    assert end == len(text)


@pytest.mark.parametrize("language", ["en", "zh"])
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_whatever_a_model_writes(language: str, data: st.DataObject) -> None:
    tokenizer = model(language)
    ids = data.draw(st.lists(st.integers(CONTROLS, len(tokenizer) - 1), max_size=20))
    pieces, text = tokenizer.pieces(ids), tokenizer.decode(ids)
    for written in (text, text.strip(" ")):
        found = spans(pieces, written)
        assert len(found) == len(pieces)
        assert [start for start, _ in found] == sorted(start for start, _ in found)
        assert {place for start, stop in found for place in range(start, stop)} == set(range(len(written)))


def test_english_has_a_space_that_is_not_there() -> None:
    assert spans(["▁I", "▁", "have", "▁it"], "I have it") == [(0, 1), (1, 2), (2, 6), (6, 9)]
    assert spans(["▁", "I"], "I") == [(0, 0), (0, 1)]


def test_chinese_has_none() -> None:
    assert spans(["我", "用", "▁Py", "thon"], "我用 Python") == [(0, 1), (1, 2), (2, 5), (5, 9)]


def test_bytes_of_one_character_share_its_span() -> None:
    pieces = ["我", "<0xE9>", "<0xBE>", "<0x98>", "<0xF0>", "<0xA0>", "<0xAE>", "<0xB7>", "。"]
    assert spans(pieces, "我龘𠮷。") == [(0, 1), *[(1, 2)] * 3, *[(2, 3)] * 4, (3, 4)]


def test_bytes_that_are_no_character() -> None:
    assert spans(["<0xE9>", "<0xBE>", "a", "<0x98>"], "\ufffd\ufffda\ufffd") == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_text_that_looks_like_a_byte() -> None:
    text = "<0x41> <s>"
    pieces = pieces_of("en", text)
    assert spans(pieces, text)[-1][1] == len(text)


def test_nothing() -> None:
    assert spans([], "") == []


@pytest.mark.parametrize("text", ["我爱猫", "我爱狗。", "", "狗我爱"])
def test_another_text(text: str) -> None:
    with pytest.raises(DataError, match="the pieces do not spell the text"):
        spans(["我", "爱", "狗"], text)
