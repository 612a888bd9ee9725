"""Updates that can not be made: a gradient that is not finite, and a batch that does not fit into memory."""

from __future__ import annotations

import math
from typing import Any

import torch

from nmt.config import RunConfig
from nmt.errors import ConfigError
from nmt.train.examples import Examples, Work
from nmt.train.folder import RunFolder
from nmt.train.setup import Parts
from nmt.train.state import Counters
from nmt.train.update import Outcome, Updater

SHOWN = 20  # numbers of pairs that are written out


class Skips:
    """Counts updates without a finite gradient, and ends a run of them."""

    def __init__(self, config: RunConfig, parts: Parts, folder: RunFolder) -> None:
        self.config, self.folder = config, folder
        self.updater, self.examples = parts.updater, parts.examples

    def count(self, outcome: Outcome, work: Work, counters: Counters, *, step: int) -> dict[str, Any]:
        """Take note of an update; returns what the journal should tell of one that was not made.

        Raises:
            ConfigError: too many in a row were not made.
        """
        if outcome.made:
            counters.skipped_in_row = 0
            return {}
        counters.skipped += 1
        counters.skipped_in_row += 1
        if counters.skipped_in_row >= self.config.train.skip_limit:
            raise ConfigError(self._why(work, counters.skipped_in_row, step))
        lines = [int(row) + 1 for row in work.rows[:SHOWN]]
        return {"step": step, "in_row": counters.skipped_in_row, "pairs": len(work.rows), "lines": lines}

    def _why(self, work: Work, number: int, step: int) -> str:
        states = self.folder.states()
        return (
            f"the gradient was not finite in {number} updates in a row, up to step "
            f"{step:,}: {self._culprits(work)}; try a lower optim.lr than {self.config.optim.lr:.2g} or a lower "
            f"optim.clip; " + (f"the last good checkpoint is {states[0]}" if states else "nothing has been saved yet")
        )

    @torch.no_grad()
    def _culprits(self, work: Work) -> str:
        """Which pairs of the batch have no finite loss, by their line in the training part, counted from 1."""
        rows = work.rows[work.rows.argsort()]
        bad = []
        for row in rows:
            batch = self.examples.batch(row.reshape(1))
            if not math.isfinite(float(self.updater.losses(self.updater.single, batch).wanted)):
                bad.append(int(row) + 1)
        what = f"pairs of {self.config.prepared}/train"
        if bad and len(bad) < len(rows):
            return f"lines {_some(bad)} of the {what} have no finite loss"
        whole = "all of them alone have no finite loss" if bad else "each of them alone has a finite loss"
        return f"its {len(rows)} pairs are lines {_some([int(row) + 1 for row in rows])} of the {what}, and {whole}"


def _some(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:SHOWN])) + (" ..." if len(numbers) > SHOWN else "")


def check_memory(updater: Updater, examples: Examples, config: RunConfig) -> None:
    """Try the batches that need the most memory before the first update, so that too little is told at once.

    Raises:
        ConfigError: they do not fit.
    """
    works = examples.worst(0)
    try:
        updater.rehearse(works)
    except torch.OutOfMemoryError:
        largest = max((work.batches[0] for work in works), key=lambda batch: batch.source_ids.numel())
        raise ConfigError(
            f"the largest batch ({len(largest.source_ids)} pairs of up to {largest.source_ids.size(1)} and "
            f"{largest.target_out.size(1)} pieces) does not fit into the memory of {updater.device}: lower "
            f"train.batch_tokens, which is {config.train.batch_tokens}, and set train.update_tokens to "
            f"{config.train.batch_tokens} to learn from as many at a time"
        ) from None
