"""Several runs as a picture: bars for BLEU and chrF2 with their confidence intervals, and for the attention entropy.

Each measure has a panel of its own, from zero, with a bar for each run in the order in which they were given. Two
intervals that overlap do not show that two systems are alike, nor the reverse, when both translated the same
sentences: that is what the paired tests of `nmt evaluate` are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nmt.errors import ConfigError, DataError
from nmt.evaluate.compare import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")

_PANELS = {"test BLEU": "test_bleu", "test chrF2": "test_chrf", "attention entropy (nats)": "attention_entropy"}
_COLOURS = ("#2f6f9f", "#5b8c5a", "#b07d2b")
_DARK = "#1f2933"
_BAR = 0.42  # inches from one bar to the next


class Font(Protocol):
    """A font that can draw the names of the runs, as `nmt.align.fonts.find_han` gives it."""

    def properties(self, size: float) -> Any:
        """The font in this size, for matplotlib."""

    def drawable(self, string: str) -> str:
        """The string without what has no glyph."""


def draw(rows: Sequence[Row], path: Path, font: Font) -> None:
    """Draw the runs that have a test score into `path` (.png, .svg or .pdf).

    Args:
        rows: From `nmt.evaluate.compare.read_runs`.
        path: Where to; its folder is made if it is missing.
        font: For all text.

    Raises:
        ConfigError: The picture has another ending, or matplotlib is missing.
        DataError: No run has a test score.
    """
    check_format(path)
    scored = [row for row in rows if row.get("test_bleu") is not None]
    if not scored:
        raise DataError("no run has a test score to draw: `nmt evaluate --model RUN/best ... --output RUN/test` first")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("a picture needs matplotlib: pip install 'nmt[plots]'") from error
    panels = {title: key for title, key in _PANELS.items() if any(row.get(key) is not None for row in scored)}
    figure = Figure(figsize=(2.2 + 2.6 * len(panels), 0.9 + _BAR * len(scored)), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)  # no pyplot: nothing global, and no window
    for number, (axes, colour) in enumerate(
        zip(figure.subplots(1, len(panels), squeeze=False)[0], _COLOURS, strict=False)
    ):
        title, key = list(panels.items())[number]
        _bars(axes, scored, key, colour, font)
        axes.set_title(title, fontproperties=font.properties(11), color=_DARK)
        names = [font.drawable(row["name"]) if number == 0 else "" for row in scored]
        axes.set_yticks(range(len(scored)), names, fontproperties=font.properties(10), color=_DARK, parse_math=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format=path.suffix.lower()[1:], facecolor="white")


def check_format(path: Path) -> None:
    """Refuse an ending that can not be drawn.

    Raises:
        ConfigError: It is none of `FORMATS`.
    """
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f"{path} can not be drawn: the name of the picture must end in {', '.join(FORMATS)}")


def _bars(axes: Axes, rows: Sequence[Row], key: str, colour: str, font: Font) -> None:
    values = [row.get(key) or 0.0 for row in rows]
    halves = [row.get(f"{key}_interval") or 0.0 for row in rows]
    axes.barh(range(len(rows)), values, height=0.62, color=colour)
    for place, (row, value, half) in enumerate(zip(rows, values, halves, strict=True)):
        if half:
            axes.errorbar(value, place, xerr=half, color=_DARK, capsize=3, linewidth=1.1)
        known = row.get(key) is not None
        shown = "-" if not known else f"{value:.2f}" + (f" ±{half:.2f}" if half else "")
        axes.annotate(
            shown, (value + half, place), xytext=(5, 0), textcoords="offset points", va="center", color=_DARK,
            fontproperties=font.properties(9),
        )  # fmt: skip
    axes.set_xlim(0.0, 1.45 * max(value + half for value, half in zip(values, halves, strict=True)) or 1.0)
    axes.set_ylim(len(rows) - 0.4, -0.6)  # the first run on top
    axes.tick_params(axis="x", labelsize=8, colors=_DARK, length=2)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
