import pytest

from nmt.data.numbers import numbers_disagree


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("20,000 people came.", "来了两万人。"),
        ("Twenty thousand people came.", "来了20000人。"),
        ("It cost 3.5 million yuan.", "花了350万元。"),
        ("It cost 3.5 million yuan.", "花了三百五十万元。"),
        ("He remembers 9/11 well.", "他还记得九一一。"),
        ("He remembers 9/11 well.", "他还记得911事件。"),
        ("Call 110 now.", "马上打一一零。"),
        ("in 2024", "在二〇二四年"),
        ("in 2024", "在２０２４年"),
        ("the 1990s", "90年代"),
        ("1,234.50 dollars", "1234.5美元"),
        ("We meet at 3 p.m.", "我们15点见面。"),
        ("two hundred and fifty", "250"),
        ("1.4 billion people", "14亿人"),
        ("105 pages", "一百零五页"),
        ("a dozen eggs", "12个鸡蛋"),  # small numbers are not judged
        ("no numbers", "没有数字"),
        ("It is 12 years old", "它有好多年了"),
    ],
)
def test_the_same_number_in_another_writing_agrees(english, chinese):
    assert not numbers_disagree(english, chinese)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("It costs 350 dollars.", "这个要250美元。"),
        ("It costs 350 dollars.", "这个要２５０美元。"),
        ("20,000 people came.", "来了二十万人。"),
        ("Many people came.", "来了300人。"),
        ("In 1998 he left.", "他走了。"),
        ("3.5 million yuan", "35万元"),
    ],
)
def test_another_number_does_not(english, chinese):
    assert numbers_disagree(english, chinese)
