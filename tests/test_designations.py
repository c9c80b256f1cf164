"""Designations as engineers type them (labgen/search/README.md, "Designations"): a table of what is typed, and meant."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote_plus

import pytest
from searching import answers_of_client_js
from test_search import index_files, record

from labgen.search import Search
from labgen.search.designations import terms
from labgen.search.foldings import is_word, readable
from labgen.search.words import certificate_terms, text_terms
from labgen.search_index.index_input import Facet, IndexSettings, Value

TABLE = Path(__file__).with_name("designations.txt")
SETTINGS = IndexSettings("/labs/", 100, "Ungültige Seite.")
WANTED = 0.98
"""The share of pairs that must be right."""


def table() -> Iterator[tuple[str, str]]:
    """Yield what is typed, and a title that it means."""
    title = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            yield from ((typed.strip(), title) for typed in line.split("|"))
        elif not line.startswith("#"):
            title = line


PAIRS: dict[str, set[str]] = defaultdict(set)
for one, meant in table():
    PAIRS[one].add(meant)
TITLES = list(dict.fromkeys(title for _, title in table()))
FACETS = [
    Facet("standards", "tests__in", "Normen", {str(number): Value(title, title, number) for number, title in enumerate(TITLES)}),
    Facet("country", "country", "Land", {"de": Value("Deutschland")}),
    Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
]  # fmt: skip
FILES = index_files(
    FACETS, [record(f"77{number:04}", standards=[str(number)]) for number in range(len(TITLES))], SETTINGS
)


def titles_found(query: str) -> set[str]:
    answer = Search(FILES.get)("q=" + quote_plus(query)).document
    return {TITLES[int(one["display_id"][2:])] for one in answer["results"]}


def test_the_table_has_enough_pairs():
    assert len(PAIRS) >= 300


def test_what_is_typed_finds_what_is_meant_and_nothing_else():
    wrong = {typed: titles_found(typed) for typed in PAIRS if titles_found(typed) != PAIRS[typed]}
    assert len(wrong) <= (1 - WANTED) * len(PAIRS), wrong


def test_what_is_typed_finds_what_is_meant():
    assert {
        typed: PAIRS[typed] - found for typed in PAIRS if PAIRS[typed] - (found := titles_found(typed))
    } == {}


@pytest.mark.parametrize("title", TITLES)
def test_no_beginning_of_a_name_finds_nothing(title):
    assert [title[:end] for end in range(1, len(title) + 1) if not titles_found(title[:end])] == []


NOBODY_HAS = ("AVV 17 04 99", "17 04 99", "(17 04 99)")


@pytest.mark.parametrize("typed", NOBODY_HAS)
def test_a_waste_code_that_nobody_has_finds_nothing(typed):
    assert titles_found(typed) == set()


UNUSUAL_DIGITS = {
    "ISO 𝟔𝟖𝟗𝟐-𝟏:𝟏𝟗𝟗𝟖": "ISO 𝟔𝟖𝟗𝟐-𝟏",
    "IPC-A-𝟔𝟏𝟎𝐇": "IPC-A-𝟔𝟏𝟎",
    "DINENISO𝟔𝟖𝟗𝟐-𝟏:1998": "DINENISO𝟔𝟖𝟗𝟐-𝟏",
    "VDI⑩⑨⑨③-5": "⑩⑨⑨③-5",
}
"""Queries in signs that take two units of JavaScript, or are read as digits, and what is said to be meant."""


def test_both_clients_read_designations_alike(tmp_path):
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    begun = [title[:end] for title in TITLES[::4] for end in range(1, len(title) + 1)]
    beside = [f"{title} s" for title in TITLES]
    queries = ["q=" + quote_plus(one) for one in [*PAIRS, *begun, *beside, *UNUSUAL_DIGITS, *NOBODY_HAS]]
    search = Search(FILES.get)
    for query, (status, text) in zip(queries, answers_of_client_js(tmp_path, queries), strict=True):
        assert (200, search(query).body().decode()) == (status, text), query


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ISO 6892-1:1998", "ISO 6892-1"),
        ("DIN EN ISO 14001:2004-01", "DIN EN ISO 14001"),
        ("ISO 60529", "60529"),
        ("IPC-A-610H", "IPC-A-610"),
        ("IPC-A-610 Rev. H", "IPC-A-610"),
        ("MIL-STD-202H", "MIL-STD-202"),
        ("DIN 38409-H6", "DIN 38409-6"),
        ("UL 60950-1 Ed. 2", "UL 60950-1"),
        ("ASTM D790-15e2", "ASTM D790"),
        ("ASTM D2247-1", "ASTM D2247"),
        ("SAE J1455_201703", "SAE J1455"),
        ("ISO 9226:2", "ISO 9226"),
        ("A370-21", "A370"),
        ("ISO 9226 S235JR", "ISO 9226"),
        ("EN 10088-3 1.4571", "EN 10088-3"),
        ("MILSTD461G", "MILSTD461"),
        ("DIN 4102/A3", "DIN 4102"),
        ("DIN 4102 Amd 3", "DIN 4102"),
        ("IEC 61000-4-39/AMD1", "IEC 61000-4-39"),
        ("IEC 60601-1:2005+AMD1:2012+AMD2:2020", "IEC 60601-1:2005+AMD1"),
        *UNUSUAL_DIGITS.items(),
    ],
)
def test_what_is_searched_for_instead_is_said(typed, meant):
    assert Search(FILES.get)("q=" + quote_plus(typed)).document["instead"] == {typed: [meant]}


PATTERNS = ("x", "1", "a1", "a-", "1.", "a ", "S 2 ", "DIN EN ", "X1-", "ß", "1-1 bis ", "1/Amd1")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_long_text_without_an_end_of_its_words_is_read_in_one_pass(pattern):
    """A pattern that is tried again from each letter takes minutes here, and reaches the limit."""
    text = pattern * (60_000 // len(pattern))
    assert len(text_terms(text)) + len(certificate_terms(text)) < 100


JOINTS = [*"   /+-\n", ", ", "; ", " und ", " bis -", " - ", " (", " | ", "   ", " – Teil ", "/Amd "]


@pytest.mark.parametrize("seed", range(20))
def test_a_text_is_found_by_its_designations_whatever_stands_around_them(seed):
    """A text is read in parts; what its designations are does not depend on it.

    Raised digits are left out: to words that a hyphen joins, they are letters.
    """
    random = Random(seed)
    words = [one for text in (*TITLES, *PAIRS) for one in text.split() if set("¹³⁴⁷").isdisjoint(one)]
    for _ in range(200):
        text = "".join(random.choice(words) + random.choice(JOINTS) for _ in range(random.randint(2, 12)))
        whole = terms(readable(text))
        assert whole <= text_terms(text), text
        assert all(is_word(one) for one in text_terms(text) - whole), text


def test_a_letter_alone_that_stands_beside_no_neighbour_is_ignored():
    assert Search(FILES.get)("q=Q+Aluminium").document["ignored"] == ["q"]


def test_a_letter_alone_belongs_to_the_next_word_not_to_one_before_it():
    keys = text_terms("Test method using a stylus")
    assert "using a" in keys
    assert "method a" not in keys


@pytest.mark.parametrize(
    ("typed", "title", "other"),
    [
        ("ISO 128 Teil 43", "ISO 128-43", "ISO/DIS 12843"),
        ("ISO 12843", "ISO/DIS 12843", "ISO 128 Teil 43"),
        ("USP <71>", "Sterilität USP <71>", "USP und EN 71"),
        ("ISO 193", "Kegel ISO 193", "Fachausschuss ISO/TC 193"),
        ("ASTM D790-15(2020)", "ASTM D790-15", "ASTM D790-17"),
        ("Laut", "Lautsprecher", "Kegel ISO 193"),
        ("EN 10025 S235JR", "Stahl EN 10025-2 aus S235JR", "Stahl EN 10025-2 aus S355J2"),
        ("EN 10025-2:2004 S235JR", "Stahl EN 10025-2:2019 aus S235JR", "Stahl EN 10025-2:2019 aus S355J2"),
        ("DIN 4102 B2", "DIN 4102, Klasse B2", "DIN 4102-2, Klasse B1"),
        ("IEC 60601-1/AMD1", "IEC 60601-1:2005+A1:2012", "IEC 60601-1-2:2014/AMD1:2020"),
        ("TO-15", "Luft EPA TO-15", "Kegel ISO 15"),
        ("DIN 100", "Kegel DIN 100", "Zugversuch DIN 53504 bis 100 kN"),
        ("ISO 4", "Kegel ISO 4", "Härte ISO 6506-1 bis 4"),
        ("AVV 17 04 2", "AVV 17 04 2", "AVV 17 04 01 bis 17 04 03"),
        ("DIN EN 1090-2 Ber 1:2010-09", "Träger DIN EN 1090-2 Berichtigung 1", "Träger DIN EN 1090-1"),
        ("ISO 6892-1 Aenderung 1", "Zug ISO 6892-1 Änderung 1", "Zug ISO 6892-2 Änderung 1"),
        ("Am-241", "Americium Am-241", "Kegel ISO 241"),
        ("EN 10088-3 1.4571", "Stahl EN 10088-3 aus 1.4571", "Stahl EN 10088-3 aus 1.4301"),
        ("AVV 17 04 99", "Abfall AVV 17 04 99", "Blech AVV 17 04 02 nach ISO 9972"),
    ],
)
def test_another_designation_is_not_found(typed, title, other):
    values = {str(number): Value(one, one, number) for number, one in enumerate((title, other))}
    facets = [Facet("standards", "tests__in", "Normen", values), *FACETS[1:]]
    files = index_files(facets, [record(f"0000{one}", standards=[one]) for one in values], SETTINGS)
    answer = Search(files.get)("q=" + quote_plus(typed)).document
    assert [one["display_id"] for one in answer["results"]] == ["00000"]


@pytest.mark.parametrize("typed", ["Edelstahl 1.4301", "1.4301 Edelstahl"])
def test_a_word_and_a_designation_that_says_enough_are_found_in_both_orders(typed):
    values = {
        str(number): Value(one, one, number)
        for number, one in enumerate(("Edelstahl 1.4301", "Edelstahl", "Blech 1.4301"))
    }
    facets = [Facet("standards", "tests__in", "Normen", values), *FACETS[1:]]
    files = index_files(
        facets, [record("00000", standards=["0"]), record("00001", standards=["1", "2"])], SETTINGS
    )
    answer = Search(files.get)("q=" + quote_plus(typed)).document
    assert [one["display_id"] for one in answer["results"]] == ["00000", "00001"]


def test_the_beginning_of_a_word_that_says_what_follows_is_ignored():
    answer = Search(FILES.get)("q=" + quote_plus("VDI 2230 Richtl")).document
    assert (answer["ignored"], answer["count"]) == (["richtl"], 1)


def test_a_number_of_two_digits_is_a_year_of_astm_only_after_another_number():
    assert titles_found("ASTM D 99") == set()
