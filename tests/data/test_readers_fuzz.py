"""Whatever is in a file: never a wrong pairing, never a crash, never a line lost without a count."""

import csv
import io
import json
import tempfile
import unicodedata
import zipfile
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nmt.data.corpus import Pair, read_files
from nmt.data.lines import LineCounts, Rule, Unreadable, count_lines, try_lines
from nmt.data.readers import READERS, Job, detect, read, read_two
from nmt.errors import DataError
from nmt.text.normalise import normalise, restore, tidy

pytest.importorskip("lxml", reason="the extra `formats` is not installed")
pytest.importorskip("polib", reason="the extra `formats` is not installed")

AWKWARD = (
    "\r\n\t\0\x0b\x0c\x1c\x1e\x1f\x85\u2028\u2029\ufeff\u3000\xa0\"'\\<>&;,.#%|{}[]~ ab一二，。😀\u0301\u200b\U00020000"
)
TEXT = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"])), max_size=12)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6)
FOLDER = Path(tempfile.mkdtemp(prefix="nmt-fuzz-"))
quick = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def expected(text: str) -> str:
    """The reading rule, written down a second time, by categories of Unicode."""
    spaced = "".join(" " if c in "\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029" else c for c in text)
    return "".join(c for c in spaced if unicodedata.category(c) != "Cc" or c == "\t")


def stored(name: str, content: bytes) -> Path:
    path = FOLDER / name
    path.write_bytes(content)
    return path


def found(path: Path, kind: str, rule: Rule = Rule()) -> tuple[list[Pair], LineCounts]:  # noqa: B008
    counts = LineCounts()
    return list(read(Job(path, rule=rule), counts, kind)), counts


def check(pairs: list[tuple[str, str]], path: Path, kind: str) -> None:
    read_back, counts = found(path, kind)
    assert [(pair.source, pair.target) for pair in read_back] == [(expected(s), expected(t)) for s, t in pairs]
    assert not counts.skipped.keys() - {"header"}


# --- what was written comes back, in its pairs ------------------------------------------------------------------------


def one_line(text: str) -> str:
    """Text without what ends a line or a column; a CR at the end of a line belongs to the line's end."""
    return text.replace("\n", " ").replace("\t", " ").rstrip("\r")


@quick
@given(PAIRS)
def test_two_files(pairs):
    sides = [[one_line(side).removeprefix("\ufeff") for side in sides] for sides in zip(*pairs, strict=True)]
    source, target = (
        stored(name, "".join(f"{x}\n" for x in side).encode()) for name, side in zip("ab", sides, strict=True)
    )
    counts = LineCounts()
    assert [(pair.source, pair.target) for pair in read_files(source, target, counts)] == [
        (expected(s), expected(t)) for s, t in zip(*sides, strict=True)
    ]
    assert counts.lines == 2 * len(pairs)


@quick
@given(PAIRS)
def test_tsv(pairs):
    pairs = [("first", "一"), *((one_line(s), one_line(t)) for s, t in pairs)]
    check(pairs, stored("a.tsv", "".join(f"{s}\t{t}\n" for s, t in pairs).encode()), "tsv")


@quick
@given(PAIRS)
def test_csv(pairs):
    pairs = [(s, t) if s or t else ("x", t) for s, t in pairs]
    pairs = [tuple(side.replace("\r", "\u2028") for side in pair) for pair in pairs]  # CR LF in a field is one line end
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([("en", "zh"), *pairs])
    check(pairs, stored("a.csv", file.getvalue().encode()), "csv")


@quick
@given(PAIRS, st.booleans())
def test_json_lines(pairs, ascii_only):
    lines = (json.dumps({"zh": t, "en": s}, ensure_ascii=ascii_only) for s, t in pairs)
    check(pairs, stored("a.jsonl", "".join(f"{line}\n" for line in lines).encode()), "jsonl")


