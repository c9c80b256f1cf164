"""Which laboratories are similar, where a record does not say (decisions, "similar laboratories").

The rule: two laboratories are similar by the *facets* they share (materials, test methods,
accreditation standards, certifications, standards). A facet that only one laboratory has says nothing;
one that n laboratories have weighs 2^(20 - ceil(log2 n)), so a rare one outweighs any number of
much commoner ones, and the weight moves only when n passes a power of two. Only a laboratory's 16 rarest
facets count, rarest first, and each of them brings only its 32 neighbours on either side in the order of
display_id. So the cost of a list is bounded, whatever the size of the directory, and an edit moves only
the lists of laboratories that share a facet with the edited one. Equal weights: the same country first,
then the smaller display_id.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

RAREST = 16
NEIGHBOURS = 32

Facet = tuple[str, int]
"""A section and the id of an entry of its catalogue."""


def similar_laboratories(
    facets: Mapping[str, Sequence[Facet]], countries: Mapping[str, str], wanted: Iterable[str], limit: int
) -> dict[str, tuple[str, ...]]:
    """Return, for each wanted laboratory, the display_ids of the most similar others, at most `limit`.

    `facets` and `countries` are those of all laboratories, by display_id.
    """
    holders: defaultdict[Facet, list[str]] = defaultdict(list)
    for lab in sorted(facets):
        for facet in facets[lab]:
            holders[facet].append(lab)
    return {lab: _similar_to(lab, facets[lab], holders, countries, limit) for lab in wanted}


def _similar_to(
    lab: str,
    facets: Sequence[Facet],
    holders: Mapping[Facet, list[str]],
    countries: Mapping[str, str],
    limit: int,
) -> tuple[str, ...]:
    shared = sorted(
        (facet for facet in facets if len(holders[facet]) > 1), key=lambda one: (len(holders[one]), one)
    )
    scores: Counter[str] = Counter()
    for facet in shared[:RAREST]:
        labs = holders[facet]
        at = bisect_left(labs, lab)
        weight = 1 << max(0, 20 - (len(labs) - 1).bit_length())
        for other in labs[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]:
            scores[other] += weight
    del scores[lab]  # it holds each of its own facets
    country = countries[lab]
    ranked = sorted(scores, key=lambda other: (-scores[other], countries[other] != country, other))
    return tuple(ranked[:limit])
