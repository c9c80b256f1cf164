"""The schemas for editors say what labgen's own check says, as far as a schema can."""

import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import (
    COUNTRIES,
    MATERIALS,
    ROOT,
    SITE,
    UPGRADE_OPTIONS,
    Project,
    from_checkout,
    laboratory,
)
from draw_records import Drawer
from test_problems import MISTAKES_IN_A_LABORATORY

from labgen.cli import main
from labgen.cli.new_project import create_project
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.record_fields import field_names, is_optional
from labgen.model.tables import TABLES
from labgen.source.checks.validate import validate
from labgen.source.editor_schemas import SCHEMAS, make_schema
from labgen.source.file_formats import LIST_SUFFIXES
from labgen.source.read_lists import read_entries, read_file
from labgen.source.tables.cells import NO_KEYS
from labgen.source.tables.columns import rows_to_records

STATUSES = {"deal_statuses": {"a": "A"}, "verification_statuses": {"b": "B"}}


def draft_7(schema: dict[str, Any]) -> Any:
    """Return a validator by a schema, which must be one."""
    import jsonschema  # takes seconds

    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@cache
def validator(name: str) -> Any:
    return draft_7(make_schema(name))


def by_schema(name: str, value: Any) -> bool:
    return bool(validator(name).is_valid([value] if SCHEMAS[name].is_list else value))


def by_labgen(name: str, value: Any) -> bool:
    record, problems = validate(SCHEMAS[name].model, value, "", ())
    return record is not None and not problems


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_schema_is_one_and_describes_every_field(name):
    schema = validator(name).schema
    for one in (schema.get("items", schema), *schema["definitions"].values()):
        assert one["additionalProperties"] is False
        for field, inner in one["properties"].items():
            assert inner.get("description"), f"{name}: `{field}` has no description: Field(…, description=…)"


def good(data: Path) -> list[tuple[str, Any]]:
    """Return the records that are written in a folder, each with the name of its schema."""
    found = [
        ("laboratory", entry.value)
        for file in sorted((data / "laboratories").iterdir())
        for entry in read_file(data, f"data/laboratories/{file.name}")[0]
    ]
    found += [("site", entry.value) for entry in read_file(data, "data/site.toml")[0]]
    files = [
        (listed, f"data/{listed.stem}{suffix}")
        for listed in SHARED_LISTS
        for suffix in LIST_SUFFIXES
        if (data / f"{listed.stem}{suffix}").exists()
    ]
    for listed, file in files:
        entries = read_entries(data, file)[0]
        if file.endswith(".csv"):
            entries = rows_to_records(entries, file, TABLES[listed.stem], NO_KEYS)[0]
        found += [(listed.stem, entry.value) for entry in entries[:20]]
    return found


@from_checkout
def test_what_is_good_is_good_for_both():
    for name, value in good(ROOT / "data"):
        assert by_labgen(name, value)
        assert by_schema(name, value), list(validator(name).iter_errors(value))


def changed(name: str, record: dict[str, Any], *changes: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, record | change) for change in changes]


VARIANTS: list[tuple[str, Any]] = [
    *changed("laboratory", laboratory("1"),
        {"display_id": 80331}, {"postal_code": 80331}, {"rating": 4}, {"rating": Decimal("4.5")}, {"rating": "0"}, {"website": None},
        {"website": "HTTP://Ä.example/?a=b"}, {"logo": "a/b.PNG"}, {"logo": None}, {"focus": {"a.png": [0, 100]}}, {"similar_labs": [2, "03"]},
        {"contact_person": {"phone": 4930, "email": "jörg@ä.example"}}, {"about": "a\r\n\tb"}, {"contact_person": {}},
    ),
]  # fmt: skip
VARIANTS += changed(
    "site",
    STATUSES,
    {"base_path": "/a/b.c"},
    {"base_url": "https://a.example:8080"},
    {"copies": []},
    {"sections": {"gallery": "Bilder"}},
    {"publish": ["reviews"]},
)
OPTIONAL = [(name, field) for name, one in SCHEMAS.items() for field in field_names(one.model) if is_optional(one.model, (field,))]  # fmt: skip
"""Every field that need not be written: null and "" are as if it were not."""
LEAST = {one.stem: Drawer().record(one.record, is_full=False) for one in SHARED_LISTS}
LEAST |= {"laboratory": laboratory("1"), "site": STATUSES}
VARIANTS += [(name, LEAST[name] | {field: nothing}) for name, field in OPTIONAL for nothing in (None, "")]
VARIANTS += [("countries", one) for one in COUNTRIES] + [("materials", one) for one in MATERIALS]
VARIANTS += [("upgrade_options", one) for one in UPGRADE_OPTIONS] + [
    ("materials", {"id": 1, "title": "a", "search_val": 1})
]


@pytest.mark.parametrize(("name", "value"), VARIANTS)
def test_what_may_be_written_in_several_ways_may_be_so_for_both(name, value):
    assert by_labgen(name, value)
    assert by_schema(name, value)


