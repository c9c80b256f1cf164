"""Entries first: the order of results, why each was found, and what is suggested (labgen/search/README.md)."""

import json
import random
import shutil
import subprocess
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from conftest import EXHAUSTIVE, Project, laboratory
from searching import answered, answers_of_client_js
from servers import require
from test_search import index_files, record

from labgen.search import Search, folder_reader
from labgen.search.marking import marked
from labgen.search_index.index_input import Facet, IndexSettings, Value

MATERIALS = [
    {"id": number, "title": title}
    for number, title in enumerate(["Stahl", "Edelstahl", "Prüfung von Stahl auf Korrosion", "Korrosion", "Zink", "Verzinkung"], 1)
]  # fmt: skip
STANDARDS = [
    {"id": 70, "search_val": "zug", "title": "Zugversuch nach DIN EN ISO 6892-1:2017"},
    {"id": 71, "search_val": "druck", "title": "Druckversuch"},
    {"id": 72, "search_val": "emv", "title": "EMV-Prüfung"},
    {"id": 73, "search_val": "duemv-abbaubare-werkstoffe", "title": "Biologisch abbaubare Werkstoffe"},
    {"id": 74, "search_val": "astm-d-638", "title": "Kunststoffe"},
]
LABORATORIES = [
    laboratory("00001", name="Korrosion und Metall", materials=[1], is_verified=True),
    laboratory("00002", name="Anders", materials=[3]),
    laboratory("00003", name="Besonders", materials=[1, 4], about="Wir sind in der Schadensanalyse tätig."),
    laboratory("00004", name="Zinkwerk", materials=[6], standards=[70, 73]),
    laboratory("00005", name="Calibra", materials=[5, 2], standards=[71, 74], locality="Stuttgart"),
    laboratory("00006", name="Delta Stuttgart", materials=[6], standards=[72], is_verified=True),
    laboratory("00007", name="Prüfung Stuttgart EMV"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Project:
    project = Project(tmp_path_factory.mktemp("ordered")).sound()
    settings = (project.root / "data/site.toml").read_text(encoding="utf-8")
    project.file("data/site.toml", f"{settings}[limits]\npage_size = 3\n")
    project.write(laboratories=LABORATORIES, materials=MATERIALS, standards=STANDARDS)
    assert project.build().written
    return project


def found(built: Project, query: str) -> list[str]:
    return [one["display_id"] for one in Search(folder_reader(built.out))(query).document["results"]]


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("stahl korrosion", ["00002", "00001", "00003"]),
        ("korrosion", ["00001", "00003", "00002"]),
        ("zink", ["00005", "00004", "00006"]),
        ("EMV Prüfung Stuttgart", ["00007", "00006"]),
        ("Zugversuch ISO 6892", ["00004"]),
        ("emv", ["00007", "00006"]),
        ("ASTM D638", ["00005"]),
    ],
)
def test_words_in_one_entry_are_before_scattered_ones_and_an_entry_that_is_the_query_before_one_that_has_it(
    built, words, order
):
    assert found(built, f"q={words}") == order