def in_xml(text: str) -> str:
    """Text of characters that XML can hold; its parser reads CR as LF."""
    legal = (c for c in text if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000")
    return "".join(legal)


@quick
@given(PAIRS)
def test_xml(pairs):
    pairs = [(in_xml(s), in_xml(t)) for s, t in pairs]
    sides = [(escape(s), escape(t)) for s, t in pairs]
    tmx = "".join(
        f'<tu><tuv xml:lang="zh"><seg>{t}</seg></tuv><tuv xml:lang="en"><seg>{s}</seg></tuv></tu>' for s, t in sides
    )
    check(pairs, stored("a.tmx", f'<tmx version="1.4"><body>{tmx}</body></tmx>'.encode()), "tmx")
    units = "".join(f"<trans-unit><source>{s}</source><target>{t}</target></trans-unit>" for s, t in sides)
    head = '<xliff version="1.2"><file source-language="en" target-language="zh"><body>'
    check(pairs, stored("a.xlf", f"{head}{units}</body></file></xliff>".encode()), "xliff")
    numbered = [[f'<seg id="{n}">{x}</seg>' for n, x in enumerate(side)] for side in zip(*sides, strict=True)]
    body = f'<src lang="en">{"".join(numbered[0])}</src><ref lang="zh">{"".join(reversed(numbered[1]))}</ref>'
    check(pairs, stored("a.xml", f"<dataset><doc>{body}</doc></dataset>".encode()), "wmt")


@quick
@given(PAIRS)
def test_catalogues(pairs):
    import polib

    entries = {f"{n}{s}".replace("\r", ""): f"{t}." for n, (s, t) in enumerate(pairs)}
    entries = {s.replace("\\", ""): t.replace("\\", "").replace("\r", "") for s, t in entries.items()}
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.extend(polib.POEntry(msgid=s, msgstr=t) for s, t in entries.items())
    text = str(catalogue)
    check(list(entries.items()), stored("a.po", text.encode()), "po")
    nul_free = {s.replace("\0", ""): t.replace("\0", "") for s, t in entries.items()}
    binary = polib.POFile()
    binary.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    binary.extend(polib.POEntry(msgid=s, msgstr=t) for s, t in nul_free.items())
    pairs_back, _ = found(stored("a.mo", binary.to_binary()), "mo")
    assert {(p.source, p.target) for p in pairs_back} == {(expected(s), expected(t)) for s, t in nul_free.items()}


# --- whatever the bytes are -------------------------------------------------------------------------------------------

BYTES = st.lists(
    st.sampled_from(
        [b"\n", b"\r\n", b"a", b"\t", b"\xff", b"\xe4\xb8\x80", b"\x00", b"\xe2\x80\xa8", b"\xc2", b'"', b"{"]
    )
)
RULES = [
    Rule(encoding, on_error, cap)
    for encoding in ("utf-8", "gb18030")
    for on_error in ("skip", "replace")
    for cap in (None, 4)
]


@quick
@given(BYTES, st.sampled_from(RULES))
def test_no_line_is_lost(parts, rule):
    content, counts = b"".join(parts), LineCounts()
    lines = list(try_lines(io.BytesIO(content), "x", rule, counts))
    number = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    assert len(lines) == counts.lines == count_lines(stored("x", content)) == number
    assert lines.count(Unreadable.LENGTH) == counts.over_long
    assert rule.on_error == "replace" or lines.count(Unreadable.BYTES) == counts.undecodable
    for line, raw in zip(lines, content.split(b"\n"), strict=False):  # each is its own line, not a neighbour
        if isinstance(line, str):
            text = raw.removesuffix(b"\r").decode(rule.encoding, errors="replace").replace("\ufeff", "")
            assert line.replace("\ufeff", "") == expected(text)


@quick
@given(
    st.text(st.sampled_from("\n\r\u0a0a\u0d0a\u0a00\u000d一a\u2028\ufeff")), st.sampled_from(["utf-16-le", "utf-16-be"])
)
def test_no_line_of_utf16_is_lost(text, encoding):
    counts = LineCounts()
    lines = list(try_lines(io.BytesIO(text.encode(encoding)), "x", Rule(encoding), counts))
    own = text.split("\n")[: None if text and not text.endswith("\n") else -1]
    assert [line.replace("\ufeff", "") for line in lines] == [
        expected(line.removesuffix("\r")).replace("\ufeff", "") for line in own
    ]


@quick
@given(BYTES, BYTES, st.sampled_from(RULES))
def test_two_files_pair_line_n_with_line_n_or_stop(one, other, rule):
    source, target = stored("a", b"".join(one)), stored("b", b"".join(other))
    counts = LineCounts()
    if count_lines(source) != count_lines(target):
        with pytest.raises(DataError, match="lines, but"):
            read_two(source, target, counts, rule)
        return
    pairs = list(read_two(source, target, counts, rule))
    assert len(pairs) + sum(counts.skipped.values()) == count_lines(source) == count_lines(target)
    sides = [list(try_lines(io.BytesIO(path.read_bytes()), "", rule)) for path in (source, target)]
    assert all((sides[0][p.line - 1], sides[1][p.line - 1]) == (p.source, p.target) for p in pairs)


@quick
@given(BYTES, st.sampled_from(RULES), st.sampled_from(["tsv", "jsonl"]))
def test_every_line_of_a_table_is_a_pair_or_is_counted(parts, rule, kind):
    path = stored("a", b"".join(parts))
    pairs, counts = found(path, kind, rule)
    assert len(pairs) + sum(counts.skipped.values()) == count_lines(path)


def valid_files() -> dict[str, bytes]:
    unit = '<tu><tuv xml:lang="en"><seg>One</seg></tuv><tuv xml:lang="zh"><seg>一</seg></tuv></tu>'
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.en", "One\nTwo\n")
        file.writestr("a.zh", "一\n二\n")
    xliff = (
        '<xliff srcLang="en" trgLang="zh"><unit><segment><source>a</source><target>b</target></segment></unit></xliff>'
    )
    wmt = (
        '<dataset><doc><src lang="en"><seg id="1">a</seg></src><ref lang="zh"><seg id="1">b</seg></ref></doc></dataset>'
    )
    import polib

    binary = polib.POFile()
    binary.append(polib.POEntry(msgid="One", msgstr="一"))
    return {
        "tsv": "en\tzh\nOne\t一\n".encode(),
        "csv": 'en,zh\n"One, two",一\n'.encode(),
        "jsonl": '{"en": "One", "zh": "一"}\n'.encode() * 2,
        "tmx": f"<?xml version='1.0'?><tmx><body>{unit * 2}</body></tmx>".encode(),
        "xliff": xliff.encode(),
        "wmt": wmt.encode(),
        "po": '#, fuzzy\nmsgid "One"\nmsgstr "一"\n\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\n'.encode(),
        "mo": binary.to_binary(),
        "zip": archive.getvalue(),
    }


VALID = valid_files()
CHANGES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 2), st.binary(max_size=3)), max_size=4)


