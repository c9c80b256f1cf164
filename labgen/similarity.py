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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
        self.weights = [1 << max(0, HEAVIEST - (count - 1).bit_length()) for count, _ in shared]
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
    """Laboratories that differ in what they are compared by, and the facets that this is about.

    `gains` says by how many laboratories each of the facets grew.
    """

    edited: set[str]
    facets: set[Facet]
    gains: Counter[Facet]


def compare(before: Mapping[str, Traits], now: Mapping[str, Traits]) -> Moves:
    """Return what changed in what laboratories are compared by."""
    edited: set[str] = set()
    moved: set[Facet] = set()
    gains: Counter[Facet] = Counter()
    none = Traits((), "")
    for display_id in before.keys() | now.keys():
        had, has = before.get(display_id, none), now.get(display_id, none)
        if had == has:
            continue
        edited.add(display_id)
        lost, won = set(had.facets), set(has.facets)
        moved |= lost ^ won if had.country == has.country else lost | won
        gains.subtract(lost)
        gains.update(won)
    return Moves(edited, moved, gains)


def touched(
    moves: Moves,
    traits: Mapping[str, Traits],
    shown: Mapping[str, Shown],
    before: Mapping[Facet, int],
    now: Mapping[Facet, int],
) -> set[str]:
    """Return the laboratories whose lists may differ from what was shown; all others' do not.

    A list depends on who has the laboratory's rarest facets. So it is touched where such a facet was gained
    or lost by anyone, or is had by a laboratory that is new, has gone or has moved to another country. A
    facet is among the rarest, now or before, if it is, now or before, no commoner than the last of them
    was: if none of them moved, they still are as rare as they were. `before` and `now` say how many
    laboratories have each facet.
    """
    both = {facet: (before.get(facet, 0), now.get(facet, 0)) for facet in moves.facets}
    least = {facet: min(n for n in pair if n > 1) for facet, pair in both.items() if max(pair) > 1}
    found = set(moves.edited)
    for display_id, one in traits.items():
        if met := moves.facets.intersection(one.facets):
            last = shown[display_id].last if display_id in shown else None
            if last is None or any(
                (least[facet], facet) <= (before[last], last) for facet in met if facet in least
            ):
                found.add(display_id)
    return found