MISTAKES: list[tuple[str, Any]] = [
    ("laboratory", []), ("laboratory", {}), ("countries", {"iso_code": "DE", "name": "D"}), ("countries", {"iso_code": "de"}),
    ("countries", {"iso_code": "de", "name": " "}), ("countries", {"iso_code": "de", "name": "D", "slug": "ü"}),
    ("materials", {"id": "1", "title": "a"}), ("materials", {"id": -1, "title": "a"}), ("materials", {"id": True, "title": "a"}),
    ("materials", {"id": 2**53, "title": "a"}), ("materials", {"id": 1, "title": "\x00"}), ("materials", {"id": 1, "title": "a", "summary": ""}),
    ("test_methods", {"id": 1, "title": "a", "search_val": "b", "price": 5}), ("test_methods", {"id": 1, "title": "a", "search_val": ""}),
    ("standards", {"id": 1, "title": "a"}), ("standards", {"id": 1, "title": "a", "search_val": None}),
    ("accreditation_standards", {"id": 1, "title": "a", "search_val": "b", "standard": "c\nd"}),
    ("upgrade_options", {**UPGRADE_OPTIONS[0], "plan": "a b"}), ("upgrade_options", {**UPGRADE_OPTIONS[0], "recommend": "yes"}),
    *changed("site", STATUSES,
        {"language": "Deutsch"}, {"base_path": "x/"}, {"base_path": "/a/.."}, {"base_url": "https://a.example/b"}, {"limits": {"limit": -1}},
        {"limits": {"limit": "8"}}, {"hosts": "nginx"}, {"copies": ["xz"]}, {"words": {"laboratory": "ä"}}, {"deal_statuses": {"": "A"}},
        {"deal_statuses": {"a": ""}}, {"titel": "x"}, {"stats": {}}, {"image_format": "gif"}, {"noindex": 1},
    ),
    ("site", {"deal_statuses": {}}),
    *changed("laboratory", laboratory("1"),
        {"display_id": "1" * 65}, {"display_id": -1}, {"focus": {"a.png": [1]}}, {"focus": {"a.png": [1, 101]}}, {"gallery": ["a.svg"]},
        {"gallery": ["a//b.png"]}, {"gallery": [None]}, {"rating": -1}, {"rating": True}, {"rating": "1e3"}, {"website": "https://a b"},
        {"accreditations": [{"id": 1}]}, {"materials": [None]}, {"gallery": [""]}, {"_note": 1},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), MISTAKES)
def test_a_wrong_type_an_unknown_or_missing_field_and_a_pattern_is_found_by_both(name, value):
    assert not by_labgen(name, value)
    assert not by_schema(name, value)


ACROSS = {
    "unknown-reference",
    "unknown-status",
    "missing-image",
    "missing-file",
    "contact-in-text",
    "dead-link",
    "duplicate-id",
    "postal-code",
    "rating-not-mean",
    "reversed-dates",
}
"""The codes of mistakes that a record makes only beside other files, or that lie in how its fields go together."""
ADVICE = {
    "odd-character",
    "invisible-character",
    "mojibake",
    "entity",
    "markup",
    "email-in-text",
    "unquoted-id",
}
"""The codes of what is only warned of."""


@pytest.mark.parametrize(("given", "expected"), MISTAKES_IN_A_LABORATORY, ids=lambda value: str(value)[:60])
def test_a_mistake_that_concerns_a_laboratory_alone_is_found_by_its_schema(given, expected):
    code, value = expected.split()[0], given["laboratories"][-1]
    is_beyond = (
        code in ACROSS | ADVICE
        or value in [one for _, one in BEYOND.values()]
        or value.get("rating") != value.get("rating")
    )
    assert by_schema("laboratory", value) is is_beyond


BEYOND: dict[str, tuple[str, Any]] = {
    "a number with more than two decimals": ("laboratory", laboratory("1", rating=Decimal("4.567"))),
    "a day that no calendar has": ("laboratory", laboratory("00001", published_on="2024-02-30")),
    "a port that there is not": ("laboratory", laboratory("1", website="https://a.example:99999/")),
    "a host without a letter or digit": ("laboratory", laboratory("1", website="https://./")),
    "a host with a sign that no domain has": ("laboratory", laboratory("1", website="https://www,a,example")),
    "a host with a percent sign": ("laboratory", laboratory("00001", website="https://a.example%20/")),
    "an e-mail address that ends with a full stop": (
        "laboratory",
        laboratory("1", contact_person={"email": "a@b.example."}),
    ),
    "an e-mail address with a ligature in its domain": (
        "laboratory",
        laboratory("1", contact_person={"email": "a@werksto\ufb00.example"}),
    ),
    "a display_id of more than 64 digits, written as a number": (
        "laboratory",
        laboratory("1") | {"display_id": 10**64},
    ),
    "a base_url with a port that there is not": ("site", STATUSES | {"base_url": "https://a.example:99999"}),
}
"""What concerns one record alone and no schema says: only labgen finds it."""


@pytest.mark.parametrize("what", BEYOND)
def test_what_no_schema_says_is_found_by_labgen(what):
    name, value = BEYOND[what]
    assert not by_labgen(name, value)
    assert by_schema(name, value)


