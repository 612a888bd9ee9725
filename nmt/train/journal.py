"""What a run tells: a progress bar for the person, and one JSON object a line in `journal.jsonl` for programs."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tqdm import tqdm

from nmt.train.validate import Validation

QUIET_SECONDS = 15.0  # between two lines of progress where there is no terminal


class Journal:
    """Writes a run's story. The bar is drawn on a terminal; elsewhere a plain line comes every few seconds."""

    def __init__(self, folder: Path | None) -> None:
        """Write into the folder of a run; without one, say nothing (the first of several processes speaks for all)."""
        self.silent = folder is None
        self.path = Path(os.devnull) if folder is None else folder / "journal.jsonl"
        if folder is not None:
            _cut_torn_line(self.path)
        self.file = self.path.open("a", encoding="utf-8", newline="\n")
        self.bar: tqdm[None] | None = None
        self.last_line = 0.0
        self.description = ""
        self.validation = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.close()
        self.file.close()

    def start(self, description: str, done: float) -> None:
        """Begin the bar of a run of which a share of `done` has already been run."""
        self.description = description
        if sys.stderr.isatty() and not self.silent:
            form = "{desc} {percentage:3.0f}%|{bar}| {postfix}"
            self.bar = tqdm(total=1.0, initial=done, desc=description, bar_format=form, dynamic_ncols=True)

    def say(self, line: str) -> None:
        """A sentence for the person."""
        if self.silent:
            return
        if self.bar is not None:
            self.bar.clear()
        print(line, file=sys.stderr, flush=True)
        if self.bar is not None:
            self.bar.refresh()

    def step(self, *, progress: float, seconds_left: float, **values: Any) -> None:
        """The state of things after an update (the caller decides how often)."""
        self.record("step", **values)
        line = (
            f"step {values['step']:,} epoch {values['epoch']:.2f} loss {values['loss']:.3f} "
            f"{values['tokens_per_second']:,.0f} tokens/s lr {values['lr']:.2e} left {clock(seconds_left)}"
        )
        if self.bar is not None:
            self.bar.n = min(progress, 1.0)
            self.bar.set_postfix_str(line + self.validation)
        elif not self.silent and time.monotonic() - self.last_line >= QUIET_SECONDS:
            self.last_line = time.monotonic()
            print(f"{self.description} {progress:4.0%} {line}", file=sys.stderr, flush=True)

    def validated(self, found: Validation, *, is_best: bool, step: int, seconds: float) -> None:
        """The outcome of a look at the dev set."""
        sentences, bleu, chrf = len(found.hypotheses), round(found.bleu.value, 2), round(found.chrf.value, 2)
        loss = round(found.loss, 4)
        self.record(
            "validation",
            bleu=bleu,
            chrf=chrf,
            is_best=is_best,
            loss=loss,
            step=step,
            sentences=sentences,
            seconds=seconds,
        )
        self.validation = f" dev BLEU {bleu:.2f}"
        best = ", the best so far" if is_best else ""
        self.say(
            f"step {step:,}: dev BLEU {bleu:.2f} ({sentences} sentences, greedy), chrF {chrf:.2f}, "
            f"loss {loss:.3f} a piece{best}"
        )

    def record(self, event: str, **values: Any) -> None:
        """Append to the journal."""
        self.file.write(json.dumps({"event": event, **values}, ensure_ascii=False) + "\n")
        self.file.flush()


def _cut_torn_line(path: Path) -> None:
    """A killed run may leave half a line at the end; the next line must not be glued to it."""
    if path.is_file() and not (content := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss or m:ss."""
    minutes, rest = divmod(int(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
