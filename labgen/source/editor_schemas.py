"""Generate JSON Schemas of the source files, for completion and checks in editors.

They are generated from the records, and in a project also from its statuses and countries. Rules that a
schema cannot express (an id must be in its list, an id must be unique) are checked only by `labgen check`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labgen import __version__
from labgen.api.sections import SECTION_NAMES
from labgen.model.catalogues import COUNTRIES, SHARED_LISTS
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.settings import SiteRecord
from labgen.source.file_formats import SETTINGS
from labgen.source.laboratory_locations import SCHEMA_KEY
from labgen.source.read_lists import load_list
from labgen.source.read_settings import load_settings
from labgen.source.tables.find import files_in, find_tables
from labgen.system.input_files import DATA, LABORATORIES

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The draft that editors support best; features of later drafts are not needed here."""


class SourceSchema(NamedTuple):
    """The subject of a schema: a record, the files that hold it, and whether they hold a list of it."""

    model: type[Record]
    files: str
    is_list: bool = False


SCHEMAS = {
    "laboratory": SourceSchema(LaboratoryRecord, f"{DATA}/{LABORATORIES}/*"),
    "site": SourceSchema(SiteRecord, f"{DATA}/{SETTINGS}"),
} | {one.stem: SourceSchema(one.record, f"{DATA}/{one.stem}.*", is_list=True) for one in SHARED_LISTS}
"""The subject of each schema, by the schema's name."""


class ProjectKeys(NamedTuple):
    """The keys of statuses and countries that laboratories of a project may use; () if any key is allowed."""

    deal_statuses: Sequence[str] = ()
    verification_statuses: Sequence[str] = ()
    countries: Sequence[str] = ()


ANY_PROJECT = ProjectKeys()
MADE_BY = f"labgen {__version__}"
"""The comment in each schema, by which a build knows its own, and those of another version."""


def schema_text(name: str, keys: ProjectKeys = ANY_PROJECT) -> str:
    """Return the text of the JSON Schema with a name."""
    return json.dumps(make_schema(name, keys), ensure_ascii=False, indent=2) + "\n"


def read_project_keys(root: Path) -> ProjectKeys:
    """Return the keys of a project; files with errors are ignored."""
    data = root / DATA
    site, _ = load_settings(data)
    countries, _ = load_list(data, COUNTRIES, find_tables(root, files_in(data))[0], {})
    codes = list(countries.records) if countries.is_complete else []
    if site is None:
        return ProjectKeys(countries=codes)
    return ProjectKeys([*site.deal_statuses], [*site.verification_statuses], codes)


def make_schema(name: str, keys: ProjectKeys = ANY_PROJECT) -> dict[str, Any]:
    """Return the JSON Schema (draft 7) for a laboratory, the settings or a list of records."""
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
    head = {"$schema": DIALECT, "$comment": MADE_BY, "title": source.files}
    return head | {key: one for key, one in schema.items() if key != "title"} | {"definitions": definitions}


def _name_sections(settings: dict[str, Any]) -> None:
    """Let the settings refer only to sections that exist."""
    title = settings["sections"].pop("additionalProperties")
    settings["sections"] |= {"properties": dict.fromkeys(SECTION_NAMES, title), "additionalProperties": False}
    settings["publish"]["items"] = {"enum": list(SECTION_NAMES)}


def _name_keys(laboratory: dict[str, Any], definitions: dict[str, Any], keys: ProjectKeys) -> None:
    """Let a laboratory refer only to keys of its project, if these are known."""
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
    """Forbid keys of tables that match no pattern, allow empty optional fields, and put the note last."""
    fields = schema.get("properties", {})
    if NOTE in fields:
        fields[NOTE] = fields.pop(NOTE)  # last
    for name, one in fields.items():
        if "patternProperties" in one:
            one["additionalProperties"] = False
        if name not in schema.get("required", []):
            _allow_nothing(one)
        elif "$ref" in one:  # keywords beside $ref are ignored (draft 7, core, section 8.3)
            one["allOf"] = [{"$ref": one.pop("$ref")}]


NOTE = "_note"
NOTHING = {"type": ["null", "string"], "maxLength": 0}
"""The empty values that an optional field may have: null and an empty text."""


def _allow_nothing(schema: dict[str, Any]) -> None:
    """Allow null and an empty text as values of a field, too."""
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