@pytest.mark.parametrize(
    "query",
    [
        "Institut für Ölprüfung",
        "institut fuer oelpruefung",
        "Institut Olprufung",
        "Institut für Ölprüfung Köln",
    ],
)
def test_the_laboratory_whose_name_is_the_query_is_first(site, tmp_path, query):
    names = [
        "Altes Institut für Ölprüfung",
        "Institut für Mineralölprüfung",
        "Institut für Ölprüfung",
        "Ölprüfung Institut",
    ]
    laboratories = [
        laboratory(
            f"0000{number}",
            name=name,
            is_verified=number == 1,
            locality="Köln" if number != 2 else "Köln Institut",
        )
        for number, name in enumerate(names)
    ]
    site.write(
        laboratories=[*laboratories, laboratory("00009", name="Institut für Ölprüfung Köln", about="x")]
    ).build()
    first = "00009" if query.endswith("Köln") else "00002"
    assert found(site, "q=" + quote_plus(query))[0] == first
    ((status, text),) = answers_of_client_js(site.out, ["q=" + quote_plus(query)])
    assert (status, text) == (200, answered(site.out, "q=" + quote_plus(query))[1].decode())


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("Essen", ["00002", "00003", "00006", "00001"]),  # a town, a beginning, an entry, Gießen
        ("Esse", ["00003", "00002", "00006", "00001"]),
        ("Bern", ["00005", "00004"]),
        ("Bernh", ["00004"]),
        ("uv", ["00006", "00007"]),
        ("abs", ["00006", "00008"]),
        ("iron ores", ["00006", "00009"]),
        ("Zink Essen", ["00003", "00001"]),
        ("Labore", ["00009"]),
        ("ortho", ["00001"]),
        ("Öl", ["00006", "00010"]),  # the entry, Oldenburg
        ("Prüfung Essen", ["00002", "00003", "00001"]),
        ("Prüfung", ["00002", "00005", "00010", "00003", "00001"]),  # names, verified; not by entries
    ],
)
def test_a_word_of_a_name_is_before_its_beginning_and_this_before_entries_and_the_middle_of_a_word(
    site, tmp_path, query, order
):
    names = [
        ("Prüfung Orthopädie", "Gießen"),
        ("Prüfung", "Essen"),
        ("Essener Prüfung", "Köln"),
        ("Bernhard", "Ulm"),
        ("Prüfung", "Bern"),
        ("Anders", "Ulm"),
        ("TÜV", "Ulm"),
        ("Labs", "Ulm"),
        ("Environment and Forestry Labor", "Ulm"),
        ("Prüfung", "Oldenburg"),
    ]
    titles = [
        "Wasser zum Essen",
        "UV-Strahlung",
        "ABS (Kunststoff)",
        "Analyses of iron ores",
        "Zink",
        "Öl",
        "Prüfung",
    ]
    laboratories = [
        laboratory(
            f"{at:05}",
            name=name,
            locality=town,
            materials={1: [5], 3: [5], 6: [1, 2, 3, 4, 6], 10: [7]}.get(at, []),
            is_verified=at == 3,
        )
        for at, (name, town) in enumerate(names, 1)
    ]
    materials = [{"id": number, "title": title} for number, title in enumerate(titles, 1)]
    site.write(laboratories=laboratories, materials=materials).build()
    assert found(site, "q=" + quote_plus(query)) == order
    ((_, text),) = answers_of_client_js(site.out, ["q=" + quote_plus(query)])
    assert text == answered(site.out, "q=" + quote_plus(query))[1].decode()


def test_an_entry_whose_title_lacks_the_word_is_not_what_was_searched_for(site):
    materials = [{"id": 1, "title": "AAS"}]
    standards = [{"id": 7, "title": "AAS", "search_val": "Chrom (Cr), gesamt"}]
    laboratories = [laboratory("00001", standards=[7]), laboratory("00002", name="Institut", locality="Rome")]
    site.write(laboratories=laboratories, materials=materials, standards=standards).build()
    assert found(site, "q=rom") == ["00002", "00001"]
    assert answers_of_client_js(site.out, ["q=rom"])[0][1] == answered(site.out, "q=rom")[1].decode()


def test_among_more_results_than_a_page_has_the_order_is_the_same(built, site):
    laboratories = [laboratory(f"001{number:02}", materials=[1, 4]) for number in range(9)]
    laboratories += [laboratory("00200", materials=[3]), laboratory("00201", materials=[6])]
    site.write(laboratories=laboratories, materials=MATERIALS).build()
    assert found(site, "q=stahl korrosion")[:2] == ["00200", "00100"]


def test_an_answer_says_why_each_laboratory_was_found(built):
    document = json.loads(answered(built.out, "q=stahl+korrosion&matches=true")[1])
    parts = [
        [(one["name"], one["section"], *one["marked"]) for one in match["entries"]]
        for match in document["matches"]
    ]
    assert parts == [
        [("materials", "Materialien", "Prüfung von ", "Stahl", " auf ", "Korrosion", "")],
        [("materials", "Materialien", "", "Stahl", "")],
        [("materials", "Materialien", "", "Stahl", ""), ("materials", "Materialien", "", "Korrosion", "")],
    ]  # fmt: skip
    text = json.loads(answered(built.out, "q=Schadensanalyse&matches=true")[1])["matches"]
    assert text == [{"display_id": "00003", "entries": [], "texts": ["schadensanalyse"]}]
    assert "matches" not in json.loads(answered(built.out, "q=stahl")[1])


