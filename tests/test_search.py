"""The search index and its two clients (labgen/search/README.md)."""

import gc
import json
import random
from collections import Counter
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import answers_of_client_js

from labgen.search import Search, folder_reader
from labgen.search.foldings import MOST_LETTERS, STOP_WORDS, cut, foldings, is_word
from labgen.search.index_files import ENTRIES, FILES_FOLDER, INDEX
from labgen.search.items import items_of
from labgen.search.lists import pack, unpack
from labgen.search.words import certificate_terms, text_terms
from labgen.search_index.build_index import SearchIndex
from labgen.search_index.contents import WORDS, index_document
from labgen.search_index.index_input import Facet, IndexSettings, Postings, Size, Value
from labgen.search_index.leaves import LEAF, map_files, without_short_list
from labgen.search_index.map_update import MapUpdate
from labgen.search_index.slot_sets import MOST_BITS, joined, moved, packed, unpacked, with_bits
from labgen.search_index.slots import slots_of
from labgen.search_index.term_text import TermText
from labgen.search_index.vocabulary import parts_of

MATERIALS = {
    "1": Value("Stahl", "Stahl", 1),
    "2": Value("Stahl-Beton", "Stahl-Beton", 2),
    "3": Value("Öle und Fette", "Öle und Fette", 3),
    "4": Value("Straßenbaustoffe", "Straßenbaustoffe", 4),
}
STANDARDS = {
    "DIN EN ISO/IEC 17025:2018": Value("Prüf- und Kalibrierlaboratorien", "Prüf- und Kalibrierlaboratorien DIN EN ISO/IEC 17025:2018", 17),
    "DIN1054": Value("Baugrund", "Baugrund DIN1054", 8),
    "EN 10002-1": Value("Zugversuch an Metallen", "Zugversuch an Metallen EN 10002-1", 9),
    "X-9": Value("Zugprüfung", "Zugprüfung", 10),
}  # fmt: skip
FACETS = [
    Facet("materials", "materials__in", "Materialien", MATERIALS),
    Facet("standards", "tests__in", "Normen", STANDARDS),
    Facet("country", "country", "Land", {"de": Value("Deutschland"), "at": Value("Österreich")}),
    Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
]
SETTINGS = IndexSettings("/labs/", 2, "Ungültige Seite.")


class SearchRecord(NamedTuple):
    """What of a laboratory is found, and what is shown of it."""

    display_id: str
    values: dict[str, list[str]]
    name: str
    texts: str
    numbers: tuple[str, ...]
    card: dict[str, str]


def index_files(facets, records, settings):
    """Return the files of the index of some laboratories, by their names below out/."""
    slots = slots_of([one.display_id for one in records])
    holders: dict[str, dict[str, list[int]]] = {one.name: {} for one in facets}
    found: list[dict[str, list[int]]] = [{}, {}, {}]
    for one in sorted(records, key=lambda one: one.display_id):
        slot = slots[one.display_id]
        for name, values in one.values.items():
            for value in values:
                holders[name].setdefault(value, []).append(slot)
        numbers = frozenset().union(*map(certificate_terms, one.numbers))
        for terms, by_term in zip((text_terms(one.name), text_terms(one.texts), numbers), found, strict=True):
            for term in terms:
                by_term.setdefault(term, []).append(slot)
    cards = [(slots[one.display_id], one.card) for one in records]
    size = Size(len(records), max(slots.values(), default=0))
    index = SearchIndex(facets, Postings(holders, found[0], found[1], found[2], size), cards, settings)
    roots: dict[str, Any] = {}
    files = {
        f"{FILES_FOLDER}/{folder}/{name}": data
        for folder in index.folders
        for name, data in without_short_list(folder, index.files(folder), roots)
    }
    return files | {INDEX: index_document(facets, holders, settings, size, roots)}


def record(display_id, name="Labor", texts="", numbers=(), *, is_verified=False, country="de", **values):
    chosen = {"country": [country], "is_verified": [str(is_verified).lower()], **values}
    card = {"display_id": display_id, "name": name}
    return SearchRecord(display_id, chosen, name, texts, numbers, card)


