"""TMX 1.4 (translation memories): a unit has a variant in each language, `<tu><tuv xml:lang="en"><seg>...`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from nmt.data.corpus import Pair
from nmt.data.lines import LineCounts
from nmt.data.readers.base import Job, pair_of, speaks
from nmt.data.readers.xml import child, elements, language, local, text_of
from nmt.errors import DataError

_CODES = ("bpt", "ept", "it", "ph", "ut")


def read_tmx(job: Job, counts: LineCounts) -> Iterator[Pair]:
    """The pairs of a file: in each unit, every variant of one language with every one of the other."""
    units = elements(job.path, job.name, "tu")
    root = next(units)
    if local(root) != "tmx":
        raise DataError(f"{job.name}: the root element is <{local(root)}>, but TMX begins with <tmx>")
    for unit in units:
        place = f"{job.name}:{unit.sourceline}"
        variants = [(language(tuv), child(tuv, "seg")) for tuv in unit if local(tuv) == "tuv"]
        sides = [
            [text_of(seg, _CODES) for tag, seg in variants if seg is not None and speaks(tag, wanted)]
            for wanted in (job.source, job.target)
        ]
        for side, wanted in zip(sides, (job.source, job.target), strict=True):
            if not side:
                counts.skip(f"no {wanted} variant", place)
                break
        for one, other in product(*sides):
            if pair := pair_of((one, other), unit.sourceline, place, job, counts):
                yield pair
