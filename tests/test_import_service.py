"""`labgen import https://…` makes a project of a running service, proves it, and says what could not be taken over."""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import copy_of_sample, picture
from services import (
    COUNTRY,
    LABORATORIES,
    UPGRADES,
    Service,
    card,
    codes,
    detail,
    laboratory,
    listing,
    material,
    section,
)
from stand_ins import Answer, Asked, serving

from labgen.cli import main
from labgen.fetch.ask import seconds_to_wait
from labgen.importing.service.convert_records import decode_contact
from labgen.importing.service.find_laboratories import ids_of_range, read_ids
from labgen.output.errors import OutputError
from labgen.pipeline.build import build, check
from labgen.serve.answer import Site

JSON = {"Content-Type": "application/json"}


@contextmanager
def address_of(service: Any) -> Iterator[str]:
    with serving(service) as port:
        yield f"http://127.0.0.1:{port}"


def import_from(address: str, folder: Path, *options: str) -> Result:
    result = CliRunner().invoke(main, ["import", address, str(folder), "--rate", "0", *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def imported(service: Service, folder: Path, *options: str) -> Result:
    """Import a service, and return what was said."""
    with address_of(service) as address:
        return import_from(address, folder, *options)


def record(folder: Path, display_id: str) -> Any:
    return json.loads((folder / f"data/laboratories/{display_id}.json").read_text(encoding="utf-8"))


# A site of labgen's own.


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample, and a service that serves it."""
    root = copy_of_sample(tmp_path_factory.mktemp("sample"))
    assert not build(root, root / "out").errors
    site = Site(root / "out", "")

    def host(asked):
        answer = site.answer(asked.method, asked.path, dict(asked.fields))
        return Answer(answer.status, dict(answer.fields), answer.body)

    return root, host


@pytest.fixture(scope="module")
def again(sample, tmp_path_factory):
    """What was imported from it, and what was said."""
    folder = tmp_path_factory.mktemp("imported")
    with address_of(sample[1]) as address:
        return folder, import_from(address, folder)


def test_all_documents_of_a_site_are_identical_byte_for_byte(again):
    result = again[1]
    first, second = result.stdout.splitlines()[-2:]
    count, _, total = first.removesuffix(" documents identical, byte for byte").partition(" of ")
    assert (count == total, int(total) > 400, result.exit_code) == (True, True, 0)
    assert second.startswith("28 laboratories of the list written to ")


def test_the_imported_project_is_sound_and_tidy(again, sample):
    folder = again[0]
    assert not check(folder).errors
    settings = tomllib.loads((folder / "data/site.toml").read_text(encoding="utf-8"))
    assert settings["limits"]["page_size"] == 10
    assert settings["deal_statuses"] == {"premium": "Premium", "basic": "Basis", "free": "Kostenlos"}
    assert "base_path" not in settings
    was = json.loads((sample[0] / "data/laboratories/00117.json").read_text(encoding="utf-8"))
    assert record(folder, "00117")["contact_person"]["email"] == was["contact_person"]["email"]


def test_computed_lists_of_similar_laboratories_stay_computed(again, sample):
    written = {
        path.name
        for path in (again[0] / "data/laboratories").iterdir()
        if "similar_labs" in json.loads(path.read_text(encoding="utf-8"))
    }
    was = {
        path.name
        for path in (sample[0] / "data/laboratories").iterdir()
        if "similar_labs" in json.loads(path.read_text(encoding="utf-8"))
    }
    assert written <= was


def test_pictures_are_served_where_they_were(again, sample, tmp_path):
    build(again[0], tmp_path / "out")
    gallery = json.loads(
        (tmp_path / "out/api/v1/laboratory/laboratories/00117/gallery/index.json").read_bytes()
    )
    picture = gallery[0]["large_url"].lstrip("/")
    assert (tmp_path / "out" / picture).read_bytes() == (sample[0] / "out" / picture).read_bytes()


# A service of another make.

STEEL, OAK = material(12, "Stahl"), material(3, "Eiche")
PAIR = [
    listing("00001", "2"),
    laboratory("00001", {"materials": section("materials", OAK, STEEL)}),
    laboratory("2"),
    UPGRADES,
]


def test_a_service_of_another_make_is_taken_over_with_its_pictures(tmp_path):
    result = imported(Service(*PAIR), tmp_path)
    assert "18 of 18 documents identical" in result.stdout
    assert result.exit_code == 0
    found = record(tmp_path, "00001")
    assert found["logo"] == "/media/cache/logo-00001-100.png /media/cache/logo-00001-200.png"
    assert found["contact_person"]["email"] == "eva@labor-00001.example"
    assert (tmp_path / "data/media/published/cache/logo-2-200.png").read_bytes().startswith(b"\x89PNG")
    assert tomllib.loads((tmp_path / "data/site.toml").read_text())["stats"]["projects"]["value"] == "viele"


def test_pictures_can_be_taken_as_originals(tmp_path):
    service = Service(*PAIR)
    for one in ("00001", "2"):
        service.answers[f"/media/cache/logo-{one}-200.png"] = Answer(
            200, {"Content-Type": "image/png"}, picture(size=(200, 160))
        )
    result = imported(service, tmp_path, "--pictures", "originals")
    assert "2 x pictures have other addresses" in result.stdout
    assert "no reason is known" not in result.stdout
    assert record(tmp_path, "00001")["logo"] == "00001/logo.png"
    assert not check(tmp_path).errors


def test_originals_lie_in_the_folder_of_the_laboratory_whatever_its_document_says(tmp_path):
    service = Service(*PAIR)
    service.documents[f"{LABORATORIES}2/"] = detail("2") | {"display_id": "../../../../x"}
    service.answers["/media/cache/logo-2-200.png"] = Answer(
        200, {"Content-Type": "image/png"}, picture(size=(200, 160))
    )
    imported(service, tmp_path / "a/b/project", "--pictures", "originals")
    assert sorted(path.name for path in tmp_path.rglob("*.png")) == ["logo.png", "logo.png"]
    assert (tmp_path / "a/b/project/data/media/2/logo.png").exists()


def test_what_was_fetched_is_asked_for_once_and_the_second_time_only_if_it_changed(tmp_path):
    service = Service(*PAIR)
    broken = f"{LABORATORIES}2/standards/"
    service.answers[broken] = Answer(500, JSON, b"{}")
    first = imported(service, tmp_path)
    assert (first.exit_code, "could not be fetched" in first.stderr, (tmp_path / "data").exists()) == (
        1,
        True,
        False,
    )
    del service.answers[broken]
    service.asked.clear()
    # The address is another port each time: what was fetched belongs to an address.
    with address_of(service) as address:
        service.answers[broken] = Answer(500, JSON, b"{}")
        import_from(address, tmp_path)
        del service.answers[broken]
        service.asked.clear()
        assert import_from(address, tmp_path).exit_code == 0
        assert [one.path for one in service.asked if one.path.startswith("/api/")] == [broken]
        (tmp_path / "data").rename(tmp_path / "old")
        service.documents[broken] = section("standards", limit=9)
        service.asked.clear()
        assert "identical" in import_from(address, tmp_path).stdout
        conditional = [one for one in service.asked if "if-none-match" in one.fields]
        assert len(conditional) >= 18


@pytest.mark.parametrize(
    "options", [("--range", "00001-00009"), ("--ids", "ids.csv"), ("--ids", "one.txt", "--follow")]
)
def test_without_a_list_ids_come_from_a_range_a_file_or_similar_laboratories(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    Path("ids.csv").write_text("display_id;name\n00001;Alpha\n00007;Beta\n# more\n", encoding="utf-8-sig")
    Path("one.txt").write_text("00001\n")
    service = Service(laboratory("00001", {"similar_labs": [card("00007")]}), laboratory("00007"), UPGRADES)
    result = imported(service, tmp_path / "new", *options)
    assert result.exit_code == 0, result.output
    assert sorted(path.stem for path in (tmp_path / "new/data/laboratories").iterdir()) == ["00001", "00007"]
    assert "17 of 17 documents identical" in result.stdout


def test_pages_of_another_make_and_openapi_json_name_laboratories(tmp_path):
    first = {
        LABORATORIES: {
            "count": 2,
            "next": f"http://127.0.0.1:1{LABORATORIES}?page=2",
            "results": [card("00001")],
        }
    }
    second = {f"{LABORATORIES}?page=2": {"count": 2, "next": None, "results": [card("2")]}}
    assert "2 laboratories of the list" in imported(Service(first, second, *PAIR[1:]), tmp_path / "a").stdout
    openapi = {
        "/openapi.json": {
            "info": {"title": "Labore"},
            "components": {"parameters": {"id": {"name": "display_id", "schema": {"enum": ["00001", "2"]}}}},
        }
    }
    assert "2 laboratories of openapi.json" in imported(Service(openapi, *PAIR[1:]), tmp_path / "b").stdout
    assert 'name = "Labore"' in (tmp_path / "b/data/site.toml").read_text()


# What cannot be taken over as it is.

PROJECTS = {"key": "completed", "value": "viele", "value_level": "gray", "label": "Projekte"}
METHOD = {"id": 5, "search_val": "m5", "title": "Zug", "summary": "", "price": None}
CERTIFICATE = {
    "id": 1,
    "search_val": "17025",
    "title": "Prüflabor",
    "accreditation_body": "DAkkS",
    "standard": "EN 17025",
    "number": "D-1",
}

ODD: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    # in the report, sections, fields, why documents differ ("" where they do not)
    ("entries that the service does not show (`hidden_count`): they are not there", {"materials": section("materials", STEEL, hidden_count=4)}, {}, "the service hides entries"),
    ("one id has two texts", {"materials": section("materials", material(12, "Eisen"))}, {}, "one id has two texts"),
    ("laboratories have different limits", {"materials": section("materials", STEEL, limit=20)}, {}, "a section has two heads"),
    ("a status has two titles", {}, {"deal_status": {"id": "premium", "title": "Gold"}}, "a status has two titles"),
    ("a price that is not null", {"test_methods": section("test_methods", METHOD | {"price": "3.00"})}, {}, "a price is not null"),
    ("a field that the specification does not have", {}, {"fax": "1"}, "the service has fields that the specification does not have"),
    ("an entry has a field that the specification does not have", {"materials": section("materials", material(12, "Stahl", color="x"))}, {}, "the service has fields that the specification does not have"),
    ("a second statistic", {}, {"stats": {"projects": PROJECTS, "tests": PROJECTS}}, "a second statistic"),
    ("a `search_val` that is not the id as text", {"materials": section("materials", STEEL | {"search_val": "st"})}, {}, "one id has two texts"),
    ("the address of its page has another form: it is made of its name now", {}, {"url": "/labore/x?id=3"}, "addresses of pages have another form"),
    ("the address of its page is absolute", {}, {"url": "https://a.example/labor/00003/labor-00003/"}, "addresses of pages have another form"),
    ("a country has two forms", {}, {"country": COUNTRY | {"slug": "", "link": None}}, "a country has two forms"),
    ("a website without https:// or http://: https:// was put before it", {}, {"website": "www.a.example"}, "a website without https:// or http://"),
    ("`locality` holds line breaks or control characters: they became spaces", {}, {"locality": "Köln\r\nBonn"}, "`locality` holds line breaks or control characters"),
    ("`about` would publish", {}, {"about": "eva@labor-00003.example", "contact_person": detail("00003")["contact_person"]}, "`about` would publish"),
    ("the same entry twice: it stands there once now", {"materials": section("materials", STEEL, STEEL)}, {}, "entries could not be taken over"),
    ("`rating` is null or missing: it has its default now", {}, {"rating": None}, "`rating` is null or missing"),
    ("`stats` is null or missing: it has its default now", {}, {"stats": None}, "`stats` is null or missing"),
    ("`contact_person` is null or missing: it has its default now", {}, {"contact_person": None}, "`contact_person` is null or missing"),
    ("a similar laboratory that is not imported", {"similar_labs": [card("00099")]}, {}, "entries could not be taken over"),
    ("a section is not there for some (404)", {"certifications": None}, {}, ""),
    ("the code of a country is in capitals", {}, {"country": COUNTRY | {"iso_code": "DE"}}, "the code of a country is in capitals"),
    ("no list of character codes", {}, {"contact_person": detail("00003")["contact_person"] | {"encoded_phone": "a,b"}}, "no list of character codes"),
    ("a picture that does not lie below /media/", {"gallery": [{"preview_url": "/up/a.jpg", "large_url": "https://b.example/a.jpg"}]}, {}, "pictures have other addresses"),
    ("an entry has no id that is a number", {"materials": section("materials", STEEL | {"id": "12"})}, {}, "entries could not be taken over"),
    ("a section has no list of entries", {"materials": section("materials") | {"items": "none"}}, {}, "a section had no list of entries"),
    ("a certificate without search_val", {"accreditations": section("accreditations", CERTIFICATE | {"standard": None})}, {}, "entries could not be taken over"),
    ("a document says that it is another laboratory's", {"": detail("00004")}, {}, "a document says that it is another laboratory's"),
]  # fmt: skip


def odd_id(number: int) -> str:
    return f"{number + 100:05}"


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A service with a laboratory for each of the odd cases, and some usual ones: what was made of it, and said."""
    folder = tmp_path_factory.mktemp("odd")
    usual = [f"{number:05}" for number in range(1, 4)]
    others = [odd_id(number) for number in range(len(ODD))]
    steel = {"materials": section("materials", STEEL)}
    service = Service(
        listing(*usual, *others),
        *(laboratory(one, steel) for one in usual),
        *(
            laboratory(one, sections, **fields)
            for one, (_, sections, fields, _) in zip(others, ODD, strict=True)
        ),
        UPGRADES,
    )
    result = imported(service, folder, "--all")
    blocks = {
        head: places.split()
        for head, places in re.findall(r"^\d+ x (.+)\n((?:    .+\n?)+)", result.stdout, re.MULTILINE)
    }
    return folder, result, blocks


@pytest.mark.parametrize("number", range(len(ODD)), ids=[one[0] for one in ODD])
def test_what_is_odd_is_said_with_what_was_done_and_why_documents_differ(odd, number):
    said, _, _, reason = ODD[number]
    blocks = odd[2]
    own = odd_id(number)
    assert [
        head
        for head, places in blocks.items()
        if head.startswith(said) and any(SHARED.get(said, own) in one for one in places)
    ]
    differ = [
        head
        for head, places in blocks.items()
        if any(one.startswith(f"{LABORATORIES}{own}/") for one in places)
    ]
    assert any(head.startswith(reason) for head in differ) if reason else differ == []


SHARED = {
    "one id has two texts": "12",
    "a status has two titles": "premium",
    "a country has two forms": "de",
    "laboratories have different limits": "materials",
    "a section is not there for some (404)": "certifications:",
}
"""Where it is said of what laboratories share."""


def test_an_odd_service_becomes_a_sound_project_and_every_difference_has_a_reason(odd):
    folder, result, blocks = odd
    assert not check(folder).errors
    assert "no reason is known" not in blocks
    assert result.exit_code == 0
    assert "eva@" in record(folder, odd_id([one[0] for one in ODD].index("`about` would publish")))["_note"]


# A host that is broken, or that means harm.


def answering(answer: Answer) -> Service:
    service = Service(*PAIR)
    service.answers[LABORATORIES] = answer
    return service


def page(**fields: Any) -> Answer:
    return Answer(
        200, JSON, json.dumps({"count": 1, "next": None, "results": [card("00001")], **fields}).encode()
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(200, {"Content-Type": "text/html"}, b"<html>"), "the answer is HTML"),
        (Answer(302, {"Location": "http://169.254.169.254/x"}), "sends to http://169.254.169.254/x, which is not followed"),
        (Answer(200, JSON, b"[" * 100_000), "the answer is no JSON"),
        (Answer(200, JSON, b'{"results": {}}'), "is no list of laboratories"),
        (Answer(200, JSON, b"{}"), "is no list of laboratories"),
        (Answer(401, JSON, b"{}"), "sends a password"),
        (page(next="https://elsewhere.example/api/v1/laboratory/laboratories/?page=2"), "which is not this list"),
        (page(next="/api/v1/laboratory/laboratories/../../../admin/"), "which is not this list"),
        (page(next="file:///etc/passwd"), "which is not this list"),
        (page(next=LABORATORIES), "the list comes back to"),
        (page(results=[card("../../x")]), "names no laboratory"),
        (page(results=["x"]), "names no laboratory"),
        (page(results=[card("00009")]), "not one laboratory of the list is there"),
        (Answer(200, JSON | {"Content-Encoding": "gzip"}, b"x"), "compressed, though nobody asked"),
        (Answer(503, {"Retry-After": "86400"}), "asks to wait 86,400 seconds"),
    ],
)  # fmt: skip
def test_a_host_that_is_broken_or_means_harm_is_refused_in_a_sentence(tmp_path, answer, said):
    result = imported(answering(answer), tmp_path / "new")
    assert said in result.stderr
    assert (result.exit_code, (tmp_path / "new/data").exists()) == (1, False)