LABORATORIES = [
    record("00001", "Wasserlabor Quellgrund Köln", materials=["3"], standards=["DIN1054"], is_verified=True),
    record("00002", "Prüfstelle Müller", "Wir prüfen Klärschlamm.", materials=["1", "2"], standards=["X-9", "EN 10002-1"]),
    record("00003", "Institut für Stahl NFDI4Biodiversity", numbers=["D-PL-17043-01-00 (Anlage 2)"], country="at", materials=["1"]),
    record("00004", "Straßenlabor", standards=["DIN EN ISO/IEC 17025:2018"], is_verified=True, materials=["4"]),
]  # fmt: skip


def searched(query, laboratories=LABORATORIES, facets=FACETS):
    """Return the answer to a query, all pages of results joined."""
    search = client(laboratories, facets)
    answer = first = search(query).document
    found = [card["display_id"] for card in first["results"]]
    while answer["next"]:
        answer = search(answer["next"].partition("?")[2]).document
        found += [card["display_id"] for card in answer["results"]]
    assert len(found) == first["count"]
    return found


def client(laboratories=LABORATORIES, facets=FACETS):
    return Search(index_files(facets, laboratories, SETTINGS).get)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["00001", "00004", "00002", "00003"]),
        ("materials__in=1", ["00002", "00003"]),
        ("materials__in=3,4", ["00001", "00004"]),
        ("materials__in=1&country=at", ["00003"]),
        ("is_verified=true", ["00001", "00004"]),
        ("materials__in=99", []),
        ("unknown=1", ["00001", "00004", "00002", "00003"]),
        ("q=prüfung", ["00002"]),
        ("q=pruefung", ["00002"]),
        ("q=zug", ["00002"]),
        ("q=KOLN", ["00001"]),
        ("q=koeln", ["00001"]),
        ("q=strasse", ["00004"]),
        ("q=stahlbeton", ["00002"]),
        ("q=stahl", ["00003", "00002"]),
        ("q=17025", ["00004"]),
        ("q=din 17025", ["00004"]),
        ("q=DIN EN ISO/IEC 17025", ["00004"]),
        ("q=ISO/IEC17025", ["00004"]),
        ("q=DIN 1054", ["00001"]),
        ("q=DIN1054", ["00001"]),
        ("q=D-PL-17043", ["00003"]),
        ("q=d-pl-17", ["00003"]),
        ("q=17043", ["00003"]),
        ("q=klärschl", ["00002"]),
        ("q=Biodiversity", ["00003"]),
        ("q=biodiv", ["00003"]),
        ("q=NFDI4Biodiversity", ["00003"]),
        ("q=Quellgrnud", ["00001"]),
        ("q=Wasser\u00adlabor", ["00001"]),
        ("q=und der the", ["00001", "00004", "00002", "00003"]),
        ("q=nirgendwo", []),
    ],
)
def test_a_query_finds_laboratories_in_their_order(query, found):
    assert searched("&".join(f"{k}={quote_plus(v, safe=',')}" for k, _, v in (one.partition("=") for one in query.split("&") if one))) == found  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        "Stahl",
        "Labor",
        "Berlin",
        "Beton",
        "München",
        "Hannover",
        "Quelle",
        "Wasser",
        "Institut",
        "Streuung",
        "Generator",
        "Werkstoffe",
        "Zugversuch",
        "Bodenproben",
        "Materialprüfung",
    ],
)
def test_any_one_slip_in_a_word_of_five_letters_or_more_is_forgiven(word):
    search = client([record("00009", f"{word} Technik"), *LABORATORIES[2:]])
    missed = [
        typed
        for typed in slips(word.lower())
        if "00009" not in [one["display_id"] for one in search("q=" + quote_plus(typed)).document["results"]]
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("typed", "is_found"),
    [
        ("Zugvresuhc", False),
        ("Ugzevrsuch", False),
        ("Zguevrsuch", True),
        ("Zugverucsh", True),
        ("Zugvrsuhc", True),
    ],
)
def test_two_slips_are_forgiven_where_one_half_is_typed_right(typed, is_found):
    assert bool(searched(f"q={typed}", [record("00009", "Zugversuch"), *LABORATORIES[2:]])) == is_found


def slips(word):
    """Yield a word with a letter dropped, added, replaced, or swapped with the next, at each place."""
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + "x" + word[at:]
        yield word[:at] + "x" + word[at + 1 :]
        if word[at : at + 1] != word[at + 1 : at + 2]:
            yield word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


