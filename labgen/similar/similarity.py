"""The rule for computed lists of similar laboratories (docs/explanation/similarity.md).

The rule: two laboratories are similar by the *facets* they share (materials, test methods,
accreditation standards, certifications, standards). A facet that only one laboratory has says nothing;
one that n laboratories have weighs 2^(20 - ceil(log2 n)), so a rare one outweighs many commoner ones, and
the weight moves only when n passes a power of two. Only a laboratory's 16 rarest facets count, and each of
them brings only its 16 neighbours on either side in the order of display_id. So the cost of a list is
bounded, whatever the size of the directory, and an edit moves only the lists of laboratories that share a
facet with the edited one. Equal weights: the same country first, then the smaller display_id.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from typing import NamedTuple, Protocol

from labgen.model.summaries import Facet, Shown, Summary

RAREST = 16
NEIGHBOURS = 16
HEAVIEST = 20
"""The exponent of the greatest weight; that of a facet which more than 2^20 laboratories have is 0."""


class Traits(NamedTuple):
    """What a laboratory is compared by."""

    facets: Sequence[Facet]
    country: str


class TraitsOf(Mapping[str, Traits]):
    """What all laboratories are compared by, made for those that are asked for."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        self.summaries = summaries

    def __getitem__(self, display_id: str) -> Traits:
        one = self.summaries[display_id]
        return Traits(one.facets, one.card.country)

    def __iter__(self) -> Iterator[str]:
        return iter(self.summaries)

    def __len__(self) -> int:
        return len(self.summaries)


class Index(Protocol):
    """Where laboratories stand in the order of display_ids, and who has which facet.

    Places are numbers in that order; `holders` gives the places of those that have a facet, in order.
    """

    def place(self, display_id: str) -> float:
        """Return the place of a laboratory."""

    def laboratory(self, place: float) -> str:
        """Return the display_id of the laboratory at a place."""

    def holders(self, facet: Facet) -> Sequence[float]:
        """Return the places of the laboratories that have a facet."""


class Postings:
    """The index of a whole directory: laboratories in order, and for each facet the places of its holders."""

    def __init__(self, laboratories: Sequence[str], places: Mapping[Facet, "array[int]"]) -> None:
        self.laboratories = laboratories
        self.places = places

    @cached_property
    def by_id(self) -> Mapping[str, int]:
        """The places of the laboratories."""
        return {display_id: place for place, display_id in enumerate(self.laboratories)}

    def place(self, display_id: str) -> float:
        """Return the place of a laboratory."""
        return self.by_id[display_id]

    def laboratory(self, place: float) -> str:
        """Return the display_id of the laboratory at a place."""
        return self.laboratories[int(place)]

    def holders(self, facet: Facet) -> Sequence[float]:
        """Return the places of the laboratories that have a facet."""
        return self.places.get(facet, ())


def postings_of(traits: Mapping[str, Traits]) -> Postings:
    """Return the index of laboratories by display_id in order."""
    holders: defaultdict[Facet, array[int]] = defaultdict(lambda: array("I"))
    for place, one in enumerate(traits.values()):
        for facet in one.facets:
            holders[facet].append(place)
    return Postings(list(traits), dict(holders))


class EditedIndex:
    """The index of a directory that differs little from one whose index is known.

    `changed` are the laboratories that may differ, `traits` what they are compared by now, if they have not
    gone. One that is new stands between two places.
    """

    def __init__(self, base: Postings, changed: Collection[str], traits: Mapping[str, Traits]) -> None:
        self.base = base
        self.own: dict[float, str] = {base.by_id[one]: one for one in changed if one in base.by_id}
        new = sorted(one for one in changed if one not in base.by_id)
        for after, group in groupby(new, lambda one: bisect_left(base.laboratories, one)):
            between = list(group)
            self.own |= {after - 1 / (2 + at): one for at, one in enumerate(between)}
        self.by_id = {one: place for place, one in self.own.items()}
        self.gained: defaultdict[Facet, list[float]] = defaultdict(list)
        for place, display_id in self.own.items():
            for facet in traits[display_id].facets if display_id in traits else ():
                self.gained[facet].append(place)

    def place(self, display_id: str) -> float:
        """Return the place of a laboratory."""
        return self.by_id[display_id] if display_id in self.by_id else self.base.place(display_id)

    def laboratory(self, place: float) -> str:
        """Return the display_id of the laboratory at a place."""
        return self.own[place] if place in self.own else self.base.laboratory(place)

    def holders(self, facet: Facet) -> Sequence[float]:
        """Return the places of the laboratories that have a facet now."""
        kept = [place for place in self.base.holders(facet) if place not in self.own]
        return sorted(kept + self.gained[facet]) if facet in self.gained else kept

    def others(self, facet: Facet, edited: Container[str]) -> list[str]:
        """Return the laboratories that have a facet now, in order, but for those that were edited."""
        laboratories, own = self.base.laboratories, self.own
        kept = [laboratories[place] for place in self.base.places.get(facet, ()) if place not in own]
        more = [own[place] for place in self.gained.get(facet, ()) if own[place] not in edited]
        return sorted(kept + more) if more else kept


