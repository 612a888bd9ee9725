"""What every test shares: one torch thread, no network, no terminal, and caches that nobody else sees."""

import os
import tempfile

# Before anything imports torch or datasets. One thread each: pytest-xdist runs as many workers as there are cores.
os.environ.update(
    OMP_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
    HF_HUB_OFFLINE="1",
    HF_HOME=tempfile.mkdtemp(prefix="nmt-tests-"),
    MPLBACKEND="Agg",
)
for name in ("NMT_TRACEBACK", "HYDRA_FULL_ERROR", "PYTHONPATH"):
    os.environ.pop(name, None)

from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402
from support import prepare_sample  # noqa: E402

if TYPE_CHECKING:
    from nmt.config import RunConfig

# The same generated cases every time, so that `make test` says the same of the same code twice;
# `make test-slow` looks for new ones (HYPOTHESIS_PROFILE=search).
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def prepared_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, prepared; shared, so tests must not write there."""
    folder = tmp_path_factory.mktemp("prepared") / "sample"
    return prepare_sample(folder, "text.vocab_size_en=700", "text.vocab_size_zh=1200")


@pytest.fixture
def small_run(prepared_sample: Path) -> "RunConfig":
    """Settings of a run of seconds on the sample; change them with `dataclasses.replace`."""
    from nmt import config as schema

    return schema.RunConfig(
        name="small",
        prepared=str(prepared_sample),
        device="cpu",
        model=schema.ModelConfig(
            embedding=24,
            encoder=schema.RecurrentEncoderConfig(layers=1, width=32),
            decoder=schema.RecurrentDecoderConfig(layers=1, width=32),
            attention=schema.DotConfig(),
            self_attention=schema.ScaledDotConfig(),
        ),
        train=schema.TrainConfig(
            max_steps=20, batch_tokens=300, validate_every_steps=10, validate_sentences=8, curves=False
        ),
        decode=schema.DecodeConfig(max_extra=5, max_ratio=1.0),
    )


@pytest.fixture(scope="session")
def model_folder(prepared_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained for a moment on the sample: it translates badly, but it translates."""
    from nmt import config as schema
    from nmt.train.loop import train

    run = schema.RunConfig(
        name="moment",
        prepared=str(prepared_sample),
        device="cpu",
        model=schema.ModelConfig(
            embedding=32,
            encoder=schema.RecurrentEncoderConfig(layers=1, width=64),
            decoder=schema.RecurrentDecoderConfig(layers=1, width=64),
            attention=schema.DotConfig(),
            self_attention=schema.ScaledDotConfig(),
        ),
        optim=schema.OptimConfig(lr=1e-2),
        train=schema.TrainConfig(max_steps=150, batch_tokens=300, validate_sentences=8, curves=False),
        decode=schema.DecodeConfig(max_extra=5, max_ratio=1.0),
    )
    return train(run, tmp_path_factory.mktemp("runs") / "moment").folder / "best"
