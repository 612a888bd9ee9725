"""`nmt view`: one offline page that shows where a model looks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from nmt.cli import options
from nmt.errors import DataError

MOST = 50
EXAMPLES = """\
  nmt view --model runs/demo/best --text "I like green tea." --output page.html
  printf 'I like tea.\\t我喜欢茶。\\n' | nmt view --model runs/demo/best --output page.html
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "view",
        "Write one HTML page that shows where a model looks, to be opened in a browser without a network.\n"
        "A line is a source sentence, which the model translates, or `source TAB target`, which it is made to write.\n"
        f"The first {MOST} lines that are not blank are shown.",
        EXAMPLES,
    )
    options.add_model(parser)
    parser.add_argument("--text", nargs="+", metavar="LINE", help="lines to show (default: lines of stdin)")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE.html", help="page to write")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Write the page."""
    args = parser().parse_args(arguments)
    given: Iterable[str] = [" ".join(text.splitlines()) for text in args.text or ()] or options.read_lines(None)
    pairs = list(islice(_pairs(given), MOST))
    if not pairs:
        raise DataError("there is nothing to show: give a sentence with --text, or lines on stdin")
    from nmt.decode.inspect import inspect
    from nmt.decode.translator import Translator
    from nmt.view.content import sentence
    from nmt.view.page import page

    translator = Translator.load(args.model, device=args.device)
    languages = {"source_language": translator.source_language, "target_language": translator.target_language}
    sentences = []
    for source, target in pairs:
        forced = target or translator.translate([source])[0].text
        sentences.append(sentence(inspect(translator, source, forced), own=target is None, **languages))
    name = "/".join(args.model.resolve().parts[-2:])
    with options.output_stream(args.output) as output:
        options.write_line(output, page({"model": name, "sentences": sentences}))
    print(f"{len(sentences)} sentence{'s' * (len(sentences) > 1)}: {args.output}", file=sys.stderr)
    return 0


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str | None]]:
    for number, line in enumerate(lines, start=1):
        source, tab, target = line.partition("\t")
        if not line.strip():
            continue
        if not source.strip() or "\t" in target or (tab and not target.strip()):
            raise DataError(f"line {number}: expected a sentence or `source TAB target`, but found {line!r}")
        yield source, target if tab else None
