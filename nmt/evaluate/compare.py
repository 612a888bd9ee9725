"""Several runs side by side: what each model is, what it cost, how well it translates.

Everything is read from two small files of each run, so that comparing is instant and needs no model loaded:
`RUN/best/card.json`, written by `nmt train`, and `RUN/test/result.json`, written by `nmt evaluate`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nmt.errors import DataError

Row = dict[str, Any]
ABSENT = "-"

_COLUMNS: dict[str, Callable[[Row], str]] = {
    "run": lambda row: _text(row, "name"),
    "direction": lambda row: _text(row, "direction"),
    "encoder": lambda row: _text(row, "encoder"),
    "decoder": lambda row: _text(row, "decoder"),
    "attention": lambda row: _text(row, "attention"),
    "parameters": lambda row: _number(row, "parameters", ",.0f"),
    "minutes": lambda row: _number(row, "train_minutes", ".1f"),
    "steps": lambda row: _number(row, "train_steps", ",.0f"),
    "tokens/s": lambda row: _number(row, "tokens_per_second", ",.0f"),
    "dev BLEU": lambda row: _number(row, "dev_bleu", ".2f"),
    "test BLEU": lambda row: _with_interval(row, "test_bleu"),
    "test chrF2": lambda row: _with_interval(row, "test_chrf"),
    "entropy": lambda row: _number(row, "attention_entropy", ".3f"),
}
_LEFT = ("run", "direction", "encoder", "decoder", "attention")


def read_runs(runs: Sequence[Path]) -> tuple[list[Row], list[str]]:
    """What is known of each run, and why some were left out.

    What holds no trained model is left out: `runs/*` also matches notes, pictures and runs that have only just begun,
    which are no reason to hide all the others.

    Raises:
        DataError: Not one of them holds a trained model.
    """
    if not runs:
        raise DataError("no run was given: name at least one folder, such as runs/demo")
    rows: list[Row] = []
    left_out: list[str] = []
    for run in runs:
        try:
            rows.append(_read(Path(run)))
        except DataError as error:
            left_out.append(str(error))
    if not rows:
        raise DataError("; ".join(left_out))
    return rows, left_out


def table(runs: Sequence[Path]) -> str:
    """One line for each run, under a heading; below, how the test scores were made, and what was left out.

    Raises:
        DataError: See `read_runs`.
    """
    rows, left_out = read_runs(runs)
    cells = [list(_COLUMNS)] + [[show(row) for show in _COLUMNS.values()] for row in rows]
    widths = [max(_width(line[column]) for line in cells) for column in range(len(_COLUMNS))]
    rule = ["-" * width for width in widths]
    lines = [_line(line, widths) for line in (cells[0], rule, *cells[1:])]
    notes = _notes(rows) + [f"left out: {reason}" for reason in left_out]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _read(run: Path) -> Row:
    if not run.is_dir():
        raise DataError(f"{run} is not a folder: give the folder of a run, such as runs/demo")
    card = run / "best" / "card.json"
    if not card.is_file():
        raise DataError(f"{run} holds no trained model ({card} is missing): train it with `nmt train name={run.name}`")
    row: Row = {**_load(card), "name": run.absolute().name}  # a run that was set aside keeps the name on its card
    result = run / "test" / "result.json"
    if result.is_file():
        test = _load(result)
        for name in ("bleu", "chrf"):
            score = test.get(name, {})
            row[f"test_{name}"] = score.get("score")
            row[f"test_{name}_interval"] = score.get("interval", {}).get("half_width")
            row["samples"] = score.get("interval", {}).get("samples")
        row["attention_entropy"] = (test.get("attention_entropy") or {}).get("nats")
        row["signature"] = test.get("bleu", {}).get("signature")
        row["test_data"] = test.get("data")
    return row


def _load(path: Path) -> Row:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path} is damaged: it is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise DataError(f"{path} is damaged: it should hold one JSON object")
    return content


def _notes(rows: Sequence[Row]) -> list[str]:
    """The recipe of the test scores, and a warning when they do not all have the same."""
    scored = [row for row in rows if row.get("test_bleu") is not None]
    recipes = list(dict.fromkeys((row.get("direction"), row.get("test_data"), row.get("signature")) for row in scored))
    notes = [f"BLEU {'' if data is None else f'on {data} '}({way}): {signature}" for way, data, signature in recipes]
    if len(recipes) > 1:
        notes.append("These test scores were made in different ways: compare only those with the same line.")
    if samples := sorted({row["samples"] for row in rows if row.get("samples")}):
        notes.append(
            f"±: half of the 95 % confidence interval, by bootstrap with {', '.join(map(str, samples))} samples of the "
            "test sentences"
        )
    if any(row.get("attention_entropy") is not None for row in rows):
        notes.append("entropy: of the source-target attention in nats, the mean over the pieces of the references")
    for row in rows:
        if row.get("test_bleu") is None:
            notes.append(
                f"{_text(row, 'name')} has no test score: `nmt evaluate --model RUN/best ... --output RUN/test`"
            )
    return notes


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    return ABSENT if value is None or value == "" else str(value)


def _number(row: Row, key: str, form: str) -> str:
    value = row.get(key)
    return ABSENT if value is None else format(float(value), form)


def _with_interval(row: Row, key: str) -> str:
    half_width = row.get(f"{key}_interval")
    return _number(row, key, ".2f") + ("" if half_width is None else f" ±{half_width:.2f}")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = []
    for name, cell, width in zip(_COLUMNS, cells, widths, strict=True):
        space = " " * (width - _width(cell))
        padded.append(cell + space if name in _LEFT else space + cell)
    return "  ".join(padded).rstrip()


def _width(cell: str) -> int:
    """Columns of a terminal that `cell` takes: a run may have a Chinese name."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell)
