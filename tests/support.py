"""What tests share besides fixtures."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from nmt.config import RunConfig

SAMPLE = Path(__file__).parents[1] / "data" / "sample.tsv"
AWKWARD = SAMPLE.with_name("awkward.tsv")


def changed(run: RunConfig, **train: object) -> RunConfig:
    """The same run with other settings under `train`."""
    return dataclasses.replace(run, train=dataclasses.replace(run.train, **train))
