"""Make records of values that are not valid, so that these can be compared with those of the last build."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, get_origin

from pydantic import TypeAdapter, ValidationError

from labgen.model.record_fields import inner_model, is_list, keys_of
from labgen.model.records import Record

Model = TypeVar("Model", bound=Record)


def as_written(record: Model, value: object, unsound: Collection[str]) -> Model:
    """Return a copy of a record whose unsound fields have the values of the source, as texts if invalid."""
    model = type(record)
    keys = {name: key for name, key in keys_of(model).items() if key in unsound}
    return record.model_copy(update=_values(model, keys, value))


def _values(model: type[Record], keys: Mapping[str, str], value: object) -> dict[str, Any]:
    """Return the fields of a record by their attributes; None for those that are missing."""
    given = value if isinstance(value, dict) else {}
    return {name: _value(model, name, given.get(key)) for name, key in keys.items()}


def _value(model: type[Record], name: str, given: Any) -> Any:
    if given is None:
        return None
    annotation = model.model_fields[name].annotation
    inner, has_many = inner_model(annotation), is_list(annotation)
    if inner:
        many = given if isinstance(given, list) else [given]
        entries = [inner.model_construct(**_values(inner, keys_of(inner), one)) for one in many]
        return entries if has_many else entries[0] if entries else None
    try:
        return _validator(model, name).validate_python(given, strict=True)
    except ValidationError:
        texts = [str(one) for one in (given if isinstance(given, list) else [given])]
    return texts if has_many else None if get_origin(annotation) is dict else "; ".join(texts)


@cache
def _validator(model: type[Record], name: str) -> TypeAdapter[Any]:
    field = model.model_fields[name]
    annotation: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return TypeAdapter(annotation)