NAMED = [
    ("00001", "Ösel Prüftechnik", "4.50"), ("00002", "oase", "0.00"), ("00003", "Zeta", "4.05"), ("00004", "Alpha & Söhne", "4.50"),
    ("00005", '"Alte Färberei"', "0.00"), ("00006", "3M", "10.00"), ("00007", "Äther", "3.00"), ("00008", "Zeta", "4.50"), ("00009", "Othello", "0.00"),
]  # fmt: skip


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> Project:
    project = Project(tmp_path_factory.mktemp("named")).sound()
    some = [
        laboratory(one, name=name, rating=rating, is_verified=one == "00009") for one, name, rating in NAMED
    ]
    project.write(laboratories=some)
    assert project.build().written
    return project


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("ordering=name", "5 6 4 7 2 1 9 3 8"),
        ("ordering=-name", "3 8 9 1 2 7 4 6 5"),
        ("ordering=rating", "2 5 9 7 3 1 4 8 6"),
        ("ordering=-rating", "6 1 4 8 3 7 2 5 9"),
        ("ordering=-rating&q=zeta", "8 3"),
        ("ordering=", "9 1 2 3 4 5 6 7 8"),
        ("ordering=name&ordering=-rating&is_verified=false", "6 1 4 8 3 7 2 5"),
    ],
)
def test_laboratories_are_ordered_by_name_as_in_a_dictionary_or_by_rating_as_a_number(named, query, order):
    assert [str(int(one)) for one in found(named, query)] == order.split()


def test_a_rating_is_said_where_the_results_are_ordered_by_it(named):
    matches = Search(folder_reader(named.out))("ordering=-rating&matches=true").document["matches"]
    assert [one["rating"] for one in matches[:2]] == ["10.00", "4.50"]
    assert "rating" not in Search(folder_reader(named.out))("matches=true").document["matches"][0]


def test_an_order_that_does_not_exist_is_refused(named):
    answer = Search(folder_reader(named.out))("ordering=newest")
    assert (answer.status, answer.document) == (400, {"ordering": ["„newest“ ist kein gültiger Wert."]})


@pytest.mark.parametrize(
    ("changed", "order"),
    [
        ({"rating": "2.00"}, "ordering=-rating"),
        ({"name": "Aachen"}, "ordering=name"),
        (None, "ordering=name"),
    ],
)
def test_an_edit_moves_a_laboratory_in_an_order(named, tmp_path, changed, order):
    root = tmp_path / "edited"
    shutil.copytree(named.root, root)
    edited = Project(root)
    some = [laboratory(one, name=name, rating=rating) for one, name, rating in NAMED]
    edited.write(laboratories=[some[0] | changed, *some[1:]] if changed else some[1:])
    assert edited.build().written
    shutil.copytree(root / "data", tmp_path / "fresh/data")
    fresh = Project(tmp_path / "fresh")
    fresh.build()
    assert answered(edited.out, order) == answered(fresh.out, order) != answered(named.out, order)


@pytest.mark.parametrize(
    ("text", "query", "only", "suggested"),
    [
        ("zugv", "", "", [("Zugversuch nach DIN EN ISO 6892-1:2017", 1, "")]),
        ("stah", "", "", [("Stahl", 2, ""), ("Edelstahl", 1, ""), ("Prüfung von Stahl auf Korrosion", 1, "")]),
        ("stah", "q=korrosion", "", [("Stahl", 2, ""), ("Prüfung von Stahl auf Korrosion", 1, "")]),
        ("korrosion stahl", "", "", [("Prüfung von Stahl auf Korrosion", 1, "")]),
        ("Stuttgart druck", "locality=Stuttgart", "", [("Druckversuch", 1, "stuttgart")]),
        ("versuch", "", "standards", [("Druckversuch", 1, ""), ("Zugversuch nach DIN EN ISO 6892-1:2017", 1, "")]),
        ("versuch", "", "materials", []),
        ("stahl", "is_verified=1", "", []),
        ("", "", "", []),
    ],
)  # fmt: skip
def test_entries_are_suggested_with_the_laboratories_that_have_them(built, text, query, only, suggested):
    found = Search(folder_reader(built.out)).suggest(text, query, only)["suggestions"]
    assert [(one["title"], one["count"], one["rest"]) for one in found] == suggested


