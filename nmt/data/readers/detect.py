"""Which format a file has: by its first bytes where they say so, else by its name, else by its first line."""

from __future__ import annotations

import re
from pathlib import Path

from nmt.config import FORMATS
from nmt.data.streams import display, open_content, without_compression
from nmt.errors import DataError

_MAGIC = {
    b"PAR1": "parquet",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"\xde\x12\x04\x95": "mo",
    b"\x95\x04\x12\xde": "mo",
}
_ROOTS = {"tmx": "tmx", "xliff": "xliff", "dataset": "wmt", "srcset": "sgm", "refset": "sgm", "tstset": "sgm"}
_ENDINGS = {
    "tsv": "tsv", "tab": "tsv", "csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "po": "po",
    "pot": "po",
}  # fmt: skip
_XML = ("tmx", "xliff", "xlf", "xml", "sgm", "sgml")
_ROOT = re.compile(
    r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>)*<(?:\w+:)?(\w+)", re.DOTALL | re.IGNORECASE
)


def detect(path: str | Path) -> str:
    """The format of a file.

    Args:
        path: The file, possibly compressed, or `-`.

    Returns:
        One of `FORMATS`, or `sgm`, of which two files make a corpus.

    Raises:
        DataError: The file says nothing about its format.
    """
    with open_content(path) as stream:
        start = stream.read(1 << 14)
    if found := next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None):
        return found
    ending = without_compression(path).rpartition(".")[2]
    text = _decoded(start)
    if root := _root(text):
        return root
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    first = next((line for line in text.split("\n") if line.strip()), "")
    if ending not in _XML:
        if first.startswith("{"):
            return "jsonl"
        if re.search(r'^msgid "', text, re.MULTILINE):
            return "po"
        if "\t" in first:
            return "tsv"
    raise DataError(
        f"{display(path)}: can not tell its format from its content or its name: set format to one of "
        f"{', '.join(FORMATS)} (two aligned files are data=files)"
    )


def is_sgm(path: str | Path) -> bool:
    """Whether a file is one side of an SGM test set."""
    with open_content(path) as stream:
        return _root(_decoded(stream.read(1 << 14))) == "sgm"


def _root(text: str) -> str | None:
    """The format whose root element a text begins with."""
    found = _ROOT.match(text) if text.lstrip().startswith("<") else None
    return _ROOTS.get(found[1].lower()) if found else None


def _decoded(start: bytes) -> str:
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return start.decode(encoding, errors="replace")