@settings(quick, max_examples=150)
@given(st.sampled_from(sorted(VALID)), CHANGES, st.sampled_from(["fail", "skip", "replace"]))
def test_a_damaged_file_gives_pairs_or_a_sentence(kind, changes, on_error):
    content = bytearray(VALID[kind])
    for place, length, new in changes:
        at = place % len(content)
        content[at : at + length] = new
        content = content or bytearray(b"x")
    path = stored("damaged", bytes(content))
    for asked in (kind, "auto"):
        try:
            pairs, _ = found(path, asked, Rule(on_error=on_error))
        except DataError:
            continue  # any other exception fails the test
        assert all("\n" not in pair.source + pair.target for pair in pairs)


@quick
@given(st.binary(max_size=40))
def test_any_bytes_have_a_format_or_a_sentence(content):
    with suppress(DataError):  # any other exception fails the test
        assert detect(stored("unknown", content)) in (*READERS, "sgm")


# --- normalisers ------------------------------------------------------------------------------------------------------


@quick
@given(TEXT, st.sampled_from(["en", "zh"]))
def test_a_normal_line_is_one_line_and_stays_as_it_is(text, language):
    line = normalise(text, language)
    assert len(line.splitlines()) <= 1
    assert normalise(line, language) == line == tidy(line)
    assert len(restore(text, language).splitlines()) <= 1
    assert [c for c in line.casefold() if c.isdecimal()] == [
        c
        for c in unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(DIGITS)).casefold()
        if c.isdecimal()
    ]  # no digit is lost


DIGITS = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF1A)}
