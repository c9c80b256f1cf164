"""The counts of facets in large directories, where not all values are compared (labgen/search/README.md, "The answer")."""

import json
import random
from collections import Counter

import pytest
from searching import answers_of_client_js
from test_search import SETTINGS, index_files, record

from labgen.search import Search
from labgen.search.query import COUNTED_ONE_BY_ONE, MOST_VALUES
from labgen.search.request import parse_query
from labgen.search_index.contents import MOST_COUNTED
from labgen.search_index.index_input import Facet, Value

MATERIALS = [str(number) for number in range(1, 700)]
STANDARDS = [f"{('DIN ', '0', '1000', '')[number % 4]}{number}" for number in range(1, 700)]
COUNTRIES = [f"c{number}" for number in range(20)]
FACETS = [
    Facet("materials", "materials__in", "Materialien", {one: Value(f"Stoff {one}", "Stoff", int(one)) for one in MATERIALS}),
    Facet("standards", "standards__in", "Normen", {one: Value(f"Norm {one}", "Norm", number) for number, one in enumerate(STANDARDS, 1)}),
    Facet("country", "country", "Land", {one: Value(one.upper()) for one in COUNTRIES}),
    Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
]  # fmt: skip


def draw_records():
    """Return laboratories with few common and many rare materials; some of the rare ones in pairs."""
    rng = random.Random(3)
    chances = [1 / place for place in range(1, len(MATERIALS) + 1)]
    for number in range(600):
        some = set(rng.choices(MATERIALS, chances, k=12)) | {str(699 - number % 90)}
        yield record(
            f"{number:05}",
            f"Labor {'Nord' if number % 7 else 'Süd'} {number}",
            materials=sorted(some),
            standards=sorted({rng.choice(STANDARDS[:9]), *rng.choices(STANDARDS, k=5)}),
            country=rng.choice(COUNTRIES),
            is_verified=number % 3 == 0,
        )


RECORDS = list(draw_records())
QUERIES = [
    f"{chosen}&facets=materials,standards,country,is_verified"
    for chosen in ["", *(f"materials__in={one}" for one in ("1", "7", "40", "650,651", "699", "0")), "country=c3&q=nord", "q=Süd&materials__in=9",
                   "q=Labor+17", "is_verified=true&materials__in=3", "country=c1,c2&materials__in=12&page=2", "materials__in=5&country=c9&is_verified=false",
                   "q=Süd", "country=c1,c2,c3,c4", "standards__in=DIN 4", "standards__in=01,10002&country=c5", "is_verified=true&q=Süd", "country=c7&materials__in=1",
                   "q=nord", "is_verified=false", "is_verified=false&q=nord", "materials__in=1,2,3&q=nord"]
]  # fmt: skip