class Similarity:
    """Answers which laboratories are similar to one. `counts` says how many laboratories have each facet."""

    def __init__(self, traits: Mapping[str, Traits], counts: Mapping[Facet, int], index: Index) -> None:
        self.traits = traits
        self.index = index
        shared = sorted((count, facet) for facet, count in counts.items() if count > 1)
        self.by_rank = [facet for _, facet in shared]
        self.rank = {facet: number for number, facet in enumerate(self.by_rank)}
        self.weights = [_weight(count) for count, _ in shared]
        self.holders = cache(index.holders)
        self.country = cache(self._country)  # laboratories in a row have most candidates in common

    def rarest(self, display_id: str) -> list[int]:
        """Return the ranks of a laboratory's rarest facets, the rarest first."""
        ranks = map(self.rank.get, self.traits[display_id].facets)
        return sorted([rank for rank in ranks if rank is not None])[:RAREST]

    def similar_to(self, display_id: str, limit: int) -> Shown:
        """Return the display_ids of the most similar others, at most `limit`."""
        me = self.index.place(display_id)
        scores: dict[float, int] = {}
        ranks = self.rarest(display_id)
        for rank in ranks:
            places, weight = self.holders(self.by_rank[rank]), self.weights[rank]
            at = bisect_left(places, me)
            for other in places[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
                if other in scores:
                    scores[other] += weight
                else:
                    scores[other] = weight
        scores.pop(me, None)
        least = min(sorted(scores.values(), reverse=True)[:limit], default=0)
        mine, country = self.traits[display_id].country, self.country
        best = [(place, points) for place, points in scores.items() if points >= least]
        ranked = sorted([(-points, country(place) != mine, place) for place, points in best])[:limit]
        last = self.by_rank[ranks[-1]] if len(ranks) == RAREST else None
        return Shown(tuple([self.index.laboratory(place) for _, _, place in ranked]), last)

    def _country(self, place: float) -> str:
        return self.traits[self.index.laboratory(place)].country


@dataclass(frozen=True, slots=True)
class Moves:
    """What moved in what laboratories are compared by.

    `edited` are the laboratories that differ, with the facets through which that reaches others. `gains`
    says by how many laboratories each facet grew.
    """

    edited: Mapping[str, AbstractSet[Facet]]
    gains: Counter[Facet]


def compare(before: Mapping[str, Traits], now: Mapping[str, Traits], changed: Iterable[str]) -> Moves:
    """Return what is different in what laboratories are compared by; all but the `changed` are the same."""
    edited: dict[str, AbstractSet[Facet]] = {}
    gains: Counter[Facet] = Counter()
    none = Traits((), "")
    for display_id in changed:
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

    least: tuple[int, Facet | None]
    most: tuple[int, Facet | None]
    counts_anew: bool


def touched(
    moves: Moves,
    index: EditedIndex,
    shown: Mapping[str, Shown],
    before: Mapping[Facet, int],
    now: Mapping[Facet, int],
) -> set[str]:
    """Return the laboratories whose lists may differ from what was shown; all others' do not.

    A list depends on which facets are the laboratory's rarest, on their weights, and on who is beside it
    among those who have them. So it is touched where such a facet, now or before, `counts_anew`; where a
    facet passed the last of the rarest, or is the last one; and where an edited laboratory is among the
    neighbours by a facet that it gained, lost, or has while its country moved. `before` and `now` say how
    many laboratories have each facet, `index` which they are now.
    """
    found = set(moves.edited)
    lasts = {one.last for one in shown.values()}
    ranks = sorted([_rank(last, before) for last in lasts])
    for facet in frozenset[Facet]().union(*moves.edited.values()):
        span = _span(facet, before, now)
        if span is None:
            continue
        others = index.others(facet, moves.edited)
        end = len(ranks) if span.counts_anew else bisect_right(ranks, span.most)
        near = {last for _, last in ranks[bisect_left(ranks, span.least) : end]}
        found.update([one for one in others if shown[one].last in near])
        found.update(
            one
            for one in _beside(moves.edited, facet, others)
            if span.least <= _rank(shown[one].last, before)
        )
    return found


def _rank(last: Facet | None, counts: Mapping[Facet, int]) -> tuple[int, Facet | None]:
    """Return the rank of the last of a laboratory's rarest facets; where all of them count, beyond all."""
    return (sys.maxsize, None) if last is None else (counts[last], last)


def _beside(edited: Mapping[str, AbstractSet[Facet]], facet: Facet, others: Sequence[str]) -> set[str]:
    """Return those of the others who have a facet that are beside a laboratory that it was edited of."""
    beside: set[str] = set()
    for display_id, facets in edited.items():
        if facet in facets:
            at = bisect_left(others, display_id)
            beside.update(others[max(0, at - NEIGHBOURS) : at + NEIGHBOURS])
    return beside


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
