"""What `nmt prepare` did, as lines for a person; every number of it also stands in the manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nmt.config import DIRECTIONS, LANGUAGES
from nmt.data.clean import Dropped
from nmt.data.lines import LineCounts
from nmt.text.tokenizer import UNK, Tokenizer
from nmt.text.units import count_units

_LONGEST_EXAMPLE = 48
_ODD = {
    "separators": "inside lines (U+2028, form feed, ...), each now a space",
    "controls": "control characters, removed",
    "nul": "of them NUL",
    "carriage_returns": "lines end in CR LF, read as LF",
    "byte_order_marks": "removed from the beginning of files",
    "undecodable": "lines or fields are not in the declared encoding",
    "over_long": "lines or fields are longer than data.max_line_bytes",
}


def dropped_counts(dropped: dict[str, Dropped]) -> dict[str, Any]:
    """For the manifest: how many pairs each rule dropped, and the first few of them."""
    return {
        name: {
            "pairs": entry.count,
            "examples": [{"line": pair.line, "en": pair.source, "zh": pair.target} for pair in entry.examples],
        }
        for name, entry in dropped.items()
    }


def reading(counts: LineCounts) -> dict[str, int]:
    """For the manifest: what reading met in lines and fields."""
    return {name: getattr(counts, name) for name in ("lines", *_ODD)}


def unread(counts: LineCounts) -> dict[str, Any]:
    """For the manifest: records that gave no pair, by reason and with the places of the first few."""
    return {
        reason: {"pairs": number, "examples": [], "places": [Path(place).name for place in counts.places[reason]]}
        for reason, number in counts.skipped.items()
    }


def coverage(tokenizer: Tokenizer, lines: list[str]) -> dict[str, Any]:
    """How much of some held-out text a vocabulary can not write in pieces.

    Args:
        tokenizer: The vocabulary.
        lines: Normalised lines that it was not learned from.

    Returns:
        The number of pieces, and the shares of them that are unknown and that are single bytes.
    """
    ids = [index for line in tokenizer.encode(lines) for index in line]
    total = max(len(ids), 1)
    return {
        "pieces": len(ids),
        "unknown": sum(index == UNK for index in ids) / total,
        "bytes": sum(map(tokenizer.is_byte, ids)) / total,
    }


def total_units(lines: list[str]) -> int:
    """The length of some text."""
    return sum(map(count_units, lines))


def report(manifest: dict[str, Any]) -> Iterator[str]:
    """The table that is printed at the end."""
    counts, splits = manifest["counts"], manifest["splits"]
    yield f"{manifest['name']}: {counts['read']:,} pairs read from {', '.join(x['path'] for x in manifest['inputs'])}"
    yield _row("licence", manifest["licence"] or "not given (data.licence=...)")
    if manifest["attribution"]:
        yield _row("attribution", manifest["attribution"])
    for name, meaning in _ODD.items():
        if counts[name]:
            yield _row(name.replace("_", " "), f"{counts[name]:,} {meaning}")
    yield _row("groups", f"{counts['groups']:,} of sentences that are connected by a pair")
    yield from _dropped(counts["dropped"])
    yield _row("train", f"{splits['train']['pairs']:,} pairs; " + _per_language(splits["train"]["units"], "units"))
    for split in ("dev", "test"):
        for direction in DIRECTIONS:
            yield _row(f"{split} {direction}", _sentences(splits[split][direction]))
    for language in LANGUAGES:
        yield _row(f"vocabulary {language}", _vocabulary(counts["vocabulary"][language]))


def _dropped(dropped: dict[str, Any]) -> Iterator[str]:
    for name, entry in dropped.items():
        example = f"  e.g. {entry['places'][0]}" if entry.get("places") else ""
        if entry["examples"]:
            first = entry["examples"][0]
            example = f"  e.g. line {first['line']}: {_short(first['en'])} | {_short(first['zh'])}"
        yield _row(f"dropped: {name}", f"{entry['pairs']:,}{example}")


def _sentences(entry: dict[str, Any]) -> str:
    mean = entry["references"] / max(entry["sentences"], 1)
    return f"{entry['sentences']:,} sentences, {entry['references']:,} references ({mean:.2f} each)"


def _vocabulary(entry: dict[str, Any]) -> str:
    dev = entry["dev"]
    shares = f"{dev['unknown']:.2%} are unknown and {dev['bytes']:.2%} are bytes"
    return f"{entry['size']:,} pieces; of {dev['pieces']:,} pieces of dev, {shares}"


def _per_language(numbers: dict[str, int], noun: str) -> str:
    return ", ".join(f"{number:,} {language} {noun}" for language, number in numbers.items())


def _row(name: str, value: str) -> str:
    return f"  {name:<26}{value}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_EXAMPLE else text[: _LONGEST_EXAMPLE - 1] + "…"
