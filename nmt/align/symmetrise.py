"""Links of two directions -> one set of links (Och & Ney 2003; Koehn, Och & Marcu 2003).

A model gives each target word one source word, so it can not link one target word to two. The model of the other
direction has the opposite fault. With F the links of the forward and R those of the reverse model, both as (source,
target):

- `intersection`, F ∩ R: few and precise;
- `union`, F ∪ R: many, with a high recall;
- `grow-diag-final-and`: from F ∩ R, *grow-diag* adds links of F ∪ R that touch one already there (sideways, upright or
  diagonally) if at least one of their two words has no link yet, until nothing changes; *final-and* then adds links of
  F, and after them of R, whose words both have none.

The order in which links are tried matters: here source before target, and neighbours sideways and upright before the
diagonal ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nmt.align.links import Link

_BESIDE = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Iterable[Link], reverse: Iterable[Link]) -> set[Link]:
    """The links on which both directions agree; each (source, target)."""
    return set(forward) & set(reverse)


def union(forward: Iterable[Link], reverse: Iterable[Link]) -> set[Link]:
    """The links of either direction; each (source, target)."""
    return set(forward) | set(reverse)


def grow_diag_final_and(forward: Iterable[Link], reverse: Iterable[Link]) -> set[Link]:
    """The intersection, grown along its neighbours, then filled where both words are free; each (source, target)."""
    forward, reverse = set(forward), set(reverse)
    links = _grow_diag(forward & reverse, forward | reverse)
    for candidates in (forward, reverse):
        _add(sorted(candidates), links, lambda source_free, target_free: source_free and target_free)
    return links


def _grow_diag(links: set[Link], candidates: set[Link]) -> set[Link]:
    before = -1
    while len(links) != before:
        before = len(links)
        for source, target in sorted(links):
            beside = ((source + across, target + down) for across, down in _BESIDE)
            touching = [link for link in beside if link in candidates]
            _add(touching, links, lambda source_free, target_free: source_free or target_free)
    return links


def _add(candidates: Iterable[Link], links: set[Link], wanted: Callable[[bool, bool], bool]) -> None:
    """Add each candidate that is `wanted`, given whether its source and its target word are free at that moment."""
    for source, target in candidates:
        source_free = all(source != i for i, _ in links)
        target_free = all(target != j for _, j in links)
        if wanted(source_free, target_free):
            links.add((source, target))


METHODS: dict[str, Callable[[Iterable[Link], Iterable[Link]], set[Link]]] = {
    "grow-diag-final-and": grow_diag_final_and,
    "intersection": intersection,
    "union": union,
}
