"""Real files of several formats, where they lie beside the repository: what is read is kept or dropped for a reason.

The numbers were counted by other programs: units by translate-toolkit, `<seg>` elements by ElementTree.
"""

import gzip
import lzma
from pathlib import Path

import pytest

from nmt.config import AutoConfig, AutoFile, PrepareConfig, TextConfig
from nmt.data.lines import LineCounts
from nmt.data.prepare import prepare
from nmt.data.prepared import load_prepared
from nmt.data.readers import Job, detect, read
from nmt.text.normalise import tidy

SHARED = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real files in ../shared/data")
FILES = {
    "formats/tico19.en-zh.tmx": ("tmx", 3071, {}),
    "formats/winforms.SR.zh-Hans.xlf": ("xliff", 35, {}),
    "formats/winforms.System.SR.zh-Hans.xlf": ("xliff", 2301, {"state new": 10}),
    "formats/python-docs.faq.programming.zh_CN.po": ("po", 508, {"header": 1}),
    "formats/python-docs.tutorial.classes.zh_CN.po": ("po", 148, {"header": 1, "not translated": 1}),
    "formats/python-docs.tutorial.controlflow.zh_CN.po": ("po", 223, {"header": 1}),
    "formats/git.zh_CN.mo": ("mo", 5460, {"header": 1}),
    "formats/wmttest2022.en-zh.all.xml.xz": ("wmt", 2 * 2037, {}),
    "test/wmt17.newstest2017.tsv.xz": ("tsv", 2001, {}),
    "corpora/dev.mixed.tsv.xz": ("tsv", 3000, {}),
}


@pytest.mark.parametrize("name", FILES)
def test_every_record_is_a_pair_or_is_counted(name: str) -> None:
    kind, pairs, skipped = FILES[name]
    counts = LineCounts()
    assert detect(SHARED / name) == kind
    found = list(read(Job(SHARED / name), counts))
    assert (len(found), counts.skipped) == (pairs, skipped)
    assert all(len((pair.source + pair.target).splitlines()) <= 1 for pair in found)
    han = sum("\u4e00" <= character <= "\u9fff" for pair in found for character in pair.target)
    assert han > sum("\u4e00" <= character <= "\u9fff" for pair in found for character in pair.source)


def test_the_same_text_in_two_formats_is_the_same_pairs() -> None:
    pytest.importorskip("lxml", reason="the extra `formats` is not installed")
    one, other = (
        [(tidy(pair.source), tidy(pair.target)) for pair in read(Job(SHARED / name), LineCounts())]
        for name in ("formats/tico19.en-zh.tmx", "test/test.tico19-en-zh.tsv.xz")
    )
    assert len(one) == len(other)
    same = sum(a == b for a, b in zip(one, other, strict=True))
    assert same > 0.99 * len(one)  # whoever made the TSV mended a few dashes; a shift would leave none


@pytest.mark.parametrize("name", ["formats/git.zh_CN.mo", "formats/winforms.System.SR.zh-Hans.xlf"])
def test_what_prepare_reads_is_kept_or_dropped_by_reason(name: str, tmp_path: Path) -> None:
    content = (SHARED / name).read_bytes()
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(content))
    config = PrepareConfig(
        output=str(tmp_path / "prepared"),
        data=AutoConfig(name="real", train=AutoFile(path=str(path))),
        text=TextConfig(vocab_size_en=600, vocab_size_zh=2500),
    )
    manifest = load_prepared(prepare(config, lambda _: None)).manifest
    counts = manifest["counts"]
    _, pairs, skipped = FILES[name]
    assert counts["read"] == pairs + sum(skipped.values())
    assert counts["read"] == sum(counts["kept"].values()) + sum(x["pairs"] for x in counts["dropped"].values())
    assert {reason: counts["dropped"][reason]["pairs"] for reason in skipped} == skipped
    assert manifest["splits"]["train"]["pairs"] == counts["kept"]["train"] > 1500
    assert manifest["inputs"] == [
        {"path": "text.gz", "bytes": path.stat().st_size, "sha256": manifest["inputs"][0]["sha256"]}
    ]


def test_lines_of_a_real_corpus_are_all_there() -> None:
    path = SHARED / "corpora" / "dev.mixed.tsv.xz"
    counts = LineCounts()
    pairs = list(read(Job(path), counts))
    assert len(pairs) == counts.lines == lzma.decompress(path.read_bytes()).count(b"\n")
    assert [pair.line for pair in pairs] == list(range(1, 3001))
