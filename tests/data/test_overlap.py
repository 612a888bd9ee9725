from pathlib import Path

import numpy as np

from nmt.config import CleanConfig
from nmt.data.clean import NEAR_HELD_OUT, clean
from nmt.data.corpus import Pair
from nmt.data.gather import gather
from nmt.data.overlap import NearSentences, checksum, of_pairs, read_set, same_sentences
from nmt.data.table import batches

ENGLISH = "The quick brown fox jumps over the lazy dog near the old river bank today"
CHINESE = "今天那只敏捷的棕色狐狸在老河岸边跳过了那条懒狗"


def near(english: str, chinese: str) -> list[tuple[int, int]]:
    return NearSentences([[], [("Something else", "别的"), (ENGLISH + ".", CHINESE + "。")]])(english, chinese)


def test_half_of_a_sentence_on_either_side_is_found_with_its_place():
    assert near("Yesterday " + ENGLISH.upper() + "!", "不同的话") == [(1, 1)]
    assert near("Other words", f"“{CHINESE}”，他说。") == [(1, 1)]
    assert near(ENGLISH.rsplit(" ", 5)[0], "") == [(1, 1)]  # all of the shorter one
    assert near(ENGLISH, CHINESE) == [(1, 1), (1, 1)]


def test_a_phrase_in_common_is_not_half_a_sentence():
    words = " ".join(ENGLISH.split()[:9])  # two 8-grams
    assert near(f"He told us that {words} and that nobody had ever seen such a thing in his life", "") == []
    assert near("", CHINESE[:8] + "这件事情谁也没有想到会在这个时候发生，大家都很惊讶") == []
    assert near("", "") == []


def test_the_same_sentence_is_found_whatever_its_marks_and_case():
    sets = [
        of_pairs("news", [Pair("Hello, you!", "你好啊。", 1), Pair("Yes", "对的", 2), Pair("No", "不对", 3)], file=True)
    ]
    train = [Pair("hello you", "您好", 1), Pair("Hi", "“你好啊”", 2), Pair("Hi", "hello you", 3), Pair("yes?", "是", 4)]
    gathered = gather(train, script="keep", chinese="hans", processes=1)
    found = same_sentences(sets, *gathered.sentence_keys())
    assert found.tolist() == [True, True, False, True]
    assert sets[0].found == {0, 1}
    assert sets[0].entry(removed=True)["overlapping"] == 2
    assert not same_sentences([], *gathered.sentence_keys()).any()
    assert same_sentences(sets, np.empty(0, np.uint64), np.empty(0, np.uint64)).shape == (0,)


def test_near_sentences_are_dropped_or_only_counted():
    pairs = [Pair(ENGLISH, "不同的话说了很多很多遍啊", 1), Pair("Something new is here.", "这里有新的东西。", 2)]
    held_out = [[(ENGLISH, "")]]
    cleaned = clean(batches(pairs), CleanConfig(), held_out=held_out)
    assert [pair.line for pair in cleaned.pairs] == [2]
    assert cleaned.dropped[NEAR_HELD_OUT].examples[0].line == 1
    assert cleaned.overlaps == {(0, 0)}
    cleaned = clean(batches(pairs), CleanConfig(decontaminate=False), held_out=held_out)
    assert len(cleaned.pairs) == 2
    assert cleaned.overlaps == {(0, 0)}
    assert NEAR_HELD_OUT not in cleaned.dropped


def test_a_test_set_is_read_in_any_arrangement(tmp_path: Path):
    (tmp_path / "a.tsv").write_text("Hello\t你好\t您好\n对的\tYes\n", encoding="utf-8", newline="\n")
    assert read_set(tmp_path / "a.tsv").sentences == [("Hello", "你好"), ("", "您好"), ("Yes", "对的")]
    (tmp_path / "b.zh").write_text("你好\n\n", encoding="utf-8", newline="\n")
    assert read_set(tmp_path / "b.zh").sentences == [("", "你好"), ("", "")]


def test_the_checksum_is_of_the_sentences_not_of_the_file():
    assert checksum(["Hello  you", "Yes"]) == checksum(["Hello you ", "Yes"])
    assert checksum(["Hello", "Yes"]) != checksum(["Yes", "Hello"])
