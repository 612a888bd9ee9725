"""The test sets of WMT: XML with all references in one file (since 2021), and SGM with a file a side (before).

XML: `<doc><src lang="en"><p><seg id="1">...`, then `<ref lang="zh" translator="A">` with the same ids. Every reference
of a sentence gives a pair; outputs of systems (`<hyp>`) are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts, Rule, Unreadable, clean_field, whole_lines
from nmt.data.readers.base import Job, pair_of, speaks
from nmt.data.readers.xml import elements, language, local, text_of
from nmt.data.streams import display, missing_extra
from nmt.errors import DataError

Segment = tuple[str, str, str]
"""Its id and its document's, its text, and its place."""


def read_wmt(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of an XML file. `target_field` (or `source_field`) names a translator, if one is to be read alone."""
    documents = elements(job.path, job.name, "doc")
    root = next(documents)
    if local(root) != "dataset":
        raise DataError(f"{job.name}: the root element is <{local(root)}>, but a WMT test set begins with <dataset>")
    for document in documents:
        for source in (part for part in document if local(part) == "src"):
            is_reversed = speaks(language(source), job.target_language)
            if not is_reversed and not speaks(language(source), job.source_language):
                raise DataError(f"{job.name}:{source.sourceline}: the source is in {language(source)}")
            yield from _references(document, source, is_reversed, job, counts)


def _references(document: Any, source: Any, is_reversed: bool, job: Job, counts: LineCounts) -> Iterator[Pair]:
    wanted = job.source_language if is_reversed else job.target_language
    translator = job.source_field if is_reversed else job.target_field
    found = [
        {seg.get("id"): text_of(seg, ()) for seg in part.iter() if local(seg) == "seg"}
        for part in document
        if local(part) == "ref" and speaks(language(part), wanted)
        if translator is None or part.get("translator") == translator
    ]
    for seg in (seg for seg in source.iter() if local(seg) == "seg"):
        place, key = f"{job.name}:{seg.sourceline}", seg.get("id")
        if not any(key in reference for reference in found):
            counts.skip("no reference", place)
        for reference in found:
            if key in reference:
                sides = [text_of(seg, ()), reference[key]]
                if is_reversed:
                    sides.reverse()
                if pair := pair_of(sides, seg.sourceline, place, job, counts):
                    yield pair


def read_sgm(source: str | Path, target: str | Path, rule: Rule, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of two SGM files; their documents and segments must have the same ids in the same order.

    Raises:
        DataError: One has another segment than the other, or a different number of them.
    """
    names = display(source), display(target)
    sides = [list(_segments(path, rule, counts)) for path in (source, target)]
    for number, (one, other) in enumerate(zip(*sides, strict=False), start=1):
        if one[0] != other[0]:
            raise DataError(f"Segment {number} of {names[0]} is {one[0]}, but that of {names[1]} is {other[0]}")
    if len(sides[0]) != len(sides[1]):
        raise DataError(f"{names[0]} has {len(sides[0])} segments, but {names[1]} has {len(sides[1])}")
    return _beside(sides[0], sides[1], rule, counts)


def _beside(sources: list[Segment], targets: list[Segment], rule: Rule, counts: LineCounts) -> Iterator[Pair]:
    for number, ((_, one, place), (_, other, _)) in enumerate(zip(sources, targets, strict=True), start=1):
        texts = [clean_field(text, rule, counts, place) for text in (one, other)]
        if rule.on_error == "skip" and counts.undecodable and "\ufffd" in one + other:
            texts[0] = Unreadable.BYTES
        wrong = next((text for text in texts if isinstance(text, Unreadable)), None)
        if wrong is not None:
            counts.skip(wrong.value, place)
        else:
            yield Pair(str(texts[0]), str(texts[1]), number)


def _segments(path: str | Path, rule: Rule, counts: LineCounts) -> Iterator[Segment]:
    """SGM is not well-formed XML (bare ampersands, any case), so the parser for HTML reads it."""
    name = display(path)
    try:
        from lxml import etree
    except ImportError:
        raise missing_extra(f"Reading {name}, which is SGM,") from None
    text = "\n".join(whole_lines(path, rule, counts))
    root = etree.fromstring(text, etree.HTMLParser(no_network=True, huge_tree=False, remove_comments=True))
    for document in root.iter("doc"):
        for seg in document.iter("seg"):
            label = f"{seg.get('id', '?')} of document {document.get('docid', '?')}"
            yield label, text_of(seg, ()), f"{name}:{seg.sourceline}"