class Endless(Service):
    """Answers with a list that names the same laboratories on each page, and always a next one."""

    def __call__(self, asked: Asked) -> Answer:
        if asked.path != LABORATORIES:
            return super().__call__(asked)
        number = int(asked.query.rpartition("=")[2] or 1)
        return page(next=f"{LABORATORIES}?page={number + 1}", results=[card("00001")])


def test_a_list_without_an_end_stops_where_nothing_new_comes(tmp_path):
    service = Endless(*PAIR)
    result = imported(service, tmp_path / "new")
    assert "the list goes on, but its last 5 pages name nothing new" in result.stdout
    assert {file.stem for file in (tmp_path / "new/data/laboratories").iterdir()} == {"00001"}
    assert sum(asked.path == LABORATORIES for asked in service.asked) < 15


class Outage(Service):
    """Answers 503 from one request on, until another one."""

    first, last = 10, 10**9

    def __call__(self, asked: Asked) -> Answer:
        answer = super().__call__(asked)
        return Answer(503, JSON, b"{}") if self.first <= len(self.asked) < self.last else answer


@pytest.fixture
def soon(monkeypatch):
    """Pauses that take no time."""
    monkeypatch.setattr("labgen.fetch.ask.STEP", 0)
    monkeypatch.setattr("labgen.cli.import_service_command.PAUSES", (0.0,) * 4)