QUERIES = [
    "q=stahl+korrosion&matches=true", "q=zink&matches=true&page=2", "q=Schadensanalyse&matches=true", "q=EMV+Pr%C3%BCfung+Stuttgart&matches=true",
    "matches=1", "matches=false&q=stahl", "q=iso+6892&matches=true", "q=pruefun&matches=true", "q=St%C3%A4hl&matches=true", "q=Korrosoin&matches=true",
    ["zugv"], ["stah", "q=korrosion"], ["Stuttgart druck", "locality=Stuttgart"], ["versuch", "", "standards"], ["stahl", "is_verified=1"], [""], ["iso 68"],
]  # fmt: skip


def test_both_clients_give_the_same_order_reasons_and_suggestions(built, tmp_path):
    shutil.copytree(built.out / "search", tmp_path / "search")
    search = Search(folder_reader(built.out))
    for query, (status, text) in zip(QUERIES, answers_of_client_js(tmp_path, QUERIES), strict=True):
        if isinstance(query, str):
            assert (status, text) == answered_text(built.out, query), query
        else:
            assert json.loads(text) == search.suggest(*query), query


def answered_text(out: Path, query: str) -> tuple[int, str]:
    status, body = answered(out, query)
    return status, body.decode()


@pytest.mark.parametrize(
    ("title", "forms", "parts"),
    [
        ("Prüfung von Öl", [["prufung", "pruefung"], ["ol"]], ["", "Prüfung", " von ", "Öl", ""]),
        ("Prüfung von Öl", [["pruefung"], ["oel"]], ["", "Prüfung", " von ", "Öl", ""]),
        ("Edelstahl, Stahl", [["stahl"]], ["Edelstahl, ", "Stahl", ""]),
        ("Edelstahl", [["stahl"]], ["Edel", "stahl", ""]),
        ("DIN EN ISO 6892-1:2017", [["iso 6892-1"]], ["DIN EN ", "ISO 6892-1", ":2017"]),
        ("DIN EN ISO/IEC 17025", [["iso 17025"]], ["DIN EN ISO/IEC ", "17025", ""]),
        ("Nach USEPA 8270E", [["epa 8270"]], ["Nach ", "USEPA 8270", "E"]),
        (
            "DINENISO 9001, prEN 17886",
            [["iso 9001"], ["en 17886"]],
            ["", "DINENISO 9001", ", ", "prEN 17886", ""],
        ),
        ("VDI/VDE 2634 Blatt 2 Optik", [["vdi 2634-2"]], ["VDI/VDE ", "2634 Blatt 2", " Optik"]),
        ("DIN 4102 Teil 1", [["din 4102-1"]], ["", "DIN 4102 Teil 1", ""]),
        ("IPC-A-610 Rev. H", [["610h"]], ["IPC-A-", "610 Rev. H", ""]),
        ("Bis 10 Teile", [["teile"]], ["Bis 10 ", "Teile", ""]),
        ("Wasser", [["beton"]], ["Wasser"]),
        ("Zugversuch", [["zug"], ["zugversuch"]], ["", "Zug", "versuch"]),
        ("Steel tubes, welded", [["tube"]], ["Steel ", "tubes", ", welded"]),
        (
            "Zugversuche und Druckversuche",
            [["zugversuch"], ["versuch"]],
            ["", "Zugversuche", " und Druckversuche"],
        ),
        ("Wörter", [["wort", "woert"]], ["", "Wört", "er"]),
        ("Analytik A+B", [["a"], ["b"]], ["Analytik ", "A", "+", "B", ""]),
        ("Analytik", [["a"]], ["Analytik"]),
    ],
)
def test_what_was_found_is_marked_in_a_title(title, forms, parts):
    assert marked(title, forms) == parts


