"""Traditional to simplified script, by OpenCC (https://github.com/BYVoid/OpenCC).

A corpus in which the same sentence is written now in one script, now in the other, has twice the characters to learn
and a reference that punishes the right translation. OpenCC is optional: only a corpus with `data.script=convert`
needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from nmt.errors import ConfigError


def opencc_available() -> bool:
    """Whether OpenCC is installed; does not import it."""
    return find_spec("opencc") is not None


@cache
def _converter() -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError:
        raise ConfigError(
            "Converting Chinese text to simplified script needs OpenCC. Install it with: pip install 'nmt[opencc]'"
        ) from None
    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert


def to_simplified(text: str) -> str:
    """Write Chinese text in simplified script.

    Args:
        text: Text in either script, or a mixture; other languages pass unchanged.

    Returns:
        The same text in simplified script.

    Raises:
        ConfigError: OpenCC is not installed.
    """
    return _converter()(text)
