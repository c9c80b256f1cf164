"""Generate JSON Schema 2020-12 from the types of documents, for OpenAPI 3.1.

Schemas are strict: they allow no fields beyond those of the type, and `labgen verify` checks documents
against them. The published ones are `open_for_later_fields`, so that a client generated from them today
accepts a document with an additional field.
"""

from collections.abc import Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.api.document_parts import Link, Shape

Schema = dict[str, Any]

COMPONENTS = "#/components/schemas/"
"""The prefix of a reference to the schema of an object; the object's name follows."""

_SIMPLE: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    NoneType: {"type": "null"},
}


class Schemas:
    """Makes schemas; those of objects are kept in `named`, and referred to.

    The `properties` of an object have the order of its fields in documents, which JSON Schema cannot require.
    """

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}
        self._kinds: dict[str, Any] = {}

    def of(self, kind: Any, given: Mapping[Any, Any] | None = None) -> Schema:
        """Return the schema of a type; `given` has the types of its type variables.

        Raises TypeError for a type that no document has, for two objects of the same name, and for a field
        without a description.
        """
        given = given or {}
        kind = given.get(kind, kind)
        if kind in _SIMPLE:
            return dict(_SIMPLE[kind])
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in (Annotated, NotRequired):
            return self.of(arguments[0], given) | _extras(arguments[1:])
        if origin in (Union, UnionType):
            return _any_of([self.of(part, given) for part in arguments])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is list:
            return {"type": "array", "items": self.of(arguments[0], given)}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(arguments[1], given)}
        if is_typeddict(origin or kind):
            return self._reference(kind)
        raise TypeError(kind)

    def _reference(self, kind: Any) -> Schema:
        name = _name_of(kind)
        if self._kinds.setdefault(name, kind) != kind:
            raise TypeError(f"two types of documents have the name {name}")
        if name not in self.named:
            self.named[name] = {}  # before its fields, which may refer to it
            self.named[name] = self._object(kind)
        return {"$ref": COMPONENTS + name}

    def _object(self, kind: Any) -> Schema:
        origin = get_origin(kind) or kind
        given = dict(zip(getattr(origin, "__parameters__", ()), get_args(kind), strict=True))
        hints = _hints_of(origin)
        fields = {name: self.of(hint, given) for name, hint in hints.items()}
        for name in (name for name, field in fields.items() if "description" not in field):
            raise TypeError(f'{origin.__name__}.{name} has no description: write Annotated[…, "…"]')
        return {
            "type": "object",
            "description": (origin.__doc__ or "").strip(),
            "properties": fields,
            "required": [name for name in hints if name in origin.__required_keys__],
            "additionalProperties": False,
        }


@cache
def _hints_of(kind: type) -> Mapping[str, Any]:
    """Return the types of an object's fields. Cached, because several documents need them."""
    return get_type_hints(kind, include_extras=True)


def open_for_later_fields(schema: Schema) -> Schema:
    """Return the schema of an object, changed to allow fields that it does not define.

    A field that is null everywhere today keeps its type alone.
    """
    fields = {
        name: {key: value for key, value in field.items() if key != "const"}
        for name, field in schema["properties"].items()
    }
    opened = {key: value for key, value in schema.items() if (key, value) != ("additionalProperties", False)}
    return opened | {"properties": fields}


def _extras(extras: tuple[Any, ...]) -> Schema:
    """Return the keywords that annotations add: a description, the format of a URL, a shape."""
    schema: Schema = {}
    for extra in extras:
        match extra:
            case Link():
                schema |= {"format": extra.format} if extra.format else {}
            case Shape():
                schema[extra.keyword] = extra.value
            case str():
                schema["description"] = extra
    return schema


def _any_of(parts: list[Schema]) -> Schema:
    """Return the schema of a union; simple types are merged into one schema."""
    if all(isinstance(part.get("type"), str) and part["type"] not in ("object", "array") for part in parts):
        merged = {name: value for part in parts for name, value in part.items()}
        return merged | {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}


def _name_of(kind: Any) -> str:
    """Return the name of a type; for a generic type, the names of its arguments come first."""
    name: str = (get_origin(kind) or kind).__name__
    return "".join(_name_of(argument) for argument in get_args(kind)) + name