@pytest.mark.parametrize("typed", ["Zugversuch", "Zugversuche", "Zugversuchen", "Zugversuchs"])
def test_inflected_forms_find_the_same_laboratories(typed):
    titles = ["Zugversuch", "Zugversuche", "mit Zugversuchen", "Druckversuch"]
    facets = [
        FACETS[0]._replace(values={str(n): Value(one, one, n) for n, one in enumerate(titles)}),
        *FACETS[1:],
    ]
    laboratories = [record(f"0000{n}", materials=[str(n)]) for n in range(4)]
    assert sorted(searched(f"q={typed}", laboratories, facets)) == ["00000", "00001", "00002"]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Labore", "Umweltlabor"),
        ("Batterien", "Lithiumbatterie"),
        ("Spielzeugen", "Spielzeugtest"),
        ("Quellgrunde", "Quellgrund Köln"),
    ],
)
def test_an_inflected_form_finds_compounds_before_it_is_taken_for_a_slip(typed, name):
    names = ["Umweltlabor", "Lahore", "Lithiumbatterie", "Bakterien", "Spielzeugtest", "Quellgrund Köln"]
    answer = client([record(f"0000{at}", one) for at, one in enumerate(names)])(
        "q=" + quote_plus(typed)
    ).document
    found = [one["name"] for one in answer["results"]]
    assert (found, "instead" in answer) == ([name], False)


def test_a_slip_is_forgiven_and_said():
    assert client()("q=Quellgrnud").document["instead"] == {"quellgrnud": ["quellgrund"]}


def test_a_slip_beside_an_umlaut_is_forgiven_in_both_its_spellings():
    assert [searched(f"q={typed}", [record("00009", "Roentgen")]) for typed in ("Rödtgen", "Roedtgen")] == [
        ["00009"]
    ] * 2


def test_pages_are_addressed_and_others_are_404():
    search = client()
    first = search("is_verified=false,true").document
    assert (first["count"], first["next"], first["previous"]) == (
        4,
        "/labs/?is_verified=false,true&page=2",
        None,
    )
    second = search("is_verified=false,true&page=2").document
    assert (second["next"], second["previous"]) == (None, "/labs/?is_verified=false,true")
    assert search("is_verified=false,true&page=").document == first
    for page in ("3", "0", "-1", "x"):
        assert search(f"page={page}") == (404, {"detail": "Ungültige Seite."})


def test_a_facet_is_counted_without_its_own_choice():
    (facet,) = client()("materials__in=1&country=de&facets=materials").document["facets"]
    counts = {item["search_val"]: (item["count"], item["is_selected"]) for item in facet["items"]}
    assert facet["is_exact"]
    assert counts == {"1": (1, True), "2": (1, False), "3": (1, False), "4": (1, False)}


def test_two_sections_with_one_argument_are_searched_together():
    facets = [FACETS[0], FACETS[1]._replace(search_arg="materials__in"), *FACETS[2:]]
    assert searched("materials__in=4,DIN1054", facets=facets) == ["00001", "00004"]


SYLLABLES = [
    "stahl",
    "prüf",
    "ung",
    "beton",
    "zug",
    "ver",
    "such",
    "öl",
    "ß",
    "wasser",
    "din",
    "en",
    "17025",
    "-",
    " ",
    " ",
    "1054",
    "langes" * 11,
]
KEYS = st.one_of(st.text("ab~é\U0001f600\uffff", min_size=1, max_size=3), st.integers(0, 999).map(str))
TEXTS = st.lists(st.sampled_from(SYLLABLES), min_size=1, max_size=8).map("".join)


@given(texts=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=12), query=TEXTS)
@settings(max_examples=40, deadline=None)
def test_the_index_finds_what_a_search_through_all_laboratories_finds(texts, query):
    """But for words that are found nowhere, where slips and further endings are forgiven."""
    standards = {str(number): Value(title, title, number) for number, (_, title, _) in enumerate(texts)}
    facets = [FACETS[0]._replace(values={}), FACETS[1]._replace(values=standards), *FACETS[2:]]
    records = [
        record(f"{number:05}", name, about, standards=[str(number)])
        for number, (name, _, about) in enumerate(texts)
    ]
    answer = client(records, facets)("q=" + quote_plus(query))
    items = items_of(query)
    if "instead" in answer.document or any(one.is_atom for one in items):
        return
    words = [tuple(map(cut, one.forms)) for one in items if STOP_WORDS.isdisjoint(one.forms)]
    known = frozenset().union(*(text_terms(name) | text_terms(title) for name, title, _ in texts))
    found = [
        {one.display_id for one, (_, title, _) in zip(records, texts, strict=True)
         if any(finds(form, one, title, known) for form in forms)}
        for forms in words
    ]  # fmt: skip
    if all(found):
        everyone = {one.display_id for one in records}
        assert answer.document["count"] == len(everyone.intersection(*found))