@pytest.fixture(scope="module")
def files():
    """The files of a directory that is too large to count all values in one file: the sample is small."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("labgen.search_index.contents.SAMPLE", 300)
        made = index_files(FACETS, RECORDS, SETTINGS)
    (counts,) = (data for name, data in made.items() if name.startswith("search/files/counts/materials-"))
    assert len(json.loads(counts)["values"]) == MOST_COUNTED
    return made


def laboratories_counted(text, facet):
    """Return the laboratories that a facet is counted of, by a search through all."""
    own = next(one.search_arg for one in FACETS if one.name == facet)
    given = [(name, value) for name, value in parse_query(text) if name not in (own, "facets", "page")]
    return [one for one in RECORDS if all(is_found(one, name, value) for name, value in given)]


def counted_through_all(text, facet):
    """Return how many laboratories have each value of a facet, by a search through all."""
    return Counter(value for one in laboratories_counted(text, facet) for value in one.values[facet])


def is_found(one, name, value):
    if name == "q":
        return set(value.lower().split()) <= set(one.name.lower().split())
    return not set(value.split(",")).isdisjoint(one.values[name.removesuffix("__in")])


@pytest.mark.parametrize("text", QUERIES)
def test_what_is_shown_of_a_facet_is_counted_exactly(files, text):
    for facet in Search(files.get)(text).document["facets"]:
        numbers = counted_through_all(text, facet["name"])
        assert {one["search_val"]: one["count"] for one in facet["items"]} == {
            one["search_val"]: numbers[one["search_val"]] for one in facet["items"]
        }
        assert bool(facet["items"]) == bool(numbers), facet["name"]


@pytest.mark.parametrize("text", QUERIES)
def test_where_counts_are_exact_no_other_value_has_more_laboratories(files, text):
    for facet in Search(files.get)(text).document["facets"]:
        shown = sorted((one["count"] for one in facet["items"] if not one["is_selected"]), reverse=True)
        numbers = counted_through_all(text, facet["name"])
        for one in facet["items"]:
            if one["is_selected"]:
                del numbers[one["search_val"]]
        best = sorted(numbers.values(), reverse=True)[: len(shown)]
        if facet["is_exact"]:
            assert shown == best
        else:
            assert sum(shown) >= 0.5 * sum(best)


@pytest.mark.parametrize("text", QUERIES)
def test_the_most_frequent_values_of_up_to_200_laboratories_are_shown_in_a_directory_of_any_size(files, text):
    for facet in Search(files.get)(text).document["facets"]:
        found = laboratories_counted(text, facet["name"])
        if len(found) <= COUNTED_ONE_BY_ONE:
            assert facet["is_exact"]
            numbers = Counter(value for one in found for value in one.values[facet["name"]])
            shown = sorted((one["count"] for one in facet["items"] if one["count"]), reverse=True)
            assert shown[:MOST_VALUES] == sorted(numbers.values(), reverse=True)[:MOST_VALUES]
            assert all(one["title"] != one["search_val"] or not one["count"] for one in facet["items"])


def test_the_queries_count_facets_of_few_and_of_many_laboratories():
    sizes = [len(laboratories_counted(text, "standards")) for text in QUERIES]
    assert sum(size <= COUNTED_ONE_BY_ONE for size in sizes) > 4
    assert sum(COUNTED_ONE_BY_ONE < size < len(RECORDS) for size in sizes) > 4


@pytest.mark.parametrize("text", QUERIES)
def test_counts_take_few_files(files, text):
    search = Search(files.get)
    search(text)
    assert len(search.files.known) < 64


def test_both_clients_count_the_same(files, tmp_path):
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    search = Search(files.get)
    for text, (status, body) in zip(QUERIES, answers_of_client_js(tmp_path, QUERIES), strict=True):
        answer = search(text)
        assert (answer.status, answer.body().decode()) == (status, body), text


def test_a_value_has_as_many_laboratories_as_are_found_when_it_is_chosen(tmp_path):
    """In c1, nobody has ISO 14, so the digits go on there; in c2, one laboratory has it."""
    titles = {"1": "ISO 14", "2": "ISO 14001", "3": "ISO 14040"}
    facets = [
        Facet("standards", "tests__in", "Normen", {key: Value(one, one, int(key)) for key, one in titles.items()}),
        *FACETS[2:],
    ]  # fmt: skip
    own = [("c1", "2"), ("c1", "3"), ("c2", "1"), ("c2", "2"), ("c3", "2"), ("c2", "3")]
    records = [record(f"{number:05}", country=one, standards=[key]) for number, (one, key) in enumerate(own)]
    made = index_files(facets, records, SETTINGS)
    for name, data in made.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    asked = "country=c1&q=ISO+14&facets=country"
    answer = Search(made.get)(asked)
    (facet,) = answer.document["facets"]
    counts = {one["search_val"]: one["count"] for one in facet["items"]}
    assert (
        counts
        == {one: Search(made.get)(f"country={one}&q=ISO+14").document["count"] for one in counts}
        == {"c1": 2, "c2": 1}
    )
    assert answers_of_client_js(tmp_path, [asked]) == [(200, answer.body().decode())]
