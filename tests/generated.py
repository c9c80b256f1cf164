"""The generated parts of the README: its tables of fields, settings and paths. Run it to write them."""

from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from labgen.records import AccreditationRecord, ContactRecord, LaboratoryRecord, SiteRecord, StatRecord
from labgen.registry import PerLaboratory, PerSite
from labgen.sections import ENDPOINTS
from labgen.source.layout import LIST_FILES

README = Path(__file__).resolve().parent.parent / "README.md"


def fields_table() -> str:
    """Return a table for each kind of record."""
    records: list[tuple[str, type[BaseModel]]] = [
        ("`laboratories`", LaboratoryRecord), ("`contact_person` of a laboratory", ContactRecord),
        ("an entry of a laboratory's `accreditations`", AccreditationRecord),
        ("`stats.projects` of a laboratory", StatRecord), *((f"`{listed.stem}`", listed.model) for listed in LIST_FILES),
    ]  # fmt: skip
    return "\n\n".join(f"{title}:\n\n{table(model)}" for title, model in records)


def table(model: type[BaseModel], prefix: str = "") -> str:
    rows = "\n".join(row(prefix + name, field) for name, field in model.model_fields.items())
    return f"| field | | default | |\n|---|---|---|---|\n{rows}"


def row(name: str, field: FieldInfo) -> str:
    return f"| `{name}` | {kind(field.annotation)} | {default(field)} | {field.description} |"


def kind(annotation: Any) -> str:
    """Return what one writes, in a word."""
    if get_origin(annotation) is list:
        return "list of " + {"number": "numbers", "text": "texts"}.get(
            kind(get_args(annotation)[0]), "objects"
        )
    if get_origin(annotation) is dict:
        return "table"
    if get_origin(annotation) is Literal:
        return "text"
    if inner := [part for part in get_args(annotation) if part is not NoneType]:
        return kind(inner[0])
    if issubclass(annotation, BaseModel):
        return "object"
    return {int: "number", str: "text", bool: "true or false", NoneType: "null"}[annotation]


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be written"
    match field.default:
        case "":
            return "empty"
        case None:
            return "none"
        case bool(value):
            return str(value).lower()
        case str() | int() as value:
            return f"`{value}`"
        case _:
            return "empty"


def settings_table() -> str:
    """Return the table of the settings, those of sub-tables with their table's name."""
    rows = []
    for name, field in SiteRecord.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel) and name != "stats":
            rows += [row(f"{name}.{inner}", one) for inner, one in model.model_fields.items()]
        else:
            rows.append(row(f"{name}.projects" if name == "stats" else name, field))
    return "| setting | | default | |\n|---|---|---|---|\n" + "\n".join(rows)


def paths_table() -> str:
    """Return the table of all endpoints."""
    rows = []
    for endpoint in ENDPOINTS:
        assert isinstance(endpoint, PerLaboratory | PerSite)
        path = endpoint.path if isinstance(endpoint, PerSite) else endpoint.path_for("<display_id>")
        rows.append(f"| `{path}` | {endpoint.titles['en']} ({endpoint.shown_in}) |")
    return "| path | (clause of the specification) |\n|---|---|\n" + "\n".join(rows)


PARTS = {"fields": fields_table, "settings": settings_table, "paths": paths_table}


def with_generated_parts(text: str) -> str:
    """Return the README with its generated parts made anew."""
    for name, make in PARTS.items():
        head, start, rest = text.partition(f"<!-- generated: {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        assert end, name
        text = f"{head}{start}\n{make()}\n\n{end}{tail}"
    return text


if __name__ == "__main__":
    README.write_text(with_generated_parts(README.read_text(encoding="utf-8")), encoding="utf-8")