def matches(word: str, term: str) -> bool:
    """Return whether a word of a query (one folding) finds a term: the rule that the index is made for.

    Four letters or more are found anywhere in a word, two or three at its beginning and end.
    """
    if not is_word(term):
        return False
    if len(word) > 3:
        return word in term
    if len(word) > 1:
        return term.startswith(word) or term.endswith(word)
    return term == word


def finds(form, laboratory, title, known):
    """Return whether a word finds a laboratory: itself, or without an ending, where that is a known word."""
    stems = {form.removesuffix(end) for end in ("e", "en", "es", "n", "s") if form.endswith(end)}
    forms = [form, *(one for one in stems if len(one) >= 5 and one in known)]
    terms = text_terms(laboratory.name) | text_terms(title)
    return any(matches(one, term) for one in forms for term in terms) or any(
        term.startswith(one) for one in forms for term in text_terms(laboratory.texts)
    )


def test_a_certificate_is_read_whole_beside_a_word_that_stands_before_its_letter_elsewhere(tmp_path):
    laboratories = [
        record("00001", "Institut National d’Optique"),
        record("00002", "National Laboratory", numbers=("D-PL-25799-01-00",)),
    ]
    query = "q=National+D-PL-25799-01-00"
    assert searched(query, laboratories) == ["00002"]
    for name, data in index_files(FACETS, laboratories, SETTINGS).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    [(_, text)] = answers_of_client_js(tmp_path, [query])
    assert client(laboratories)(query).body().decode() == text


@pytest.mark.parametrize("hyphen", ["-", "\u2010", "\u2011", "\u2013"])
def test_words_with_a_hyphen_of_any_kind_between_them_are_found_as_one(hyphen):
    laboratories = [record("00001", f"Stahl{hyphen}Beton"), record("00002", texts=f"Auch Stahl{hyphen}Beton")]
    assert searched("q=stahlbeton", laboratories) == ["00001", "00002"]


def test_an_inflected_word_finds_free_texts_as_the_word_does():
    laboratories = [record("00001", "Institut für Stahl"), record("00002", texts="Ein Institut seit 1990")]
    assert set(searched("q=institute", laboratories)) == {"00001", "00002"}


@pytest.mark.parametrize(
    ("slots", "text"),
    [
        ([], ""),
        ([0, 2], "AB"),
        ([3, 4, 8, 15], "=AGIE"),
        ([3, 20, 60, 61], "=DTcAH"),
        ([0, 1, 2, 3, 5, 6], "!EC"),
    ],
)
def test_a_list_is_packed_as_the_protocol_says(slots, text):
    assert pack(slots) == text
    assert unpack(text) == slots


@given(st.sets(st.integers(0, 5000)))
def test_a_list_is_unpacked_as_it_was_packed(slots):
    ordered = sorted(slots)
    assert unpack(pack(ordered)) == ordered
    assert unpack(json.loads(json.dumps(pack(ordered)))) == ordered