EDITS: list[dict[str, dict[str, Any]]] = [
    {"00002": {"materials": [1]}},
    {"00001": {"materials": [1, 3]}, "00004": {"materials": [1, 3, 4], "name": "Stahlwerk"}},
    {"00005": {"standards": []}, "00006": {"materials": [1, 3, 5], "standards": []}},
]


def test_after_edits_the_index_is_that_of_a_build_from_nothing(site):
    laboratories = {one["display_id"]: one for one in LABORATORIES}
    site.write(laboratories=LABORATORIES, materials=MATERIALS, standards=STANDARDS).build()
    for edit in EDITS:
        laboratories |= {name: laboratories[name] | own for name, own in edit.items()}
        site.write(laboratories=list(laboratories.values())).build()
    warm = site.published()
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.published() == warm


SYNONYMS = [
    {"word": "Zugprüfung", "synonym": "Zugversuch"},
    {"word": "Tensile test", "synonym": "Zugversuch"},
    {"word": "EMV", "synonym": "Elektromagnetische Verträglichkeit"},
    {"word": "Cannstatt", "synonym": "Stuttgart"},
]
MEANT = {
    "Zugversuch": ["00004"], "Zugprüfung": ["00004"], "zugprüfungen": ["00004"], "zugprü": ["00004"], "tensile test": ["00004"], "tensile": ["00004"],
    "Elektromagnetische Verträglichkeit": ["00007", "00006"], "EMV": ["00007", "00006"], "Cannstatt druck": ["00005"], "Canstatt": [],
    "Elektromagnetische Verträglichkeit Cannstatt": ["00007", "00006"], "Zugprüfnug": ["00004"], "elektromagnetische": ["00006"],
}  # fmt: skip


@pytest.fixture(scope="module")
def meant(tmp_path_factory) -> Project:
    project = Project(tmp_path_factory.mktemp("meant")).sound()
    project.write(laboratories=LABORATORIES, materials=MATERIALS, standards=STANDARDS, synonyms=SYNONYMS)
    assert project.build().written
    return project


@pytest.mark.parametrize("words", MEANT)
def test_a_word_is_found_by_its_synonyms(meant, words):
    assert found(meant, f"q={words}") == MEANT[words]


def test_both_clients_know_the_synonyms(meant, tmp_path):
    shutil.copytree(meant.out / "search", tmp_path / "search")
    queries = [f"q={quote_plus(words)}&matches=true" for words in MEANT]
    for query, answer in zip(queries, answers_of_client_js(tmp_path, queries), strict=True):
        assert answer == answered_text(meant.out, query), query


TENSILE = ["Tensile strength of yarn", "Test of paint", "Tensile properties, and how to test", "Wide tensile test", "Tensile test", "Zugversuch an Rohren",
           "EMV-Kammer", "Elektromagnetische Verträglichkeit"]  # fmt: skip
IN_ORDER = {
    "Zugversuch": [4, 3, 5, 0, 2],
    "tensile test": [4, 3, 5, 0, 2],
    "Zugprüfung": [4, 3, 5, 0, 2],
    "EMV": [7, 6],
    "Elektromagnetische Verträglichkeit": [7, 6],
}


def test_an_entry_that_means_the_query_is_first_and_the_scattered_words_of_a_phrase_are_last(site):
    materials = [{"id": number, "title": title} for number, title in enumerate(TENSILE)]
    some = [
        laboratory(f"0000{number}", materials=[number], is_verified=number in {0, 2})
        for number in range(2, 8)
    ]
    some.append(laboratory("00000", materials=[0, 1], is_verified=True))
    site.write(laboratories=some, materials=materials, synonyms=SYNONYMS).build()
    queries = [f"q={quote_plus(words)}" for words in IN_ORDER]
    assert {
        words: [int(one) for one in found(site, f"q={quote_plus(words)}")] for words in IN_ORDER
    } == IN_ORDER
    assert answers_of_client_js(site.out, queries) == [answered_text(site.out, one) for one in queries]


