"""Which laboratories are similar, where a record does not say (decisions, "similar laboratories").

The rule: two laboratories are similar by the *facets* they share (materials, test methods,
accreditation standards, certifications, standards). A facet that only one laboratory has says nothing;
one that n laboratories have weighs 2^(20 - ceil(log2 n)), so a rare one outweighs many commoner ones, and
the weight moves only when n passes a power of two. Only a laboratory's 16 rarest facets count, and each of
them brings only its 16 neighbours on either side in the order of display_id. So the cost of a list is
bounded, whatever the size of the directory, and an edit moves only the lists of laboratories that share a
facet with the edited one. Equal weights: the same country first, then the smaller display_id.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from labgen.summaries import Facet, Shown

RAREST = 16
NEIGHBOURS = 16
HEAVIEST = 20
"""The exponent of the greatest weight; that of a facet which more than 2^20 laboratories have is 0."""


class Traits(NamedTuple):
    """What a laboratory is compared by."""

    facets: Sequence[Facet]
    country: str


Holders = dict[Facet, "array[int]"]
"""For facets, the places of the laboratories that have them, in ascending order."""


def holders_of(traits: Mapping[str, Traits]) -> Holders:
    """Return the holders of all facets."""
    holders: defaultdict[Facet, array[int]] = defaultdict(lambda: array("I"))
    for place, one in enumerate(traits.values()):
        for facet in one.facets:
            holders[facet].append(place)
    return dict(holders)


class Similarity:
    """Answers which laboratories are similar to one, for laboratories by display_id in its order.

    `counts` says how many laboratories have each facet; `holders` which, as far as that is known.
    """

    def __init__(
        self, traits: Mapping[str, Traits], counts: Mapping[Facet, int], holders: Holders | None = None
    ) -> None:
        self.laboratories = list(traits)
        self.traits = list(traits.values())
        self.counts = counts
        self.place = {display_id: place for place, display_id in enumerate(self.laboratories)}
        shared = sorted((count, facet) for facet, count in counts.items() if count > 1)
        self.by_rank = [facet for _, facet in shared]
        self.rank = {facet: number for number, facet in enumerate(self.by_rank)}
        self.weights = [_weight(count) for count, _ in shared]
        self.holders = holders or {}

    def rarest(self, display_id: str) -> list[int]:
        """Return the ranks of a laboratory's rarest facets, the rarest first."""
        ranks = map(self.rank.get, self.traits[self.place[display_id]].facets)
        return sorted([rank for rank in ranks if rank is not None])[:RAREST]

    def gather(self, display_ids: Collection[str]) -> None:
        """Find all that is needed to answer for these laboratories."""
        wanted = {self.by_rank[rank] for display_id in display_ids for rank in self.rarest(display_id)}
        self.holders = {facet: array("I") for facet in wanted}
        for place, one in enumerate(self.traits):
            for facet in wanted.intersection(one.facets):
                self.holders[facet].append(place)

    def similar_to(self, display_id: str, limit: int) -> Shown:
        """Return the display_ids of the most similar others, at most `limit`. It must have been gathered."""
        me = self.place[display_id]
        scores: dict[int, int] = {}
        score = scores.get
        ranks = self.rarest(display_id)
        for rank in ranks:
            places, weight = self.holders[self.by_rank[rank]], self.weights[rank]
            at = bisect_left(places, me)
            for other in places[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
                scores[other] = score(other, 0) + weight
        scores.pop(me, None)
        least = min(sorted(scores.values(), reverse=True)[:limit], default=0)
        traits, country = self.traits, self.traits[me].country
        best = [(other, points) for other, points in scores.items() if points >= least]
        ranked = sorted([(-points, traits[other].country != country, other) for other, points in best])
        last = self.by_rank[ranks[-1]] if len(ranks) == RAREST else None
        return Shown(tuple([self.laboratories[other] for _, _, other in ranked[:limit]]), last)


@dataclass(frozen=True, slots=True)
class Moves:
    """What moved in what laboratories are compared by.

    `edited` are the laboratories that differ, with the facets through which that reaches others. `gains`
    says by how many laboratories each facet grew.
    """

    edited: Mapping[str, AbstractSet[Facet]]
    gains: Counter[Facet]


def compare(before: Mapping[str, Traits], now: Mapping[str, Traits]) -> Moves:
    """Return what changed in what laboratories are compared by."""
    edited: dict[str, AbstractSet[Facet]] = {}
    gains: Counter[Facet] = Counter()
    none = Traits((), "")
    for display_id in before.keys() | now.keys():
        had, has = before.get(display_id, none), now.get(display_id, none)
        if had == has:
            continue
        lost, won = set(had.facets), set(has.facets)
        edited[display_id] = lost ^ won if had.country == has.country else lost | won
        gains.subtract(lost)
        gains.update(won)
    return Moves(edited, gains)


class Span(NamedTuple):
    """Between which ranks a facet moved: its count and itself, before and now, the lesser first.

    Where it `counts_anew`, its weight is another, or it began or ceased to be shared.
    """

    least: tuple[int, Facet]
    most: tuple[int, Facet]
    counts_anew: bool


def touched(
    moves: Moves,
    traits: Mapping[str, Traits],
    shown: Mapping[str, Shown],
    before: Mapping[Facet, int],
    now: Mapping[Facet, int],
) -> set[str]:
    """Return the laboratories whose lists may differ from what was shown; all others' do not.

    A list depends on which facets are the laboratory's rarest, on their weights, and on who is beside it
    among those who have them. So it is touched where such a facet, now or before, `counts_anew`; where a
    facet passed the last of the rarest, or is the last one; and where an edited laboratory is among the
    neighbours by a facet that it gained, lost, or has while its country moved. `before` and `now` say how
    many laboratories have each facet.
    """
    facets = frozenset[Facet]().union(*moves.edited.values())
    spans = {facet: span for facet in facets if (span := _span(facet, before, now))}

    @cache
    def reaching(last: Facet | None) -> frozenset[Facet]:
        """Return the facets that touch all who have them, and this one as the last of their rarest."""
        if last is None:
            return frozenset(facet for facet, span in spans.items() if span.counts_anew)
        rank = (before[last], last)
        return frozenset(
            facet
            for facet, span in spans.items()
            if span.least <= rank and (span.counts_anew or rank <= span.most)
        )

    found = set(moves.edited)
    holders: defaultdict[Facet, list[str]] = defaultdict(list)
    for display_id, one in traits.items():
        if display_id not in moves.edited and (met := facets.intersection(one.facets)):
            for facet in met:
                holders[facet].append(display_id)
            if not reaching(shown[display_id].last).isdisjoint(met):
                found.add(display_id)
    for facet, display_id in _neighbours(moves.edited, holders):
        last = shown[display_id].last
        if facet in spans and (last is None or spans[facet].least <= (before[last], last)):
            found.add(display_id)
    return found


def _neighbours(
    edited: Mapping[str, AbstractSet[Facet]], holders: Mapping[Facet, list[str]]
) -> Iterator[tuple[Facet, str]]:
    """Yield who was or is beside an edited laboratory, and by which facet; `holders` are all others."""
    for display_id, facets in edited.items():
        for facet in facets & holders.keys():
            beside = holders[facet]
            at = bisect_left(beside, display_id)
            yield from ((facet, one) for one in beside[max(0, at - NEIGHBOURS) : at + NEIGHBOURS])


def _span(facet: Facet, before: Mapping[Facet, int], now: Mapping[Facet, int]) -> Span | None:
    """Return how a facet moved; None where it was and is nobody's, or one laboratory's alone."""
    counts = before.get(facet, 0), now.get(facet, 0)
    shared = [count for count in counts if count > 1]
    if not shared:
        return None
    counts_anew = len(shared) == 1 or _weight(counts[0]) != _weight(counts[1])
    return Span((min(shared), facet), (max(shared), facet), counts_anew)


def _weight(count: int) -> int:
    """Return the weight of a facet that so many laboratories have."""
    return 1 << max(0, HEAVIEST - (count - 1).bit_length())
