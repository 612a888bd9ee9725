"""A file contract: what stands in two aligned files, or in one file of pairs, before anybody trains on it.

Nothing is changed and nothing stops at the first fault: bad bytes are counted and read on. A *problem* is what breaks
a corpus in some other tool or shifts its lines; a *note* is what a person may want to know.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from nmt.data.corpus import Pair
from nmt.data.lines import PLACES, LineCounts, Rule, read_with
from nmt.data.readers import Job, detect, read, read_two
from nmt.data.shifts import find_shifts
from nmt.data.streams import display
from nmt.errors import DataError
from nmt.text.units import HAN, count_units

_LINES = {
    "separators": "separators inside lines (lone CR, U+2028, U+0085, form feed, ...): some tools break lines here",
    "nul": "NUL characters",
    "controls": "control characters",
    "carriage_returns": "lines that end in CR LF",
    "byte_order_marks": "files that begin with a byte order mark",
    "undecodable": "lines that are not in the encoding",
    "over_long": "lines that are too long",
}
_HARMLESS = ("header", "fuzzy", "obsolete", "not translated", "state ", "no ")
_SIDES = ("source", "target")
_HAN = re.compile(f"[{HAN}]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class Finding:
    """One kind of thing that was found."""

    name: str
    level: str
    """`problem` or `note`."""
    meaning: str
    count: int = 0
    places: list[str] = field(default_factory=list)
    """The first few, as `file:line`."""

    def add(self, place: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.places) < PLACES:
            self.places.append(place)


@dataclass(slots=True)
class Audit:
    """All that was found."""

    files: list[str]
    pairs: int
    findings: list[Finding]
    lengths: dict[str, dict[str, Any]]
    """Of each side, in the units of `nmt.text.units`."""
    scripts: dict[str, dict[str, int]]
    """Of each side, how many lines are mostly in which script."""

    @property
    def is_clean(self) -> bool:
        """Whether there is no problem."""
        return all(finding.level != "problem" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {**asdict(self), "clean": self.is_clean}


def audit(files: list[Path], job: Job, kind: str = "auto") -> Audit:
    """Read one file of pairs or two aligned files, and tell what is in them.

    Args:
        files: One or two; `-` is stdin.
        job: The languages, fields and encoding; its path is not looked at.
        kind: The format of one file, or `auto`.

    Raises:
        DataError: A file can not be opened, or its format is not known.
    """
    rule = replace(job.rule, on_error="replace")
    counts, watch = LineCounts(), _Watch(files)
    is_text = True
    if len(files) == 1:
        kind = detect(files[0]) if kind == "auto" else kind
        is_text = kind in ("tsv", "zip")
        pairs = read(replace(job, path=files[0], rule=rule), counts, kind)
    else:
        pairs = _two(files, counts, rule)
    try:
        for pair in pairs:
            watch.see(pair)
    except DataError as error:
        watch.findings["structure"].add(str(error))
        if len(files) == 2:  # unequal: their lines are looked at all the same
            counts = LineCounts()
            for path in files:
                for _ in read_with(path, rule, counts):
                    pass
    return Audit(
        [display(path) for path in files],
        watch.pairs,
        [*_of_lines(counts, is_text=is_text), *watch.found()],
        watch.lengths(),
        {side: dict(watch.scripts[side].most_common()) for side in _SIDES},
    )


def _two(files: list[Path], counts: LineCounts, rule: Rule) -> Iterator[Pair]:
    yield from read_two(files[0], files[1], counts, rule)


def _of_lines(counts: LineCounts, *, is_text: bool) -> Iterator[Finding]:
    """What the reading rule met. A field of XML, JSON or a catalogue may well hold line breaks."""
    for name, meaning in _LINES.items():
        if number := getattr(counts, name):
            level = "note" if name == "separators" and not is_text else "problem"
            yield Finding(name.replace("_", " "), level, meaning, number, counts.places.get(name, []))
    for reason, number in counts.skipped.items():
        level = "note" if reason.startswith(_HARMLESS) else "problem"
        yield Finding(reason, level, "records that give no pair", number, counts.places[reason])


class _Watch:
    """Looks at every pair once; remembers eight bytes of each."""

    def __init__(self, files: list[Path]) -> None:
        self.pairs = 0
        self.scripts: dict[str, Counter[str]] = {side: Counter() for side in _SIDES}
        self.findings = {
            finding.name: finding
            for finding in (
                Finding("structure", "problem", "what keeps the files from being read as pairs"),
                Finding("blank side", "problem", "pairs with text on one side only"),
                Finding("blank pair", "note", "pairs without text"),
                Finding("identical", "note", "pairs with the same text on both sides"),
                Finding(
                    "shift", "problem", "runs of pairs whose lengths do not go together, but do beside other lines"
                ),
                Finding("same script", "problem", "both sides are mostly in one script"),
            )
        }
        self._names = [display(path) for path in files]
        self._units = {side: array("i") for side in _SIDES}
        self._lines = array("q")
        self._odd = {
            (side, script): Finding(f"{side} in {script}", "note", "") for side in _SIDES for script in _SCRIPTS
        }

    def see(self, pair: Pair) -> None:
        self.pairs += 1
        self._lines.append(pair.line)
        texts = dict(zip(_SIDES, (pair.source.strip(), pair.target.strip()), strict=True))
        blank = [side for side, text in texts.items() if not text]
        if len(blank) == 1:
            self.findings["blank side"].add(self._place(blank[0], pair.line))
        elif blank:
            self.findings["blank pair"].add(self._place("source", pair.line))
        elif texts["source"].casefold() == texts["target"].casefold():
            self.findings["identical"].add(self._place("source", pair.line))
        for side, text in texts.items():
            self._units[side].append(count_units(text))
            script = _script(text)
            self.scripts[side][script] += 1
            self._odd[side, script].add(self._place(side, pair.line))

    def found(self) -> Iterator[Finding]:
        """What was found in the pairs; asks for shifts."""
        main = {side: max(("Latin", "Han", "other"), key=lambda s: self.scripts[side][s]) for side in _SIDES}
        if self.pairs and main["source"] == main["target"]:
            self.findings["same script"].add(f"{self._names[0]}: {main['source']}")
        for shift in find_shifts(self._units["source"], self._units["target"]):
            first, last = self._lines[shift.start], self._lines[min(shift.end, self.pairs) - 1]
            place = f"{self._place('source', first)} to {last}: the target is {abs(shift.offset)} line(s) "
            self.findings["shift"].add(place + ("further on" if shift.offset > 0 else "before"))
        yield from (finding for finding in self.findings.values() if finding.count)
        for (side, script), finding in self._odd.items():
            if finding.count and script not in (main[side], "no letters"):
                finding.meaning = f"{side} lines mostly in another script than the rest ({main[side]})"
                yield finding

    def lengths(self) -> dict[str, dict[str, Any]]:
        """Median, 95th percentile and longest of each side, with the place of the longest."""
        result: dict[str, dict[str, Any]] = {}
        for side, units in self._units.items():
            if units:
                ordered = sorted(units)
                longest = units.index(ordered[-1])
                result[side] = {
                    "median": ordered[len(units) // 2],
                    "95%": ordered[len(units) * 95 // 100],
                    "longest": ordered[-1],
                    "place": self._place(side, self._lines[longest]),
                }
        return result

    def _place(self, side: str, line: int) -> str:
        return f"{self._names[_SIDES.index(side) if len(self._names) == 2 else 0]}:{line}"


_SCRIPTS = ("Latin", "Han", "other", "no letters")


def _script(text: str) -> str:
    """The script of most letters; a Han character says as much as two Latin letters."""
    han, latin, letters = len(_HAN.findall(text)), len(_LATIN.findall(text)), len(_LETTER.findall(text))
    if not letters:
        return "no letters"
    counts = {"Han": 2 * han, "Latin": latin, "other": letters - han - latin}
    return max(counts, key=lambda script: counts[script])
