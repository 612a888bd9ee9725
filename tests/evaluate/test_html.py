"""One page that needs nothing else, whatever stands in the text."""

from __future__ import annotations

from html.parser import HTMLParser

from nmt.evaluate.failures import failures
from nmt.evaluate.html import System, marked, page
from nmt.evaluate.paired import Difference
from nmt.evaluate.report import evaluate

SOURCES = ["I like cats.", "<script>alert(1)</script>"]
REFERENCES = [["我喜欢猫。", "警告&小心"], ["我爱猫。", None]]
OUTPUTS = {"A<b>": ["我喜欢狗。", "<img src=x>警告"], "B": ["我喜欢猫。", "警告"]}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "br", "!doctype"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def made(names: tuple[str, ...] = ("A<b>", "B")) -> str:
    systems = [
        System(
            name,
            OUTPUTS[name],
            evaluate(OUTPUTS[name], REFERENCES, target_language="zh"),
            failures(OUTPUTS[name], REFERENCES, target_language="zh", sources=SOURCES),
        )
        for name in names
    ]
    differences = [Difference("BLEU", "B", "A<b>", 12.0, 0.01, "nrefs:var|bs:1000")] if len(names) > 1 else []
    return page(systems, REFERENCES, differences=differences, sources=SOURCES, title="T & t")


def test_text_is_only_text_and_nothing_is_fetched() -> None:
    tags = Tags()
    tags.feed(made())
    assert tags.open == []
    assert not {"script", "img", "link"} & set(tags.seen)
    assert "http" not in made()
    assert "src=" not in made().replace("&lt;img src=x&gt;", "")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made()
    assert "警告&amp;小心" in made()


def test_two_systems_side_by_side() -> None:
    both = made()
    assert "<h2>B beside A&lt;b&gt;</h2>" in both
    assert "0 of 2 sentences are the same" in both
    assert '我喜欢<mark class="left">狗</mark>。' in both
    assert '我喜欢<mark class="right">猫</mark>。' in both
    assert "我爱猫。" in both  # the second reference
    assert "<li>B v A&lt;b&gt;: BLEU +12.00, p = 0.0100" in both
    assert "beside" not in made(("B",))


def test_marked() -> None:
    assert marked("a cat sat", "a dog sat") == (
        'a <mark class="left">cat</mark> sat',
        'a <mark class="right">dog</mark> sat',
    )
    assert marked("<&", "<&") == ("&lt;&amp;", "&lt;&amp;")
    assert marked("", "好") == ("", '<mark class="right">好</mark>')
