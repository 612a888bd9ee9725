"""Sentences, references and outputs from local files: plain text, a column of a TSV, a part of a WMT XML file.

    news.zh                  plain text, one sentence a line
    news.tsv:2               column 2 of a TSV
    wmttest2022.xml:refA     the references of translator A; `:src` is the source, any other name a system's output

An XML file without a name means its source, or all its references, or all its systems, whatever is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli import options
from nmt.errors import DataError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Lines = list[str | None]


def source(spec: str) -> list[str]:
    """The source sentences that `spec` names.

    Raises:
        DataError: It names nothing, or has gaps.
    """
    return _full(spec, next(iter(_read(spec, _is_source).values())))


def references(specs: Sequence[str]) -> list[tuple[str, Lines]]:
    """Every reference set, with its name; `None` where a further set has no reference.

    Few sentences have a second translation; a blank one would be a reference that says nothing, and cost points. So a
    blank line in a set after the first is no reference.
    """
    sets = [item for spec in specs for item in _read(spec, _is_reference).items()]
    further = [(name, [line if line and line.strip() else None for line in lines]) for name, lines in sets[1:]]
    return [*sets[:1], *further]


def outputs(specs: Sequence[str]) -> dict[str, list[str]]:
    """The output of every system by its name: the file's name, as far as that tells the systems apart.

    Raises:
        DataError: A system has no line for a sentence, or is there twice.
    """
    found: dict[str, list[str]] = {}
    for spec in specs:
        for name, lines in _read(spec, _is_system).items():
            if name in found:
                raise DataError(f"{name} is given twice")
            found[name] = _full(name, lines)
    return {_short(name, found): lines for name, lines in found.items()}


def _short(name: str, all_names: Mapping[str, object]) -> str:
    """The file's name alone, unless another file in another folder has the same."""
    names = [Path(one).name for one in all_names]
    return Path(name).name if names.count(Path(name).name) == 1 else name


def _full(name: str, lines: Lines) -> list[str]:
    full = []
    for number, line in enumerate(lines, start=1):
        if line is None:
            raise DataError(f"{name} has nothing for sentence {number}")
        full.append(line)
    return full


def _read(spec: str, is_wanted: Callable[[str], bool]) -> dict[str, Lines]:
    """Name -> lines of all that `spec` names; of an XML file without a part, whatever is wanted."""
    path, part = Path(spec), ""
    if not path.is_file() and ":" in spec:
        head, _, part = spec.rpartition(":")
        path = Path(head)
    match path.suffix.lower():
        case ".xml":
            return _of_xml(path, part, is_wanted)
        case ".tsv":
            return {spec: list(_column(path, part))}
    if part:
        raise DataError(f"{spec}: only the columns of a .tsv and the parts of a .xml file have names after a colon")
    return {spec: list(options.read_lines(path))}


def _column(path: Path, part: str) -> Iterator[str]:
    if not part.isdecimal() or int(part) < 1:
        raise DataError(f"{path} is a TSV: say which column, counted from 1, such as {path}:2")
    for number, line in enumerate(options.read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) < int(part):
            raise DataError(f"{path}:{number}: there is no column {part}, but {len(columns)} columns")
        yield columns[int(part) - 1]


def _is_source(name: str) -> bool:
    return name == "src"


def _is_reference(name: str) -> bool:
    return name.startswith("ref")


def _is_system(name: str) -> bool:
    return not _is_source(name) and not _is_reference(name)


def _of_xml(path: Path, part: str, is_wanted: Callable[[str], bool]) -> dict[str, Lines]:
    parts = _parts(path)
    wanted = [name for name in parts if (name == part if part else is_wanted(name))]
    if not wanted:
        what = f"no {part!r}" if part else "none of what is wanted"
        raise DataError(f"{path} holds {what}; it holds: {', '.join(parts)}")
    return {f"{path}:{name}": parts[name] for name in wanted}


def _parts(path: Path) -> dict[str, Lines]:
    """`src`, `refA` ..., and each system of a WMT file, in the order of its source segments."""
    from xml.etree.ElementTree import ParseError, parse

    try:
        documents = list(parse(path).getroot().iter("doc"))
    except ParseError as error:
        raise DataError(f"{path} is not XML: {error}") from error
    found: dict[str, Lines] = {}
    total = 0
    for document in documents:
        sides = {_name(side): side for side in document if side.tag in ("src", "ref", "hyp")}
        if "src" not in sides:
            raise DataError(f"{path}: document {document.get('id')!r} has no <src>")
        ids = [segment.get("id") for segment in sides["src"].iter("seg")]
        for name, side in sides.items():
            segments = {segment.get("id"): _text(segment) for segment in side.iter("seg")}
            lines = found.setdefault(name, [])
            lines += [None] * (total - len(lines)) + [segments.get(number) for number in ids]
        total += len(ids)
    return {name: lines + [None] * (total - len(lines)) for name, lines in found.items()}


def _name(side: Element) -> str:
    match side.tag:
        case "src":
            return "src"
        case "ref":
            return f"ref{side.get('translator') or ''}"
    return side.get("system") or "hyp"


def _text(segment: Element) -> str:
    return " ".join("".join(segment.itertext()).split())
