"""Which language a line is in, by py3langid (Lui & Baldwin 2012, https://aclanthology.org/P12-3005), offline.

Optional (extra `langid`), and to be asked about whole sentences only: of three words no program knows the language.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from nmt.errors import ConfigError


def langid_available() -> bool:
    """Whether py3langid is installed; does not import it."""
    return find_spec("py3langid") is not None


@cache
def _classify() -> Callable[[str], tuple[str, float]]:
    try:
        from py3langid import classify
    except ImportError:
        raise ConfigError("Telling languages apart needs py3langid: pip install 'nmt[langid]'") from None
    known: Callable[[str], tuple[str, float]] = classify
    return known


def identify(text: str) -> str:
    """The most likely language of a line as its two-letter code, such as `en` or `zh`.

    Raises:
        ConfigError: py3langid is not installed.
    """
    return _classify()(text)[0]
