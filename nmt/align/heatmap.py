"""An alignment as a picture, in the form of Bahdanau et al. (2015), figure 3.

Source words along the top, target words down the side: a row shows where one target word comes from. The colour scale
always spans 0 to 1, so that two pictures can be compared; linked cells are framed and carry their weight. The picture
grows with the sentence. For the terminal, see `text`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nmt.align.fonts import INSTALL, Han, find_han
from nmt.align.links import Alignment
from nmt.align.terminal import columns, text
from nmt.errors import ConfigError, DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

__all__ = ["png", "text"]

_CELL = 0.42  # inches
_LONGEST = 60.0  # inches; longer sentences get smaller cells, as a PNG can not grow for ever
_DPI = 150
_DARK = "#1f2933"
_FRAME = "#d9480f"
_PALE = "#c3ccd5"


def png(alignment: Alignment, path: Path | str, *, title: str | None = None) -> None:
    """Draw `alignment` into the PNG file `path`.

    Raises:
        ConfigError: matplotlib or a font with Chinese characters is missing.
        DataError: One side has no word.
    """
    if not alignment.source_units or not alignment.target_units:
        raise DataError("an alignment without words on both sides can not be drawn")
    han = find_han()
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError(f"a picture needs matplotlib: {INSTALL}") from error
    rows, across = len(alignment.target_units), len(alignment.source_units)
    cell = min(_CELL, _LONGEST / max(rows, across))
    width, height = cell * across, cell * rows
    figure = Figure(figsize=(width, height), dpi=_DPI)
    FigureCanvasAgg(figure)  # no pyplot: nothing global, and no window
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    image = axes.imshow(alignment.weights, cmap="Blues", vmin=0.0, vmax=1.0, aspect="equal", origin="upper")
    _label(axes, alignment, han, size=cell * 28)
    _grid(axes, rows, across)
    _mark_links(axes, alignment, han, size=cell * 18)
    _scale(figure, image, han, width=width, height=height)
    if title:
        axes.set_title(
            han.drawable(title), fontproperties=han.properties(12), color=_DARK, loc="left", pad=14, parse_math=False
        )
    # "tight" makes room for everything that stands outside of the cells: labels, scale and title.
    figure.savefig(path, format="png", bbox_inches="tight", pad_inches=0.2, facecolor="white")


def _label(axes: Axes, alignment: Alignment, han: Han, *, size: float) -> None:
    sources = [han.drawable(unit) for unit in alignment.source_units]
    targets = [han.drawable(unit) for unit in alignment.target_units]
    font = han.properties(size)
    upright = max(map(columns, sources)) <= 2  # Han characters and short words need not be turned
    axes.set_xticks(range(len(sources)))
    axes.set_xticklabels(sources, fontproperties=font, color=_DARK, parse_math=False, rotation=0 if upright else 90)
    axes.set_yticks(range(len(targets)))
    axes.set_yticklabels(targets, fontproperties=font, color=_DARK, parse_math=False)
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0, pad=5)
    axes.set_xlabel("source", fontproperties=han.properties(11), color=_DARK, labelpad=8)
    axes.set_ylabel("target", fontproperties=han.properties(11), color=_DARK, labelpad=8)
    axes.xaxis.set_label_position("top")


def _grid(axes: Axes, rows: int, across: int) -> None:
    """Thin lines between the cells, so that the eye can follow a row to its word."""
    axes.set_xticks([place - 0.5 for place in range(across + 1)], minor=True)
    axes.set_yticks([place - 0.5 for place in range(rows + 1)], minor=True)
    axes.grid(which="minor", color=_PALE, linewidth=0.5)
    axes.tick_params(which="minor", length=0)
    for spine in axes.spines.values():
        spine.set_color(_PALE)


def _mark_links(axes: Axes, alignment: Alignment, han: Han, *, size: float) -> None:
    from matplotlib.patches import Rectangle

    for source, target in alignment.links:
        weight = alignment.weights[target][source]
        frame = Rectangle((source - 0.5, target - 0.5), 1, 1, fill=False, edgecolor=_FRAME, linewidth=1.2, zorder=3)
        frame.set_clip_on(False)  # else the outermost frames lose half of a side
        axes.add_artist(frame)
        shown = f"{weight:.2f}".removeprefix("0")
        colour = "white" if weight > 0.55 else _DARK
        axes.text(source, target, shown, ha="center", va="center", color=colour, fontproperties=han.properties(size))


def _scale(figure: Figure, image: AxesImage, han: Han, *, width: float, height: float) -> None:
    """The colour bar, to the right: 0.14 inches wide whatever the size of the picture."""
    bar = min(max(height, 1.2), 3.0)
    beside = figure.add_axes((1 + 0.25 / width, 1 - bar / height, 0.14 / width, bar / height))
    scale = figure.colorbar(image, cax=beside, ticks=[0.0, 0.25, 0.5, 0.75, 1.0])
    scale.ax.tick_params(labelsize=9, colors=_DARK, length=2)
    scale.set_label("attention weight", fontproperties=han.properties(10), color=_DARK)
    scale.outline.set_edgecolor(_PALE)
