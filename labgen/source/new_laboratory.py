"""Write a new laboratory for `labgen new`: with the next free number, and all fields to fill in."""

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labgen.model.record_fields import inner_model, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.problems.text import say
from labgen.source.file_names import BULK, FOLDER
from labgen.source.fix import RewrittenFile, write_mended
from labgen.source.laboratory_locations import SCHEMA_KEY
from labgen.system.input_files import read_bytes

SCHEMA = "schemas/laboratory.json"
_WITHOUT_QUOTES = re.compile(r"[A-Za-zÄÖÜäöüß][\wäöüßÄÖÜ &.-]*[\wäöüßÄÖÜ.]|[a-z]{2}")
_WORDS = ("true", "false", "null")


class NewDefaults(NamedTuple):
    """Values from the existing laboratories and from the settings that a new laboratory is based on."""

    display_ids: Collection[str]
    countries: Sequence[str]
    deal_status: str
    verification_status: str


def next_display_id(taken: Collection[str]) -> str:
    """Return the number after the greatest display_id, with as many digits as most display_ids have."""
    numbers = [one for one in taken if one.isdecimal()]
    widths = Counter(map(len, numbers)).most_common(1)
    return str(max(map(int, numbers), default=0) + 1).zfill(widths[0][0] if widths else 5)


def required_values(name: str, display_id: str, known: NewDefaults) -> dict[str, str]:
    """Return the values of the required fields; the country is that of most laboratories."""
    country = Counter(known.countries).most_common(1)
    return {
        "display_id": display_id,
        "name": name,
        "country": country[0][0] if country else "",
        "deal_status": known.deal_status,
        "verification_status": known.verification_status,
    }


def suffix_in_use(files: Collection[str]) -> str:
    """Return the commonest suffix of the laboratories' files; `.json` if there are no files."""
    suffixes = Counter(os.path.splitext(one)[1] for one in files if one.startswith(f"{FOLDER}/"))  # noqa: PTH122
    return suffixes.most_common(1)[0][0] if suffixes else ".json"


def as_json(values: dict[str, str], *, has_schema: bool) -> str:
    """Return a laboratory in JSON with all fields: unknown values are empty or null."""
    record = {SCHEMA_KEY: f"../../{SCHEMA}"} if has_schema else {}
    return json.dumps(record | _blank(LaboratoryRecord, values), ensure_ascii=False, indent=2) + "\n"


def as_line(values: dict[str, str]) -> str:
    """Return a laboratory as a line of laboratories.jsonl."""
    return json.dumps(_blank(LaboratoryRecord, values), ensure_ascii=False) + "\n"


def _blank(model: type[Record], values: dict[str, str]) -> dict[str, Any]:
    """Return a record with some values and all other fields empty; notes are left out."""
    record: dict[str, Any] = {}
    for key, field in _own_fields(model):
        inner = inner_model(field.annotation)
        if key in values:
            record[key] = values[key]
        elif field.default_factory is list:
            record[key] = []
        elif inner and isinstance(field.default, inner):
            record[key] = _blank(inner, {})
        elif isinstance(field.default, dict):
            record[key] = {}
        else:
            record[key] = field.default if isinstance(field.default, bool | str) else None
    return record


def as_yaml(values: dict[str, str], *, has_schema: bool) -> str:
    """Return a laboratory in YAML: fields without a value are comments, with their descriptions."""
    lines = [f"# yaml-language-server: $schema=../../{SCHEMA}"] if has_schema else []
    lines += [f"{key}: {_quoted(value)}" for key, value in values.items()]
    lines += _comments(LaboratoryRecord, values, "# ")
    return "\n".join(lines) + "\n"


def _comments(model: type[Record], values: dict[str, str], indent: str) -> Iterator[str]:
    for key, field in _own_fields(model):
        if key in values:
            continue
        inner = inner_model(field.annotation)
        is_object = inner and isinstance(field.default, inner)
        empty = "" if is_object else " []" if field.default_factory is list else ""
        yield f"{indent}{key}:{empty}  # {field.description}"
        if inner and is_object:
            yield from _comments(inner, {}, indent + "  ")


def _own_fields(model: type[Record]) -> Iterator[tuple[str, Any]]:
    return ((key, one) for key, one in written_fields(model).items() if key not in written_fields(Record))


def _quoted(value: str) -> str:
    is_plain = _WITHOUT_QUOTES.fullmatch(value) and value.lower() not in _WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)


class NoPlaceError(Exception):
    """The file of a new laboratory exists already, or laboratories are rows of a table."""


def add(root: Path, values: dict[str, str], files: Collection[str], *, is_first: bool) -> str:
    """Write a laboratory in the format of the existing ones, and return the name of its file.

    `files` are the files of the existing laboratories. Raises `NoPlaceError`, `FileChangedError`, or OSError
    if the laboratory cannot be written.
    """
    has_schema = (root / SCHEMA).is_file()
    if (root / BULK).is_file():
        before = read_bytes(root / BULK)
        end = b"" if before.endswith(b"\n") or not before else b"\n"
        write_mended(root, RewrittenFile(BULK, before, before + end + as_line(values).encode(), 0))
        return BULK
    if not files and not is_first:
        raise NoPlaceError(say("laboratories are rows of a table: add a row to it"))
    suffix = suffix_in_use(files)
    file = f"{FOLDER}/{values['display_id']}{suffix}"
    make = as_json if suffix == ".json" else as_yaml
    try:
        (root / FOLDER).mkdir(parents=True, exist_ok=True)
        with (root / file).open("x", encoding="utf-8", newline="") as opened:
            opened.write(make(values, has_schema=has_schema))
    except FileExistsError:
        raise NoPlaceError(say("{file} is there already", file=file)) from None
    return file
