"""The fields of records, found by pointers into them."""

from typing import Any

from pydantic import BaseModel

from labgen.problems.problem import Pointer


def field_names(model: type[BaseModel], pointer: Pointer = ()) -> tuple[str, ...]:
    """Return the keys that a record may have at a pointer into it; () where it takes no keys of its own."""
    inner = _model_at(model, pointer)
    return tuple(inner.model_fields) if inner else ()


def is_required(model: type[BaseModel], pointer: Pointer) -> bool:
    """Say whether a pointer into a record leads to a field, or a part of a list, that must be there."""
    if not pointer or not isinstance(pointer[-1], str):
        return True
    inner = _model_at(model, pointer[:-1])
    return bool(inner and pointer[-1] in inner.model_fields and inner.model_fields[pointer[-1]].is_required())


def _model_at(model: type[BaseModel], pointer: Pointer) -> type[BaseModel] | None:
    """Return the record that stands at a pointer into a record, or None where there is none."""
    inner: type[BaseModel] | None = model
    for step in pointer:
        if isinstance(step, str) and inner:
            inner = _inner_model(inner.model_fields[step].annotation)
    return inner


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    """Return the record inside `Record`, `list[Record]` or `Record | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_inner_model(part) for part in getattr(annotation, "__args__", ()))
    return next((model for model in inner if model), None)