@given(st.lists(st.sets(st.integers(0, 300)), max_size=5), st.sampled_from([0, 38, 76, MOST_BITS]))
def test_sets_are_joined_and_packed_alike_whichever_of_them_are_bits(sets, most_bits):
    lists = {number: sorted(one) for number, one in enumerate(sets)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("labgen.search_index.slot_sets.MOST_BITS", most_bits)
        in_memory = list(with_bits(lists, 300).values())
    together = sorted(set().union(*sets))
    assert len(joined(in_memory)) == len(together)
    assert packed(joined(in_memory)) == pack(together)


@given(*[st.sets(st.integers(0, 300))] * 3)
def test_a_published_list_is_changed_as_if_it_was_packed_anew(published, gone, new):
    changed = moved(unpacked(pack(sorted(published))), gone - new, new)
    assert packed(changed) == pack(sorted((published - gone) | new))
    assert len(changed) == len((published - gone) | new)


@given(st.sets(st.integers(0, 10**8).map(str), min_size=1, max_size=200))
def test_slots_ascend_in_the_order_of_display_ids(display_ids):
    slots = slots_of(display_ids)
    ordered = [slots[one] for one in sorted(display_ids)]
    assert ordered == sorted(set(ordered))


@pytest.mark.parametrize("ids", [[f"{n:05}" for n in range(3000)], [f"{n:08}" for n in random.Random(1).sample(range(10**8), 3000)]])  # fmt: skip
def test_a_laboratory_that_goes_moves_few_slots(ids):
    before, after = slots_of(ids), slots_of(ids[:1500] + ids[1501:])
    assert sum(before[one] != after[one] for one in after) < 10


def files_of(values, most=LEAF):
    return dict(map_files(values, values.__getitem__, most=most))


def test_an_entry_that_comes_changes_few_leaves():
    values = {f"wort{number}": b"%d" % (number * 10**9) for number in range(5000)}
    before, after = files_of(values), files_of(values | {"neu": b"1"})
    assert len(before) > 5
    assert max(map(len, before.values())) <= LEAF + 100
    assert sum(after.get(name) != data for name, data in before.items()) <= 3


def test_a_map_leaves_no_cycles_of_references_which_a_build_would_keep():
    values = {f"wort{number}": b"%d" % number for number in range(5000)}
    gc.collect()
    gc.disable()  # as a build does
    try:
        assert len(files_of(values)) > 3
        assert gc.collect() == 0
    finally:
        gc.enable()


HUGE = b'{"labs":[%b]}' % b",".join([b"1"] * 5000)


@given(
    before=st.dictionaries(
        KEYS, st.sampled_from([b"1", b'{"labs":[1,2]}', HUGE[:6000] + b"]}", HUGE]), max_size=300
    ),
    changes=st.dictionaries(KEYS, st.sampled_from([None, b"2", HUGE]), max_size=30),
    most=st.sampled_from([64, 256, LEAF]),
    folder=st.sampled_from([WORDS, ENTRIES]),
)
@settings(max_examples=60, deadline=None)
def test_a_map_that_is_updated_is_the_map_that_is_made_anew(before, changes, most, folder):
    """Small leaves have many chunks, which begin, end and join where entries change.

    The list of leaves is in index.json, or in a file.
    """
    roots: dict[str, Any] = {}
    files = dict(without_short_list(folder, files_of(before, most).items(), roots))
    changes |= dict.fromkeys(list(before)[: len(before) // 3])
    update = MapUpdate(files.__getitem__, roots[folder], most)
    for key, value in changes.items():
        update.put(key, value)
    changed = dict(without_short_list(folder, update.changed_files().items(), roots))
    now = {key: value for key, value in (before | changes).items() if value is not None}
    anew: dict[str, Any] = {}
    wanted = dict(without_short_list(folder, files_of(now, most).items(), anew))
    assert {name: data for name, data in (files | changed).items() if data is not None} == wanted
    assert roots == anew


@given(st.sets(TEXTS, max_size=30), TEXTS)
@settings(deadline=None)
def test_the_terms_that_contain_a_part_are_found_in_their_text(texts, part):
    terms = set().union(*map(text_terms, texts))
    for one in text_terms(part):
        wanted = {term for term in terms if one in set(parts_of(term))}
        text = TermText("\n".join(terms))
        assert text.containing(one) == wanted
        assert text.has_more_than(2, one) == (len(wanted) > 2)
        assert text.has(one) == bool(wanted)


def test_umlauts_have_two_foldings_and_certificates_no_parentheses():
    assert foldings("Öl") == ("ol", "oel")
    found = certificate_terms("D-PL-17043-01-00 (Anlage)")
    assert found == {"d-pl-17043-01-00", "pl 17043-01-00", "17043-01-00"}


@pytest.mark.parametrize("query", ["egitim", "Eğitim", "Eg\u0306i\u0307tim", "MİLLİ", "हिन्दी", "हिन्"])
def test_marks_do_not_end_a_word(query):
    records = [record("00001", "Mi\u0307lli\u0307 Eği\u0307ti\u0307m हिन्दी"), record("00002", "Tim")]
    assert searched(f"q={query}", records) == ["00001"]


LONG_WORD = "donaudampfschifffahrtsgesellschaft" * 300
LONG_NUMBER = "-".join(map(str, range(10_000)))


@pytest.mark.parametrize("text", [LONG_WORD, LONG_NUMBER, f"{LONG_WORD}-{LONG_WORD}", "1" * 10_000])
def test_a_word_of_any_length_is_found_by_its_beginning(text):
    """All parts of a word are indexed, so the index of 10,000 letters would take gigabytes."""
    records = [record("00001", text, text, [text]), LABORATORIES[0]]
    assert max(map(len, text_terms(text) | certificate_terms(text))) <= MOST_LETTERS
    assert searched(f"q={text}", records) == ["00001"]
    assert searched(f"q={text[:30].rpartition('-')[0] or text[:64]}", records) == ["00001"]


LONG_NAME = "tetrahydro" * 7


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (f"ung-{LONG_NAME}", []),
        (f"ung {LONG_NAME}", []),
        (f"2,4-{LONG_NAME}", ["00001"]),
        (f"2,5-{LONG_NAME}", ["00003"]),
    ],
)
def test_no_word_is_lost_where_a_long_one_is_cut(query, found):
    records = [
        record("00001", texts=f"2,4-{LONG_NAME}"),
        record("00002", "Prüfung ung 2"),
        record("00003", f"2,5-{LONG_NAME}"),
    ]
    assert searched(f"q={quote_plus(query)}", records) == found


QUERIES = [
    f"q=ung-{LONG_NAME}", f"q=2,4-{LONG_NAME}",
    f"q={LONG_WORD[:1000]}", f"q={LONG_NUMBER[:1000]}", f"q={'ä' * 70}", f"q={'😀a' * 70}",
    "", "q=stahl", "q=%C3%B6l&facets=materials,country", "materials__in=1,2&facets=standards", "page=2", "page=9", "page=", "q=%FF%zz",
    "q=Quellgrnud", "q=DIN1054", "q=ISO/IEC17025", "q=Stra%C3%9Fe&country=de,at", "is_verified=TRUE", "q=*!'()~%20&page=1",
    "q=%E2%80%A8", "q=%F0%9F%98%80", "materials__in=+2+,+5", "facets=materials&materials__in=%3Cb%3E", "?q=a", "q=__proto__", "country=constructor",
    "/api/v1/laboratory/laboratories/?q=stahl&page=1", "/api/v1/laboratory/laboratories/", "https://labs.example.org/b/api/?country=de&q=a?b#x",
    "HTTP://labs.example.org", "/x=1&q=stahl", "q=/api/?x", "?/?q=stahl",
]  # fmt: skip


def test_the_clients_in_python_and_javascript_give_the_same_bytes(tmp_path):
    for name, data in index_files(FACETS, LABORATORIES, SETTINGS).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for query, (status, text) in zip(QUERIES, answers_of_client_js(tmp_path, QUERIES), strict=True):
        answer = client()(query)
        assert (answer.status, answer.body().decode()) == (status, text), query


def test_both_clients_read_lists_of_all_densities(tmp_path):
    """The value `n` is that of each n-th laboratory, and `not n` that of the others."""
    records = [
        record(
            f"{at:05}", materials=[str(n) if at % n == 0 else f"not {n}" for n in (2, 3, 4, 5, 9, 40, 150)]
        )
        for at in range(400)
    ]
    found = dict(Counter(value for one in records for value in one.values["materials"]))
    facet = FACETS[0]._replace(values={value: Value(value) for value in found})
    for name, data in index_files([facet, *FACETS[2:]], records, SETTINGS).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    queries = [f"materials__in={value}" for value in found]
    for query, (_, text) in zip(queries, answers_of_client_js(tmp_path, queries), strict=True):
        assert json.loads(text)["count"] == found[query.partition("=")[2]], query
        assert Search(folder_reader(tmp_path))(query).body().decode() == text, query


@pytest.mark.parametrize("query", ["materials__in=1,3,4", "country=de,at&facets=materials"])
def test_the_next_page_is_found_by_its_address(query):
    answer = client()(query)
    seen = [one["display_id"] for one in answer.document["results"]]
    while answer.document["next"]:
        answer = client()(answer.document["next"])
        seen += [one["display_id"] for one in answer.document["results"]]
    assert len(set(seen)) == len(seen) == answer.document["count"] > SETTINGS.page_size
