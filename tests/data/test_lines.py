import io
from pathlib import Path

import pytest

from nmt.data.lines import LineCounts, Rule, Unreadable, count_lines, lines_of, read_lines, read_with, try_lines
from nmt.errors import DataError

AWKWARD = Path(__file__).parents[2] / "data" / "awkward.tsv"


def read(content: bytes, counts: LineCounts | None = None) -> list[str]:
    return list(lines_of(io.BytesIO(content), "stdin", counts))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\r", ["a ", "b"]),
        (b"a\tb\n", ["a\tb"]),
        ("好\u3000吗\n".encode(), ["好\u3000吗"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    ],
)
def test_a_line_ends_with_a_newline_and_nothing_else(content, expected):
    assert read(content) == expected


def test_other_separators_become_spaces_and_controls_vanish_and_both_are_counted():
    counts = LineCounts()
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei\rj\n" + "n\x00u\x07l\x7f\u009f\n" + "plain\n"
    assert read(text.encode(), counts) == ["a b c d e f g h i j", "nul", "plain"]
    assert (counts.lines, counts.separators, counts.controls, counts.nul) == (3, 9, 4, 1)
    assert counts.places == {"separators": ["stdin:1"], "controls": ["stdin:2"], "nul": ["stdin:2"]}


def test_the_file_of_awkward_lines_keeps_its_count():
    content = AWKWARD.read_bytes()
    lines = list(read_lines(AWKWARD))
    assert len(lines) == count_lines(AWKWARD) == content.count(b"\n")
    assert len(content.decode().splitlines()) > len(lines)
    assert all(line.count("\t") == 1 and len(line.splitlines()) <= 1 for line in lines)


def test_a_byte_that_is_not_utf8_is_named_with_its_place(tmp_path):
    path = tmp_path / "a.zh"
    path.write_bytes(b"good\n" * 16 + "你好".encode() + b"\xb0\xa1\n" + b"good\n")
    with pytest.raises(DataError, match=r"a\.zh:17: byte 7 of the line \(0xB0\) is not UTF-8.*GB18030"):
        list(read_lines(path))


def test_utf16_is_recognised():
    with pytest.raises(DataError, match=r"stdin:1: byte 1 .*looks like UTF-16.*iconv"):
        read("hello\n".encode("utf-16"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"Can not read .*nothing\.en: No such file"):
        list(read_lines(tmp_path / "nothing.en"))
    with pytest.raises(DataError, match="Is a directory"):
        count_lines(tmp_path)


def test_lines_come_as_a_stream():
    lines = lines_of(io.BytesIO(b"good\n\xff\n"), "stdin")
    assert next(lines) == "good"
    with pytest.raises(DataError, match="stdin:2"):
        next(lines)


# --- encodings, bad bytes, long lines ---------------------------------------------------------------------------------

TEXT = "一\u2028二\r\n\nਊ ഊ\nlast"  # U+0A0A and U+0D0A hold the byte of a newline twice


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_declared_encoding_has_the_same_lines(tmp_path, encoding, end):
    path = tmp_path / "a.zh"
    path.write_bytes((TEXT + end).encode(encoding))
    counts = LineCounts()
    assert list(read_with(path, Rule(encoding), counts)) == ["一 二", "", "ਊ ഊ", "last"]
    assert count_lines(path, encoding) == counts.lines == 4
    assert (counts.separators, counts.carriage_returns) == (1, 1)
    assert counts.byte_order_marks == (encoding == "utf-16")


def test_a_byte_order_mark_is_removed_in_every_encoding():
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "gb18030"):
        content = io.BytesIO("\ufeffa\n\ufeffb\n".encode(encoding))
        assert list(try_lines(content, "x", Rule(encoding))) == ["a", "\ufeffb"]


def test_utf16_without_a_mark_asks_for_the_order_of_bytes():
    with pytest.raises(DataError, match=r"no byte order mark.*utf-16-le or utf-16-be"):
        list(try_lines(io.BytesIO("a\n".encode("utf-16-le")), "x", Rule("utf-16")))
    assert list(try_lines(io.BytesIO(b""), "x", Rule("utf-16"))) == []


@pytest.mark.parametrize(
    ("on_error", "second"), [("skip", Unreadable.BYTES), ("replace", "b\ufffd")], ids=["skip", "replace"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "gb18030"])
def test_bad_bytes_cost_one_line_and_are_counted(encoding, on_error, second):
    bad = b"\x00\xd8" if encoding == "utf-16-le" else b"\xff"
    content = "a\nb".encode(encoding) + bad + "\nc\n".encode(encoding)
    counts = LineCounts()
    lines = list(try_lines(io.BytesIO(content), "x", Rule(encoding, on_error), counts))
    assert lines == ["a", second, "c"]
    assert (counts.lines, counts.undecodable, counts.places) == (3, 1, {"undecodable": ["x:2"]})


def test_utf16_declared_as_utf8_fails_even_where_errors_are_skipped():
    with pytest.raises(DataError, match="looks like UTF-16"):
        list(try_lines(io.BytesIO("a\n".encode("utf-16")), "x", Rule(on_error="skip")))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
@pytest.mark.parametrize("length", [19, 20, 21, 22, 23, 24, 70_000])
def test_a_line_over_the_cap_is_one_line(encoding, length):
    characters = length // len("x".encode(encoding))
    content = "\n".join(["a", "x" * characters, "b\r", "x" * characters]).encode(encoding)
    counts = LineCounts()
    lines = list(try_lines(io.BytesIO(content), "x", Rule(encoding, max_bytes=20), counts))
    long = "x" * characters if characters * len("x".encode(encoding)) <= 20 else Unreadable.LENGTH
    assert lines == ["a", long, "b", long]
    assert counts.over_long == (0 if isinstance(long, str) else 2)
    assert counts.lines == 4
