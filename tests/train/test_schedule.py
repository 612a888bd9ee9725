"""The learning rate over a run."""

import pytest

from nmt.config import OptimConfig
from nmt.train.schedule import learning_rate


def test_rises_peaks_and_falls() -> None:
    config = OptimConfig(lr=0.1, warmup=0.2, floor=0.05)
    assert 0 < learning_rate(0.0, config) < 0.01
    assert learning_rate(0.1, config) == pytest.approx(0.05)
    assert learning_rate(0.2, config) == pytest.approx(0.1)
    assert learning_rate(0.6, config) == pytest.approx(0.1 * (0.05 + 0.95 * 0.5))
    assert learning_rate(1.0, config) == pytest.approx(0.005)
    assert learning_rate(2.0, config) == learning_rate(1.0, config)


def test_no_warmup() -> None:
    assert learning_rate(0.0, OptimConfig(lr=0.1, warmup=0.0)) == pytest.approx(0.1)
