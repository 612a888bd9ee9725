"""From hand-made matrices to links."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.align.links import Alignment, entropy, extract, pharaoh, read_pharaoh
from nmt.errors import ConfigError, DataError

ENGLISH = {"source_language": "en", "target_language": "zh"}


def align(weights, source, target, source_text, target_text, **more) -> Alignment:  # type: ignore[no-untyped-def]
    return extract(
        weights, source_pieces=source, target_pieces=target, source_text=source_text, target_text=target_text,
        **{**ENGLISH, **more},
    )  # fmt: skip


def test_worked_example() -> None:
    """`I love cats` -> `我爱猫`, with the end of sentence as the strongest of two rows, and `cats` in two pieces."""
    weights = [
        #  ▁I  ▁love ▁cat  s   end
        [0.30, 0.10, 0.00, 0.00, 0.60],  # 我
        [0.10, 0.20, 0.15, 0.05, 0.50],  # 爱
        [0.10, 0.30, 0.25, 0.25, 0.10],  # 猫
        [0.00, 0.00, 0.00, 0.00, 1.00],  # end
    ]
    found = align(weights, ["▁I", "▁love", "▁cat", "s"], ["我", "爱", "猫"], "I love cats", "我爱猫")
    assert found.source_units == ["I", "love", "cats"]
    assert found.target_units == ["我", "爱", "猫"]
    assert numpy.allclose(found.weights, [[0.75, 0.25, 0.0], [0.2, 0.4, 0.4], [1 / 9, 3 / 9, 5 / 9]])
    # In pieces, `▁love` (0.30) beats `▁cat` and `s` (0.25 each) for 猫; as a word, `cats` wins.
    assert found.links == [(0, 0), (1, 1), (2, 2)]
    assert pharaoh(found) == "0-0 1-1 2-2"


def test_bytes_and_lone_spaces_join_their_word() -> None:
    """`我 龘` spelt ▁ and three bytes; the rows of the target's pieces are averaged."""
    weights = [[0.5, 0.1, 0.1, 0.1, 0.1, 0.1], [0.1, 0.3, 0.2, 0.2, 0.1, 0.1], [0.2] * 5 + [0.0]]
    found = align(
        weights, ["我", "▁", "<0xE9>", "<0xBE>", "<0x98>"], ["▁", "A"], "我 龘", "A",
        source_language="zh", target_language="en",
    )  # fmt: skip
    assert (found.source_units, found.target_units) == (["我", "龘"], ["A"])
    assert numpy.allclose(found.weights, [[(5 / 9 + 1 / 9) / 2, (4 / 9 + 8 / 9) / 2]])


def test_a_piece_of_several_words_is_shared() -> None:
    weights = [[0.4, 0.6, 0.0], [0.8, 0.2, 0.0], [0.0, 0.0, 1.0]]
    found = align(weights, ["▁we", "▁eat"], ["我们", "吃"], "we eat", "我们吃")
    assert found.target_units == ["我", "们", "吃"]
    assert numpy.allclose(found.weights, [[0.4, 0.6], [0.4, 0.6], [0.8, 0.2]])
    back = align(
        [[0.4, 0.6, 0.0], [0.0, 0.0, 1.0]], ["我们", "吃"], ["▁we"], "我们吃", "we",
        source_language="zh", target_language="en",
    )  # fmt: skip
    assert numpy.allclose(back.weights, [[0.2, 0.2, 0.6]])


def test_copying_gives_the_diagonal() -> None:
    size = 7
    weights = numpy.eye(size + 1, dtype=numpy.float32) * 0.9 + 0.1 / (size + 1)
    letters = list("abcdefg")
    pieces = ["▁" + letter for letter in letters]
    found = align(weights, pieces, pieces, " ".join(letters), " ".join(letters), target_language="en")
    assert found.links == [(place, place) for place in range(size)]
    assert all(type(weight) is float for row in found.weights for weight in row)


def test_pieces_as_units() -> None:
    weights = [[0.1, 0.2, 0.7], [0.5, 0.2, 0.3], [0.0, 0.0, 1.0]]
    found = align(weights, ["▁cat", "s"], ["猫", "<0xE9>"], "cats", "猫\ufffd", unit="piece")
    assert (found.source_units, found.target_units) == (["␣cat", "s"], ["猫", "<0xE9>"])
    assert found.links == [(1, 0), (0, 1)]


def test_the_first_of_equals_is_linked() -> None:
    weights = [[0.45, 0.45, 0.1], [0.2, 0.7, 0.1], [0, 0, 1]]
    assert align(weights, ["▁a", "▁b"], ["我", "你"], "a b", "我你").links == [(0, 0), (1, 1)]


def test_a_row_that_sees_only_the_end() -> None:
    found = align([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]], ["▁a", "▁b"], ["我"], "a b", "我")
    assert found.weights == [[0.5, 0.5]]
    assert entropy(found) == pytest.approx(math.log(2))


def test_empty_sides() -> None:
    assert align([[1.0]], [], [], "", "").links == []
    nothing_read = align([[1.0], [1.0]], [], ["我"], "", "我")
    assert (nothing_read.target_units, nothing_read.weights, nothing_read.links) == (["我"], [[]], [])
    nothing_written = align([[0.5, 0.5]], ["▁a"], [], "a", "")
    assert (nothing_written.source_units, nothing_written.weights, nothing_written.links) == (["a"], [], [])


def test_wrong_input() -> None:
    words = (["▁a"], ["我"], "a", "我")
    with pytest.raises(DataError, match=r"1 rows and 1 columns, but 1 target and 1 source .* need 2 and 2"):
        align([[1.0]], *words)
    with pytest.raises(DataError, match="not a weight"):
        align([[math.nan, 1.0], [0.0, 1.0]], *words)
    with pytest.raises(ConfigError, match="'char', but it must be one of: word, piece"):
        align([[0.5, 0.5], [0.0, 1.0]], *words, unit="char")


@given(st.data())
def test_links_stay_inside_and_rows_sum_to_one(data: st.DataObject) -> None:
    source, target = (
        data.draw(st.text("abc ", min_size=1, max_size=9)),
        data.draw(st.text("我你 他", min_size=1, max_size=9)),
    )
    source, target = " ".join(source.split()), " ".join(target.split())
    cell = st.floats(0, 1, width=32)
    rows, columns = len(target) + 1, len(source) + 1
    weights = data.draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    spelt = [list(text.replace(" ", "▁")) for text in (source, target)]
    found = align(weights, *spelt, source, target)
    if source:
        assert [link[1] for link in found.links] == list(range(len(found.target_units)))
        assert all(math.isclose(sum(row), 1.0) for row in found.weights)
        assert 0.0 <= entropy(found) <= math.log(len(found.source_units)) + 1e-9
    assert all(0 <= link[0] < len(found.source_units) for link in found.links)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500))))
def test_pharaoh_round_trip(links: list[tuple[int, int]]) -> None:
    assert read_pharaoh(pharaoh(replace(Alignment([], [], [], []), links=links))) == links


@pytest.mark.parametrize("word", ["1", "1-", "1:2", "-1-2", "1p2", "a-b", "1-2-3", "1-2.0", "١-٢"])
def test_pharaoh_errors(word: str) -> None:
    with pytest.raises(DataError, match=f"link 2 of the line is '{word}'"):
        read_pharaoh(f"0-0 {word}")


def test_pharaoh_reads_what_people_write() -> None:
    assert read_pharaoh("  0-0\t1-2 \r\n") == [(0, 0), (1, 2)]
    assert read_pharaoh("") == []
