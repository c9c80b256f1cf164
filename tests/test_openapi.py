"""The contract for programs: what `openapi.json` says is what is published, and what real consumers make of it."""

import json
import keyword
import re
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import pytest
from conftest import ALPHA, BETA, SITE, Project, copy_of_sample, files_of
from typing_extensions import TypedDict

from labgen.api.proposed import catalogues, changes, whole_laboratory
from labgen.api.sections import ENDPOINTS, laboratory
from labgen.model.site_paths import DIRECTORY_PATH
from labgen.pipeline.build import build
from labgen.render.json_schema import Schemas

ROOT = Path(__file__).resolve().parent.parent


def openapi(out: Path) -> Any:
    return json.loads((out / "openapi.json").read_bytes())


def documents(out: Path) -> list[tuple[str, Any]]:
    """Return each document of a site, with its path as `openapi.json` has it."""
    return [
        (template, json.loads(file.read_bytes()))
        for one in (
            *ENDPOINTS,
            whole_laboratory(DIRECTORY_PATH, ()),
            catalogues(DIRECTORY_PATH),
            *changes(DIRECTORY_PATH),
        )
        for template in one.path_templates
        for file in sorted(out.glob(files_of(template)))
    ]


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Path:
    """The sample directory, built."""
    root = copy_of_sample(tmp_path_factory.mktemp("sample"))
    assert not build(root, root / "out").errors
    return root / "out"


@pytest.fixture(scope="module")
def contract(sample) -> Any:
    return openapi(sample)


def schema_of(contract: Any, path: str) -> dict[str, Any]:
    """Return the schema of a path's document, with what it refers to."""
    content = contract["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    schema: dict[str, Any] = content["schema"]
    return schema | {"components": contract["components"]}


def validator(schema: dict[str, Any]) -> Any:
    import jsonschema  # takes seconds

    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_it_is_openapi_3_1(contract):
    from openapi_spec_validator import OpenAPIV31SpecValidator

    OpenAPIV31SpecValidator(contract).validate()


def test_every_document_of_the_sample_validates_and_its_fields_are_in_the_order_of_the_schema(
    sample, contract
):
    validators = {path: validator(schema_of(contract, path)) for path in contract["paths"]}
    found = documents(sample)
    assert {path for path, _ in found} == set(contract["paths"])
    for path, document in found:
        assert [error.message for error in validators[path].iter_errors(document)] == []


def test_every_endpoint_is_an_operation_with_all_its_answers_and_marked_where_it_is_proposed(contract):
    for one, template in [(each, template) for each in ENDPOINTS for template in each.path_templates]:
        item = contract["paths"][template]
        assert item.keys() == {"get"}
        assert item["get"]["responses"].keys() == {"200", "301", "304", "404", "405"}
        assert item["get"]["responses"]["200"]["content"].keys() == {"application/json"}
        assert item["get"].get("x-labgen-proposed", False) is (one.spec_section is None)


def test_every_field_has_a_description(contract):
    for name, schema in contract["components"]["schemas"].items():
        assert schema["description"], name
        for field, inner in schema["properties"].items():
            assert inner.get("description"), f"{name}.{field}"
        assert schema["required"] == list(schema["properties"])


def test_a_field_of_a_later_version_is_valid_by_the_published_schemas_alone(contract):
    schemas = Schemas()
    for name, schema in contract["components"]["schemas"].items():
        assert "additionalProperties" not in schema, name
    for one in ENDPOINTS:
        schemas.of(one.document)
    assert all(schema["additionalProperties"] is False for schema in schemas.named.values())


def test_no_field_is_of_the_type_null_alone_which_generators_have_no_word_for(contract):
    fields = [
        one for schema in contract["components"]["schemas"].values() for one in schema["properties"].values()
    ]
    assert [one for one in fields if one.get("type") == "null"] == []
    price = contract["components"]["schemas"]["TestMethodItem"]["properties"]["price"]
    assert (price["type"], "const" in price) == (["string", "null"], False)


RESERVED = {
    *keyword.kwlist,
    *[
        "new",
        "default",
        "delete",
        "return",
        "import",
        "package",
        "switch",
        "func",
        "function",
        "var",
        "void",
        "this",
    ],
}
"""Words that some of the usual languages do not take as the name of a function."""


def test_no_operation_has_the_name_of_a_reserved_word(contract):
    names = [item["get"]["operationId"] for item in contract["paths"].values()]
    assert len(names) == len(set(names))
    assert set(names) & RESERVED == set()
    assert {"listLaboratories", "listLaboratoriesPage", "getLaboratory", "getNewLaboratories"} <= set(names)
    assert all(re.fullmatch(r"(get|list)([A-Z][a-z]+)+", name) for name in names)


def test_every_operation_is_in_one_group_that_is_described(contract):
    described = {one["name"] for one in contract["tags"] if one["description"]}
    groups = {path: item["get"]["tags"] for path, item in contract["paths"].items()}
    assert {name for (name,) in groups.values()} == described
    assert groups["/api/v1/laboratory/laboratories/new/"] == ["laboratories"]
    assert groups["/api/v1/laboratory/laboratories/{display_id}/"] == ["laboratories"]
    assert groups["/api/v1/laboratory/laboratories/{display_id}/gallery/"] == ["sections"]
    assert groups["/api/v1/laboratory/upgrade-options/"] == ["site"]


def test_what_is_no_operation_is_said_once(contract):
    about = contract["info"]["description"]
    assert all(word in about for word in ("HEAD", "OPTIONS", "text/html", "`?format=api`"))
    assert "text/html" not in json.dumps(contract["paths"])


def test_keys_of_statuses_are_those_of_the_settings_and_others_are_valid_too(site):
    site.file("data/site.toml", SITE.replace("premium =", 'free = "Frei"\npremium =')).build()
    schemas = openapi(site.out)["components"]["schemas"]
    known, _ = schemas["DealStatus"]["properties"]["id"]["anyOf"]
    assert known["enum"] == ["free", "premium"]
    status = schemas["DealStatus"]
    assert validator(status).is_valid({"id": "of a later version", "title": "x"})
    assert not validator(status).is_valid({"id": 1, "title": "x"})


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/api/v1/laboratory/laboratories/", {"next", "previous", "laboratory"}),
        ("/api/v1/laboratory/laboratories/page/{page}/", {"next", "previous", "laboratory"}),
        ("/directory/v1/{catalogue}/", {"next", "previous"}),
        ("/directory/v1/{catalogue}/page/{page}/", {"next", "previous"}),
        ("/directory/v1/changes/", {"part"}),
        ("/directory/v1/changes/part/{part}/", {"laboratory"}),
    ],
)
def test_links_say_how_to_go_on_where_a_document_leads_to_others(contract, path, names):
    operations = {item["get"]["operationId"]: way for way, item in contract["paths"].items()}
    links = contract["paths"][path]["get"]["responses"]["200"]["links"]
    assert links.keys() == names
    for name, link in links.items():
        parameters = re.findall(r"{(\w+)}", operations[link["operationId"]])
        is_followed = name in {"next", "previous", "part"}
        assert ("request it as it stands" in link["description"]) is is_followed
        left = {"page", "part"} if is_followed else set()
        assert link.get("parameters", {}).keys() == set(parameters) - left