@pytest.mark.usefixtures("soon")
def test_a_short_outage_is_waited_for(tmp_path):
    service = Outage(*PAIR)
    service.last = 16
    result = imported(service, tmp_path, "--connections", "1")
    assert result.stderr.count("note: the host answers 503: labgen asks again in 0 s") == 3
    assert ("identical" in result.stdout, result.exit_code) == (True, 0)


@pytest.mark.usefixtures("soon")
def test_a_long_outage_ends_the_import_which_goes_on_by_the_same_command(tmp_path):
    service = Outage(*PAIR)
    with address_of(service) as address:
        result = import_from(address, tmp_path, "--connections", "1")
        assert result.stderr.count("labgen asks again in 0 s") == 4
        assert "the import stopped: the host answers 503" in result.stderr
        assert "run the same command again" in result.stderr
        assert (result.exit_code, len(service.asked)) == (1, 17)
        service.last = 0
        assert import_from(address, tmp_path).exit_code == 0


@pytest.mark.usefixtures("soon")
def test_a_document_that_never_answers_is_no_outage(tmp_path):
    service = Service(*PAIR)
    service.answers[f"{LABORATORIES}2/standards/"] = Answer(503, JSON, b"{}")
    result = imported(service, tmp_path)
    assert ("asks again" in result.stderr, "1 document could not be fetched" in result.stderr) == (
        False,
        True,
    )


