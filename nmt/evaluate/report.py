"""The result of an evaluation: what the terminal shows and what stays on disk.

A result is one value, computed from strings alone; `write` puts it beside the text it was computed from, so that
anybody can check it with the `sacrebleu` command or look at the sentences.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmt.evaluate.metrics import References, Score, bleu, chrf

# Everything at which some reader (Python's `splitlines`, an editor) would break a line.
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """BLEU and chrF of one output, with the counts that tell whether to trust them."""

    bleu: Score
    chrf: Score
    sentences: int
    references: int
    """References of all sentences together; as many as `sentences` unless some have several."""
    empty: int
    """Sentences for which the output is blank."""
    length_ratio: float
    """Tokens of the output for each token of the references; far from 1 means cut or endless output."""

    def to_json(self) -> dict[str, Any]:
        """The content of `result.json`."""
        return {
            "bleu": {"score": self.bleu.value, "signature": self.bleu.signature, "text": self.bleu.text},
            "chrf": {"score": self.chrf.value, "signature": self.chrf.signature, "text": self.chrf.text},
            "sentences": self.sentences,
            "references": self.references,
            "empty": self.empty,
            "length_ratio": self.length_ratio,
        }

    def lines(self) -> list[str]:
        """What the terminal shows."""
        blank = f", {self.empty} of them blank" if self.empty else ""
        return [
            f"sentences = {self.sentences}{blank}; references = {self.references}; "
            f"output length / reference length = {self.length_ratio:.3f}",
            f"BLEU = {self.bleu.value:.2f}  ({self.bleu.text.partition('= ')[2]})",
            f"  signature {self.bleu.signature}",
            f"chrF2 = {self.chrf.value:.2f}",
            f"  signature {self.chrf.signature}",
        ]


def evaluate(hypotheses: Sequence[str], references: References, *, target_language: str) -> Evaluation:
    """Score `hypotheses` against all their references.

    Raises:
        DataError: References are in another layout or of another length, or there is nothing to score.
    """
    bleu_score = bleu(hypotheses, references, target_language=target_language)
    return Evaluation(
        bleu=bleu_score,
        chrf=chrf(hypotheses, references, target_language=target_language),
        sentences=len(hypotheses),
        references=sum(reference is not None for reference_set in references for reference in reference_set),
        empty=sum(not hypothesis.strip() for hypothesis in hypotheses),
        length_ratio=bleu_score.length_ratio or 0.0,
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
        folder: Where to; made if it is missing. Files of an earlier evaluation are replaced or removed.
        sources: The sentences that were translated.
        hypotheses: Their translations.
        references: The reference sets that the evaluation used.
        extra: More entries for `result.json`, such as model, data and settings.
    """
    result = evaluation.to_json()
    if clash := sorted(result.keys() & extra.keys()):
        raise ValueError(f"extra can not replace a result: {', '.join(clash)}")
    folder.mkdir(parents=True, exist_ok=True)
    # The result goes first and comes last, so that a folder with a result is a finished one.
    for old in (folder / "result.json", *folder.glob("references.*.txt")):
        old.unlink(missing_ok=True)
    _write_lines(folder / "sources.txt", sources)
    _write_lines(folder / "hypotheses.txt", hypotheses)
    for number, reference_set in enumerate(_filled(references)):
        _write_lines(folder / f"references.{number}.txt", reference_set)
    _write(folder / "result.json", json.dumps({**result, **extra}, ensure_ascii=False, indent=2) + "\n")


def _filled(references: References) -> list[list[str]]:
    """The reference sets without `None`: an absent reference becomes the sentence's first one."""
    rows = []
    for group in zip(*references, strict=True):
        first = next(reference for reference in group if reference is not None)
        rows.append([first if reference is None else reference for reference in group])
    return [list(column) for column in zip(*rows, strict=True)]


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    _write(path, "".join(_LINE_BREAK.sub(" ", line) + "\n" for line in lines))


def _write(path: Path, content: str) -> None:
    """Write to a temporary sibling and rename: whoever reads `path` finds the old file or the new, never half."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(content, encoding="utf-8", newline="\n")
    temporary.replace(path)
