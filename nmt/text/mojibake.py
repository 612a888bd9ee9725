"""Text that was read in another encoding than it was written in, found and mended.

Two kinds are common. UTF-8 read as Windows-1252 gives `donâ€™t`; ftfy (https://ftfy.readthedocs.io) knows it and its
relatives. UTF-8 read as GBK gives Chinese characters without sense, such as 浣犲ソ for 你好; that is undone here.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from nmt.errors import ConfigError

_SHORTEST = 4
"""Fewest characters that are believed to be UTF-8 read as GBK; by chance, 联通 could be."""


def ftfy_available() -> bool:
    """Whether ftfy is installed; does not import it."""
    return find_spec("ftfy") is not None


@cache
def _ftfy() -> Any:
    try:
        import ftfy
        import ftfy.badness
    except ImportError:
        raise ConfigError("Finding broken encodings needs ftfy: pip install 'nmt[ftfy]'") from None
    return ftfy


def looks_broken(text: str) -> bool:
    """Whether a line shows the marks of a wrong encoding.

    Raises:
        ConfigError: ftfy is not installed.
    """
    return not text.isascii() and (bool(_ftfy().badness.is_bad(text)) or _from_gbk(text) is not None)


def mend(text: str) -> str:
    """Undo a wrong encoding where that is possible.

    Args:
        text: Any line.

    Returns:
        The line as it was written, or as it is if it looks sound or nothing helps.

    Raises:
        ConfigError: ftfy is not installed.
    """
    if text.isascii():
        return text
    if (mended := _from_gbk(text)) is not None:
        return mended
    return str(_ftfy().fix_encoding(text)) if _ftfy().badness.is_bad(text) else text


def _from_gbk(text: str) -> str | None:
    if len(text) < _SHORTEST:
        return None
    try:
        mended = text.encode("gb18030").decode("utf-8")
    except UnicodeError:
        return None
    return mended if sum(not char.isascii() for char in mended) >= _SHORTEST else None
