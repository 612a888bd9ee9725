"""The report of `nmt prepare` as one HTML page that needs no network: the table, and five examples for each rule."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from nmt.data.report import report

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "pre{overflow-x:auto;background:#f4f4f4;padding:1rem}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.2rem .6rem;text-align:left;vertical-align:top}"
    "th{border-bottom:1px solid}tr.rule td{border-top:1px solid #bbb;font-weight:600}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    "@media(prefers-color-scheme:dark){body{background:#181818;color:#e6e6e6}pre{background:#242424}}"
)


def page(manifest: dict[str, Any]) -> str:
    """The page of a manifest."""
    title = escape(f"{manifest['name']}: what nmt prepare kept and dropped")
    table = escape("\n".join(report(manifest, examples=0)))
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>',
            f"<h1>{title}</h1>",
            f"<pre>{table}</pre>",
            "<h2>Dropped</h2>",
            '<table><tr><th class="n">line</th><th>English</th><th>Chinese</th></tr>',
            *_rows(manifest["counts"]["dropped"]),
            "</table></body></html>",
            "",
        ]
    )


def _rows(dropped: dict[str, Any]) -> Iterator[str]:
    for name, entry in dropped.items():
        yield f'<tr class="rule"><td class="n">{entry["pairs"]:,}</td><td colspan="2">{escape(name)}</td></tr>'
        for one in entry["examples"]:
            yield (
                f'<tr><td class="n">{one["line"]}</td><td lang="en">{escape(one["en"])}</td>'
                f'<td lang="zh">{escape(one["zh"])}</td></tr>'
            )
