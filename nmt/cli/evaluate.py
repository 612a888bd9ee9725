"""`nmt evaluate`: translate sentences that were held out, and score the translations."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt import __version__, settings
from nmt.cli import options
from nmt.config import ModelFolderConfig
from nmt.errors import CheckpointError, DataError

if TYPE_CHECKING:
    from nmt.decode.translator import Translator

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
    prepared: Mapping[str, str] | None = None
    """`name` and `fingerprint` of the prepared folder that they come from."""

    def fingerprint(self) -> str:
        """Changes with any sentence."""
        text = json.dumps([list(self.sources), [list(one) for one in self.references]], ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "evaluate",
        "Translate sentences that the model has not seen; print BLEU and chrF with their signatures.\n"
        "Writes hypotheses.txt, sources.txt, references.N.txt and result.json into a folder of their own. A result\n"
        "that is already there for the same weights, data and settings is shown again instead of being made again.",
        EXAMPLES,
    )
    options.add_model(parser)
    parser.add_argument("--data", type=Path, metavar="DIR", help="prepared folder; its held-out part is translated")
    parser.add_argument("--split", choices=("test", "dev"), help="which part of --data (default: test)")
    parser.add_argument("--source", type=Path, metavar="FILE", help="instead of --data: sentences, one a line")
    parser.add_argument(
        "--references",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="with --source: their translations, line by line; a blank line in a second file: no second reference",
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
    if args.split and args.data is None:
        flags.error("--split needs --data")
    from nmt.checkpoint import find_model
    from nmt.evaluate.report import check_replaceable

    check_replaceable(args.output)  # before an hour of translating
    model = find_model(args.model)
    made_from = _made_from(model, args)
    if not args.force and _is_there(args, made_from):
        print(f"{args.output} holds this result already (--force makes it again)", file=sys.stderr)
    else:
        _evaluate(model, args, made_from)
    _show(args.output)
    return 0


def _made_from(model: Path, args: argparse.Namespace) -> dict[str, Any]:
    """All that decides what a sentence is translated into."""
    from nmt.checkpoint import weights_checksum
    from nmt.text.script import opencc_available

    config = settings.load(model / "config.yaml", ModelFolderConfig)
    config.decode.beam = args.beam or config.decode.beam
    return {
        "weights": weights_checksum(model),
        "decode": asdict(config.decode),
        "nmt_version": __version__,
        "opencc": opencc_available(),  # without it, Chinese input stays in the script that it is written in
    }


def _evaluate(model: Path, args: argparse.Namespace, made_from: dict[str, Any]) -> None:
    """Translate, score and write everything down, in the model's card as well."""
    from nmt.checkpoint import add_score
    from nmt.decode.translator import Translator
    from nmt.evaluate.report import evaluate, write

    translator = Translator.load(model, device=args.device)
    test = _sentences(args, translator.direction)
    hypotheses = _translate(translator, test.sources, args)
    evaluation = evaluate(hypotheses, test.references, target_language=translator.target_language)
    extra: dict[str, Any] = {
        "model": str(args.model),
        "data": test.name,
        "direction": translator.direction,
        "made_from": made_from | {"data": test.fingerprint()},
    }
    if test.prepared is not None:
        card = translator.trained.card
        extra["prepared"] = test.prepared
        extra["trained_on"] = {"name": card.get("data"), "fingerprint": card.get("data_fingerprint")}
    entropy = translator.attention_entropy(_with_first_reference(test), batch_tokens=args.batch_tokens)
    extra["attention_entropy"] = asdict(entropy) if entropy else None
    write(evaluation, args.output, sources=test.sources, hypotheses=hypotheses, references=test.references, extra=extra)
    bleu, chrf = evaluation.bleu, evaluation.chrf
    score = {"set": test.name, "bleu": bleu.value, "chrf": chrf.value, "signature": bleu.signature}
    with contextlib.suppress(OSError, CheckpointError):  # somebody else's model, or a full disk: the result is safe
        add_score(model, score)


def _translate(translator: Translator, sources: Sequence[str], args: argparse.Namespace) -> list[str]:
    from tqdm import tqdm

    with tqdm(total=len(sources), unit="line", disable=not sys.stderr.isatty(), leave=False) as progress:
        translations = translator.translate(
            sources, beam=args.beam, batch_tokens=args.batch_tokens, progress=progress.update
        )
    return [translation.text for translation in translations]


def _with_first_reference(test: Sentences) -> list[tuple[str, str]]:
    """Each source with the first of its references: the text that is forced on the decoder."""
    firsts = (next((one for one in group if one is not None), "") for group in zip(*test.references, strict=True))
    return list(zip(test.sources, firsts, strict=True))


def _sentences(args: argparse.Namespace, direction: str) -> Sentences:
    if args.data is not None:
        from nmt.data.prepared import load_prepared

        folder, split = load_prepared(args.data), args.split or "test"
        heldout = folder.heldout(split, direction)
        prepared = {key: folder.manifest[key] for key in ("name", "fingerprint")}
        return Sentences(f"{args.data} {split}", heldout.sources, heldout.references, prepared)
    sources = list(options.read_lines(args.source))
    references: list[list[str | None]] = [list(options.read_lines(path)) for path in args.references]
    for path, lines in zip(args.references, references, strict=True):
        if len(lines) != len(sources):
            raise DataError(f"{args.source} has {len(sources)} lines, but {path} has {len(lines)}")
    # Few sentences have a second translation; a blank one would be a reference that says nothing, and cost points.
    further = [[line if line and line.strip() else None for line in lines] for lines in references[1:]]
    return Sentences(str(args.source), sources, [references[0], *further])


def _is_there(args: argparse.Namespace, made_from: dict[str, Any]) -> bool:
    """Whether the result is there, made from the very same model, data and settings, and its output is untouched."""
    from nmt.evaluate.report import is_untouched, read

    result = read(args.output) or {}
    earlier = result.get("made_from") or {}
    if "attention_entropy" not in result:  # an earlier version wrote it
        return False
    if {key: earlier.get(key) for key in made_from} != made_from or not is_untouched(args.output, result):
        return False
    return bool(earlier.get("data") == _sentences(args, result["direction"]).fingerprint())


def _show(folder: Path) -> None:
    """Print the figures that are on disk, so that the screen and the file never differ."""
    from nmt.evaluate.report import Evaluation, read

    result = read(folder) or {}
    test, trained_on = result.get("prepared", {}), result.get("trained_on", {})
    same_name = test and trained_on["name"] == test["name"]
    if same_name and trained_on["fingerprint"] not in (None, test["fingerprint"]):
        print(
            f"WARNING: {result['data']}: this text was prepared anew since the model was trained, so the model may "
            "have been trained on these very sentences; do not trust the scores, but train again",
            file=sys.stderr,
        )
    for line in Evaluation.from_json(result).lines():
        print(line)
    if entropy := result.get("attention_entropy"):
        print(f"attention entropy = {entropy['nats']:.3f} nats, mean of {entropy['pieces']:,} forced reference pieces")
