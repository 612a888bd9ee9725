"""Raw parallel text to one folder that serves both directions: the whole of `nmt prepare`.

Read, write Chinese in one script, split by connected groups, clean the training part, learn a vocabulary for each
language from that part alone, and encode. From the first step on English is the source and Chinese the target of every
pair, whatever the files say; a direction is chosen only when a model is trained.

The split comes before the cleaning, and held-out sets keep the corpus's own words (only spaces and invisible
characters are tidied): neither a new rule nor a new normalisation changes what a score is measured on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nmt.config import LANGUAGES, DataConfig, PrepareConfig
from nmt.data import arrow, heldout
from nmt.data.clean import EXAMPLES, Dropped, check_extras, clean, without_duplicates
from nmt.data.corpus import Pair
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
from nmt.data.heldout import Item
from nmt.data.lines import LineCounts
from nmt.data.page import page
from nmt.data.parts import Part, parts
from nmt.data.report import coverage, dropped_counts, report, total_units
from nmt.data.split import Group, connect, shares_a_sentence, split
from nmt.errors import DataError
from nmt.files import new_folder, write_text
from nmt.text.normalise import normalise, tidy
from nmt.text.script import SCRIPTS, script_of, to_script
from nmt.text.tokenizer import Tokenizer, learn

Log = Callable[[str], None]
REPORT = "report.html"
HeldOutSets = dict[str, dict[str, list[Item]]]
"""`dev` and `test`, each with its two directions."""


@dataclass(slots=True)
class _Corpus:
    """What was read: the pairs of each part with text on both sides, tidied and in one script."""

    pairs: dict[str, list[Pair]]
    lines: LineCounts
    read: int
    blank: Dropped
    other_script: Dropped
    scripts: dict[str, int]
    """Lines of Chinese, as they were written, in each script."""


@dataclass(slots=True)
class _Divided:
    train: list[Pair]
    heldout: HeldOutSets
    groups: int
    overlapping: Dropped
    """Pairs dropped from train because a file for dev or test that the person gave has one of their sentences."""


@dataclass(slots=True)
class _Cleaned:
    """What is left, normalised, and what was dropped for which reason, in the order of the rules."""

    pairs: list[Pair]
    dropped: dict[str, Dropped]


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
    recipe = describe(config, (file for part in sources.values() for file in part.files))
    if not config.dry_run and _is_up_to_date(output, recipe, log):
        return output
    log(f"reading {', '.join(entry['path'] for entry in recipe.inputs)}")
    corpus = _read(sources, config.data)
    divided = _divide(corpus, config)
    cleaned = _clean(divided.train, config)
    manifest = {
        "format_version": FORMAT_VERSION,
        "name": config.data.name,
        "licence": config.data.licence,
        "attribution": config.data.attribution,
        **asdict(recipe),
        "splits": _splits(cleaned.pairs, divided.heldout),
        "counts": _counts(corpus, divided, cleaned),
    }
    if config.dry_run:
        _report_only(output, manifest, log)
        return output
    log(f"learning a vocabulary for each language from {len(cleaned.pairs):,} pairs")
    tokenizers = {language: _learn(cleaned.pairs, language, config) for language in LANGUAGES}
    manifest["counts"]["vocabulary"] = _vocabulary(tokenizers, divided.heldout)
    with new_folder(output.resolve()) as folder:
        _write(folder, manifest, cleaned.pairs, divided.heldout, tokenizers)
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


def _read(sources: dict[str, Part], data: DataConfig) -> _Corpus:
    scripts = dict.fromkeys([*SCRIPTS, "mixed", ""], 0)
    corpus = _Corpus({}, LineCounts(), 0, Dropped(), Dropped(), scripts)
    other = "hant" if data.chinese == "hans" else "hans"
    for name, part in sources.items():
        kept = corpus.pairs[name] = []
        for pair in part.read(corpus.lines):
            corpus.read += 1
            script = script_of(pair.target)
            scripts[script] += 1
            target = to_script(pair.target, data.chinese) if data.script == "convert" else pair.target
            clear = Pair(tidy(pair.source), tidy(target), pair.line, pair.source_id, pair.target_id)
            if not clear.source or not clear.target:
                corpus.blank.add(clear)
            elif data.script == "drop" and script == other and name == "train":  # a given test set stays as it is
                corpus.other_script.add(clear)
            else:
                kept.append(clear)
    return corpus


def _divide(corpus: _Corpus, config: PrepareConfig) -> _Divided:
    given = {name: pairs for name, pairs in corpus.pairs.items() if name != "train"}
    known, overlapping, apart = shares_a_sentence(p for pairs in given.values() for p in pairs), Dropped(), []
    for pair in corpus.pairs["train"]:
        if known(pair):
            overlapping.add(pair)
        else:
            apart.append(pair)
    groups = connect(apart)
    chosen = split(
        groups,
        dev=0 if "dev" in given else config.data.dev_groups,
        test=0 if "test" in given else config.data.test_groups,
    )
    sets: HeldOutSets = {"dev": _both_directions(chosen.dev), "test": _both_directions(chosen.test)}
    for name, pairs in given.items():
        sets[name] = {"en-zh": heldout.from_pairs(pairs), "zh-en": heldout.from_pairs(p.flipped() for p in pairs)}
    kept = sorted((pair for group in chosen.train for pair in group.pairs), key=lambda pair: pair.line)
    return _Divided(kept, sets, len(groups), overlapping)


def _both_directions(groups: Iterable[Group]) -> dict[str, list[Item]]:
    groups = list(groups)
    return {"en-zh": heldout.from_groups(groups), "zh-en": heldout.from_groups(map(heldout.flipped, groups))}


def _clean(pairs: list[Pair], config: PrepareConfig) -> _Cleaned:
    dropped: dict[str, Dropped] = {}
    kept = clean(pairs, config.clean, dropped)
    if config.clean.deduplicate:
        kept = without_duplicates(kept, duplicates := Dropped())
        return _Cleaned(list(kept), dropped | {"duplicate": duplicates})
    return _Cleaned(list(kept), dropped)


def _side(pairs: Iterable[Pair], language: str) -> list[str]:
    return [pair.source if language == "en" else pair.target for pair in pairs]


def _learn(pairs: list[Pair], language: str, config: PrepareConfig) -> Tokenizer:
    return learn(
        dict.fromkeys(_side(pairs, language)),  # a sentence with twelve translations is still one sentence
        language=language,
        vocab_size=getattr(config.text, f"vocab_size_{language}"),
        coverage=getattr(config.text, f"coverage_{language}"),
        algorithm=config.text.algorithm,
        seed=config.seed,
    )


def _counts(corpus: _Corpus, divided: _Divided, cleaned: _Cleaned) -> dict[str, Any]:
    return {
        "read": corpus.read,
        "lines": corpus.lines.lines,
        "separators": corpus.lines.separators,
        "controls": corpus.lines.controls,
        "scripts": corpus.scripts | {"unclear": corpus.scripts.pop("")},
        "groups": divided.groups,
        "dropped": dropped_counts(
            {"blank": corpus.blank, "other script": corpus.other_script, "in dev or test": divided.overlapping}
            | cleaned.dropped
        ),
    }


def _vocabulary(tokenizers: dict[str, Tokenizer], sets: HeldOutSets) -> dict[str, Any]:
    return {
        language: {"size": len(tokenizer), "dev": coverage(tokenizer, _dev_lines(sets, language))}
        for language, tokenizer in tokenizers.items()
    }


def _splits(pairs: list[Pair], sets: HeldOutSets) -> dict[str, Any]:
    units = {language: total_units(_side(pairs, language)) for language in LANGUAGES}
    return {"train": {"pairs": len(pairs), "units": units}, **_sizes(sets)}


def _dev_lines(sets: HeldOutSets, language: str) -> list[str]:
    direction = "en-zh" if language == "en" else "zh-en"
    return [normalise(item.source, language) for item in sets["dev"][direction]]


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
    pairs: list[Pair],
    sets: HeldOutSets,
    tokenizers: dict[str, Tokenizer],
) -> None:
    arrow.write_train(folder, pairs, tokenizers)
    for name, directions in sets.items():
        arrow.write_heldout(folder, name, directions)
    for language, tokenizer in tokenizers.items():
        (folder / f"{language}.spm").write_bytes(tokenizer.to_bytes())
    for name, text in ((REPORT, page(manifest)), (MANIFEST, _json(manifest))):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _json(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
