"""Learning curves as a picture: loss, learning rate, gradient norm and dev BLEU against the step.

Read from `RUN/journal.jsonl`, also while a run is still training. Needs the extra `plots`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nmt.errors import ConfigError
from nmt.evaluate.history import Event, events

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = {"loss": "step", "lr": "step", "norm": "step", "bleu": "validation"}
NAMES = {"loss": "training loss", "lr": "learning rate", "norm": "gradient norm", "bleu": "validation BLEU"}


def plot(runs: list[Path], output: Path) -> None:
    """Draw a panel for each quantity, a line in it for each run.

    Raises:
        ConfigError: matplotlib is not installed.
        DataError: one of the folders has no journal.
    """
    histories = {kind: [events(run, kind) for run in runs] for kind in sorted(set(PANELS.values()))}
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("a picture needs matplotlib: pip install 'nmt[plots]'") from error
    figure = Figure(figsize=(4.5 * len(PANELS), 4.0), layout="constrained")
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
