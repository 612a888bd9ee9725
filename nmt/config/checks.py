"""What a setting's value must be. A value that is still to come (`MISSING`) or is text to be filled in passes."""

from __future__ import annotations

import math

from nmt.errors import ConfigError

MAX_SEED = 2**32 - 1  # SentencePiece's
MISSING = "???"  # how OmegaConf spells "must be given"; a checked value may still hold it while a schema is built


def finite(name: str, value: float) -> None:
    if not isinstance(value, str) and not -math.inf < value < math.inf:  # YAML reads `nan` and `inf` as numbers
        raise ConfigError(f"{name} must be a finite number, but it is {value}")


def positive(name: str, value: float) -> None:
    finite(name, value)
    if not isinstance(value, str) and value <= 0:
        raise ConfigError(f"{name} must be greater than 0, but it is {value}")


def not_negative(name: str, value: float) -> None:
    finite(name, value)
    if not isinstance(value, str) and value < 0:
        raise ConfigError(f"{name} can not be negative, but it is {value}")


def between(name: str, value: float, lowest: float, highest: float) -> None:
    if not isinstance(value, str) and not lowest <= value <= highest:
        raise ConfigError(f"{name} must be from {lowest} to {highest}, but it is {value}")


def one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value != MISSING and value not in choices:
        raise ConfigError(f"{name} is {value!r}, but it must be one of: {', '.join(choices)}")


def share(name: str, value: float) -> None:
    if not isinstance(value, str) and not 0.0 <= value < 1.0:
        raise ConfigError(f"{name} must be at least 0 and less than 1, but it is {value}")
