"""Compute lists of similar laboratories by a fixed rule (docs/explanation/similarity.md).

The rule: two laboratories are similar by the *facets* they share (materials, test methods,
accreditation standards, certifications, standards). A facet that only one laboratory has does not count;
one that n laboratories have weighs 2^(20 - ceil(log2 n)), so a rare facet outweighs many commoner ones, and
the weight changes only when n passes a power of two. Only a laboratory's 16 rarest facets count, and each of
them contributes only 16 neighbours on either side in the order of display_id. So the cost of a list is
bounded, whatever the size of the directory, and an edit changes only the lists of laboratories that share a
facet with the edited laboratory. The score of a laboratory is divided by the square root of the number of its
facets, rounded to a power of two; otherwise, laboratories with the most facets would fill all lists. If
scores are equal, laboratories in the same country come first, then those with the smaller display_id.
"""

import sys
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import islice
from operator import lshift
from typing import NamedTuple

from labgen.model.summaries import Facet, SimilarList

RAREST = 16
NEIGHBOURS = 16
COMMON = 100
"""If a facet has so many holders, those that already have `RAREST` rarer facets are skipped as a set."""
MAX_WEIGHT_EXPONENT = 20
"""The exponent of the greatest weight; the exponent for more than 2^19 laboratories is 0."""


MAX_DIVISOR_EXPONENT = 16
"""The exponent of the greatest divisor, which is reached with 2^31 facets."""


