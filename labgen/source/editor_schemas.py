"""JSON Schemas of what a person writes, for editors that complete and check while typing.

They are made from the records. What a schema cannot say (that an id is in its list, that a key stands once)
only `labgen check` finds.
"""

from typing import Any, NamedTuple

from labgen.model.catalogues import SHARED_LISTS
from labgen.model.records import LaboratoryRecord, Record, SiteRecord
from labgen.source.layout import SETTINGS
from labgen.source.pieces import SCHEMA_KEY
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


def make_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 7) of a file: of a laboratory, of the settings, of a list of records."""
    source = SCHEMAS[name]
    schema = source.model.model_json_schema(ref_template="#/definitions/{model}")
    definitions = schema.pop("$defs", {})
    for one in (schema, *definitions.values()):
        _adapt(one)
    if name == "laboratory":
        own = {"type": "string", "description": "the address of this schema, for editors; not published"}
        schema["properties"] = {SCHEMA_KEY: own} | schema["properties"]
    if source.is_list:
        schema = {"type": "array", "items": schema}
    head = {"$schema": DIALECT, "title": source.files}
    return head | {key: one for key, one in schema.items() if key != "title"} | {"definitions": definitions}


def _adapt(schema: dict[str, Any]) -> None:
    """Let tables take no other keys than those whose pattern is given, and a reference stand alone.

    What stands beside a reference is ignored (draft 7, core, section 8.3).
    """
    for one in schema.get("properties", {}).values():
        if "patternProperties" in one:
            one["additionalProperties"] = False
        if "$ref" in one:
            one["allOf"] = [{"$ref": one.pop("$ref")}]
