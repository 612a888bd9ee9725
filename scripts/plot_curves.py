#!/usr/bin/env python
"""Plot the curves of one or several runs: loss, learning rate and validation BLEU against the step.

    scripts/plot_curves.py runs/demo runs/demo_cosine --output curves.png

Reads `RUN/journal.jsonl`, also while a run is still training. Needs `pip install 'nmt[plots]'`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.errors import ConfigError, NmtError
from nmt.evaluate.history import Event, events

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {"loss": "step", "lr": "step", "bleu": "validation"}
NAMES = {"loss": "training loss", "lr": "learning rate", "bleu": "validation BLEU"}


def main(arguments: list[str] | None = None) -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders written by `nmt train`")
    parser.add_argument("--output", type=Path, default=Path("curves.png"), help="the picture to write (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        plot(options.runs, options.output)
    except NmtError as error:
        print(f"plot_curves: {error}", file=sys.stderr)
        return 1
    print(options.output)
    return 0


def plot(runs: list[Path], output: Path) -> None:
    """Draw a panel for each quantity, a line in it for each run."""
    histories = {kind: [events(run, kind) for run in runs] for kind in sorted(set(PANELS.values()))}
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("a picture needs matplotlib: pip install 'nmt[plots]'") from error
    figure = Figure(figsize=(5.0 * len(PANELS), 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, (quantity, kind) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        _panel(axes, quantity, runs, histories[kind])
    figure.savefig(output, dpi=150)


def _panel(axes: Axes, quantity: str, runs: list[Path], histories: list[list[Event]]) -> None:
    for run, history in zip(runs, histories, strict=True):
        points = [(event["step"], event[quantity]) for event in history if event.get(quantity) is not None]
        marker = "o" if len(points) < 60 else ""
        axes.plot([x for x, _ in points], [y for _, y in points], marker=marker, markersize=3, label=run.name)
    axes.set_title(NAMES[quantity])
    axes.set_xlabel("step")
    axes.grid(alpha=0.3)
    axes.legend()


if __name__ == "__main__":
    sys.exit(main())