def test_a_laboratory_may_say_what_its_schema_is(site):
    record = laboratory("00001")
    for text in (
        json.dumps({"$schema": "../x.json"} | record),
        json.dumps(record | {"$schema": "../x.json"}),
    ):
        site.write(laboratories=[]).file("data/laboratories/00001.json", text)
        assert site.build().problems == ()
        assert by_schema("laboratory", json.loads(text))
    site.file("data/laboratories/00001.json", json.dumps({"$schema": 1} | record))
    assert [one.problem.code for one in site.check().problems] == ["unknown-field"]


NAMED = re.compile(r'(?:"\$schema": "|\$schema=|#:schema )([^"\s]+)')
"""How a file names its schema: a key in JSON, a comment in YAML and in TOML."""


@pytest.mark.parametrize("format_", ["json", "yaml"])
def test_a_new_project_names_the_schema_of_each_file_and_keeps_to_it(tmp_path, format_):
    create_project(tmp_path, format_)
    named = {}
    for file in sorted((tmp_path / "data").rglob("*.*")):
        if found := NAMED.search(file.read_text(encoding="utf-8")):
            named[file.name] = (file.parent / found[1]).resolve()
            assert (
                named[file.name].read_text(encoding="utf-8")
                == CliRunner().invoke(main, ["schema", named[file.name].stem, "-C", str(tmp_path)]).stdout
            )
    kinds = {f"00001.{format_}": "laboratory", f"00002.{format_}": "laboratory", "site.toml": "site"}
    kinds |= (
        {"upgrade_options.yaml": "upgrade_options"} if format_ == "yaml" else {}
    )  # a list in JSON has no place for it
    assert {name: path.stem for name, path in named.items()} == kinds
    for name, value in good(tmp_path / "data"):
        assert by_schema(name, value)


def test_a_new_project_is_the_same_in_each_format(tmp_path):
    trees = []
    for format_ in ("json", "yaml"):
        project = Project(tmp_path / format_)
        create_project(project.root, format_)
        assert project.build().problems == ()
        trees.append({name: data for name, data in project.tree().items() if not name.startswith(".")})
    assert trees[0] == trees[1]


@pytest.mark.parametrize("settings", [{"sections": {"galery": "Bilder"}}, {"publish": ["reveiws"]}])
def test_the_name_of_a_section_is_found_by_both(site, settings):
    assert not by_schema("site", STATUSES | settings)
    table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items() if key == "publish")
    table += SITE + "".join(f'[{key}]\ngalery = "x"\n' for key in settings if key == "sections")
    assert site.file("data/site.toml", table).check().errors == 1


def schema_in(project: Project, name: str) -> dict[str, Any]:
    """Return what `labgen schema` prints in a project."""
    result = CliRunner().invoke(main, ["schema", name, "-C", str(project.root)])
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = draft_7(json.loads(result.stdout)).schema
    return found


JOB = {"id": 1, "title": "Prüfer", "published_on": "2024-05-01"}


@pytest.mark.parametrize(
    ("change", "is_good"),
    [
        ({}, True), ({"deal_status": "premum"}, False), ({"verification_status": "premium"}, False), ({"country": "li"}, True),
        ({"country": "at"}, False), ({"job_listings": [JOB | {"country": "li"}, JOB | {"country": None}]}, True),
        ({"job_listings": [JOB | {"country": "at"}]}, False),
    ],
)  # fmt: skip
def test_in_a_project_the_schema_knows_its_statuses_and_countries(site, change, is_good):
    record = laboratory("00001", **change)
    assert draft_7(schema_in(site, "laboratory")).is_valid(record) is is_good
    assert (site.write(laboratories=[record]).check().errors == 0) is is_good or "job_listings" in change
    assert by_schema("laboratory", record)


def test_a_schema_of_a_project_whose_lists_have_mistakes_knows_what_can_be_read(site):
    site.file("data/countries.json", '[{"iso_code": "de"')
    properties = schema_in(site, "laboratory")["properties"]
    assert "enum" not in properties["country"]
    assert properties["deal_status"]["enum"] == ["premium"]
    site.file("data/site.toml", "[")
    assert "enum" not in schema_in(site, "laboratory")["properties"]["deal_status"]


def test_an_entry_that_is_there_twice_is_found_by_the_schema():
    for field in ("materials", "test_methods", "certifications", "standards", "equipments"):
        assert by_schema("laboratory", laboratory("1", **{field: [1, 2]}))
        assert not by_schema("laboratory", laboratory("1", **{field: [1, 1]}))
    assert not by_schema("laboratory", laboratory("1", similar_labs=["2", "2"]))
    assert not by_schema("laboratory", laboratory("1", job_listings=[JOB, JOB]))
    assert by_schema("laboratory", laboratory("1", gallery=["a.png", "a.png"]))


def test_the_names_of_schemas_are_listed_and_a_slip_is_noticed():
    listed = CliRunner().invoke(main, ["schema"])
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(SCHEMAS)
    wrong = CliRunner().invoke(main, ["schema", "standard"])
    assert (wrong.exit_code, "did you mean `standards`?" in wrong.stderr) == (2, True)
