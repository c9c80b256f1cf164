"""Generate JSON Schemas of the source files, for completion and checks in editors.

They are made from the records. In a project, they also know its statuses and countries. What a schema cannot
say (that an id is in its list, that an id stands once) only `labgen check` finds.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labgen.api.sections import SECTION_NAMES
from labgen.model.catalogues import COUNTRIES, SHARED_LISTS
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.settings import SiteRecord
from labgen.source.laboratory_locations import SCHEMA_KEY
from labgen.source.layout import SETTINGS
from labgen.source.read_lists import load_list
from labgen.source.read_settings import load_settings
from labgen.source.tables.find import files_in, find_tables
from labgen.system.input_files import DATA, LABORATORIES

DIALECT = "http://json-schema.org/draft-07/schema#"
"""What editors know best; of later drafts, nothing is needed here."""


class SourceSchema(NamedTuple):
    """What a schema is of: a record, in which files, alone or in a list."""

    model: type[Record]
    files: str
    is_list: bool = False


SCHEMAS = {
    "laboratory": SourceSchema(LaboratoryRecord, f"{DATA}/{LABORATORIES}/*"),
    "site": SourceSchema(SiteRecord, f"{DATA}/{SETTINGS}"),
} | {one.stem: SourceSchema(one.record, f"{DATA}/{one.stem}.*", is_list=True) for one in SHARED_LISTS}
"""What there are schemas of, by their names."""


class ProjectKeys(NamedTuple):
    """What laboratories of one project may name: keys of statuses and of countries; () where all may be."""

    deal_statuses: Sequence[str] = ()
    verification_statuses: Sequence[str] = ()
    countries: Sequence[str] = ()


ANY_PROJECT = ProjectKeys()


def read_project_keys(root: Path) -> ProjectKeys:
    """Return the keys of a project, from those of its files without errors."""
    data = root / DATA
    site, _ = load_settings(data)
    countries, _ = load_list(data, COUNTRIES, find_tables(root, files_in(data))[0], {})
    codes = list(countries.records) if countries.is_sound else []
    if site is None:
        return ProjectKeys(countries=codes)
    return ProjectKeys([*site.deal_statuses], [*site.verification_statuses], codes)


def make_schema(name: str, keys: ProjectKeys = ANY_PROJECT) -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of a file: of a laboratory, of the settings, of a list of records."""
    source = SCHEMAS[name]
    schema = source.model.model_json_schema(ref_template="#/definitions/{model}")
    definitions = schema.pop("$defs", {})
    for one in (schema, *definitions.values()):
        _adapt(one)
    if name == "site":
        _name_sections(schema["properties"])
    if name == "laboratory":
        own = {"type": "string", "description": "the address of this schema, for editors; not published"}
        schema["properties"] = {SCHEMA_KEY: own} | schema["properties"]
        _name_keys(schema, definitions, keys)
    if source.is_list:
        schema = {"type": "array", "items": schema}
    head = {"$schema": DIALECT, "title": source.files}
    return head | {key: one for key, one in schema.items() if key != "title"} | {"definitions": definitions}


def _name_sections(settings: dict[str, Any]) -> None:
    """Let the settings name only sections that there are."""
    title = settings["sections"].pop("additionalProperties")
    settings["sections"] |= {"properties": dict.fromkeys(SECTION_NAMES, title), "additionalProperties": False}
    settings["publish"]["items"] = {"enum": list(SECTION_NAMES)}


def _name_keys(laboratory: dict[str, Any], definitions: dict[str, Any], keys: ProjectKeys) -> None:
    """Let a laboratory name only keys of its project, where these are known."""
    properties = laboratory["properties"]
    of_a_job, _null = definitions["JobListingRecord"]["properties"]["country"]["anyOf"]
    for field, among in (
        (properties["deal_status"], keys.deal_statuses),
        (properties["verification_status"], keys.verification_statuses),
        (properties["country"], keys.countries),
        (of_a_job, keys.countries),
    ):
        if among:
            field["enum"] = [*among]


def _adapt(schema: dict[str, Any]) -> None:
    """Let tables take no other keys than those whose pattern is given, and optional fields be empty."""
    fields = schema.get("properties", {})
    if NOTE in fields:
        fields[NOTE] = fields.pop(NOTE)  # last
    for name, one in fields.items():
        if "patternProperties" in one:
            one["additionalProperties"] = False
        if name not in schema.get("required", []):
            _allow_nothing(one)
        elif "$ref" in one:  # what stands beside a reference is ignored (draft 7, core, section 8.3)
            one["allOf"] = [{"$ref": one.pop("$ref")}]


NOTE = "_note"
NOTHING = {"type": ["null", "string"], "maxLength": 0}
"""What an optional field may hold that says nothing."""


def _allow_nothing(schema: dict[str, Any]) -> None:
    """Let a field be null or an empty text, too."""
    if "anyOf" in schema:
        schema["anyOf"] = [*(one for one in schema["anyOf"] if one != {"type": "null"}), NOTHING]
    elif "$ref" in schema or "enum" in schema:
        own = {key: schema.pop(key) for key in ("$ref", "enum", "type") if key in schema}
        schema["anyOf"] = [own, NOTHING]
    elif schema["type"] == "string":
        schema["type"] = ["string", "null"]
        if "pattern" in schema:
            schema["pattern"] = f"^$|{schema['pattern']}"
    else:
        kinds = dict.fromkeys([schema["type"], "null", "string"])
        schema.update(NOTHING | {"type": list(kinds)})
