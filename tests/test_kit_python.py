"""The client in Python: what it reads, what it refuses, and that it needs nothing of what builds need."""

import json
import re
import sqlite3
import subprocess
import sys
import typing
from typing import Any

import pytest
from conftest import ALPHA, BETA, MATERIALS, SITE, Project, laboratory
from generated import CLIENT_TYPES, client_types
from servers import free_port
from test_kit import ALL, built, document, hosting  # noqa: F401 - a fixture

from labgen.client import Directory, DirectoryError, decode, documents


@pytest.fixture
def labs(built: Project) -> Any:  # noqa: F811
    with hosting(built) as (address, _), Directory(address) as labs:
        yield labs


def test_the_list_is_read_page_by_page_as_far_as_a_program_goes(built):  # noqa: F811
    with hosting(built) as (address, host), Directory(address) as labs:
        assert next(labs.laboratories())["name"] == "Alpha"
        assert host.asked == [f"/labore{ALL}"]
        every = [*document(built, ALL)["results"], *document(built, f"{ALL}page/2/")["results"]]
        assert [*labs.laboratories()] == every


def test_a_laboratory_is_read_with_all_its_sections_under_their_names(built, labs):  # noqa: F811
    whole: dict[str, Any] = labs.all("00001")
    folder = built.out / ALL.strip("/") / "00001"
    assert set(labs.sections()) == {one.parent.name for one in folder.glob("*/index.json")}
    assert [*whole] == ["laboratory", *labs.sections()]
    assert whole.pop("laboratory") == labs.laboratory("00001") == document(built, f"{ALL}00001/")
    assert whole == {name: document(built, f"{ALL}00001/{name}/") for name in whole}
    assert labs.section("00001", "materials") == whole["materials"]
    assert labs.upgrade_options() == document(built, "/api/v1/laboratory/upgrade-options/")


def test_a_laboratory_with_all_its_sections_is_one_request(built):  # noqa: F811
    with hosting(built) as (address, host), Directory(address) as labs:
        assert [labs.all(one) for one in ("00001", "00002")] == [
            document(built, f"directory/v1/laboratories/{one}/") for one in ("00001", "00002")
        ]
    assert host.asked == [
        "/labore/openapi.json",
        *(f"/labore/directory/v1/laboratories/{one}/" for one in ("00001", "00002")),
    ]


def test_words_that_are_given_as_a_query_are_refused_with_what_they_should_be(labs):
    for words in ("stahl", "stahl 1.4301"):
        with pytest.raises(
            ValueError, match=re.escape(f'"{words}" has no parameter; words are {{"q": "{words}"}}')
        ):
            labs.search(words)
    counts = [labs.search(one)["count"] for one in ("?q=stahl", "https://a.example/search/", "", "q=stahl")]
    assert counts == [1, 2, 2, 1]


def test_contacts_and_pictures_are_as_a_page_needs_them(labs):
    record = labs.laboratory("00001")
    assert decode(record["contact_person"]["encoded_email"]) == "eva@a.example"
    assert (decode(""), decode("128512")) == ("", "😀")
    logo, logo2x = labs.url(record["logo_url"]), labs.url(record["logo2x_url"])
    assert logo.startswith("http://127.0.0.1")
    assert labs.srcset(record) == f"{logo} 1x, {logo2x} 2x"
    picture = {"preview_url": "https://m.example/a.webp", "large_url": "https://m.example/b.webp"}
    assert labs.srcset(picture) == "https://m.example/a.webp 160w, https://m.example/b.webp 1600w"


def test_ids_of_a_search_are_looked_up_and_searched_for(labs):
    title = next(one["title"] for one in MATERIALS if one["id"] == 12)
    assert labs.catalogue("materials") == [
        {"id": 12, "search_val": "12", "title": title, "summary": "", "count": 1}
    ]
    found = labs.search({"materials__in": ["12", 999], "facets": "country", "is_verified": False})
    assert (found["count"], found["results"][0]["name"], found["facets"][0]["name"]) == (
        1,
        "Alpha",
        "country",
    )
    assert labs.search("q=beta")["count"] == 1


def test_entries_are_suggested_while_one_types(labs):
    (one,) = labs.suggest("alpha stah", {"country": "de"}, only="materials")
    assert (one["search_val"], one["marked"], one["count"], one["rest"]) == (
        "12",
        ["", "Stah", "l"],
        1,
        "alpha",
    )
    assert labs.suggest("stah", only="country") == []


def test_what_is_no_document_is_an_error_with_its_status_and_its_reason(labs):
    for task, detail in (
        (lambda: labs.laboratory("404"), "Nicht gefunden."),
        (lambda: labs.search("page=9"), "Ungültige Seite."),
        (lambda: labs.catalogue("nothing"), "Nicht gefunden."),
    ):
        with pytest.raises(DirectoryError) as raised:
            task()
        assert (raised.value.status, raised.value.detail) == (404, detail)
        assert raised.value.url.startswith("http://127.0.0.1")
    with pytest.raises(DirectoryError) as raised:
        labs.search("is_verified=perhaps")
    assert (raised.value.status, raised.value.detail) == (
        400,
        "is_verified: „perhaps“ ist kein gültiger Wert.",
    )
    for wrong in (lambda: labs.laboratory(1), lambda: labs.laboratory("../1"), lambda: labs.section("1", "")):
        with pytest.raises(ValueError, match=" is not "):
            wrong()


