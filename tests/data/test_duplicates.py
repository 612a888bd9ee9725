import pytest

from nmt.config import CleanConfig
from nmt.data.clean import Cleaned, clean
from nmt.data.corpus import Pair
from nmt.data.table import batches


def kept(*pairs: tuple[str, str], **settings) -> tuple[list[int], Cleaned]:
    numbered = [Pair(*pair, line) for line, pair in enumerate(pairs, start=1)]
    cleaned = clean(batches(numbered, 3), CleanConfig(**settings))
    return [pair.line for pair in cleaned.pairs], cleaned


SAME = ("Hello.", "你好。"), ("Hello.", "您好。"), ("Hi.", "你好。"), ("Hello.", "你好。"), ("Hello.", "你好。")


def test_only_pairs_equal_on_both_sides_are_duplicates():
    lines, cleaned = kept(*SAME)
    assert lines == [1, 2, 3]
    assert cleaned.dropped["duplicate"].count == 2
    assert [pair.line for pair in cleaned.dropped["duplicate"].examples] == [4, 5]
    assert kept(*SAME, deduplicate=False)[0] == [1, 2, 3, 4, 5]


def test_pairs_are_duplicates_by_their_normalised_text():
    assert kept(("It\u2019s  me.", "是我."), ("It's me.", "是我。"))[0] == [1]


def test_a_sentence_may_have_so_many_translations():
    pairs = (
        *((f"Yes {word}.", "是的。") for word in "abcd"),
        ("Thanks.", "谢谢。"),
        ("Thanks.", "多谢。"),
        ("Thanks.", "谢了。"),
    )
    lines, cleaned = kept(*pairs, max_translations=2)
    assert lines == [1, 2, 5, 6]
    assert cleaned.dropped["translations"].count == 3
    assert kept(*pairs)[0] == list(range(1, 8))


def test_an_empty_corpus_has_no_duplicates():
    assert kept(max_translations=1)[0] == []


def test_what_is_left_has_its_keys():
    """Vocabularies are learned from the different sentences that are left."""
    _, cleaned = kept(*SAME)
    assert cleaned.sentences("en", most=9, seed=1) == ["Hello.", "Hi."]
    assert cleaned.sentences("zh", most=9, seed=1) == ["你好。", "您好。"]
    one = cleaned.sentences("zh", most=1, seed=1)
    assert len(one) == 1
    assert one == cleaned.sentences("zh", most=1, seed=1)


def test_near_duplicates_are_dropped_where_they_are_near_enough():
    pytest.importorskip("rensa")
    pairs = (
        (
            "Please open the configuration file in a text editor of your choice.",
            "请用您喜欢的文本编辑器打开这个配置文件。",
        ),
        ("The weather was fine all day long, so we walked to the lake.", "一整天天气都很好，所以我们走到了湖边。"),
        (
            "Please open the configuration file in the text editor of your choice!",
            "请用您喜欢的文本编辑器来打开这个配置文件。",
        ),
        ("Please close the window of the text editor when you leave.", "离开的时候请关上文本编辑器的窗口。"),
    )
    lines, cleaned = kept(*pairs, near_duplicates=0.7)
    assert lines == [1, 2, 4]
    assert cleaned.dropped["near duplicate"].examples[0].line == 3
    assert kept(*pairs, near_duplicates=0.99)[0] == [1, 2, 3, 4]
    assert kept(*pairs)[0] == [1, 2, 3, 4]
    assert kept(near_duplicates=0.7)[0] == []
