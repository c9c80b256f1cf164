"""Which laboratories are similar, where a record does not say (decisions, "similar laboratories").

The rule: two laboratories are similar by the *facets* they share (materials, test methods,
accreditation standards, certifications, standards). A facet that only one laboratory has says nothing;
one that n laboratories have weighs 2^(20 - ceil(log2 n)), so a rare one outweighs many commoner ones, and
the weight moves only when n passes a power of two. Only a laboratory's 16 rarest facets count, and each of
them brings only its 32 neighbours on either side in the order of display_id. So the cost of a list is
bounded, whatever the size of the directory, and an edit moves only the lists of laboratories that share a
facet with the edited one. Equal weights: the same country first, then the smaller display_id.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

RAREST = 16
NEIGHBOURS = 32
HEAVIEST = 20
"""The exponent of the greatest weight; that of a facet which more than 2^20 laboratories have is 0."""

Facet = int
"""A section and the id of an entry of its catalogue, as one number."""


class Similarity:
    """Answers which laboratories are similar to one. `facets` and `countries` are by display_id."""

    def __init__(self, facets: Mapping[str, Sequence[Facet]], countries: Mapping[str, str]) -> None:
        self.laboratories = sorted(facets)
        self.place = {display_id: place for place, display_id in enumerate(self.laboratories)}
        self.countries = [countries[display_id] for display_id in self.laboratories]
        counts = Counter(facet for has in facets.values() for facet in has)
        shared = sorted((count, facet) for facet, count in counts.items() if count > 1)
        rank = {facet: number for number, (_, facet) in enumerate(shared)}
        self.weights = [1 << max(0, HEAVIEST - (count - 1).bit_length()) for count, _ in shared]
        self.rarest: list[array[int]] = []
        self.holders: defaultdict[int, array[int]] = defaultdict(lambda: array("I"))
        for place, display_id in enumerate(self.laboratories):
            ranks = sorted([rank[facet] for facet in facets[display_id] if facet in rank])
            self.rarest.append(array("I", ranks[:RAREST]))
            for number in ranks:
                self.holders[number].append(place)

    def similar_to(self, display_id: str, limit: int) -> tuple[str, ...]:
        """Return the display_ids of the most similar others, at most `limit`."""
        me = self.place[display_id]
        scores: dict[int, int] = {}
        for number in self.rarest[me]:
            places, weight = self.holders[number], self.weights[number]
            at = bisect_left(places, me)
            for other in places[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
                scores[other] = scores.get(other, 0) + weight
        scores.pop(me, None)
        countries, country = self.countries, self.countries[me]
        ranked = sorted([(-score, countries[other] != country, other) for other, score in scores.items()])
        return tuple([self.laboratories[other] for _, _, other in ranked[:limit]])