def test_what_was_typed_comes_before_what_is_as_long_as_a_synonym(site):
    titles = ["Alu", "Alu-Profil", "Kfz", "Kfz-Elektronik", "Aluminium", "Kraftfahrzeug"]
    materials = [{"id": number, "title": title} for number, title in enumerate(titles)]
    some = [laboratory(f"0000{at}", materials=[at], is_verified="-" in one) for at, one in enumerate(titles)]
    synonyms = [{"word": "Alu", "synonym": "Aluminium"}, {"word": "Kfz", "synonym": "Kraftfahrzeug"}]
    site.write(laboratories=some, materials=materials, synonyms=synonyms).build()
    queries = [f"q={words}" for words in ("Alu", "Kfz")]
    assert [int(found(site, one)[0]) for one in queries] == [0, 2]
    assert answers_of_client_js(site.out, queries) == [answered_text(site.out, one) for one in queries]


def reads_of(project, query):
    """Return the names of the files that a query reads."""
    names: list[str] = []
    read = folder_reader(project.out)

    def noted(name: str) -> bytes | None:
        names.append(name)
        return read(name)

    assert Search(noted)(query).document["count"]
    return names


def test_words_that_are_like_a_synonym_are_read_only_where_none_is_found(meant):
    assert not any("/near/" in name for name in reads_of(meant, "q=zugversuch"))
    assert any("/near/" in name for name in reads_of(meant, "q=Stutgart"))


def test_what_laboratories_have_is_read_to_say_why_they_are_found(meant):
    assert not any("/owned/" in name for name in reads_of(meant, "q=zugversuch"))
    assert any("/owned/" in name for name in reads_of(meant, "q=zugversuch&matches=true"))