def test_a_host_that_is_not_there_is_named(tmp_path):
    result = import_from("https://labor-müller.invalid", tmp_path)
    name = "xn--labor-mller-zhb.invalid"
    assert f"nobody answers at https://{name}: the name {name} cannot be resolved" in result.stderr
    result = import_from("http://127.0.0.1:9", tmp_path)
    assert "nobody answers at http://127.0.0.1:9: the connection is refused" in result.stderr


def test_documents_with_invalid_addresses_are_imported(tmp_path):
    openapi = {"/openapi.json": {"info": {"title": "x"}, "servers": [{"url": "http://["}]}}
    result = imported(Service(*PAIR, openapi), tmp_path)
    assert "base_url" not in (tmp_path / "data/site.toml").read_text(), result.output


def test_ids_that_are_no_ids_are_left_out_and_said(tmp_path):
    result = imported(
        answering(page(count=3, results=[card("00001"), card("../x"), card("1; rm")])), tmp_path
    )
    assert "2 x the list names what is no display_id: it was left out" in result.stdout
    assert [path.name for path in (tmp_path / "data/laboratories").iterdir()] == ["00001.json"]


def test_a_body_without_end_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("labgen.fetch.client.MAX_BODY", 10_000)
    result = imported(answering(Answer(200, JSON, b" " * 20_000)), tmp_path)
    assert ("the body is larger than 10,000 bytes" in result.stderr, result.exit_code) == (True, 1)