def divisor_exponent(facets: int) -> int:
    """Return the exponent of the divisor for a number of facets."""
    return min(facets.bit_length() // 2, MAX_DIVISOR_EXPONENT)


def shift_of(facets: int) -> int:
    """Return the exponent of the factor for a number of facets: the greatest divisor over its divisor."""
    return MAX_DIVISOR_EXPONENT - divisor_exponent(facets)


class Traits(NamedTuple):
    """The traits by which a laboratory is compared with others."""

    facets: Sequence[Facet]
    country: str


NO_TRAITS = Traits((), "")


@dataclass
class Index:
    """The data of the whole directory from which lists are computed. Laboratories are given by number.

    `shifts` are the exponents of the factors of their scores (see `shift_of`). `holders` are the laboratories
    that have a facet, in the order of their display_ids; `counts` is how many they are. `is_ordered`: numbers
    have that order, too. `all_rarest` are the ranks of each laboratory's rarest facets, if computed.
    """

    display_ids: Sequence[str] | Mapping[int, str]
    countries: Sequence[str] | Mapping[int, str]
    shifts: Sequence[int] | Mapping[int, int]
    holders: Mapping[Facet, Sequence[int]]
    counts: Mapping[Facet, int]
    is_ordered: bool = False
    all_rarest: Sequence[Sequence[int]] = ()

    @cached_property
    def by_rank(self) -> list[Facet]:
        """The facets that several laboratories have, the rarest first."""
        return sorted([one for one, count in self.counts.items() if count > 1], key=self._rank)

    @cached_property
    def ranks(self) -> dict[Facet, int]:
        """The positions of facets in `by_rank`."""
        return {facet: rank for rank, facet in enumerate(self.by_rank)}

    def _rank(self, facet: Facet) -> tuple[int, Facet]:
        return self.counts[facet], facet

    def rarest(self, number: int, facets: Iterable[Facet]) -> Sequence[int]:
        """Return the ranks of a laboratory's rarest facets, the rarest first."""
        if self.all_rarest:
            return self.all_rarest[number]
        ranks = map(self.ranks.get, facets)
        return sorted([rank for rank in ranks if rank is not None])[:RAREST]

    def find_all_rarest(self) -> None:
        """Compute the rarest facets of all laboratories at once, which is faster than one by one."""
        found: list[list[int]] = [[] for _ in self.display_ids]
        missing = set(range(len(found)))
        for rank, facet in enumerate(self.by_rank):
            holders = self.holders[facet]
            for number in holders if len(holders) < COMMON else missing.intersection(holders):
                ranks = found[number]
                if len(ranks) < RAREST:
                    ranks.append(rank)
                    if len(ranks) == RAREST:
                        missing.remove(number)
        self.all_rarest = found

    def place(self, holders: Sequence[int], display_id: str) -> int:
        """Return the position of a laboratory among the holders of a facet."""
        return bisect_left(holders, display_id, key=self.display_ids.__getitem__)

    @cached_property
    def weights(self) -> list[int]:
        """The weights of facets, by rank."""
        return [_weight(self.counts[facet]) for facet in self.by_rank]


def similar_to(number: int, traits: Traits, index: Index, limit: int) -> SimilarList:
    """Return the laboratories most similar to one, at most `limit`, and the last of its facets that count."""
    by_rank, weights, names, all_holders = index.by_rank, index.weights, index.display_ids, index.holders
    rarest = index.rarest(number, traits.facets)
    scores: dict[int, int] = {}
    for rank in rarest:
        holders, weight = all_holders[by_rank[rank]], weights[rank]
        at = bisect_left(holders, number) if index.is_ordered else index.place(holders, names[number])
        for other in holders[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
            if other in scores:
                scores[other] += weight
            else:
                scores[other] = weight
    scores.pop(number, None)
    all_points = [*map(lshift, scores.values(), map(index.shifts.__getitem__, scores))]
    least = min(nlargest(limit, all_points), default=0)
    best = [one for one in zip(scores, all_points, strict=True) if one[1] >= least]
    countries = index.countries
    ranked = sorted([(-points, countries[other] != traits.country, names[other]) for other, points in best])
    last = by_rank[rarest[-1]] if len(rarest) == RAREST else None
    return SimilarList(tuple([display_id for _, _, display_id in ranked[:limit]]), last)


@dataclass(frozen=True, slots=True)
class TraitChanges:
    """The changes in the traits of laboratories since the last build.

    `edited` maps the display_id of each changed laboratory to the facets by which the change affects others.
    `gains` is by how many laboratories each facet grew.
    """

    edited: Mapping[str, AbstractSet[Facet]]
    gains: Counter[Facet]


def compare_traits(before: Mapping[str, Traits], now: Mapping[str, Traits]) -> TraitChanges:
    """Compare the traits of laboratories before and now."""
    edited: dict[str, AbstractSet[Facet]] = {}
    gains: Counter[Facet] = Counter()
    for display_id in before.keys() | now.keys():
        had, has = before.get(display_id, NO_TRAITS), now.get(display_id, NO_TRAITS)
        if had == has:
            continue
        lost, won = set(had.facets), set(has.facets)
        is_placed_alike = had.country == has.country and _divisor(had) == _divisor(has)
        edited[display_id] = lost ^ won if is_placed_alike else lost | won
        gains.subtract(lost)
        gains.update(won)
    return TraitChanges(edited, gains)


def _divisor(one: Traits) -> int:
    return divisor_exponent(len(one.facets))


class LastFacets(NamedTuple):
    """The last (commonest) facet that counted for each list before the edit; NO_LAST if all facets counted.

    `distinct` are the different last facets, `by_laboratory` maps a laboratory to its own, `holders` is the
    reverse.
    """

    distinct: Sequence[Facet]
    by_laboratory: Mapping[int, Facet]
    holders: Mapping[Facet, Sequence[int]]


NO_LAST = -1


class RankRange(NamedTuple):
    """The ranks between which a facet moved, each its count and the facet; the smaller rank first.

    `is_weight_new`: its weight changed, or it began or ceased to be shared.
    """

    least: tuple[int, Facet]
    most: tuple[int, Facet]
    is_weight_new: bool


def touched(moves: TraitChanges, index: Index, lasts: LastFacets) -> set[int]:
    """Return the laboratories whose lists may have changed through edits of other laboratories.

    A list depends on which facets are the laboratory's rarest, on their weights, and on the laboratory's
    neighbours among the holders of these facets. So it is touched if such a facet, now or before,
    `is_weight_new`; if a facet passed the last of the rarest, or is the last; and if an edited laboratory is
    among the neighbours by a facet that it gained or lost, or by any of its facets if its country or divisor
    changed. `index` is the directory now.
    """
    found: set[int] = set()
    edited: defaultdict[Facet, list[str]] = defaultdict(list)
    for display_id, facets in moves.edited.items():
        for facet in facets:
            edited[facet].append(display_id)
    before = {facet: index.counts.get(facet, 0) - moves.gains[facet] for facet in edited}

    def rank(last: Facet) -> tuple[int, Facet]:
        return (sys.maxsize if last == NO_LAST else before.get(last) or index.counts[last], last)

    ranks = sorted(map(rank, lasts.distinct))
    for facet, display_ids in edited.items():
        span = _span(facet, before[facet], index.counts.get(facet, 0))
        if span is None:
            continue
        end = len(ranks) if span.is_weight_new else bisect_right(ranks, span.most)
        near = {last for _, last in ranks[bisect_left(ranks, span.least) : end]}
        found |= _with_last(index.holders[facet], near, lasts)
        beside = _beside(index.holders[facet], display_ids, moves.edited, index)
        found.update(one for one in beside if span.least <= rank(lasts.by_laboratory[one]))
    return found


def _with_last(holders: Sequence[int], near: AbstractSet[Facet], lasts: LastFacets) -> set[int]:
    """Return the holders whose last counted facet is in `near`."""
    if len(holders) <= len(near):
        return {one for one in holders if lasts.by_laboratory[one] in near}
    return set(holders) & set[int]().union(*(lasts.holders[last] for last in near))


def _beside(holders: Sequence[int], some: Sequence[str], edited: Container[str], index: Index) -> set[int]:
    """Return the unedited holders of a facet that are neighbours of the laboratories in `some`."""
    neighbours: set[int] = set()
    for display_id in some:
        at = index.place(holders, display_id)
        for side in (reversed(holders[:at]), holders[at:]):
            others = (position for position in side if index.display_ids[position] not in edited)
            neighbours.update(islice(others, NEIGHBOURS))
    return neighbours


def _span(facet: Facet, before: int, now: int) -> RankRange | None:
    """Return how a facet moved; None if it is shared by several laboratories neither before nor now."""
    shared = [count for count in (before, now) if count > 1]
    if not shared:
        return None
    counts_anew = len(shared) == 1 or _weight(before) != _weight(now)
    return RankRange((min(shared), facet), (max(shared), facet), counts_anew)


def _weight(count: int) -> int:
    """Return the weight of a facet, by the number of its holders."""
    return 1 << max(0, MAX_WEIGHT_EXPONENT - (count - 1).bit_length())
