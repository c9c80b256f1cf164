"""Look up the fields of records: their keys in source files, their annotations, and nested records.

A field has two names: its attribute in Python, and its key in source files. They differ if the key
is a keyword of Python (`from`): then the key is the field's alias.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from labgen.model.records import Record
from labgen.problems.problem import Pointer

FieldPath = tuple[str, ...]
"""The attributes that lead from a record to a value, at any depth; positions in lists are omitted."""


@cache
def keys_of(model: type[Record]) -> Mapping[str, str]:
    """Return the keys of a record in source files, by attribute."""
    return {name: field.alias or name for name, field in model.model_fields.items()}


@cache
def written_fields(model: type[Record]) -> Mapping[str, FieldInfo]:
    """Return the fields of a record by their keys in source files."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def field_names(model: type[Record], pointer: Pointer = ()) -> tuple[str, ...]:
    """Return the keys that a record accepts at a pointer into it; () if there is no record at the pointer."""
    inner = model_at(model, pointer)
    return tuple(written_fields(inner)) if inner else ()


def is_optional(model: type[Record], pointer: Pointer) -> bool:
    """Return whether a pointer into a record refers to an optional field."""
    name = pointer[-1] if pointer else None
    inner = model_at(model, pointer[:-1])
    field = written_fields(inner).get(name) if inner and isinstance(name, str) else None
    return field is not None and not field.is_required()


def model_at(model: type[Record], pointer: Pointer) -> type[Record] | None:
    """Return the record type at a pointer into a record, or None if the value is not a record."""
    inner: type[Record] | None = model
    for step in pointer:
        if isinstance(step, str) and inner:
            inner = inner_model(written_fields(inner)[step].annotation)
    return inner


def inner_model(annotation: Any) -> type[Record] | None:
    """Return the record type in an annotation: `Record`, `list[Record]` or `Record | None`; else None."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    inner = (inner_model(part) for part in get_args(annotation))
    return next((model for model in inner if model), None)


def is_list_of_texts(model: type[Record], pointer: Pointer) -> bool:
    """Return whether a pointer into a record refers to a list of texts, or to a list of texts or null."""
    inner = model_at(model, pointer[:-1])
    field = written_fields(inner).get(str(pointer[-1])) if inner and pointer else None
    return field is not None and _is_list_of_texts(field.annotation)


def _is_list_of_texts(annotation: Any) -> bool:
    if get_origin(annotation) is list:
        return get_args(get_args(annotation)[0])[:1] == (str,)
    return get_origin(annotation) is not dict and any(map(_is_list_of_texts, get_args(annotation)))


def all_fields(model: type[Record]) -> Iterator[tuple[FieldPath, FieldInfo]]:
    """Yield the fields of a record and of all records nested in it, each after the field that contains it."""
    for name, field in model.model_fields.items():
        yield (name,), field
        if inner := inner_model(field.annotation):
            yield from (((name, *path), one) for path, one in all_fields(inner))


def owner_of(model: type[Record], path: FieldPath) -> type[Record]:
    """Return the record type that has the field at a path into a record."""
    for name in path[:-1]:
        model = inner_model(model.model_fields[name].annotation) or model
    return model


def is_list(annotation: Any) -> bool:
    """Return whether a field is a list, or a list or null."""
    origin = get_origin(annotation)
    return origin is list or (origin is not dict and any(map(is_list, get_args(annotation))))


def types_in(annotation: Any) -> Iterator[Any]:
    """Yield the type of a field, and all types nested in it."""
    yield annotation
    for part in get_args(annotation):
        yield from types_in(part)


def all_records(model: type[Record]) -> Iterator[type[Record]]:
    """Yield a record type and all record types nested in it."""
    yield model
    for _, field in all_fields(model):
        if inner := inner_model(field.annotation):
            yield inner


def marks_of(field: FieldInfo) -> Iterator[Any]:
    """Yield the `Annotated` metadata of a field and of the types nested in it."""
    yield from field.metadata
    yield from _marks_in(field.annotation)


def _marks_in(annotation: Any) -> Iterator[Any]:
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _marks_in(part)


def last_key(pointer: Pointer) -> str:
    """Return the last key in a pointer: that of the field or, for an entry of a list, of the list."""
    return next(step for step in reversed(pointer) if isinstance(step, str))


def values_at(record: Record, path: FieldPath) -> list[Any]:
    """Return the values of a record at a path, lists flattened and None omitted."""
    found = _listed(getattr(record, path[0]))
    for name in path[1:]:
        found = [one for part in found for one in _listed(getattr(part, name))]
    return found


def values_with_pointers(record: Record, path: FieldPath) -> list[tuple[Pointer, Any]]:
    """Return the values of a record at a path, each with its pointer, lists flattened and None omitted."""
    found: list[tuple[Pointer, Any]] = [((), record)]
    for name in path:
        found = [part for pointer, one in found for part in _places_of(one, name, pointer)]
    return found


def _places_of(record: Record, name: str, pointer: Pointer) -> list[tuple[Pointer, Any]]:
    pointer, value = (*pointer, keys_of(type(record))[name]), getattr(record, name)
    if isinstance(value, list):
        return [((*pointer, position), one) for position, one in enumerate(value)]
    return [] if value is None else [(pointer, value)]


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def resolve_pointer(value: Any, pointer: Pointer) -> Any:
    """Return the part of a parsed source value at a pointer, or None if there is no such part."""
    for step in pointer:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
