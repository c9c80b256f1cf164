"""Validate a document against its JSON Schema, and check the order of its fields.

Two rules are stricter than JSON Schema 2020-12, because documents are: the fields of an object must be in the
order of `properties`, and 8.0 is not an integer.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from labgen.problems.problem import Pointer, shown
from labgen.problems.text import alternatives, say
from labgen.render.json_schema import COMPONENTS, Schema

_TYPES: Mapping[str, tuple[type, str]] = {
    "string": (str, say("a string")),
    "integer": (int, say("an integer")),
    "boolean": (bool, say("true or false")),
    "null": (type(None), "null"),
    "array": (list, say("a list")),
    "object": (dict, say("an object")),
}


class Violation(NamedTuple):
    """A violation of a schema: the place in the value, and a message."""

    pointer: Pointer
    message: str

    @property
    def json_pointer(self) -> str:
        """The place as a JSON Pointer (RFC 6901); "" is the value itself."""
        return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.pointer)


def violations(value: Any, schema: Schema, named: Mapping[str, Schema]) -> list[Violation]:
    """Return all violations in a value, from outside to inside; `named` are the schemas for `$ref`."""
    found: list[Violation] = []
    _check(value, schema, named, (), found)
    return found


def _check(
    value: Any, schema: Schema, named: Mapping[str, Schema], at: Pointer, found: list[Violation]
) -> None:
    if "$ref" in schema:
        schema = named[schema["$ref"].removeprefix(COMPONENTS)]
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], named, at, found)
        return
    if wrong := _wrong(value, schema):
        found.append(Violation(at, wrong))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _check(item, schema["items"], named, (*at, number), found)
    elif isinstance(value, dict):
        _check_object(value, schema, named, at, found)


def _wrong(value: Any, schema: Schema) -> str:
    """Return what a value must be and is not, regardless of its contents; "" if nothing is wrong."""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and type(value) not in [_TYPES[kind][0] for kind in kinds]:
        return say(
            "it must be {kinds}, not {value}",
            kinds=alternatives(_TYPES[kind][1] for kind in kinds),
            value=shown(value),
        )
    if "const" in schema and value != schema["const"]:
        return say("it must be {schema}, not {value}", schema=shown(schema["const"]), value=shown(value))
    if "enum" in schema and value not in schema["enum"]:
        return say(
            "it must be {schema}, not {value}",
            schema=alternatives(map(shown, schema["enum"])),
            value=shown(value),
        )
    if isinstance(value, str) and "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        return say("it must match {schema}, not be {value}", schema=schema["pattern"], value=shown(value))
    if type(value) is int and value < schema.get("minimum", value):
        return say("it must be at least {schema}, not {value}", schema=schema["minimum"], value=value)
    return ""


def _check_any(
    value: Any, parts: list[Schema], named: Mapping[str, Schema], at: Pointer, found: list[Violation]
) -> None:
    """Check a value against alternatives; if none fits, add the violations of the closest one."""
    wrong = [violations(value, part, named) for part in parts]
    if all(wrong):
        deepest = max(wrong, key=lambda one: max(len(inner.pointer) for inner in one))
        found += [Violation((*at, *one.pointer), one.message) for one in deepest]


def _check_object(
    value: dict[str, Any], schema: Schema, named: Mapping[str, Schema], at: Pointer, found: list[Violation]
) -> None:
    fields: Mapping[str, Schema] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    found += [Violation(at, say("`{name}` is missing", name=name)) for name in missing]
    known = [name for name in value if name in fields]
    if known != (wanted := [name for name in fields if name in value]):
        first = next(name for name, right in zip(known, wanted, strict=True) if name != right)
        found.append(
            Violation(
                (*at, first), say("`{first}` is not in its place in the order of the contract", first=first)
            )
        )
    others = schema.get("additionalProperties", True)
    for name, one in value.items():
        if name in fields:
            _check(one, fields[name], named, (*at, name), found)
        elif others is False:
            found.append(
                Violation((*at, name), say("`{name}` is not a field that the contract knows", name=name))
            )
        elif isinstance(others, dict):
            _check(one, others, named, (*at, name), found)
