"""What every reader of one file is given, and how it names what it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nmt.data.corpus import Pair
from nmt.data.lines import STRICT, LineCounts, Rule, Unreadable, clean_field
from nmt.data.streams import display


@dataclass(frozen=True, slots=True)
class Job:
    """One file to read."""

    path: Path
    source_language: str = "en"
    target_language: str = "zh"
    source_field: str | None = None
    """Where the source side is, if the person said so: a column, a key, a language or a member, by format."""
    target_field: str | None = None
    rule: Rule = STRICT

    @property
    def name(self) -> str:
        """What an error calls the file."""
        return display(self.path)

    @property
    def source(self) -> str:
        """The source side's language, as the file writes it."""
        return self.source_field or self.source_language

    @property
    def target(self) -> str:
        """The target side's language, as the file writes it."""
        return self.target_field or self.target_language


Reader = Callable[[Job, LineCounts], Iterator[Pair]]


def speaks(tag: str | None, wanted: str) -> bool:
    """Whether a language tag of a file is the wanted language or a variety of it.

    Examples:
        >>> speaks("zh_CN", "zh"), speaks("cmn-Hans", "zh"), speaks("zh-TW", "zh-CN"), speaks("EN-US", "en")
        (True, True, False, True)
    """
    has, wants = ((text or "").lower().replace("_", "-").split("-") for text in (tag, wanted))
    same = {"cmn": "zh", "zho": "zh", "chi": "zh", "eng": "en", "chinese": "zh", "english": "en"}
    has[0], wants[0] = same.get(has[0], has[0]), same.get(wants[0], wants[0])
    return has[: len(wants)] == wants


def pair_of(fields: Sequence[str], line: int, place: str, job: Job, counts: LineCounts) -> Pair | None:
    """A pair from the two fields that a parser gave, by the reading rule; `None` (counted) if one can not be read."""
    sides = [clean_field(text, job.rule, counts, place) for text in fields]
    for side in sides:
        if isinstance(side, Unreadable):
            counts.skip(side.value, place)
            return None
    return Pair(str(sides[0]), str(sides[1]), line)
