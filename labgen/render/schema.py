"""The types of documents as JSON Schema 2020-12, as OpenAPI 3.1 takes it: strict, with descriptions."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.documents import Link

Schema = dict[str, Any]

_SIMPLE: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
}


class Schemas:
    """Makes schemas; those of objects are kept under `named`, and referred to."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """Return the schema of a type: an object's is a reference. Raises TypeError for other types."""
        if kind in _SIMPLE:
            return dict(_SIMPLE[kind])
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._described(kind)
        if origin in (Union, UnionType):
            return self._one_of(arguments)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is list:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if is_typeddict(origin or kind):
            return self._reference(kind)
        raise TypeError(kind)

    def _described(self, kind: Any) -> Schema:
        """Return the schema of an annotated type: with its description, and the format of an address."""
        inner, *extras = get_args(kind)
        schema = self.of(inner)
        for extra in extras:
            if isinstance(extra, Link):
                schema["format"] = extra.format
            elif isinstance(extra, str):
                schema["description"] = extra
        return schema

    def _one_of(self, kinds: tuple[Any, ...]) -> Schema:
        parts = [self.of(kind) for kind in kinds]
        simple = [part for part in parts if part.keys() <= {"type", "format"}]
        if len(simple) == len(parts):
            merged = {name: value for part in parts for name, value in part.items() if name != "type"}
            return {"type": [part["type"] for part in parts], **merged}
        return {"anyOf": parts}

    def _reference(self, kind: Any) -> Schema:
        name = _name_of(kind)
        if name not in self.named:
            self.named[name] = {}  # before its fields, which may refer to it
            self.named[name] = self._object(kind)
        return {"$ref": f"#/components/schemas/{name}"}

    def _object(self, kind: Any) -> Schema:
        origin = get_origin(kind) or kind
        given = dict(zip(getattr(origin, "__parameters__", ()), get_args(kind), strict=True))
        hints = get_type_hints(origin, include_extras=True)
        return {
            "type": "object",
            "description": (origin.__doc__ or "").strip(),
            "properties": {name: self.of(_filled(hint, given)) for name, hint in hints.items()},
            "required": list(hints),
            "additionalProperties": False,
        }


def _filled(hint: Any, given: dict[Any, Any]) -> Any:
    """Return a type with its type variables replaced."""
    if isinstance(hint, TypeVar):
        return given[hint]
    if get_origin(hint) is Annotated:
        inner, *extras = get_args(hint)
        return Annotated[_filled(inner, given), *extras]
    if get_origin(hint) is list:
        return list[_filled(get_args(hint)[0], given)]  # type: ignore[misc]
    return hint


def _name_of(kind: Any) -> str:
    """Return a type's name: that of a generic one after its argument's."""
    name: str = (get_origin(kind) or kind).__name__
    return "".join(_name_of(argument) for argument in get_args(kind)) + name
