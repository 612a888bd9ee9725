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


def test_inverse_square_root() -> None:
    config = OptimConfig(lr=0.1, warmup=0.1, floor=0.05, schedule="inverse_sqrt")
    assert learning_rate(0.05, config) == pytest.approx(0.05)
    assert learning_rate(0.1, config) == pytest.approx(0.1)
    assert learning_rate(0.4, config) == pytest.approx(0.05)  # four times the steps, half the rate
    assert learning_rate(0.9, config) == pytest.approx(0.1 / 3)
    assert learning_rate(1.0, OptimConfig(lr=0.1, warmup=0.1, floor=0.9, schedule="inverse_sqrt")) == pytest.approx(
        0.09
    )
    assert learning_rate(0.04, OptimConfig(lr=0.1, warmup=0.0, schedule="inverse_sqrt")) == pytest.approx(0.05)


def test_constant_then_down() -> None:
    config = OptimConfig(lr=0.1, warmup=0.1, floor=0.1, decay=0.4, schedule="constant")
    assert learning_rate(0.05, config) == pytest.approx(0.05)
    assert learning_rate(0.1, config) == learning_rate(0.6, config) == pytest.approx(0.1)
    assert learning_rate(0.8, config) == pytest.approx(0.1 * (0.1 + 0.9 * 0.5))
    assert learning_rate(1.0, config) == pytest.approx(0.01)
    assert learning_rate(1.0, OptimConfig(lr=0.1, decay=0.0, schedule="constant")) == pytest.approx(0.1)
