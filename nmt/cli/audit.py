"""`nmt audit`: what is wrong with a parallel text, with file and line, before anything is made of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli import options
from nmt.config import ENCODINGS, FORMATS

if TYPE_CHECKING:
    from nmt.data.audit import Audit

EXAMPLES = """\
  nmt audit train.en train.zh
  nmt audit pairs.tsv.gz
  nmt audit memory.tmx --format json > audit.json
  cat pairs.jsonl | nmt audit - --source-field text.en --target-field text.zh
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "audit",
        "Read a parallel text and tell what is wrong with it; nothing is changed.\n"
        "Looked at: numbers of lines, separators inside lines, byte order marks, CR, NUL and control characters, bad\n"
        "bytes, blank sides, identical sides, scripts, lengths, and runs of pairs that slipped out of step.\n"
        "Exit code: 0 clean, 1 there are problems.",
        EXAMPLES,
    )
    parser.add_argument(
        "source", type=Path, metavar="FILE", help="a file of pairs in any format, or the source side; - is stdin"
    )
    parser.add_argument("target", nargs="?", type=Path, metavar="TARGET", help="the target side, line by line")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the answer (default: text)")
    parser.add_argument(
        "--input-format",
        choices=("auto", *FORMATS),
        default="auto",
        help="of one file (default: by its content and name)",
    )
    parser.add_argument("--source-field", metavar="NAME", help="column, key, language or member of the source side")
    parser.add_argument("--target-field", metavar="NAME", help="the same of the target side")
    parser.add_argument("--encoding", choices=ENCODINGS, default="utf-8", help="of lines and tables (default: utf-8)")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Print what was found."""
    args = parser().parse_args(arguments)
    from nmt.data.audit import audit
    from nmt.data.lines import Rule
    from nmt.data.readers import Job

    files = [args.source] if args.target is None else [args.source, args.target]
    job = Job(
        args.source,
        source_field=args.source_field,
        target_field=args.target_field,
        rule=Rule(args.encoding, max_bytes=1_000_000),
    )
    found = audit(files, job, args.input_format)
    if args.format == "json":
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    else:
        for line in report(found):
            print(line)
    return 0 if found.is_clean else 1


def report(found: Audit) -> Iterator[str]:
    """The findings as lines for a person, problems first."""
    yield f"{', '.join(found.files)}: {found.pairs:,} pairs"
    for finding in sorted(found.findings, key=lambda finding: finding.level != "problem"):
        yield f"  {finding.level:<8} {finding.name:<20} {finding.count:>9,}  {finding.meaning}"
        yield from (f"{'':<42}{place}" for place in finding.places)
    for side, entry in found.lengths.items():
        length = f"median {entry['median']}, 95% {entry['95%']}, longest {entry['longest']} ({entry['place']})"
        yield f"  lengths  {side:<20} {length}"
    for side, scripts in found.scripts.items():
        yield f"  scripts  {side:<20} " + ", ".join(f"{script} {number:,}" for script, number in scripts.items())
    problems = sum(finding.level == "problem" for finding in found.findings)
    yield "clean" if found.is_clean else f"not clean: {problems} kind(s) of problem"
