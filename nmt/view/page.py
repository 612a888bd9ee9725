"""One HTML file that needs nothing else: the page's own files and the numbers, put together.

The numbers go into a block of JSON in which no `<` is left, so no sentence can end it, and the page writes text as
text only. Its content policy forbids it to load anything.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

SCRIPTS = ("numbers.js", "draw.js", "page.js")


def page(content: dict[str, Any]) -> str:
    """The whole page.

    Args:
        content: `model` (a name), and `sentences` as `nmt.view.content.sentence` makes them.
    """
    parts = {
        "style": _own("page.css"),
        "data": json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "script": "\n".join(_own(name) for name in SCRIPTS),
    }
    before, *rest = _own("page.html").split("{{")
    for chunk in rest:
        name, after = chunk.split("}}", 1)
        before += parts[name] + after
    return before


def _own(name: str) -> str:
    return (files("nmt.view") / name).read_text(encoding="utf-8")
