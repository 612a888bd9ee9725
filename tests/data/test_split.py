import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.corpus import Pair
from nmt.data.gather import gather
from nmt.data.heldout import Group, Item, flipped, from_groups, from_pairs, layout
from nmt.data.split import LARGEST_GROUP, Groups, connect, fold, sentence_id, split


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hello, World!", "hello world"),
        ("ＨＥＬＬＯ", "hello"),
        ("你好，世界。", "你好 世界"),
        ("It’s fine", "it's fine"),
        ("straße", "STRASSE"),
    ],
)
def test_case_punctuation_width_and_spaces_make_no_other_sentence(one, other):
    assert fold(one) == fold(other)
    assert sentence_id(one, None) == sentence_id(other, None)


def test_what_has_no_letters_is_compared_as_it_is():
    assert fold("！") != fold("？")
    assert fold("a") != fold("b")


def numbered(count: int) -> list[Pair]:
    return [Pair(f"sentence {index}", f"句子{index}", index, 2 * index, 2 * index + 1) for index in range(1, count + 1)]


def connected(pairs: list[Pair]) -> Groups:
    gathered = gather(pairs, script="keep", chinese="hans", processes=1)
    return connect(*gathered.sentence_keys(), *map(gathered.pairs.numbers, ("source_id", "target_id")))


def groups_of(pairs: list[Pair]) -> list[Group]:
    groups = connected(pairs)
    return [
        Group(int(groups.ids[number]), tuple(pair for pair, own in zip(pairs, groups.of, strict=True) if own == number))
        for number in range(len(groups))
    ]


def chosen(pairs: list[Pair], *, dev: int, test: int) -> tuple[list[int], list[int]]:
    """The ids of the groups of dev and of test."""
    groups = connected(pairs)
    return tuple([int(groups.ids[number]) for number in part] for part in split(groups, dev=dev, test=test))


def test_pairs_are_connected_through_others():
    pairs = [
        Pair("a", "甲", 1, 9, 8),
        Pair("b", "乙", 2, 7, 6),
        Pair("A!", "丙", 3, 5, 4),
        Pair("c", "丙。", 4, 3, 2),
    ]
    groups = groups_of(pairs)
    assert [[pair.line for pair in group.pairs] for group in groups] == [[1, 3, 4], [2]]
    assert [group.id for group in groups] == [2, 6]


def test_the_same_text_in_two_languages_connects_nothing():
    assert len(connected([Pair("OK", "好", 1), Pair("good", "OK", 2)])) == 2


def test_a_long_chain_is_one_group():
    pairs = [Pair(f"s{index // 2}", f"t{(index + 1) // 2}", index) for index in range(500)]
    random.Random(1).shuffle(pairs)
    assert connected(pairs).sizes.tolist() == [500]


def test_test_and_dev_take_whole_groups_up_to_their_numbers():
    dev, test = split(connected(numbered(200)), dev=7, test=5)
    assert (len(dev), len(test), len({*dev, *test})) == (7, 5, 12)


def test_a_small_corpus_gives_at_most_a_twentieth():
    dev, test = split(connected(numbered(59)), dev=1000, test=1000)
    assert (len(dev), len(test)) == (2, 2)
    assert split(connected(numbered(19)), dev=1, test=1) == ([], [])


def test_a_sentence_that_connects_very_many_pairs_stays_in_train():
    many = [Pair(f"yes {index}", "是", index) for index in range(LARGEST_GROUP + 1)]
    groups = connected(many + numbered(39))
    assert groups.sizes[0] == LARGEST_GROUP + 1
    dev, test = split(groups, dev=2, test=2)
    assert 0 not in dev + test
    assert (len(dev), len(test)) == (2, 2)


def test_the_split_depends_on_neither_order_nor_number_of_dev_groups():
    pairs = numbered(300)
    shuffled = random.Random(1).sample(pairs, len(pairs))
    (dev, test), (other_dev, other_test) = chosen(pairs, dev=10, test=10), chosen(shuffled, dev=3, test=10)
    assert test == other_test
    assert dev[:3] == other_dev


def test_a_corpus_without_ids_is_split_by_its_text():
    pairs = [Pair(pair.source, pair.target, pair.line) for pair in numbered(100)]
    moved = [Pair(pair.source.upper(), pair.target + "。", pair.line + 1000) for pair in reversed(pairs)]
    assert chosen(pairs, dev=5, test=5) == chosen(moved, dev=5, test=5)


texts = st.sampled_from("abcdefgh")


@given(st.lists(st.builds(Pair, texts, texts, st.integers(1, 99)), max_size=40), st.integers(0, 3))
def test_no_sentence_is_in_two_groups_and_no_pair_is_lost(pairs, held_out):
    groups = groups_of(pairs)
    assert sorted(map(repr, (pair for group in groups for pair in group.pairs))) == sorted(map(repr, pairs))
    for side in ("source", "target"):
        owners = [{getattr(pair, side) for pair in group.pairs} for group in groups]
        assert sum(map(len, owners)) == len(set().union(*owners))
    dev, test = split(connected(pairs), dev=held_out, test=held_out)
    assert len({*dev, *test}) == len(dev) + len(test) <= len(groups)


def test_a_group_is_represented_by_its_first_sentence_with_all_its_translations():
    (group,) = groups_of(
        [
            Pair("b", "乙", 1, 30, 31),
            Pair("a", "乙", 2, 20, 31),
            Pair("A.", "甲", 3, 21, 11),
            Pair("a", "乙", 4, 20, 32),
        ]
    )
    assert from_groups([group]) == [Item("a", ("乙", "甲"), 11)]
    assert from_groups([flipped(group)]) == [Item("甲", ("A.",), 11)]


def test_a_given_set_keeps_its_lines():
    assert from_pairs([Pair("a", "甲", 3), Pair("a", "甲", 4)]) == [Item("a", ("甲",), 3), Item("a", ("甲",), 4)]


def test_references_are_laid_out_as_sets_with_none_for_what_is_absent():
    held_out = layout(["a", "b", "c"], [["1"], ["2", "3", "4"], ["5", "6"]])
    assert held_out.sources == ["a", "b", "c"]
    assert held_out.references == [["1", "2", "5"], [None, "3", "6"], [None, "4", None]]
    assert len(held_out) == 3
    assert layout([], []).references == []
