"""Make values valid for a record: clean or drop invalid values, and record the deviations."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from labgen.importing.service.deviations import Deviation
from labgen.model.records import Record
from labgen.model.refusals import said_in
from labgen.problems.problem import Pointer, shown
from labgen.problems.text import say
from labgen.source.checks.validate import to_record

MOST_ROUNDS = 8
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


def mend(
    model: type[Record], values: Mapping[str, Any], where: str
) -> tuple[dict[str, Any] | None, list[Deviation]]:
    """Return values that are valid for a record, or None if that is impossible; and the deviations."""
    mended: Any = {**values}
    deviations: list[Deviation] = []
    for _ in range(MOST_ROUNDS):
        errors = list(_errors(model, mended))
        if not errors:
            return mended, deviations
        for error in sorted(errors, key=lambda one: [str(step) for step in one["loc"]], reverse=True):
            try:
                mended, deviation = _without(mended, error, where)
            except (LookupError, TypeError, ValueError):  # already removed with its parent
                continue
            deviations.append(deviation)
    deviations.append(
        Deviation(where, say("what labgen needs of it is missing or cannot be read"), say("it was left out"))
    )
    return None, deviations


def _errors(model: type[Record], values: Any) -> Iterator[ErrorDetails]:
    try:
        to_record(model, values)
    except ValidationError as error:
        yield from error.errors(include_url=False)


def _without(values: Any, error: ErrorDetails, where: str) -> tuple[Any, Deviation]:
    """Remove an invalid value, or clean a text if that is enough; return the values and the deviation."""
    pointer, given = error["loc"], error["input"]
    name = ".".join(str(step) for step in pointer)
    place = say("{where} {name}", where=where, name=name)
    if error["type"] == "missing":
        return values, Deviation(place, say("`{pointer}` is missing", pointer=pointer[-1]), say("see below"))
    cleaned = _CONTROLS.sub(" ", given).strip() if isinstance(given, str) else None
    if cleaned and cleaned != given:
        what = say("`{pointer}` holds line breaks or control characters", pointer=pointer[-1])
        return _replaced(values, pointer, cleaned), Deviation(
            place, what, say("they became spaces"), str(pointer[0])
        )
    what = say("`{field}` is not what labgen can hold: {error}", field=_field(pointer), error=said_in(error))
    return _replaced(values, pointer, None), Deviation(
        say("{place}: {given}", place=place, given=shown(given)),
        what,
        say("it was left out"),
        str(pointer[0]),
    )


def _field(pointer: Pointer) -> str:
    return next((step for step in reversed(pointer) if isinstance(step, str)), "")


def _replaced(values: Any, pointer: Pointer, value: str | None) -> Any:
    """Return a copy with the value at a pointer replaced, or removed if `value` is None."""
    step: Any = pointer[0]
    rest = pointer[1:]
    copy: Any = values.copy()
    if isinstance(copy, list) and not rest and value is None:
        del copy[step]
    elif rest and isinstance(copy, dict | list):
        copy[step] = _replaced(copy[step], rest, value)
    elif value is None:
        copy.pop(step, None)
    else:
        copy[step] = value
    return copy
