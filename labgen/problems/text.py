"""Define texts that people read: in English, with the template that a translation is found by.

A text is a `str`: it can be compared, sorted and printed in English. `report.translate` shows it in another
language. It survives pickle, and JSON by `as_values`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

Value = str | int | float | bool | None


class _Open(dict[str, Value]):
    """Values of places; those of other places are left open."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


class Text(str):
    """An English text, with its template and the values in its places, which may be texts themselves.

    What is added to it becomes a part of it. `many` is the plural of a noun with a number: then `template` is
    its singular.
    """

    __slots__ = ("many", "template", "values")

    template: str
    values: Mapping[str, Value]
    many: str

    def __new__(cls, template: str, values: Mapping[str, Value], many: str = "") -> Self:
        """Return a text; the English one is what is equal to a `str`."""
        if many:
            count = values["count"]
            text = f"{count:,} {template if count == 1 else many}"
        else:
            text = template.format_map(_Open(values)) if values else template
        self = super().__new__(cls, text)
        self.template, self.values, self.many = template, values, many
        return self

    def __add__(self, other: str) -> "Text":
        """Return both as one text, which is translated part by part."""
        return joined([self, other])

    def __radd__(self, other: str) -> "Text":
        """Return both as one text, which is translated part by part."""
        return joined([other, self])

    def filled(self, **values: object) -> "Text":
        """Return the text with values for the places that it left open."""
        return Text(self.template, {**self.values, **{name: _plain(one) for name, one in values.items()}})

    def __reduce__(self) -> tuple[type[Self], tuple[str, Mapping[str, Value], str]]:
        """Return how the text is made again by another process."""
        return type(self), (self.template, self.values, self.many)


def say(template: str, /, **values: object) -> Text:
    """Return a text: `say("`{field}` is missing", field=name)`.

    The template is a literal, because translators work from a list of all templates.
    """
    return Text(template, {name: _plain(value) for name, value in values.items()})


def term(text: str) -> Text:
    """Return an entry of a table as a text: that table, and not this call, holds its words."""
    return Text(text, {})


def plural(count: int, noun: str, many: str = "") -> Text:
    """Return a count with its noun, singular or plural: `1 error`, `2 errors`, `1,204 files`."""
    return Text(noun, {"count": count}, many or f"{noun}s")


def noun(one: str, many: str) -> tuple[str, str]:
    """Return the singular and the plural of a noun for `plural`; here translators find it."""
    return one, many


def joined(parts: Iterable[str], by: str = "") -> Text:
    """Return texts as one, which is translated part by part; `by` stands between them."""
    values = {f"part_{number}": one for number, one in enumerate(parts)}
    return Text("{by}".join(f"{{{name}}}" for name in values), {**values, "by": by})


def first_of(some: Sequence[str], most: int) -> Text:
    """Return the first of some texts, and how many more there are."""
    first = joined(some[:most], by=", ")
    more = len(some) - most
    return say("{first} and {count:,} more", first=first, count=more) if more > 0 else first


def alternatives(parts: Iterable[str]) -> Text:
    """Return texts with `or` between them."""
    return joined(parts, by=say(" or "))


def as_values(text: str) -> Any:
    """Return a text as values of JSON; `from_values` makes it again."""
    if not isinstance(text, Text):
        return str(text)
    values = {name: as_values(one) if isinstance(one, str) else one for name, one in text.values.items()}
    return [text.template, values, text.many]


def from_values(values: Any) -> Any:
    """Return the text that `as_values` made values of."""
    if not isinstance(values, list):
        return values
    template, inner, many = values
    return Text(template, {name: from_values(one) for name, one in inner.items()}, many)


def text_of(error: BaseException) -> str:
    """Return the text of an exception; `str` would lose its template."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, Text) else str(error)


def cause_of(error: OSError) -> Text:
    """Return the operating system's words for an error."""
    return term((error.strerror or "unknown").lower())


def _plain(value: object) -> Value:
    """Return a value in a form that is kept: texts and numbers as they are, all else as what it prints."""
    if isinstance(value, BaseException):
        return text_of(value)
    return value if isinstance(value, str | int | float | None) else str(value)
