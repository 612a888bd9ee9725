#!/usr/bin/env python
"""Write the word alignments of a run's best model, by calling `nmt align`.

    scripts/dump_alignments.py runs/demo --data prepared/tatoeba --split test --limit 20 > demo.pharaoh

The same as `nmt align --model runs/demo/best ...`: every other argument is passed on, see `nmt align --help`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run the script; returns the exit code of `nmt align`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder written by `nmt train`, such as runs/demo")
    options, rest = parser.parse_known_args(arguments)

    from nmt.cli.main import main as nmt  # here, so that --help stays instant

    return int(nmt(["align", "--model", str(options.run / "best"), *rest]) or 0)


if __name__ == "__main__":
    sys.exit(main())
