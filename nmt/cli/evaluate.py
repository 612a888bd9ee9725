"""`nmt evaluate`: translate sentences that were held out, and score the translations; or score any system's output."""

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
from nmt.card import overlap_line
from nmt.cli import options, testsets
from nmt.config import ModelFolderConfig
from nmt.errors import CheckpointError, DataError

if TYPE_CHECKING:
    from nmt.decode.translator import Translator

EXAMPLES = """\
  nmt evaluate --model runs/demo/best --data prepared/tatoeba --split test --output runs/demo/test
  nmt evaluate --model runs/demo/best --source news.en --references news.zh --output runs/demo/news
  nmt evaluate --model runs/demo/best --source a.en --references a.0.zh a.1.zh --output out --beam 1
  nmt evaluate --hypotheses ours.zh theirs.zh --references news.zh
  nmt evaluate --hypotheses wmttest2022.xml --references wmttest2022.xml --output wmt22
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
        "Translate sentences that the model has not seen, or take the output of any systems (--hypotheses);\n"
        "print BLEU and chrF with their signatures and 95 % confidence intervals.\n\n"
        "Writes hypotheses.txt, sources.txt, references.N.txt and result.json into a folder of their own. A result\n"
        "that is already there for the same weights, data and settings is shown again instead of being made again.\n\n"
        "With --hypotheses, several systems are compared with the first by a paired test. FILE is then plain text,\n"
        "NAME.tsv:COLUMN (from 1) or NAME.xml of WMT (NAME.xml:PART: `src`, `refA`, a system).",
        EXAMPLES,
    )
    options.add_model(parser, required=False)
    parser.add_argument("--hypotheses", nargs="+", metavar="FILE", help="instead of --model: outputs to score")
    parser.add_argument("--data", type=Path, metavar="DIR", help="prepared folder; its held-out part is translated")
    parser.add_argument("--split", choices=("test", "dev"), help="which part of --data (default: test)")
    parser.add_argument("--source", metavar="FILE", help="instead of --data: sentences, one a line")
    parser.add_argument(
        "--references",
        nargs="+",
        metavar="FILE",
        help="with --source or --hypotheses: right translations, line by line; a blank line in a second file: no "
        "second reference",
    )
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder to write (must be given with --model)")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="also write one page to read and to send")
    parser.add_argument("--ter", action="store_true", help="also TER; slow for Chinese")
    options.add_search(parser)
    parser.add_argument("--target", choices=("en", "zh"), help="with --hypotheses: their language (default: as seen)")
    parser.add_argument(
        "--test",
        choices=("bootstrap", "randomisation"),
        default="bootstrap",
        help="with several --hypotheses: the paired test (default: bootstrap)",
    )
    parser.add_argument(
        "--force-tokenize",
        choices=("13a", "zh", "char", "intl", "none"),
        help="with --hypotheses: another tokeniser for BLEU than the language's own, for comparison with a published "
        "figure; the score is marked",
    )
    parser.add_argument("--force", action="store_true", help="translate again even if the result is already there")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Evaluate, or show the earlier result."""
    flags = parser()
    args = flags.parse_args(arguments)
    if args.hypotheses:
        return _score_files(flags, args)
    if args.model is None or args.output is None:
        flags.error("give --model DIR and --output DIR, or --hypotheses FILE ... and --references FILE ...")
    if args.target or args.force_tokenize:
        flags.error("--target and --force-tokenize need --hypotheses: a model knows its language")
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
    if args.report:
        _report(args)
    return 0


def _score_files(flags: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    if args.model or args.data or args.split:
        flags.error("--hypotheses are translations already: --model, --data and --split do not go with them")
    if not args.references:
        flags.error("--hypotheses needs --references FILE ...")
    from nmt.cli.score import score

    return score(args)


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
    evaluation = evaluate(hypotheses, test.references, target_language=translator.target_language, with_ter=args.ter)
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
    extra["overlap"] = _overlap(translator.trained.card, test, args.split or "test", translator.source_language)
    write(evaluation, args.output, sources=test.sources, hypotheses=hypotheses, references=test.references, extra=extra)
    bleu, chrf = evaluation.bleu, evaluation.chrf
    score = {"set": test.name, "bleu": bleu.value, "chrf": chrf.value, "signature": bleu.signature}
    with contextlib.suppress(OSError, CheckpointError):  # somebody else's model, or a full disk: the result is safe
        add_score(model, score)


def _overlap(card: Mapping[str, Any], test: Sentences, split: str, language: str) -> dict[str, Any] | None:
    """What `nmt prepare` found out about these sentences and the training text, if it has seen them."""
    from nmt.data.overlap import checksum

    own = test.prepared is not None and test.prepared["fingerprint"] == card.get("data_fingerprint")
    known = None if own else checksum(test.sources)
    for entry in card.get("overlap") or []:
        if entry["name"] == split if own else entry.get("sha256", {}).get(language) == known:
            return dict(entry)
    return None


def _translate(translator: Translator, sources: Sequence[str], args: argparse.Namespace) -> list[str]:
    from tqdm import tqdm

    with tqdm(total=len(sources), unit="line", disable=not sys.stderr.isatty(), leave=False) as progress:
        translations = translator.translate(
            sources, beam=args.beam, batch_tokens=args.batch_tokens, progress=progress.update
        )
    return [translation.text for translation in translations]


def _report(args: argparse.Namespace) -> None:
    """The result on disk as a page."""
    from nmt.evaluate.failures import failures, summary
    from nmt.evaluate.html import System, page
    from nmt.evaluate.report import Evaluation, read
    from nmt.files import write_text

    result = read(args.output) or {}
    test = _sentences(args, result["direction"])
    output, sources = list(options.read_lines(args.output / "hypotheses.txt")), list(test.sources)
    target = result["direction"].partition("-")[2]
    found = failures(output, test.references, target_language=target, sources=sources)
    print("\n".join(summary(found)))
    name = str(args.model)
    systems = [System(name, output, Evaluation.from_json(result), found)]
    args.report.parent.mkdir(parents=True, exist_ok=True)
    write_text(args.report, page(systems, test.references, sources=sources, title=f"{name} on {test.name}"))


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
    sources, references = testsets.source(args.source), testsets.references(args.references)
    for name, lines in references:
        if len(lines) != len(sources):
            raise DataError(f"{args.source} has {len(sources)} lines, but {name} has {len(lines)}")
    return Sentences(args.source, sources, [lines for _, lines in references])


def _is_there(args: argparse.Namespace, made_from: dict[str, Any]) -> bool:
    """Whether the result is there, made from the very same model, data and settings, and its output is untouched."""
    from nmt.evaluate.report import is_untouched, read

    result = read(args.output) or {}
    earlier = result.get("made_from") or {}
    if "attention_entropy" not in result or (args.ter and "ter" not in result):  # an earlier version wrote it
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
    print(f"overlap with the training text: {overlap_line(result.get('overlap'))}")
