"""Raw parallel text to one folder that serves both directions: the whole of `nmt prepare`.

Read, write Chinese in one script, split by connected groups, clean the training part, learn a vocabulary for each
language from that part alone, and encode. From the first step on English is the source and Chinese the target of every
pair, whatever the files say; a direction is chosen only when a model is trained.

The split comes before the cleaning, and held-out sets keep the corpus's own words (only spaces and invisible
characters are tidied): neither a new rule nor a new normalisation changes what a score is measured on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nmt.config import LANGUAGES, PrepareConfig
from nmt.data import arrow
from nmt.data.clean import SIDES, Cleaned, check_extras, clean
from nmt.data.divide import Corpus, Divided, HeldOutSets, divide
from nmt.data.dropped import EXAMPLES, Dropped
from nmt.data.folder import (
    FORMAT_VERSION,
    MANIFEST,
    Recipe,
    changes,
    check_replaceable,
    describe,
    is_whole,
    read_manifest,
)
from nmt.data.gather import gather, script_policy
from nmt.data.heldout import Item
from nmt.data.lines import LineCounts
from nmt.data.overlap import read_set
from nmt.data.page import page
from nmt.data.parts import Part, parts
from nmt.data.pool import cores
from nmt.data.report import coverage, dropped_counts, left_to_bytes, reading, report, total_units, unread
from nmt.errors import DataError
from nmt.files import new_folder, write_text
from nmt.text.normalise import normalise
from nmt.text.tokenizer import Tokenizer, learn

REPORT = "report.html"
ENOUGH = 10_000
"""Sentences of train of which the rates of unknown pieces and bytes are told."""
Log = Callable[[str], None]


def prepare(config: PrepareConfig, log: Log = print) -> Path:
    """Write the prepared folder, unless it is there already.

    Args:
        config: The settings of `nmt prepare`.
        log: Receives the report, a line at a time.

    Returns:
        The folder.

    Raises:
        DataError: The corpus can not be used as it is, or something else lies in the folder's place.
        ConfigError: Settings contradict each other or the corpus.
    """
    output = Path(config.output)
    check_extras(config.clean)
    sources = parts(config.data)
    tests = [Path(path) for path in config.data.decontaminate]
    recipe = describe(config, (*(file for part in sources.values() for file in part.files), *tests))
    if not config.dry_run and _is_up_to_date(output, recipe, log):
        return output
    log(f"reading {', '.join(entry['path'] for entry in recipe.inputs) or config.data.name}")
    corpus = _read(sources, tests, config)
    divided = divide(corpus, config)
    cleaned = _clean(corpus, divided, config)
    manifest: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "name": config.data.name,
        "licence": config.data.licence,
        "attribution": config.data.attribution,
        **asdict(recipe),
        "splits": _splits(cleaned, divided.heldout),
        "counts": _counts(corpus, divided, cleaned),
        "overlap": [one.entry(removed=config.clean.decontaminate) for one in divided.sets],
    }
    if config.dry_run:
        _report_only(output, manifest, log)
        return output
    which = "one vocabulary for both languages" if config.text.joint else "a vocabulary for each language"
    log(f"learning {which} from {len(cleaned.pairs):,} pairs")
    samples = {
        language: cleaned.sentences(language, most=config.text.sample, seed=config.seed) for language in LANGUAGES
    }
    tokenizers = _learn(samples, config)
    manifest["counts"]["vocabulary"] = {
        language: _vocabulary(tokenizers[language], language, samples[language], divided.heldout)
        for language in LANGUAGES
    }
    with new_folder(output.resolve()) as folder:
        _write(folder, manifest, cleaned, divided.heldout, tokenizers)
    for line in report(manifest):
        log(line)
    log(f"{output} is ready")
    return output


def _report_only(output: Path, manifest: dict[str, Any], log: Log) -> None:
    for line in report(manifest, examples=EXAMPLES):
        log(line)
    output.parent.mkdir(parents=True, exist_ok=True)
    for suffix, text in (("json", _json(manifest)), ("html", page(manifest))):
        path = output.with_name(f"{output.name}.report.{suffix}")
        write_text(path, text)
        log(f"{path} is written")


def _is_up_to_date(output: Path, recipe: Recipe, log: Log) -> bool:
    check_replaceable(output)
    if not (output / MANIFEST).is_file():
        return False
    try:
        manifest = read_manifest(output)
    except DataError:
        log(f"{output} was written by another version of this program and is made anew")
        return False
    if not is_whole(output):
        log(f"{output} is not whole and is made anew")
        return False
    if manifest["fingerprint"] == recipe.fingerprint:
        log(f"{output} is up to date")
        return True
    log(f"{output} was made with other settings and is made anew: {'; '.join(changes(manifest, recipe))}")
    return False


def _read(sources: dict[str, Part], tests: list[Path], config: PrepareConfig) -> Corpus:
    data, lines = config.data, LineCounts()
    gathered = {
        name: gather(
            part.read(lines),
            script=script_policy(data, name),
            chinese=data.chinese,
            processes=config.processes or cores(),
        )
        for name, part in sources.items()
    }
    return Corpus(gathered, lines, [read_set(path) for path in tests])


def _clean(corpus: Corpus, divided: Divided, config: PrepareConfig) -> Cleaned:
    cleaned = clean(
        corpus.parts["train"].pairs.batches(divided.train),
        config.clean,
        held_out=[one.sentences for one in divided.sets],
        processes=config.processes or cores(),
    )
    for number, place in cleaned.overlaps:
        divided.sets[number].found.add(place)
    return cleaned


def _learn(samples: dict[str, list[str]], config: PrepareConfig) -> dict[str, Tokenizer]:
    """A vocabulary for each language; with `text.joint` the same one."""
    text = config.text

    def one(lines: list[str], name: str, coverage: float) -> Tokenizer:
        size = getattr(text, f"vocab_size_{name}")
        return learn(
            lines, language=name, vocab_size=size, coverage=coverage, algorithm=text.algorithm, seed=config.seed
        )

    if text.joint:
        both = [line for sample in samples.values() for line in sample]
        return dict.fromkeys(samples, one(both, "joint", text.coverage_zh))
    return {name: one(lines, name, getattr(text, f"coverage_{name}")) for name, lines in samples.items()}


def _counts(corpus: Corpus, divided: Divided, cleaned: Cleaned) -> dict[str, Any]:
    blank, other_script = Dropped(), Dropped()
    for part in corpus.parts.values():
        blank.merge(part.blank)
        other_script.merge(part.other_script)
    before = {"blank": blank, "other script": other_script, "in dev or test": divided.overlapping}
    return {
        "read": sum(part.read for part in corpus.parts.values()) + sum(corpus.lines.skipped.values()),
        **reading(corpus.lines),
        "kept": {"train": len(cleaned.pairs), **divided.kept},
        "scripts": {
            name: sum(part.scripts[name] for part in corpus.parts.values()) for name in corpus.parts["train"].scripts
        },
        "groups": divided.groups,
        "dropped": unread(corpus.lines) | dropped_counts(before | cleaned.dropped),
    }


def _vocabulary(tokenizer: Tokenizer, language: str, sentences: list[str], sets: HeldOutSets) -> dict[str, Any]:
    """Its size, and what it can not write in pieces, in each split; of train, a part of what it was learned from."""
    return {
        "size": len(tokenizer),
        "train": coverage(tokenizer, sentences[:ENOUGH]),
        **{split: coverage(tokenizer, _lines(sets[split], language)) for split in ("dev", "test")},
        "left_to_bytes": left_to_bytes(tokenizer, sentences),
    }


def _splits(cleaned: Cleaned, sets: HeldOutSets) -> dict[str, Any]:
    units = {language: total_units(cleaned.pairs.side(side)) for side, language in SIDES.items()}
    return {"train": {"pairs": len(cleaned.pairs), "units": units}, **_sizes(sets)}


def _lines(directions: dict[str, list[Item]], language: str) -> list[str]:
    direction = "en-zh" if language == "en" else "zh-en"
    return [normalise(item.source, language) for item in directions[direction]]


def _sizes(sets: HeldOutSets) -> dict[str, Any]:
    return {
        split: {
            direction: {"sentences": len(items), "references": sum(len(item.references) for item in items)}
            for direction, items in directions.items()
        }
        for split, directions in sets.items()
    }


def _write(
    folder: Path,
    manifest: dict[str, Any],
    cleaned: Cleaned,
    sets: HeldOutSets,
    tokenizers: dict[str, Tokenizer],
) -> None:
    arrow.write_train(folder, cleaned.pairs, tokenizers)
    for name, directions in sets.items():
        arrow.write_heldout(folder, name, directions)
    for language, tokenizer in tokenizers.items():
        (folder / f"{language}.spm").write_bytes(tokenizer.to_bytes())
    for name, text in ((REPORT, page(manifest)), (MANIFEST, _json(manifest))):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _json(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
