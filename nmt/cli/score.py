"""`nmt evaluate --hypotheses`: score the outputs of any systems, and compare them in pairs with the first."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nmt.cli import testsets
from nmt.errors import DataError
from nmt.files import write_text

SCORES = "scores.json"


def score(args: argparse.Namespace) -> int:
    """Score every output against the same references."""
    from nmt.evaluate.failures import failures, summary
    from nmt.evaluate.html import System, page
    from nmt.evaluate.paired import advice, paired
    from nmt.evaluate.report import evaluate

    if args.output:
        _check_replaceable(args.output)
    outputs, reference_sets = testsets.outputs(args.hypotheses), testsets.references(args.references)
    sources = testsets.source(args.source) if args.source else None
    _check_lengths(outputs, reference_sets, sources)
    references = [lines for _, lines in reference_sets]
    target = args.target or _language(references)
    systems = []
    for name, output in outputs.items():
        result = evaluate(output, references, target_language=target, with_ter=args.ter, tokenizer=args.force_tokenize)
        found = failures(output, references, target_language=target, sources=sources)
        systems.append(System(name, output, result, found))
        print("\n".join([name, *(f"  {line}" for line in (*result.lines(), *summary(found))), ""]))
    entries = [{"system": one.name, **one.evaluation.to_json(), "failures": asdict(one.failures)} for one in systems]
    differences = paired(outputs, references, target_language=target, test=args.test) if len(outputs) > 1 else []
    if differences:
        print("\n".join(_table(entries)), end="\n\n")
        print("\n".join(advice(difference) for difference in differences))
        print(f"  ({differences[0].signature}; what it is worth: Kocmi et al. 2024, related systems)")
    if args.output:
        names = [name for name, _ in reference_sets]
        content = {"target": target, "references": names, "systems": entries}
        _write(args.output / SCORES, {**content, "differences": [asdict(one) for one in differences]})
    if args.report:
        args.report.parent.mkdir(parents=True, exist_ok=True)
        write_text(args.report, page(systems, references, differences=differences, sources=sources))
    return 0


def _language(references: Sequence[Sequence[str | None]]) -> str:
    """The target language, by the references' letters."""
    from nmt.evaluate.doubts import han_share

    return "zh" if han_share(line or "" for lines in references for line in lines) > 0.5 else "en"


def _check_lengths(
    outputs: Mapping[str, Sequence[str]],
    reference_sets: Sequence[tuple[str, Sequence[object]]],
    sources: Sequence[str] | None,
) -> None:
    first_name, first = reference_sets[0]
    others: list[tuple[str, Sequence[object]]] = [*outputs.items(), *reference_sets]
    for name, lines in [*others, *([("the source", sources)] if sources is not None else [])]:
        if len(lines) != len(first):
            raise DataError(f"{first_name} has {len(first)} lines, but {name} has {len(lines)}")


def _table(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each system, the best first."""
    keys = [key for key in ("bleu", "chrf", "ter") if key in entries[0]]
    width = max(6, *(len(entry["system"]) for entry in entries))
    titles = {"bleu": entries[0]["bleu"].get("name", "BLEU"), "chrf": "chrF2", "ter": "TER (lower is better)"}
    lines = [f"{'system':<{width}}  " + "  ".join(f"{titles[key]:>14}" for key in keys)]
    for entry in sorted(entries, key=lambda entry: -entry["bleu"]["score"]):
        cells = []
        for key in keys:
            half = entry[key].get("interval", {}).get("half_width")
            cells.append(f"{entry[key]['score']:.2f}" + ("" if half is None else f" ±{half:.2f}"))
        lines.append(f"{entry['system']:<{width}}  " + "  ".join(f"{cell:>14}" for cell in cells))
    return lines


def _check_replaceable(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is a file: choose another folder with --output")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / SCORES).is_file():
        raise DataError(f"{folder} is not empty and holds no {SCORES} of `nmt evaluate`: choose another with --output")


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
