#!/usr/bin/env python
"""Plot the curves of one or several runs: loss, learning rate, gradient norm and validation BLEU against the step.

    scripts/plot_curves.py runs/demo runs/demo_cosine --output curves.png

Reads `RUN/journal.jsonl`, also while a run is still training. Needs `pip install 'nmt[plots]'`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nmt.errors import NmtError
from nmt.evaluate.curves import plot


def main(arguments: list[str] | None = None) -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders written by `nmt train`")
    parser.add_argument("--output", type=Path, default=Path("curves.png"), help="the picture to write (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        plot(options.runs, options.output)
    except NmtError as error:
        print(f"plot_curves: {error}", file=sys.stderr)
        return 1
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