ROUNDS = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
const turn = () => new Promise(resolve => { setTimeout(resolve, 5); });
const rounds = [];
for (const query of JSON.parse(readFileSync("queries.json", "utf8"))) {
  let asked = [], count = 0;
  const search = searcher(name => new Promise(resolve => { asked.push(() => resolve(readFileSync(name, "utf8"))); }));
  const all = async work => {
    let isDone = false;
    work.finally(() => { isDone = true; });
    for (count = 0; await turn(), !isDone;) {
      const some = asked;
      asked = [];
      count += some.length > 0;
      for (const answer of some) answer();
    }
  };
  await all(search(""));
  await all(Promise.all([search.prepare(), turn()]));
  await all(search(query));
  rounds.push(count);
}
console.log(JSON.stringify(rounds));
"""


def test_a_search_on_the_page_waits_for_few_answers_one_after_the_other(meant, tmp_path):
    shutil.copytree(meant.out / "search", tmp_path / "search")
    (tmp_path / "client.mjs").write_bytes((meant.out / "search/client.js").read_bytes())
    (tmp_path / "rounds.mjs").write_text(ROUNDS, encoding="utf-8")
    queries = ["q=zugversuch", "q=stuttgart", "q=ISO%206892", "q=zugv", "q=zugprüfnug", "q=Stutgart"]
    (tmp_path / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    done = subprocess.run(
        [require("node"), "rounds.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    rounds = dict(zip(queries, json.loads(done.stdout), strict=True))
    assert list(rounds.values()) == [2, 2, 2, 3, 3, 2], rounds


READS = """
import { searcher } from "./client.mjs";
import { readFileSync } from "node:fs";
const reads = [];
for (const query of JSON.parse(readFileSync("queries.json", "utf8"))) {
  const names = [];
  await searcher(name => { names.push(name); return readFileSync(name, "utf8"); })(query);
  reads.push(names);
}
console.log(JSON.stringify(reads));
"""


def test_what_begins_inside_of_a_designation_is_not_read(tmp_path):
    titles = [f"DIN EN ISO {number}-{part}:2017" for number in range(1000, 2000) for part in (1, 2)]
    values = {str(number): Value(title, title, number) for number, title in enumerate(titles)}
    facets = [
        Facet("standards", "tests__in", "Normen", values),
        Facet("country", "country", "Land", {"de": Value("Deutschland")}),
        Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
    ]
    files = index_files(facets, [record("00001", standards=list(values))], IndexSettings("/labs/", 100, ""))
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    client = package_files("labgen.search").joinpath("client.js").read_bytes()
    (tmp_path / "client.mjs").write_bytes(client)
    (tmp_path / "reads.mjs").write_text(READS, encoding="utf-8")
    (tmp_path / "queries.json").write_text(
        '["q=EN+ISO+1500-1", "q=1500-1", "q=Probe+ISO+1500-1"]', encoding="utf-8"
    )
    done = subprocess.run(
        [require("node"), "reads.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    leaves = [
        [one for one in names if "/designations/" in one and "/root-" not in one]
        for names in json.loads(done.stdout)
    ]
    words = [any("/words/" in one for one in names) for names in json.loads(done.stdout)]
    assert ([len(some) for some in leaves], words) == ([2, 2, 2], [False, False, True])


def test_synonyms_that_are_edited_are_those_of_a_build_from_nothing(site):
    site.write(laboratories=LABORATORIES, materials=MATERIALS, standards=STANDARDS, synonyms=SYNONYMS).build()
    site.write(synonyms=SYNONYMS[2:]).build()
    warm = site.published()
    assert found(site, "q=Tensile") == []
    shutil.rmtree(site.root / ".labgen")
    shutil.rmtree(site.out)
    site.build()
    assert site.published() == warm


TWO_OF_ONE = [
    [(5, "a", "Fünf"), (12, "a", "Zwölf"), (20, "b", "Zwanzig")],
    [(20, "b", "Zwanzig"), (12, "a", "Zwölf"), (5, "a", "Fünf")],
    [(5, "a", "Fünf"), (12, "a", "Dutzend"), (20, "b", "Zwanzig")],
    [(5, "a", "Fünf"), (12, "c", "Dutzend"), (20, "b", "Zwanzig")],
    [(5, "a", "Fünf"), (12, "b", "Dutzend"), (20, "b", "Zwanzig")],
    [(5, "a", "Fünf"), (12, "a", "Zwölf"), (20, "a", "Zwanzig")],
]
"""Ids, search_vals and titles of standards, one edit after the other."""


def test_a_value_of_two_entries_finds_the_laboratories_of_both_after_any_edit(site):
    own = {"00001": [5], "00002": [12], "00003": [5, 12], "00004": [20]}
    site.write(laboratories=[laboratory(one, standards=some) for one, some in own.items()])
    for rows in TWO_OF_ONE:
        site.write(
            standards=[dict(zip(("id", "search_val", "title"), row, strict=True)) for row in rows]
        ).build()
        for value in {row[1] for row in rows}:
            ids = {row[0] for row in rows if row[1] == value}
            having = [one for one, some in own.items() if ids & {*some}]
            assert found(site, f"tests__in={value}") == having
            (facet,) = Search(folder_reader(site.out))("facets=standards").document["facets"]
            assert {one["search_val"]: one["count"] for one in facet["items"]}[value] == len(having)
            page = (site.out / f"suche/standards/{value}/index.html").read_text(encoding="utf-8")
            assert [one for one in own if f"Labor {one}" in page or f"/{one}/" in page] == having
        warm = site.published()
        shutil.rmtree(site.root / ".labgen")
        shutil.rmtree(site.out)
        site.build()
        assert site.published() == warm


NAMES = ["Älpha", "Alpha", "alpha", "Anton", "Zeta", "ÖKO-Institut", "Oko Institut", "1a Labor", "Alpha"]


@pytest.mark.parametrize("seed", range(4) if EXHAUSTIVE else [0])
def test_after_edits_the_orders_are_those_of_a_whole_build(site, seed):
    rng = random.Random(seed)
    laboratories = {f"{number:05}": rng.choice(NAMES[:-1]) + f" {number}" for number in range(1, 40, 3)}
    for _ in range(12):
        some = rng.choice([*laboratories, f"{rng.randrange(40):05}"])
        laboratories[some] = rng.choice([*NAMES, f"Alpha {rng.random()}", *laboratories.values()])
        if rng.random() < 0.2:
            del laboratories[rng.choice([*laboratories])]
        site.write(laboratories=[laboratory(key, name=name) for key, name in laboratories.items()])
        assert site.build(are_removals_allowed=True).written
        warm = orders(site.out)
        site.build(is_whole=True)
        assert warm == orders(site.out)


def orders(out: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in (out / "search/files/orders").iterdir()}


CERTIFICATES = {
    "nuclear": "ISO 19443:2018 Anwendung von ISO 9001:2015 in der Kerntechnik",
    "whole": "DIN EN ISO 9001:2015 Qualitätsmanagement",
    "rail": "ISO 22163 auf der Grundlage von ISO 9001 für Bahnen",
}


@pytest.mark.parametrize("page_size", [2, 100])
def test_an_entry_that_begins_with_a_designation_is_before_one_that_mentions_it(tmp_path, page_size):
    facets = [
        Facet("standards", "tests__in", "Normen", {key: Value(title, title, number)
              for number, (key, title) in enumerate(CERTIFICATES.items())}),
        Facet("country", "country", "Land", {"de": Value("Deutschland")}),
        Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
    ]  # fmt: skip
    laboratories = [
        record("00001", standards=["nuclear"], is_verified=True),
        record("00002", standards=["rail"]),
        record("00003", standards=["whole"]),
        record("00004", standards=["whole"], is_verified=True),
    ]
    files = index_files(facets, laboratories, IndexSettings("/labs/", page_size, "Ungültige Seite."))
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    queries = ["q=ISO+9001&matches=true", "q=ISO+9001&page=2", "q=9001"]
    answers = [Search(files.get)(query) for query in queries]
    assert [one["display_id"] for one in answers[0].document["results"]][:2] == ["00004", "00003"]
    assert [(one.status, one.body().decode()) for one in answers] == answers_of_client_js(tmp_path, queries)


def written(folder: Path, facets: list[Facet], laboratories: list[Any]) -> dict[str, bytes]:
    """Write an index into a folder, and return its files."""
    files: dict[str, bytes] = index_files(
        facets, laboratories, IndexSettings("/labs/", 20, "Ungültige Seite.")
    )
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return files


OWN_FACETS = [
    Facet("country", "country", "Land", {"de": Value("Deutschland")}),
    Facet("is_verified", "is_verified", "Verifiziert", {"true": Value("ja"), "false": Value("nein")}),
]


def test_entries_count_for_the_order_when_one_of_their_words_is_common(tmp_path, monkeypatch):
    monkeypatch.setattr("labgen.search_index.contents.ALWAYS_NARROW", 1)
    titles = ["Zug", "Zugversuch nach Anlage", "Zugprüfung", "Zugkraft", "Zugspannung", "Zugfestigkeit"]
    methods = {str(number): Value(title, title, number) for number, title in enumerate(titles, 1)}
    facets = [Facet("methods", "tests__in", "Verfahren", methods), *OWN_FACETS]
    others = [record(f"{number:05}", methods=[str(number - 2)]) for number in range(4, 8)]
    laboratories = [
        record("00001", "Köln"),
        record("00002", "Köln", methods=["2"]),
        record("00003", methods=["1"]),
        *others,
    ]
    files = written(tmp_path, facets, laboratories)
    answer = Search(files.get)("q=köln+zug")
    assert answer.document["ignored"] == ["zug"]
    assert [one["display_id"] for one in answer.document["results"]] == ["00002", "00001"]
    assert [(answer.status, answer.body().decode())] == answers_of_client_js(tmp_path, ["q=köln+zug"])


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Grade A", 0),
        ("Norm X", 0),
        ("Section der", 0),
        ("Grade Grade S235", 1),
        ("6060-10T3", 1),
        ("6060-103", 0),
    ],
)
def test_words_of_kinds_alone_find_nothing_and_clients_read_parts_alike(tmp_path, query, found):
    laboratories = [
        record("00001", "Stahl S235"),
        record("00002", "Profil 6060-10T3"),
        record("00003", "Holz"),
    ]
    files = written(tmp_path, OWN_FACETS, laboratories)
    asked = f"q={quote_plus(query)}"
    answer = Search(files.get)(asked)
    assert answer.document["count"] == found
    assert len(answer.document.get("ignored", [])) <= 1
    assert [(answer.status, answer.body().decode())] == answers_of_client_js(tmp_path, [asked])
