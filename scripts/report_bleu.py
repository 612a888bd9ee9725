#!/usr/bin/env python
"""Print the scores of a run: BLEU and chrF with their signatures, or how validation BLEU grew.

    scripts/report_bleu.py runs/demo

shows `runs/demo/test/result.json`, written by `nmt evaluate --output runs/demo/test`. While there is none (or with
`--history`) it shows the validations in `runs/demo/journal.jsonl`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from nmt.errors import NmtError
from nmt.evaluate.history import events
from nmt.evaluate.report import read


def main(arguments: list[str] | None = None) -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder written by `nmt train`, such as runs/demo")
    parser.add_argument("--history", action="store_true", help="show the validations, even if there is a test result")
    options = parser.parse_args(arguments)
    result = read(options.run / "test")  # nothing, or empty, until an evaluation has come to its end
    try:
        print("\n".join(_history(options.run) if options.history or not result else _result(result)))
    except NmtError as error:
        print(f"report_bleu: {error}", file=sys.stderr)
        return 1
    return 0


def _result(result: dict[str, Any]) -> list[str]:
    lines = []
    for name, key in (("BLEU", "bleu"), ("chrF2", "chrf")):
        lines += [f"{name} = {result[key]['score']:.2f}", f"  signature {result[key]['signature']}"]
    return [*lines, f"sentences = {result['sentences']}, blank outputs = {result['empty']}"]


def _history(run: Path) -> list[str]:
    validations = events(run, "validation")
    if not validations:
        return [f"{run} has no validation yet"]
    best = max(validations, key=lambda event: float(event["bleu"]))
    lines = [f"{'step':>8}  {'seconds':>8}  {'dev BLEU':>8}"]
    for event in validations:
        star = "  best" if event is best else ""
        lines.append(f"{event['step']:>8}  {event.get('seconds', 0.0):>8.0f}  {event['bleu']:>8.2f}{star}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