def test_nobody_has_to_prove_who_they_are(contract):
    assert contract["security"] == []


def test_the_licence_of_the_data_is_the_one_that_the_settings_name(site):
    site.build()
    assert "license" not in openapi(site.out)["info"]
    licence = {"name": "CC BY 4.0", "url": "https://creativecommons.org/licenses/by/4.0/"}
    table = "\n".join(f'{key} = "{value}"' for key, value in licence.items())
    site.file("data/site.toml", f"{SITE}[license]\n{table}\n").build()
    assert openapi(site.out)["info"]["license"] == licence
    site.file("data/site.toml", f'{SITE}[license]\nname = "Alle Rechte vorbehalten"\n').build()
    assert openapi(site.out)["info"]["license"] == {"name": "Alle Rechte vorbehalten"}


def fields_shown(contract: Any) -> set[str]:
    """Return the fields of what the answers of operations that the specification shows consist of."""
    schemas = contract["components"]["schemas"]
    paths = [path for path, item in contract["paths"].items() if "x-labgen-proposed" not in item["get"]]
    text = json.dumps([schema_of(contract, path) | {"components": None} for path in paths])
    names = {name for name in schemas if f'schemas/{name}"' in text}
    while (
        more := {
            name for name in schemas if any(f'schemas/{name}"' in json.dumps(schemas[one]) for one in names)
        }
        - names
    ):
        names |= more
    return {f"{name}.{field}" for name in names for field in schemas[name]["properties"]}


def test_null_is_where_the_specification_allows_it_and_nowhere_else(contract):
    nullable = {
        f"{name}.{field}"
        for name, schema in contract["components"]["schemas"].items()
        for field, inner in schema["properties"].items()
        if '"null"' in json.dumps(inner)
    }
    shown = {
        "CountryDocument.link",
        "LaboratoryDocument.website",
        "SimilarLab.image_url",
        "TestMethodItem.price",
    }
    assert nullable & fields_shown(contract) == shown


