from collections.abc import Mapping

from labgen.similarity import NEIGHBOURS, Similarity, Traits
from labgen.summaries import Facet


def facets(**by_lab: str) -> dict[str, list[Facet]]:
    """Return facets written as letters: each letter is one."""
    return {lab: [ord(letter) for letter in letters] for lab, letters in by_lab.items()}


def similar(of: str, having: Mapping[str, list[Facet]], limit: int = 8, **countries: str) -> tuple[str, ...]:
    similarity = Similarity({lab: Traits(having[lab], countries.get(lab, "de")) for lab in sorted(having)})
    similarity.gather([of])
    return similarity.similar_to(of, limit)


def test_what_shares_more_is_more_similar():
    assert similar("a", facets(a="xyz", b="x", c="xyz", d="xy")) == ("c", "d", "b")


def test_a_rare_speciality_counts_more_than_common_ones():
    common = {f"c{number}": "xy" for number in range(10)}
    assert similar("a", facets(a="xyr", b="r", **common))[0] == "b"


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
