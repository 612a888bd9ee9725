"""An alignment as text: a heat map in shades that stands in any terminal.

One line for each target unit: its shades over the source, whose words stand upright above, and in words the source unit
that it looks at most. Han characters take two columns of a terminal, so every cell is two columns wide and every label
is padded by what it takes, not by its length (Unicode Standard Annex 11). A source too long for the terminal has no
room for a grid; then each line names its strongest source units, at most three.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from nmt.align.links import Alignment

SHADES = " ░▒▓█"
_FROM = (0.0, 0.1, 0.3, 0.5, 0.75)
"""The weight from which each shade is used."""

_LABEL = 14
"""Most columns of a target unit's label."""
_TALL = 12
"""Most lines of the upright source words."""


def text(alignment: Alignment, *, width: int = 100) -> str:
    """The heat map of `alignment`, in at most `width` columns."""
    labels = [_cut(unit, _LABEL) for unit in alignment.target_units]
    margin = max([columns(label) for label in labels], default=0)
    names = [_cut(unit, _LABEL) for unit in alignment.source_units]
    strongest = max([columns(name) for name in names], default=0) + len(" 1.00")
    if margin + len(" │") + 2 * len(names) + len("│ ") + strongest <= width:
        return "\n".join(_grid(alignment, labels, names, margin))
    return "\n".join(_list(alignment, labels, names, margin, width))


def columns(string: str) -> int:
    """How many columns of a terminal `string` takes."""
    return sum(_columns(char) for char in string)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _grid(alignment: Alignment, labels: Sequence[str], names: Sequence[str], margin: int) -> list[str]:
    indent = " " * (margin + len(" │"))
    lines = [(indent + line).rstrip() for line in _upright(alignment.source_units)]
    lines.append(" " * (margin + 1) + "┌" + "──" * len(names) + "┐")
    for label, row in zip(labels, alignment.weights, strict=True):
        cells = "".join(_shade(weight) * 2 for weight in row)
        lines.append(f"{_left_pad(label, margin)} │{cells}│ {_named(row, names, 1, 0)}".rstrip())
    lines.append(" " * (margin + 1) + "└" + "──" * len(names) + "┘")
    lines.append(indent + _legend())
    return lines


def _legend() -> str:
    return "  ".join(f"{shade * 2} from {start:g}" for shade, start in zip(SHADES[1:], _FROM[1:], strict=True))


def _list(alignment: Alignment, labels: Sequence[str], names: Sequence[str], margin: int, width: int) -> list[str]:
    room = width - margin - len(" ← ")
    return [
        f"{_left_pad(label, margin)} ← {_named(row, names, 3, room)}".rstrip()
        for label, row in zip(labels, alignment.weights, strict=True)
    ]


def _named(row: Sequence[float], names: Sequence[str], most: int, room: int) -> str:
    """The strongest source units of a row by name, those that count for at least a tenth; one in any case."""
    order = sorted(range(len(row)), key=lambda source: -row[source])[:most]
    shown = ""
    for place, source in enumerate(order):
        longer = f"{shown}  {names[source]} {row[source]:.2f}".lstrip()
        if place and (row[source] < _FROM[1] or columns(longer) > room):
            break
        shown = longer
    return shown


def _upright(units: Sequence[str]) -> list[str]:
    """The units written downwards, side by side, their last characters on one line, two columns each."""
    stacks = [_clusters(unit) for unit in units]
    stacks = [stack if len(stack) <= _TALL else [*stack[: _TALL - 1], "…"] for stack in stacks]
    height = max([len(stack) for stack in stacks], default=0)
    full = [[" "] * (height - len(stack)) + stack for stack in stacks]
    return ["".join(_right_pad(stack[line], 2) for stack in full) for line in range(height)]


def _clusters(unit: str) -> list[str]:
    """The characters of `unit`, each with the marks that stand above or below it."""
    found: list[str] = []
    for char in unit:
        if found and columns(char) == 0:
            found[-1] += char
        else:
            found.append(char)
    return found


def _shade(weight: float) -> str:
    return SHADES[max(level for level, start in enumerate(_FROM) if weight >= start)]


def _cut(unit: str, most: int) -> str:
    if columns(unit) <= most:
        return unit
    kept = ""
    for char in unit:
        if columns(kept + char) > most - 1:
            break
        kept += char
    return kept + "…"


def _left_pad(string: str, width: int) -> str:
    return " " * (width - columns(string)) + string


def _right_pad(string: str, width: int) -> str:
    return string + " " * (width - columns(string))
