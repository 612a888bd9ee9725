"""The result of an evaluation: what the terminal shows and what stays on disk.

A result is one value, computed from strings alone; `write` puts it beside the text it was computed from, so that
anybody can check it with the `sacrebleu` command or look at the sentences.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nmt.errors import DataError
from nmt.evaluate.doubts import doubts
from nmt.evaluate.metrics import BOOTSTRAP_SAMPLES, Interval, References, Score, bleu, chrf, ter
from nmt.files import write_text

RESULT = "result.json"
# Everything at which some reader (Python's `splitlines`, an editor) would break a line.
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """BLEU, chrF and, on request, TER of one output, with the counts that tell whether to trust them."""

    bleu: Score
    chrf: Score
    sentences: int
    references: int
    """References of all sentences together; as many as `sentences` unless some have several."""
    empty: int
    """Sentences for which the output is blank."""
    length_ratio: float
    """Tokens of the output for each token of the references; far from 1 means cut or endless output."""
    doubts: tuple[str, ...] = ()
    """Why the scores may not mean what they seem to; see `nmt.evaluate.doubts`."""
    ter: Score | None = None

    def to_json(self) -> dict[str, Any]:
        """The content of `result.json`."""
        return {
            "bleu": _score_to_json(self.bleu),
            "chrf": _score_to_json(self.chrf),
            **({"ter": _score_to_json(self.ter)} if self.ter else {}),
            "sentences": self.sentences,
            "references": self.references,
            "empty": self.empty,
            "length_ratio": self.length_ratio,
            "doubts": list(self.doubts),
        }

    @classmethod
    def from_json(cls, result: Mapping[str, Any]) -> Evaluation:
        """What `to_json` made of an evaluation, as an evaluation: a result shows the figures that it holds."""
        bleu_score, chrf_score = (_from_json(name, result[key]) for name, key in (("BLEU", "bleu"), ("chrF2", "chrf")))
        counts = {key: result[key] for key in ("sentences", "references", "empty", "length_ratio")}
        return cls(
            bleu=bleu_score,
            chrf=chrf_score,
            doubts=tuple(result.get("doubts", ())),
            ter=_from_json("TER", result["ter"]) if "ter" in result else None,
            **counts,
        )

    def lines(self) -> list[str]:
        """What the terminal shows."""
        blank = f", {self.empty} of them blank" if self.empty else ""
        return [
            f"sentences = {self.sentences}{blank}; references = {self.references}; "
            f"output length / reference length = {self.length_ratio:.3f}",
            f"{self.bleu.name} = {_value(self.bleu)}  ({self.bleu.text.partition('= ')[2]})",
            f"  signature {self.bleu.signature}",
            f"chrF2 = {_value(self.chrf)}",
            f"  signature {self.chrf.signature}",
            *([f"TER = {_value(self.ter)}", f"  signature {self.ter.signature}"] if self.ter else []),
            *(f"WARNING: {doubt}" for doubt in self.doubts),
        ]


def _value(score: Score) -> str:
    return f"{score.value:.2f}" + (f" ± {score.interval.half_width:.2f}" if score.interval else "")


def _score_to_json(score: Score) -> dict[str, Any]:
    entry: dict[str, Any] = {"score": score.value, "signature": score.signature, "text": score.text}
    if score.name.startswith("BLEU ("):  # by a tokeniser that was forced
        entry["name"] = score.name
    return entry | ({"interval": asdict(score.interval)} if score.interval else {})


def _from_json(name: str, entry: Mapping[str, Any]) -> Score:
    interval = Interval(**entry["interval"]) if "interval" in entry else None
    return Score(entry.get("name", name), entry["score"], entry["signature"], entry["text"], interval=interval)


def evaluate(
    hypotheses: Sequence[str],
    references: References,
    *,
    target_language: str,
    with_ter: bool = False,
    tokenizer: str | None = None,
) -> Evaluation:
    """Score `hypotheses` against all their references, with confidence intervals.

    Args:
        hypotheses: One translation per sentence.
        references: Reference sets, see `nmt.evaluate.metrics`.
        target_language: `en` or `zh`.
        with_ter: Also TER, which is slow.
        tokenizer: Another tokeniser for BLEU than the language's own, by force.

    Raises:
        DataError: References are in another layout or of another length, or there is nothing to score.
    """

    def score(metric: Callable[..., Score], **options: Any) -> Score:
        return metric(hypotheses, references, target_language=target_language, bootstrap=BOOTSTRAP_SAMPLES, **options)

    bleu_score = score(bleu, tokenizer=tokenizer)
    return Evaluation(
        bleu=bleu_score,
        chrf=score(chrf),
        ter=score(ter) if with_ter else None,
        sentences=len(hypotheses),
        references=sum(reference is not None for reference_set in references for reference in reference_set),
        empty=sum(not hypothesis.strip() for hypothesis in hypotheses),
        length_ratio=bleu_score.length_ratio or 0.0,
        doubts=tuple(doubts(hypotheses, references, target_language=target_language, bleu_score=bleu_score)),
    )


def read(folder: Path) -> dict[str, Any] | None:
    """What `write` put into `result.json`: empty if it was stopped before its end, `None` if it never wrote there."""
    try:
        result = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and (not result or "bleu" in result) else None


def is_untouched(folder: Path, result: Mapping[str, Any]) -> bool:
    """Whether `hypotheses.txt` is still the output that `result` is the score of; people do edit it."""
    path = folder / "hypotheses.txt"
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == result.get("hypotheses_sha256")


def check_replaceable(folder: Path) -> None:
    """Refuse to write over what `write` did not write: it might be the very files that are being scored.

    Raises:
        DataError: The folder holds something else, or is a file, or would lie in a file.
    """
    nearest = next((path for path in (folder, *folder.parents) if path.exists()), None)
    if nearest is not None and not nearest.is_dir():
        raise DataError(f"{nearest} is a file: choose another folder with --output")
    if folder.is_dir() and any(folder.iterdir()) and read(folder) is None:
        raise DataError(
            f"{folder} is not empty and holds no result of `nmt evaluate` (its {RESULT}), so it stays as it is: "
            "choose another folder with --output"
        )


def write(
    evaluation: Evaluation,
    folder: Path,
    *,
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: References,
    extra: Mapping[str, Any],
) -> None:
    """Write `sources.txt`, `hypotheses.txt`, `references.N.txt` and `result.json`, a line for each sentence.

    N counts from 0. Where a sentence has fewer references than there are files, its first one is repeated: to BLEU
    and chrF a repeated reference changes nothing, but a blank line would count as an (empty) reference. So
    `sacrebleu references.*.txt -i hypotheses.txt` gives the very scores in `result.json`.

    Args:
        evaluation: What to write.
        folder: Where to; made if it is missing. Files of an earlier evaluation are replaced or removed; a folder
            that holds anything else, and no result, is refused.
        sources: The sentences that were translated.
        hypotheses: Their translations.
        references: The reference sets that the evaluation used.
        extra: More entries for `result.json`, such as model, data and settings.

    Raises:
        DataError: See `check_replaceable`.
    """
    output = _one_a_line(hypotheses)
    result = {**evaluation.to_json(), "hypotheses_sha256": hashlib.sha256(output.encode()).hexdigest()}
    if clash := sorted(result.keys() & extra.keys()):
        raise ValueError(f"extra can not replace a result: {', '.join(clash)}")
    check_replaceable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # An empty result comes first: should this be killed, the folder is known as ours, and as unfinished.
    write_text(folder / RESULT, "{}\n")
    for old in folder.glob("references.[0-9]*.txt"):
        old.unlink()
    write_text(folder / "sources.txt", _one_a_line(sources))
    write_text(folder / "hypotheses.txt", output)
    for number, reference_set in enumerate(_filled(references)):
        write_text(folder / f"references.{number}.txt", _one_a_line(reference_set))
    write_text(folder / RESULT, json.dumps({**result, **extra}, ensure_ascii=False, indent=2) + "\n")


def _filled(references: References) -> list[list[str]]:
    """The reference sets without `None`: an absent reference becomes the sentence's first one."""
    rows = []
    for group in zip(*references, strict=True):
        first = next(reference for reference in group if reference is not None)
        rows.append([first if reference is None else reference for reference in group])
    return [list(column) for column in zip(*rows, strict=True)]


def _one_a_line(sentences: Iterable[str]) -> str:
    return "".join(_LINE_BREAK.sub(" ", sentence) + "\n" for sentence in sentences)
