"""What tests share besides fixtures."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from nmt.config import RunConfig

SAMPLE = Path(__file__).parents[1] / "data" / "sample.tsv"
AWKWARD = SAMPLE.with_name("awkward.tsv")


def prepare_sample(folder: Path, *overrides: str) -> Path:
    """Prepare the sample corpus into `folder`, sixteen groups each held out."""
    from nmt.data.prepare import prepare
    from nmt.settings import compose

    sample = ["data=tsv", f"data.train.path='{SAMPLE}'", "data.dev_groups=16", "data.test_groups=16"]
    return prepare(compose("prepare", [*sample, f"output='{folder}'", *overrides]))


def changed(run: RunConfig, **train: object) -> RunConfig:
    """The same run with other settings under `train`."""
    return dataclasses.replace(run, train=dataclasses.replace(run.train, **train))
