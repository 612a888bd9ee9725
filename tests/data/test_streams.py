import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from types import SimpleNamespace

import pytest

from nmt.data import streams
from nmt.data.corpus import Pair, read_files
from nmt.data.lines import count_lines, read_lines
from nmt.data.streams import _spooled, plain_file, without_compression
from nmt.errors import DataError

CONTENT = "one\n二\n".encode() * 500


def zst(content: bytes) -> bytes:
    return pytest.importorskip("backports.zstd", reason="the extra `formats` is not installed").compress(content)


WAYS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": zst, "plain": bytes}


@pytest.mark.parametrize("way", WAYS)
def test_a_compressed_file_is_known_by_its_content(tmp_path, way):
    path = tmp_path / "named.anyhow"
    path.write_bytes(WAYS[way](CONTENT))
    assert list(read_lines(path)) == ["one", "二"] * 500
    assert count_lines(path) == 1000
    with plain_file(path) as plain:
        assert plain.read_bytes() == CONTENT


@pytest.mark.parametrize("way", ["gz", "xz", "bz2", "zst"])
def test_several_members_are_one_file_and_a_cut_one_is_an_error(tmp_path, way):
    path = tmp_path / "a.en"
    path.write_bytes(WAYS[way](b"a\n") + WAYS[way](b"b\n"))
    assert list(read_lines(path)) == ["a", "b"]
    path.write_bytes(WAYS[way](os.urandom(5000))[:-900])
    with pytest.raises(DataError, match=r"a\.en is damaged or cut off"):
        count_lines(path)


def test_a_pair_of_differently_compressed_files(tmp_path):
    (tmp_path / "a.en").write_bytes(gzip.compress(b"one\ntwo\n"))
    (tmp_path / "a.zh").write_bytes(lzma.compress("一\n二\n".encode()))
    assert list(read_files(tmp_path / "a.en", tmp_path / "a.zh")) == [Pair("one", "一", 1), Pair("two", "二", 2)]


def test_a_decompression_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "BOMB_BYTES", 1 << 20)
    path = tmp_path / "bomb.xz"
    path.write_bytes(lzma.compress(b"0" * (8 << 20)))
    with pytest.raises(DataError, match=r"bomb\.xz grows to more than 200 times its size"):
        count_lines(path)
    path.write_bytes(gzip.compress(b"".join(f"line {n} of text\n".encode() for n in range(200_000))))
    assert count_lines(path) == 200_000  # repetitive text is no bomb


def test_stdin_is_read_as_often_as_needed(monkeypatch):
    _spooled.cache_clear()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(gzip.compress(b"a\nb\n"))))
    assert (count_lines("-"), list(read_lines("-"))) == (2, ["a", "b"])
    with pytest.raises(DataError, match="Only one of the two files can be stdin"):
        read_files("-", "-")
    _spooled.cache_clear()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_as_often_as_needed(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a\nb\n",))
    writer.start()
    assert (count_lines(pipe), list(read_lines(pipe))) == (2, ["a", "b"])
    writer.join()


def test_names_without_their_compression():
    assert without_compression("x/A.TSV.gz") == "a.tsv"
    assert without_compression("a.xml") == "a.xml"
