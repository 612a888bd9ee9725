"""An evaluation as one HTML page that can be sent to a colleague: nothing is fetched, no script runs, text is escaped.

Scores with their intervals and signatures, warnings, where each system fails, its best, worst and suspect sentences,
and, for each system beside the first, the sentences on which the two differ most, with the differing words marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape

from nmt.evaluate.failures import Failures
from nmt.evaluate.metrics import References, Score
from nmt.evaluate.paired import Difference, advice
from nmt.evaluate.report import Evaluation
from nmt.text.units import HAN

DIFFERENT = 15  # sentences shown for each of "better" and "worse"
SUSPECTS = 50

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]+|\s+|.")
_STYLE = """
:root { color-scheme: light dark; --line: #c3ccd5; --left: #ffd9c7; --right: #cfe8cf; --warn: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --line: #46525e; --left: #6b3420; --right: #24512a; --warn: #ff9b91; }
}
body { font: 15px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; max-width: 70rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: 12px; }
.warning { color: var(--warn); }
.sentence { border-left: 3px solid var(--line); padding: .1rem .8rem; margin: .8rem 0; }
.sentence p { margin: .1rem 0; }
.sentence b { display: inline-block; min-width: 7rem; font-weight: 600; }
mark.left { background: var(--left); color: inherit; }
mark.right { background: var(--right); color: inherit; }
summary { cursor: pointer; font-weight: 600; margin: .6rem 0; }
"""


@dataclass(frozen=True, slots=True)
class System:
    """One output with what was found out about it."""

    name: str
    output: Sequence[str]
    evaluation: Evaluation
    failures: Failures


def page(
    systems: Sequence[System],
    references: References,
    *,
    differences: Sequence[Difference] = (),
    sources: Sequence[str] | None = None,
    title: str = "Evaluation",
) -> str:
    """The whole page.

    Args:
        systems: At least one; the first is the baseline.
        references: Reference sets, see `nmt.evaluate.metrics`.
        differences: From `nmt.evaluate.paired`.
        sources: What was translated, if it is known.
        title: Heading of the page.
    """
    parts = [f"<h1>{escape(title)}</h1>", _scores(systems)]
    parts += [f'<p class="warning">{escape(one.name)}: {escape(doubt)}</p>'
              for one in systems for doubt in one.evaluation.doubts]  # fmt: skip
    if differences:
        parts.append("<h2>Differences</h2><ul>")
        parts += [f"<li>{escape(advice(one))}</li>" for one in differences]
        parts.append(f"</ul><p><code>{escape(differences[0].signature)}</code></p>")
    for other in systems[1:]:
        parts += _beside(systems[0], other, references, sources)
    for system in systems:
        parts += _system(system, references, sources)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _scores(systems: Sequence[System]) -> str:
    metrics: list[list[Score]] = [
        [one for one in (system.evaluation.bleu, system.evaluation.chrf, system.evaluation.ter) if one]
        for system in systems
    ]
    rows = [
        [system.name, *(_value(score) for score in scores), system.evaluation.sentences, system.evaluation.empty,
         f"{system.evaluation.length_ratio:.3f}", len(system.failures.suspects)]
        for system, scores in zip(systems, metrics, strict=True)
    ]  # fmt: skip
    names = [score.name for score in metrics[0]]
    signatures = "<br>".join(f"{escape(score.name)}: <code>{escape(score.signature)}</code>" for score in metrics[0])
    head = ["system", *names, "sentences", "blank", "length ratio", "suspect lines"]
    note = "±: half of the 95 % confidence interval, by bootstrap of the sentences"
    return f"{_table(head, rows)}<p>{note}<br>{signatures}</p>"


def _value(score: Score) -> str:
    return f"{score.value:.2f}" + (f" ± {score.interval.half_width:.2f}" if score.interval else "")


def _system(system: System, references: References, sources: Sequence[str] | None) -> Iterator[str]:
    found = system.failures
    yield f"<h2>{escape(system.name)}: where it fails</h2>"
    yield _table(
        ["length", "sentences", "BLEU", "chrF2"],
        [[group.name, group.sentences, f"{group.bleu:.1f}", f"{group.chrf:.1f}"] for group in found.by_length],
    )
    yield _table(
        ["count in the references", "words", "found in the output"],
        [[band.name, band.words, f"{band.found / band.words:.0%}"] for band in found.by_frequency],
    )
    if found.with_numbers:
        yield f"<p>All numbers right in {found.numbers_right} of the {found.with_numbers} sentences that have some.</p>"
    used = [(mark, *counts) for mark, counts in found.marks.items() if any(counts)]
    yield _table(["mark", "in the output", "in the references"], used)
    suspect = {one.line: ", ".join(one.reasons) for one in found.suspects[:SUSPECTS]}
    for heading, lines in (("Suspect", list(suspect)), ("Worst", found.worst), ("Best", found.best)):
        yield f"<details{' open' if heading == 'Worst' else ''}><summary>{heading} sentences ({len(lines)})</summary>"
        for line in lines:
            note = f"chrF2 {found.sentence_chrf[line - 1]:.1f}" + (f"; {suspect[line]}" if line in suspect else "")
            yield _sentence(line, note, [("output", escape(system.output[line - 1]))], references, sources)
        yield "</details>"


def _beside(first: System, other: System, references: References, sources: Sequence[str] | None) -> Iterator[str]:
    gains = [b - a for a, b in zip(first.failures.sentence_chrf, other.failures.sentence_chrf, strict=True)]
    ranked = sorted(range(len(gains)), key=lambda index: gains[index])
    same = sum(a == b for a, b in zip(first.output, other.output, strict=True))
    yield f"<h2>{escape(other.name)} beside {escape(first.name)}</h2>"
    yield f"<p>{same} of {len(gains)} sentences are the same.</p>"
    better = [index for index in ranked[::-1][:DIFFERENT] if gains[index] > 0]
    worse = [index for index in ranked[:DIFFERENT] if gains[index] < 0]
    for heading, chosen in ((f"{other.name} is better", better), (f"{first.name} is better", worse)):
        yield f"<details open><summary>Where {escape(heading)} ({len(chosen)} shown)</summary>"
        for index in chosen:
            left, right = marked(first.output[index], other.output[index])
            outputs = [(first.name, left), (other.name, right)]
            yield _sentence(index + 1, f"chrF2 {gains[index]:+.1f}", outputs, references, sources)
        yield "</details>"


def marked(left: str, right: str) -> tuple[str, str]:
    """Both lines as HTML, with what the other one has not in a <mark>; Han characters and words are compared."""
    ours, theirs = _TOKEN.findall(left), _TOKEN.findall(right)
    pieces: tuple[list[str], list[str]] = ([], [])
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        for side, text, name in ((0, "".join(ours[a:b]), "left"), (1, "".join(theirs[c:d]), "right")):
            if text:
                pieces[side].append(escape(text) if tag == "equal" else f'<mark class="{name}">{escape(text)}</mark>')
    return "".join(pieces[0]), "".join(pieces[1])


def _sentence(
    line: int,
    note: str,
    outputs: Iterable[tuple[str, str]],
    references: References,
    sources: Sequence[str] | None,
) -> str:
    """One sentence; the outputs are HTML already."""
    rows = [("source", escape(sources[line - 1]))] if sources else []
    rows += [("reference", escape(lines[line - 1] or "")) for lines in references if lines[line - 1] is not None]
    rows += [(escape(name), text) for name, text in outputs]
    shown = "".join(f"<p><b>{name}</b> {text}</p>" for name, text in rows)
    return f'<div class="sentence"><p>line {line}, {escape(note)}</p>{shown}</div>'


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = "".join(
        "<tr>" + "".join(_cell(value, number) for number, value in enumerate(row)) + "</tr>" for row in rows
    )
    return f"<table><tr>{''.join(f'<th>{escape(one)}</th>' for one in head)}</tr>{cells}</table>"


def _cell(value: object, number: int) -> str:
    kind = ' class="number"' if number else ""
    return f"<td{kind}>{escape(str(value))}</td>"
