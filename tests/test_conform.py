"""A document against its schema: what is found, where, and that an independent validator finds the same."""

import copy
import json
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from labgen.api.sections import ENDPOINTS
from labgen.cli import main
from labgen.render.json_schema import Schemas
from labgen.verify.conform import violations

SCHEMAS = Schemas()
COMPONENTS = {one.name: SCHEMAS.of(one.document) for one in ENDPOINTS}
COUNTRY = {"iso_code": "de", "slug": "", "name": "Deutschland", "link": None}
SIMILAR = {
    "display_id": "00002", "name": "Beta", "image_url": None, "locality": "", "country": COUNTRY, "url": "/labor/00002/beta/",
}  # fmt: skip
FACET: dict[str, Any] = {
    "name": "test_methods", "title": "Verfahren", "search_arg": "test_methods__in", "limit": 8, "hidden_count": 0,
    "items": [{"id": 1, "search_val": "zug", "title": "Zug", "summary": "", "price": None}],
}  # fmt: skip
OPTION = {
    "billing": "business:annual", "billing_label": "490 €", "freq": "annual", "plan": "business", "plan_label": "Business", "recommend": True,
}  # fmt: skip
DOCUMENTS: dict[str, Any] = {
    "similar_labs": [SIMILAR, SIMILAR | {"image_url": "/media/1/a.webp"}],
    "test_methods": FACET,
    "upgrade_options": {"laboratory": {"business": [OPTION], "free": []}},
}


def found(name: str, document: Any) -> list[str]:
    """Return the faults of an endpoint's document as `pointer: message`."""
    return [
        f"{one.json_pointer}: {one.message}" for one in violations(document, COMPONENTS[name], SCHEMAS.named)
    ]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_sound_document_has_no_faults(name):
    assert found(name, DOCUMENTS[name]) == []


@pytest.mark.parametrize(
    ("name", "document", "fault"),
    [
        ("similar_labs", {}, ": it must be a list, not an object"),
        ("similar_labs", [SIMILAR | {"name": 5}], "/0/name: it must be a string, not 5"),
        ("similar_labs", [SIMILAR | {"name": None}], "/0/name: it must be a string, not null"),
        ("similar_labs", [SIMILAR | {"image_url": 5}], "/0/image_url: it must be a string or null, not 5"),
        ("similar_labs", [SIMILAR | {"display_id": "A1"}], '/0/display_id: it must match ^[0-9]{1,64}$, not be "A1"'),
        ("similar_labs", [SIMILAR | {"a/b~c": 1}], "/0/a~1b~0c: `a/b~c` is not a field that the contract knows"),
        ("similar_labs", [{**SIMILAR, "country": {}}], "/0/country: `iso_code` is missing"),
        ("similar_labs", [{"name": "", **SIMILAR}], "/0/name: `name` is not in its place in the order of the contract"),
        ("test_methods", FACET | {"limit": -1}, "/limit: it must be at least 0, not -1"),
        ("test_methods", FACET | {"items": [FACET["items"][0] | {"price": "5"}]}, '/items/0/price: it must be null, not "5"'),
        ("test_methods", FACET | {"limit": True}, "/limit: it must be an integer, not true"),
        ("test_methods", FACET | {"limit": 8.0}, "/limit: it must be an integer, not 8.0"),
        ("upgrade_options", {"laboratory": {"x": [1]}}, "/laboratory/x/0: it must be an object, not 1"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(name, document, fault):
    assert fault in found(name, document)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 9),
    st.just(1.5),
    st.text("0a/", max_size=2),
    st.just([]),
    st.just({}),
)


@st.composite
def mangled(draw: st.DrawFn) -> tuple[str, Any]:
    """Return a document, in one place of which something may be replaced, removed or added."""
    name = draw(st.sampled_from(sorted(DOCUMENTS)))
    whole: Any = {"document": copy.deepcopy(DOCUMENTS[name])}
    outer, key = whole, "document"
    for _ in range(draw(st.integers(0, 5))):
        inner = outer[key]
        steps = (
            list(inner)
            if isinstance(inner, dict)
            else list(range(len(inner)))
            if isinstance(inner, list)
            else []
        )
        if not steps:
            break
        outer, key = inner, draw(st.sampled_from(steps))
    match draw(st.sampled_from(["nothing", "replace", "remove", "add"])):
        case "replace":
            outer[key] = draw(JUNK)
        case "remove" if outer is not whole:
            del outer[key]
        case "add" if isinstance(outer[key], dict):
            outer[key]["more"] = draw(JUNK)
    return name, whole["document"]


@settings(max_examples=300, deadline=None)
@given(mangled())
def test_an_independent_validator_finds_the_same(case):
    name, document = case
    assert (found(name, document) == []) == validator(name).is_valid(document)


@cache
def validator(name: str) -> Any:
    import jsonschema  # takes seconds

    return jsonschema.Draft202012Validator(COMPONENTS[name] | {"components": {"schemas": SCHEMAS.named}})


def keywords(schema: dict[str, Any]) -> set[str]:
    """Return the keywords of a schema, and of those in it."""
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    parts += [schema[one] for one in ("items", "additionalProperties") if isinstance(schema.get(one), dict)]
    return schema.keys() | {key for part in parts for key in keywords(part)}


def test_no_schema_has_a_keyword_that_is_not_looked_at():
    looked_at = {
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "enum",
        "items",
        "minimum",
        "pattern",
        "properties",
        "required",
        "type",
    }
    annotations = {"description", "format"}
    assert {
        key for one in (*SCHEMAS.named.values(), *COMPONENTS.values()) for key in keywords(one)
    } <= looked_at | annotations


LABORATORY = "api/v1/laboratory/laboratories/00001/index.json"


@pytest.mark.parametrize(
    ("change", "pointer", "message"),
    [
        (lambda one: one | {"rating": 4.5}, "/rating", "it must be a string, not 4.5"),
        (lambda one: one | {"more": 1}, "/more", "`more` is not a field that the contract knows"),
        (lambda one: {key: value for key, value in one.items() if key != "stats"}, "", "`stats` is missing"),
        (lambda one: dict(sorted(one.items())), "/about", "`about` is not in its place in the order of the contract"),
        (lambda one: one | {"country": one["country"] | {"name": None}}, "/country/name", "it must be a string, not null"),
    ],
)  # fmt: skip
def test_a_document_that_was_planted_is_found_with_file_and_pointer(site, change, pointer, message):
    site.build()
    planted = json.dumps(change(json.loads((site.out / LABORATORY).read_bytes())), separators=(",", ":"))
    site.file(f"out/{LABORATORY}", planted)
    result = CliRunner().invoke(main, ["verify", "-C", str(site.root), str(site.out)])
    assert result.exit_code == 1
    where = f"{LABORATORY}#{pointer}" if pointer else LABORATORY
    assert f"error[invalid-document]: {message}\n  --> {where}\n" in result.stderr
    assert "its bytes are not those that the data makes" in result.stderr


def test_a_published_schema_that_is_not_that_of_the_documents_is_found(site):
    site.build()
    openapi = json.loads(site.read("/", "openapi.json"))
    openapi["components"]["schemas"]["Stat"]["required"] = []
    for planted in (json.dumps(openapi), "[]", "{"):
        site.file("out/openapi.json", planted)
        result = CliRunner().invoke(main, ["verify", "-C", str(site.out), str(site.out)])
        assert "error[openapi-mismatch]" in result.stderr