def test_examples_are_documents_of_the_first_laboratory_and_follow_its_edits(site):
    (path,) = laboratory.ENDPOINT.path_templates
    site.build()
    assert example(site, path) == site.document("laboratories/00001/")
    site.write(laboratories=[ALPHA | {"name": "Alpha Neu"}, BETA]).build()
    assert example(site, path)["name"] == "Alpha Neu"
    site.write(
        materials=[{"id": 12, "title": "Baustahl"}], laboratories=[ALPHA | {"materials": [12]}, BETA]
    ).build()
    assert example(site, f"{path}materials/")["items"][0]["title"] == "Baustahl"
    site.write(laboratories=[BETA]).build()
    assert example(site, path)["display_id"] == "00002"


def example(site: Project, path: str) -> Any:
    get = openapi(site.out)["paths"][path]["get"]
    return get["responses"]["200"]["content"]["application/json"].get("example")


def test_every_example_validates_against_its_schema(contract):
    for path, item in contract["paths"].items():
        shown = item["get"]["responses"]["200"]["content"]["application/json"]["example"]
        assert [*validator(schema_of(contract, path)).iter_errors(shown)] == []


@pytest.mark.parametrize(
    ("settings", "servers"),
    [
        ("", [{"url": "/"}]),
        ('base_path = "/verzeichnis"', [{"url": "/verzeichnis"}]),
        ('base_url = "https://labs.example"\nbase_path = "/a"', [{"url": "https://labs.example/a"}]),
    ],
)
def test_it_says_where_the_site_lies(site, settings, servers):
    site.file("data/site.toml", f"{settings}\n{SITE}").build()
    assert openapi(site.out).get("servers") == servers


Item = TypeVar("Item")


class Box(TypedDict, Generic[Item]):
    """A box."""

    inner: Annotated[Item | None, "What is in it."]
    rest: Annotated[dict[str, list[Item]], "What else."]


class Thing(TypedDict):
    """A thing."""

    box: Annotated[Box[int], "What it is in."]


def test_a_generic_type_is_named_after_its_argument_and_filled_with_it():
    schemas = Schemas()
    assert schemas.of(Thing | None) == {"anyOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "null"}]}
    assert schemas.named["intBox"]["properties"] == {
        "inner": {"type": ["integer", "null"], "description": "What is in it."},
        "rest": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "integer"}},
            "description": "What else.",
        },
    }


def test_two_types_of_the_same_name_and_types_that_no_document_has_are_refused():
    schemas = Schemas()
    schemas.of(Thing)

    class Other(TypedDict):
        a: Annotated[int, "A number."]

    Other.__name__ = "Thing"
    for kind in (Other, float):
        with pytest.raises(TypeError):
            schemas.of(kind)


class Untold(TypedDict):
    """A thing of which too little is said."""

    a: Annotated[int, "A number."]
    b: int


def test_a_field_of_a_document_without_a_description_is_named():
    with pytest.raises(TypeError, match=r"Untold\.b has no description: write Annotated\[…, \"…\"\]"):
        Schemas().of(Untold)


def test_shapes_that_the_specification_does_not_show_are_marked(contract):
    marked = {name for name, one in contract["components"]["schemas"].items() if one.get("x-labgen-proposed")}
    assert marked >= {"ErrorDocument", "JobListing", "LaboratoryList", "LandingsLink", "Resource", "Review"}
    shown = {
        "AccreditationItem", "AccreditationItemEnvelope", "ContactPerson", "CountryDocument", "GalleryImage", "LaboratoryDocument",
        "PlainItem", "PlainItemEnvelope", "SimilarLab", "StandardItem", "StandardItemEnvelope", "Stat", "Stats", "DealStatus",
        "TestMethodItem", "TestMethodItemEnvelope", "UpgradeOption", "UpgradeOptions", "VerificationStatus",
    }  # fmt: skip
    assert shown <= contract["components"]["schemas"].keys() - marked


def test_the_list_of_laboratories_has_the_parameters_of_a_search_where_a_host_answers_them(site):
    def queries(*hosts):
        site.build(hosts=hosts)
        listed = json.loads((site.out / "openapi.json").read_bytes())["paths"][
            "/api/v1/laboratory/laboratories/"
        ]["get"]
        return {
            one["name"]
            for one in listed["parameters"]
            if one.get("x-labgen-proposed") and one.get("in") == "query"
        }

    assert queries("netlify") >= {"materials__in", "tests__in", "country", "q", "page", "facets"}
    for hosts in (("nginx",), ("netlify", "nginx"), ("s3",), ()):
        assert queries(*hosts) == set(), hosts
    site.file("data/site.toml", f"{SITE}[search]\nenabled = false\n")
    assert queries("netlify") == set()