def test_a_folder_that_holds_data_is_left_alone(tmp_path):
    (tmp_path / "data").mkdir()
    assert "already holds data/" in imported(Service(*PAIR), tmp_path).stderr


@pytest.mark.parametrize(
    "address", ["https://", "http://a.example/?x=1", "http://a b.example", "http://a.example:99999"]
)
def test_what_is_no_address_is_refused(tmp_path, address):
    assert import_from(address, tmp_path).exit_code == 2


# Parts.


def test_character_codes_are_decoded_and_others_are_none():
    assert decode_contact(codes("ä@b.example, 🧪")) == "ä@b.example, 🧪"
    assert decode_contact("") == ""
    assert [decode_contact(one) for one in ("97,", "a", "55296", "1114112", None, 97)] == [None] * 6


def test_ranges_and_files_of_ids_are_read_strictly(tmp_path):
    assert ids_of_range("008-011").display_ids == ("008", "009", "010", "011")
    for text in ("5-1", "1-9999999", "a-b", "1", "-1-2"):
        with pytest.raises(OutputError):
            ids_of_range(text)
    (tmp_path / "ids").write_text("id\n1\n../x\n")
    with pytest.raises(OutputError, match="line 3"):
        read_ids(tmp_path / "ids")


def test_a_host_may_ask_to_wait_until_a_date():
    fields = {"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}
    assert seconds_to_wait(fields) == 30
    assert [seconds_to_wait({"retry-after": one}) for one in ("7", "soon", "", "-1", "²")] == [7, 0, 0, 0, 0]


# What changed on a live host.


def test_a_live_host_is_compared_with_a_folder_or_a_project(sample, tmp_path):
    root, host = sample
    with address_of(host) as address:
        same = CliRunner().invoke(main, ["diff", address, str(root / "out")])
        other = Service(*PAIR)
    assert (same.stdout, same.exit_code) == ("nothing would change\n", 0)
    imported(other, tmp_path)
    other.documents[f"{LABORATORIES}2/materials/"] = section("materials", STEEL)
    with address_of(other) as address:
        changed = CliRunner().invoke(main, ["diff", "-C", str(tmp_path), address, "--fail-on", "any"])
    assert ("2: 1 material removed" in changed.stdout, changed.exit_code) == (True, 3)


def test_a_live_host_without_a_list_is_asked_for_the_laboratories_of_the_other_side(tmp_path):
    imported(Service(*PAIR), tmp_path)
    with address_of(Service(PAIR[1], UPGRADES)) as address:
        result = CliRunner().invoke(main, ["diff", str(tmp_path), address])
    assert "breaking: 2: removed" in result.stdout