def test_a_site_without_a_search_is_named_as_such(site):
    site.file("data/site.toml", (site.root / "data/site.toml").read_text() + "[search]\nenabled = false\n")
    site.build()
    from browsers import serving

    with serving(site.out) as address, Directory(address, document="index.json") as labs:
        assert [one["name"] for one in labs.laboratories()] == ["Alpha", "Beta"]
        with pytest.raises(DirectoryError, match="the site has no search index"):
            labs.search("q=alpha")


def test_a_name_of_no_catalogue_is_named_as_such_where_the_search_has_them(site):
    site.file("data/site.toml", f'directory_path = ""\n{(site.root / "data/site.toml").read_text()}').build()
    from browsers import serving

    with serving(site.out) as address, Directory(address, document="index.json") as labs:
        with pytest.raises(DirectoryError, match='the site has no catalogue "nothing"') as raised:
            labs.catalogue("nothing")
        assert raised.value.status == 404


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_host_that_fails_is_asked_again_and_not_for_ever(built, status):  # noqa: F811
    with hosting(built, failures=2, status=status) as (address, host):
        with Directory(address, wait=0.001) as labs:
            assert labs.laboratory("00001")["name"] == "Alpha"
            assert labs.search("q=alpha")["count"] == 1
        with Directory(address, attempts=2, wait=0.001) as labs, pytest.raises(DirectoryError) as raised:
            labs.laboratory("00002")
        assert raised.value.status == status
        assert host.asked.count(f"/labore{ALL}00002/") == 2


def test_a_host_that_is_not_there_is_the_error_of_the_system():
    with Directory(f"http://127.0.0.1:{free_port()}", wait=0.001) as labs, pytest.raises(ConnectionError):
        labs.laboratory("1")


ALONE = """
import json, sys
for name in ("click", "jinja2", "markupsafe", "orjson", "pydantic", "typing_extensions", "httpx"):
    sys.modules[name] = None
from labgen.client import Directory, decode
with Directory(sys.argv[1]) as labs:
    names = [one["name"] for one in labs.laboratories()]
    print(json.dumps([names, labs.search("q=beta")["count"], len(labs.all("00001")["materials"]["items"])]))
print(sorted({name.split(".")[1] for name in sys.modules if name.startswith("labgen.")}))
"""


def test_it_needs_nothing_but_the_standard_library_and_the_search(built):  # noqa: F811
    with hosting(built) as (address, _):
        done = subprocess.run(
            [sys.executable, "-c", ALONE, address], capture_output=True, text=True, check=False
        )
    assert (done.stderr, done.returncode) == ("", 0)
    found, packages = done.stdout.splitlines()
    assert json.loads(found) == [["Alpha", "Beta"], 1, 1]
    assert packages == "['client', 'search']"


def test_its_types_are_those_of_the_documents():
    assert CLIENT_TYPES.read_text(encoding="utf-8") == client_types(), "run `make docs`"
    for name, kind in vars(documents).items():
        if typing.is_typeddict(kind):
            assert typing.get_type_hints(kind), name


def test_its_types_refuse_slips(tmp_path):
    (tmp_path / "use.py").write_text(
        "from labgen.client import Directory\n"
        'labs = Directory("https://labs.example")\n'
        'reveal_type(labs.section("1", "materials")["items"][0]["title"])\n'
        'labs.section("1", "materails")\n'
        'labs.laboratory("1")["nam"]\n'
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "use.py:" in line]
    assert 'Revealed type is "builtins.str"' in lines[0] or 'Revealed type is "str"' in lines[0]
    assert {line.split(":")[1] for line in lines if ": error:" in line} == {"4", "5"}, done.stdout


def test_a_copy_is_kept_current_with_at_most_five_requests(site, tmp_path):
    guide = (CLIENT_TYPES.parents[2] / "docs/guides/clients.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- tested: copy -->\n\n```python\n(.*?)```", guide, re.DOTALL)
    site.file("data/site.toml", f"hosts = ['nginx']\nbase_path = '/labore'\n{SITE}")

    def runs() -> tuple[str, int]:
        with hosting(site) as (address, host):
            command = [sys.executable, "-c", code, address]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
            table = dict(
                sqlite3.connect(tmp_path / "laboratories.sqlite").execute("SELECT * FROM laboratory")
            )
            folder = site.out / "directory/v1/laboratories"
            assert {one: json.loads(text) for one, text in table.items()} == {
                one.parent.name: json.loads(one.read_bytes()) for one in folder.glob("*/index.json")
            }
            return done.stdout.strip(), len(host.asked)

    site.write(laboratories=[ALPHA, BETA, laboratory("00003")]).build()
    assert runs() == ("3 new or changed, 0 gone", 6)
    assert runs() == ("0 new or changed, 0 gone", 2)
    site.write(laboratories=[ALPHA | {"about": "neu"}, BETA, laboratory("00003")]).build()
    assert runs() == ("1 new or changed, 0 gone", 4)
    site.write(laboratories=[ALPHA | {"about": "neu"}, BETA]).build(are_removals_allowed=True)
    assert runs() == ("0 new or changed, 1 gone", 3)
