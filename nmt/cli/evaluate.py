"""`nmt evaluate`: translate sentences that were held out, and score the translations."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt import settings
from nmt.cli import options
from nmt.config import ModelFolderConfig
from nmt.errors import DataError

if TYPE_CHECKING:
    from nmt.decode.translator import Translator
    from nmt.evaluate.report import Evaluation

EXAMPLES = """\
  nmt evaluate --model runs/demo/best --data prepared/tatoeba --split test --output runs/demo/test
  nmt evaluate --model runs/demo/best --source news.en --references news.zh --output runs/demo/news
  nmt evaluate --model runs/demo/best --source a.en --references a.0.zh a.1.zh --output out --beam 1
"""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences to translate, with their references in sacreBLEU's layout."""

    name: str
    sources: Sequence[str]
    references: Sequence[Sequence[str | None]]

    def fingerprint(self) -> str:
        """Changes with any sentence."""
        text = json.dumps([list(self.sources), [list(one) for one in self.references]], ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "evaluate",
        "Translate sentences that the model has not seen; print BLEU and chrF with their signatures.\n"
        "Writes hypotheses.txt, sources.txt, references.N.txt and result.json. A result that is already there for\n"
        "the same weights, data and settings is shown again instead of being made again.",
        EXAMPLES,
    )
    options.add_model(parser)
    parser.add_argument("--data", type=Path, metavar="DIR", help="prepared folder; its held-out part is translated")
    parser.add_argument("--split", choices=("test", "dev"), default="test", help="which part of --data (default: test)")
    parser.add_argument("--source", type=Path, metavar="FILE", help="instead of --data: sentences, one a line")
    parser.add_argument(
        "--references", type=Path, nargs="+", metavar="FILE", help="with --source: their translations, line by line"
    )
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder to write")
    options.add_search(parser)
    parser.add_argument("--force", action="store_true", help="translate again even if the result is already there")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Evaluate, or show the earlier result."""
    flags = parser()
    args = flags.parse_args(arguments)
    if (args.data is None) == (args.source is None) or (args.source is None) != (args.references is None):
        flags.error("give either --data DIR, or --source FILE and --references FILE ...")
    from nmt.checkpoint import find_model, weights_checksum

    model = find_model(args.model)
    decode = settings.load(model / "config.yaml", ModelFolderConfig).decode
    decode.beam = args.beam or decode.beam
    made_from = {"weights": weights_checksum(model), "decode": asdict(decode)}
    if not args.force and _show_earlier(args, made_from):
        return 0
    _print(_evaluate(model, args, made_from))
    return 0


def _evaluate(model: Path, args: argparse.Namespace, made_from: dict[str, Any]) -> Evaluation:
    """Translate, score and write everything down, in the model's card as well."""
    from nmt.checkpoint import add_score
    from nmt.decode.translator import Translator
    from nmt.evaluate.report import write

    translator = Translator.load(model, device=args.device)
    test = _sentences(args, translator.direction)
    hypotheses = _translate(translator, test.sources, args)
    evaluation = _score(hypotheses, test, translator.direction)
    extra = {
        "model": str(args.model),
        "data": test.name,
        "direction": translator.direction,
        "made_from": made_from | {"data": test.fingerprint()},
    }
    write(evaluation, args.output, sources=test.sources, hypotheses=hypotheses, references=test.references, extra=extra)
    bleu, chrf = evaluation.bleu, evaluation.chrf
    score = {"set": test.name, "bleu": bleu.value, "chrf": chrf.value, "signature": bleu.signature}
    with contextlib.suppress(PermissionError):  # somebody else's model
        add_score(model, score)
    return evaluation


def _translate(translator: Translator, sources: Sequence[str], args: argparse.Namespace) -> list[str]:
    from tqdm import tqdm

    with tqdm(total=len(sources), unit="line", disable=not sys.stderr.isatty(), leave=False) as progress:
        translations = translator.translate(
            sources, beam=args.beam, batch_tokens=args.batch_tokens, progress=progress.update
        )
    return [translation.text for translation in translations]


def _score(hypotheses: Sequence[str], test: Sentences, direction: str) -> Evaluation:
    from nmt.evaluate.report import evaluate

    return evaluate(hypotheses, test.references, target_language=direction.split("-")[1])


def _print(evaluation: Evaluation) -> None:
    for line in evaluation.lines():
        print(line)


def _sentences(args: argparse.Namespace, direction: str) -> Sentences:
    if args.data is not None:
        from nmt.data.prepared import load_prepared

        heldout = load_prepared(args.data).heldout(args.split, direction)
        return Sentences(f"{args.data} {args.split}", heldout.sources, heldout.references)
    sources = list(options.read_lines(args.source))
    references = [list(options.read_lines(path)) for path in args.references]
    for path, lines in zip(args.references, references, strict=True):
        if len(lines) != len(sources):
            raise DataError(f"{args.source} has {len(sources)} lines, but {path} has {len(lines)}")
    return Sentences(str(args.source), sources, references)


def _show_earlier(args: argparse.Namespace, made_from: dict[str, Any]) -> bool:
    """Show what is already there, if it was made from the very same model, data and settings."""
    try:
        result = json.loads((args.output / "result.json").read_text(encoding="utf-8"))
        direction, earlier = result["direction"], result["made_from"]
        hypotheses = list(options.read_lines(args.output / "hypotheses.txt"))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if {key: earlier.get(key) for key in made_from} != made_from:
        return False
    test = _sentences(args, direction)
    if earlier.get("data") != test.fingerprint() or len(hypotheses) != len(test.sources):
        return False
    print(f"{args.output} holds this result already (--force makes it again)", file=sys.stderr)
    _print(_score(hypotheses, test, direction))
    return True
