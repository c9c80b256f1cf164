"""Sound records of every kind, drawn from their declarations: a new field, list or catalogue is drawn by existing."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from itertools import count
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from typing_extensions import get_type_hints

from labgen.api.sections import ENDPOINTS
from labgen.model.catalogues import SHARED_LISTS
from labgen.model.record_fields import inner_model, is_list, keys_of, types_in, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.values import (
    MAX_ID,
    Code,
    Date,
    Digits,
    Email,
    FilledLine,
    FilledText,
    Id,
    Image,
    IsoCode,
    Line,
    LooseCode,
    LooseLine,
    NoValue,
    Phone,
    Point,
    Rating,
    RefersTo,
    Slug,
    Target,
    Text,
    Website,
    Word,
)

IMAGES = ("a.png", "b.png", "c.png")
FOCUSED = IMAGES[:-1]
"""The pictures that have a focus: a change of it changes whatever shows one of them."""
DEAL_STATUSES = ("premium", "basic")
VERIFICATION_STATUSES = ("partner", "none")
SETTINGS = """
[deal_statuses]
premium = "Premium"
basic = "Basis"
[verification_statuses]
partner = "Partner"
none = "Keiner"
"""

KINDS: Sequence[tuple[Any, Callable[[int], Any]]] = [
    (Id, lambda n: n),
    (bool, lambda n: n % 2 == 0),
    (int, lambda n: n),
    (float, float),
    (NoValue, lambda _: None),
    (IsoCode, lambda n: chr(97 + n // 26 % 26) + chr(97 + n % 26)),
    (Digits, lambda n: f"{n:05}"),
    (Date, lambda n: (date(2020, 1, 1) + timedelta(n)).isoformat()),
    (Rating, lambda n: f"{n % 5}.{n % 100:02}"),
    (Point, lambda n: [n % 101, n * 7 % 101]),
    (Email, lambda n: f"labor-{n}@labor.example"),
    (Phone, lambda n: f"+49 30 23125-{n:03}"),
    *((kind, lambda n: f"https://labor-{n}.example/") for kind in (Website, Target)),
    *((kind, lambda n: f"wort-{n}") for kind in (Slug, Word, Code, LooseCode)),
]  # fmt: skip
"""How a value of each kind is made of a number."""
LINES = (str, Line, FilledLine, LooseLine)
TEXTS = (Text, FilledText)
"""The kinds of texts; those in `TEXTS` may hold line breaks."""


class Drawer:
    """Draws records, each value from another number.

    `keys` are those of the entries of shared lists; of a list without keys, nothing is named. `images` are the names
    of pictures.
    """

    def __init__(self, images: Sequence[str] = FOCUSED, **keys: list[Any]) -> None:
        self.numbers = count(1)
        self.images = images
        self.keys = keys

    def record(self, model: type[Record], *, is_full: bool = True, **fixed: Any) -> dict[str, Any]:
        """Return a record as a person writes it; one that is not full has the required fields alone."""
        written: dict[str, Any] = {}
        for name, key in keys_of(model).items():
            is_required = model.model_fields[name].is_required()
            if name in fixed:
                written[key] = fixed[name]
            elif is_required or (is_full and name not in model.unpublished):
                written[key] = self.field(model, name)
        try:
            model.model_validate(written, strict=True)
        except ValidationError as error:
            fault = error.errors()[0]
            raise NotDrawnError(f"{model.__name__}.{fault['loc'][0]}: {REMEDY} ({fault['msg']})") from None
        return written

    def field(self, model: type[Record], name: str) -> Any:
        """Return a value of a field of a record. Raises `NotDrawnError`."""
        hint, field = hints_of(model)[name], model.model_fields[name]
        is_told = field.examples or limits_of(field.metadata)
        try:
            return self.value(Annotated[hint, field] if is_told else hint)
        except UnknownTypeError as error:
            raise NotDrawnError(f"{model.__name__}.{name}: {REMEDY} ({error})") from None

    def another(self, model: type[Record], name: str, old: Any) -> Any:
        """Return another value of a field."""
        for _ in range(MOST_TRIES):
            if (new := self.field(model, name)) != old:
                return new
        raise NotDrawnError(f"{model.__name__}.{name}: only {old!r} can be drawn: give it two `examples`")

    def value(self, hint: Any) -> Any:
        """Return a value of a type; a list has all keys that there are, or a full record and one that is not."""
        if hint in LINES:
            return self.line(next(self.numbers))
        if hint in TEXTS:
            return self.text(next(self.numbers))
        if hint == Image:
            return self.images[next(self.numbers) % len(self.images)]
        for kind, make in KINDS:
            if hint == kind:
                return make(next(self.numbers))
        inner = [part for part in get_args(hint) if part is not NoneType]
        if get_origin(hint) is Annotated:
            return self._annotated(*inner)
        if get_origin(hint) in (list, dict, Literal):
            return self._of_several(hint, *inner)
        if isinstance(hint, type) and issubclass(hint, Record):
            return self.record(hint)
        if len(inner) != 1:
            raise UnknownTypeError(f"{hint} is none of the types in tests/draw_records.py")
        return self.value(inner[0])

    def _of_several(self, hint: Any, *inner: Any) -> Any:
        """Return a list, a mapping, or one of the values that a type names."""
        if get_origin(hint) is dict:
            return {self.value(inner[0]): self.value(inner[1])}
        if get_origin(hint) is Literal:
            return inner[next(self.numbers) % len(inner)]
        if model := inner_model(hint):
            return [self.record(model), self.record(model, is_full=False)]
        return [self.value(inner[0]), self.value(inner[0])]

    def line(self, number: int) -> str:
        """Return a text without a line break."""
        return f"Text {number}"

    def text(self, number: int) -> str:
        """Return a text, which may hold line breaks."""
        return self.line(number)

    def optional(self) -> dict[str, Any]:
        """Return what a laboratory can have for the sections that not every directory has."""
        names = [one.appears_with for one in ENDPOINTS if one.appears_with]
        return {keys_of(LaboratoryRecord)[name]: self.field(LaboratoryRecord, name) for name in names}

    def _annotated(self, hint: Any, *marks: Any) -> Any:
        """Return a key of a list that the marks name, an example that they give, or any value of the type."""
        for mark in marks:
            if isinstance(mark, RefersTo):
                return self._key(hint, mark.stem)
            if examples := getattr(mark, "examples", None):
                return examples[next(self.numbers) % len(examples)]
        kinds = [kind for kind in types_in(hint) if kind in (int, float)]
        if kinds and (limits := limits_of(marks)) and not is_list(hint):
            return kinds[0](number_within(limits, next(self.numbers)))
        *others, _ = marks
        return self.value(Annotated[hint, *others] if others else hint)

    def _key(self, hint: Any, stem: str) -> Any:
        keys = self.keys.get(stem, [])
        if is_list(hint):
            return list(keys)
        return keys[next(self.numbers) % len(keys)] if keys else None

    def lists(self, length: int = 2) -> dict[str, list[dict[str, Any]]]:
        """Return all shared lists, and remember the keys of their entries."""
        drawn = {}
        for listed in SHARED_LISTS:
            entries = [self.record(listed.record) for _ in range(length)]
            self.keys[listed.stem] = [entry.get(listed.key) for entry in entries]
            drawn[listed.stem] = entries
        return drawn

    def laboratories(self, length: int = 2) -> list[dict[str, Any]]:
        """Return laboratories with everything; each is similar to the others."""
        ids = [f"{next(self.numbers):05}" for _ in range(length)]
        return [self.laboratory(one, [other for other in ids if other != one]) for one in ids]

    def laboratory(self, display_id: str, similar: list[str], **fixed: Any) -> dict[str, Any]:
        """Return a laboratory with everything, but for the fields that are given."""
        given = {
            "display_id": display_id,
            "deal_status": DEAL_STATUSES[0],
            "verification_status": VERIFICATION_STATUSES[0],
            "image": IMAGES[0],
            "gallery": list(IMAGES),
            "focus": {name: [30, 40] for name in FOCUSED},
            "similar_labs": similar,
        }
        return self.record(LaboratoryRecord, **given | fixed)


@cache
def hints_of(model: type[Record]) -> dict[str, Any]:
    return get_type_hints(model, include_extras=True)


MOST_TRIES = 100
REMEDY = "no value can be drawn for the tests: give it `examples`, as Field(examples=[…]) in its type"


class UnknownTypeError(TypeError):
    """A type of which no value can be drawn."""


class NotDrawnError(TypeError):
    """A field of which no value can be drawn; the message names it, and says what to do."""


def limits_of(marks: Sequence[Any]) -> dict[str, Any]:
    """Return the limits of a number that the marks of a type give, by their names: ge, gt, le, lt, multiple_of."""
    inner = [part for mark in marks for part in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]
    names = ("ge", "gt", "le", "lt", "multiple_of")
    found = {name: getattr(mark, name, None) for mark in inner for name in names if hasattr(mark, name)}
    return {name: limit for name, limit in found.items() if limit is not None}


def number_within(limits: dict[str, Any], number: int) -> Any:
    """Return a number within limits, another for each number that is given, as far as there is room."""
    step = limits.get("multiple_of", 1)
    least = max(limits.get("ge", 0), limits.get("gt", -step) + step)
    if "gt" not in limits and "ge" not in limits:
        least = min(least, limits.get("le", limits.get("lt", step) - step))
    least = -(-least // step) * step
    most = min(limits.get("le", least + MAX_ID), limits.get("lt", least + MAX_ID + step) - step)
    return least + number % max(1, int((most - least) // step) + 1) * step


def records_in(model: type[Record], written: Any, wanted: type[Record]) -> Iterator[dict[str, Any]]:
    """Yield the records of one kind, at any depth of a record that is written."""
    if model is wanted:
        yield written
    for key, field in written_fields(model).items():
        if (inner := inner_model(field.annotation)) and key in written:
            for one in written[key] if isinstance(written[key], list) else [written[key]]:
                yield from records_in(inner, one, wanted)
