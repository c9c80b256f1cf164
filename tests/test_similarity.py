import random
from collections import defaultdict
from collections.abc import Mapping

import pytest

from labgen.model.summaries import Facet, SimilarList
from labgen.similar.similarity import (
    NEIGHBOURS,
    NO_LAST,
    Index,
    LastFacets,
    Traits,
    compare_traits,
    divisor_exponent,
    shift_of,
    similar_to,
    touched,
)


def facets(**by_lab: str) -> dict[str, list[Facet]]:
    """Return facets written as letters: each letter is one."""
    return {lab: [ord(letter) for letter in letters] for lab, letters in by_lab.items()}


def index_of(traits: Mapping[str, Traits], numbers: Mapping[str, int]) -> Index:
    """Return the index of a directory, in which laboratories have any numbers."""
    holders: dict[Facet, list[int]] = {}
    for lab in sorted(traits):
        for facet in traits[lab].facets:
            holders.setdefault(facet, []).append(numbers[lab])
    display_ids = {numbers[lab]: lab for lab in traits}
    countries = {numbers[lab]: one.country for lab, one in traits.items()}
    counts = {facet: len(some) for facet, some in holders.items()}
    shifts = {numbers[lab]: shift_of(len(one.facets)) for lab, one in traits.items()}
    return Index(display_ids, countries, shifts, defaultdict(list, holders), counts)


def lists_of(
    traits: Mapping[str, Traits], limit: int, numbers: Mapping[str, int] | None = None
) -> dict[str, SimilarList]:
    numbers = numbers or {lab: number for number, lab in enumerate(traits)}
    index = index_of(traits, numbers)
    return {lab: similar_to(numbers[lab], one, index, limit) for lab, one in traits.items()}


def lasts_of(shown: Mapping[str, SimilarList], numbers: Mapping[str, int]) -> LastFacets:
    """Return what is remembered of lists."""
    lasts = {lab: NO_LAST if one.last is None else one.last for lab, one in shown.items()}
    holders: dict[Facet, list[int]] = {}
    for lab, last in lasts.items():
        holders.setdefault(last, []).append(numbers[lab])
    of = defaultdict(lambda: NO_LAST, {numbers[lab]: last for lab, last in lasts.items()})
    return LastFacets(list(holders), of, holders)


def similar(of: str, having: Mapping[str, list[Facet]], limit: int = 8, **countries: str) -> tuple[str, ...]:
    traits = {lab: Traits(having[lab], countries.get(lab, "de")) for lab in sorted(having)}
    return lists_of(traits, limit)[of].display_ids


def test_what_shares_more_is_more_similar():
    assert similar("a", facets(a="xyz", b="xpq", c="xyz", d="xyr")) == ("c", "d", "b")


def test_a_rare_speciality_counts_more_than_common_ones():
    common = {f"c{number}": "xy" for number in range(10)}
    assert similar("a", facets(a="xyr", b="r", **common))[0] == "b"


def test_a_laboratory_that_has_everything_does_not_stand_before_one_that_is_as_small():
    everything = "".join(map(chr, range(ord("a"), ord("a") + 40)))
    having = facets(
        a="ab", b="ab", z=everything, **{f"c{number}": everything[number] for number in range(40)}
    )
    assert similar("b", having)[0] == "a"


def test_the_divisor_is_the_power_of_two_that_is_next_to_the_square_root():
    assert [divisor_exponent(size) for size in (0, 1, 2, 7, 8, 31, 32, 127, 128, 2047, 2048)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6]  # fmt: skip
    assert all(
        2 ** (divisor_exponent(n) - 0.5) <= n**0.5 <= 2 ** (divisor_exponent(n) + 0.5) for n in range(1, 5000)
    )


def test_who_shares_nothing_is_not_similar():
    assert similar("a", facets(a="x", b="y", c="")) == ()


