"""Keep the schemas that a project has for editors current: with its own statuses and countries."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from labgen.model.catalogues import COUNTRIES
from labgen.source.editor_schemas import MADE_BY, SCHEMAS, ProjectKeys, schema_text
from labgen.source.shared import SharedData

FOLDER = "schemas"
LABORATORY = "laboratory"


def keep_schemas_current(root: Path, shared: SharedData) -> None:
    """Write the schemas in a project again if they are of another version or other keys; none are added.

    Only schemas that labgen made are written. What cannot be written stays as it is.
    """
    had = _parsed(root / FOLDER / f"{LABORATORY}.json")
    if had is None:
        return
    keys = _keys(shared, had)
    if had["$comment"] == MADE_BY and _keys_in(had) == keys:
        return
    for name in SCHEMAS:
        file = root / FOLDER / f"{name}.json"
        if _parsed(file) is not None:
            with suppress(OSError):
                new = file.with_name(f".{file.name}.new")
                new.write_text(schema_text(name, keys), encoding="utf-8")
                new.replace(file)


def _parsed(file: Path) -> Any:
    """Return a schema that labgen made, or None."""
    try:
        found = orjson.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    is_own = isinstance(found, dict) and str(found.get("$comment", "")).startswith(MADE_BY.split()[0])
    return found if is_own else None


def _keys(shared: SharedData, had: Any) -> ProjectKeys:
    """Return the keys of a project; those of the schema where they cannot be read."""
    before, site, countries = _keys_in(had), shared.site, shared.lists.get(COUNTRIES.stem)
    codes = [*countries.records] if countries and countries.is_complete else before.countries
    if site is None:
        return before._replace(countries=codes)
    return ProjectKeys([*site.deal_statuses], [*site.verification_statuses], codes)


def _keys_in(schema: Any) -> ProjectKeys:
    fields = schema.get("properties", {})
    named = (fields.get(one, {}).get("enum", []) for one in ("deal_status", "verification_status", "country"))
    return ProjectKeys(*named)
