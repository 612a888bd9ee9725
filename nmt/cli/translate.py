"""`nmt translate`: lines in, exactly as many lines out, in the same order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from nmt.cli import options

CHUNK = 1000  # lines held in memory; sorted by length among themselves for speed
EXAMPLES = """\
  nmt translate --model runs/demo/best "How are you?"
  nmt translate --model runs/demo/best < english.txt > chinese.txt
  nmt translate --model runs/demo/best --input english.txt --output chinese.txt --beam 1
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "translate",
        "Translate lines: N lines in, N lines out, in order; a blank line stays blank.\n"
        "The direction is the model's. Text comes from the command line, else from --input, else from stdin.",
        EXAMPLES,
    )
    parser.add_argument("text", nargs="*", metavar="TEXT", help="a line to translate; line breaks count as spaces")
    options.add_model(parser)
    parser.add_argument("--input", type=Path, metavar="FILE", help="UTF-8 text, a sentence a line (default: stdin)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: stdout)")
    options.add_search(parser)
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Translate until the input ends."""
    args = parser().parse_args(arguments)
    interactive = not args.text and args.input is None and sys.stdin.isatty()
    lines: Iterable[str] = [" ".join(text.splitlines()) for text in args.text] or options.read_lines(args.input)
    from nmt.decode.translator import Translator

    translator = Translator.load(args.model, device=args.device)
    if interactive:
        print(f"Type a line of {translator.source_language} and press Enter; Ctrl-D ends.", file=sys.stderr)
    with options.output_stream(args.output) as output:
        for chunk in options.chunks(lines, 1 if interactive else CHUNK):
            for translation in translator.translate(chunk, beam=args.beam, batch_tokens=args.batch_tokens):
                options.write_line(output, translation.text)
            output.flush()
    return 0
