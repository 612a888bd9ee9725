"""English-Chinese neural machine translation: prepare, train, evaluate, translate, align."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nmt.decode.translator import Translator

__version__ = "0.1.0"
__all__ = ["Translator", "__version__"]


def __getattr__(name: str) -> Any:
    """`nmt.Translator`, imported only when somebody asks for it: it brings torch."""
    if name == "Translator":
        from nmt.decode.translator import Translator

        return Translator
    raise AttributeError(f"module 'nmt' has no attribute {name!r}")