def test_the_same_country_then_the_smaller_number_break_ties():
    assert similar("a", facets(a="x", b="x", c="x", d="x"), d="at", b="at", a="at") == ("b", "d", "c")


def test_a_list_is_at_most_as_long_as_the_limit():
    assert similar("a", facets(a="x", b="x", c="x", d="x"), limit=2) == ("b", "c")


def test_an_edit_moves_only_the_lists_of_those_that_share_a_facet_with_it():
    before = facets(a="x", b="xy", c="xy", m="pq", n="pq", o="q")
    after = before | facets(b="x")
    moved = {lab for lab in before if similar(lab, before) != similar(lab, after)}
    assert moved
    assert moved <= {"a", "b", "c"}


def test_a_facet_that_very_many_have_brings_only_the_neighbours():
    many = facets(**{f"{number:05}": "x" for number in range(1000)})
    found = similar("00500", many, limit=100)
    assert set(found) == {f"{n:05}" for n in range(500 - NEIGHBOURS, 501 + NEIGHBOURS)} - {"00500"}


def test_the_order_of_the_laboratories_does_not_matter():
    having = facets(a="xyz", b="x", c="xyz", d="xy", e="z")
    backwards = dict(reversed(having.items()))
    assert similar("a", having) == similar("a", backwards)


def test_the_rarest_facets_of_all_laboratories_are_those_of_each():
    rng = random.Random(1)
    some = {f"{number:02}": rng.sample(range(30), rng.randint(0, 25)) for number in range(40)}
    traits = {lab: Traits(own, "de") for lab, own in some.items()}
    index = index_of(traits, {lab: number for number, lab in enumerate(traits)})
    each = [list(index.rarest(number, own)) for number, own in enumerate(some.values())]
    index.find_all_rarest()
    assert [list(index.rarest(number, ())) for number in range(40)] == each


def test_a_laboratory_that_comes_touches_its_neighbours_and_not_all_that_share_a_facet_with_it():
    many = {f"{number:05}": Traits([1], "de") for number in range(600)}
    new = {"00300x": Traits([1], "de")}
    numbers = {lab: number for number, lab in enumerate([*many, *new])}
    found = touched(
        compare_traits({}, new), index_of(many | new, numbers), lasts_of(lists_of(many, 3), numbers)
    )
    assert found == set(range(301 - NEIGHBOURS, 301 + NEIGHBOURS))


@pytest.mark.parametrize("seed", range(30))
def test_only_lists_that_are_touched_by_edits_move(seed, monkeypatch):
    """With few rarest facets and neighbours, so that small directories meet all limits of the rule."""
    monkeypatch.setattr("labgen.similar.similarity.RAREST", 2)
    monkeypatch.setattr("labgen.similar.similarity.NEIGHBOURS", 1)
    rng = random.Random(seed)

    def someone() -> Traits:
        return Traits(sorted(rng.sample(range(9), rng.randint(0, 5))), rng.choice(["de", "at"]))

    order = rng.sample(range(21), 21)
    numbers = {f"{number:02}": order[number] for number in range(21)}
    traits = {f"{number:02}": someone() for number in range(16)}
    shown = lists_of(traits, 3, numbers)
    untouched = 0
    for _ in range(40):
        before, was = traits, shown
        edited = {f"{rng.randint(0, 20):02}" for _ in range(rng.randint(1, 2))}
        changes = {lab: someone() for lab in edited if rng.random() < 0.7}
        gone = {lab: one for lab, one in before.items() if lab in edited}
        traits = {lab: one for lab, one in before.items() if lab not in edited} | changes
        shown = lists_of(traits, 3, numbers)
        kept = {lab: one for lab, one in was.items() if lab not in edited or lab in changes}
        moves = compare_traits(gone, changes)
        found = touched(moves, index_of(traits, numbers), lasts_of(kept, numbers))
        for lab in traits.keys() - moves.edited.keys():
            if numbers[lab] not in found:
                untouched += 1
                assert shown[lab] == was[lab]
    assert untouched > 30
