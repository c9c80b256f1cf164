"""Pages of one kind differ in few places: a frame is rendered once, and its slots are filled for each page.

A slot stands for a value that is not known yet. A template may put it out, wherever and as often as it likes,
and may do nothing else with it: a test, a filter, a comparison or an attribute of a slot raises, and
then there is no frame and every page is rendered by Jinja in full. So a filled frame and a full
rendering cannot differ.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import jinja2
from markupsafe import Markup

MARK = "\0"
"""Around the name of a slot in a rendered frame; no text of a record holds it."""


class SlotUsedError(Exception):
    """A template wants to know more of a slot than its place."""


class Slot:
    """A value that comes later, between two texts. It can be put out where Jinja escapes, and nothing else.

    But for one that `is_filled`, a text that is known not to be empty: a template may test if it is there.
    """

    __slots__ = ("after", "before", "is_filled", "name")

    def __init__(self, name: str, before: str = "", after: str = "", *, is_filled: bool = False) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.is_filled = is_filled

    def __bool__(self) -> bool:
        return self.is_filled or self._refuse()

    def __html__(self) -> str:
        return f"{Markup.escape(self.before)}{MARK}{self.name}{MARK}{Markup.escape(self.after)}"

    def __getattr__(self, name: str) -> NoReturn:
        raise SlotUsedError(name)

    def _refuse(self, *_: object) -> NoReturn:
        raise SlotUsedError(self.name)

    __len__ = __iter__ = __str__ = __repr__ = __contains__ = __getitem__ = __call__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refuse
    __format__ = __add__ = __radd__ = __mod__ = __mul__ = _refuse


class Frame:
    """A text with slots: what stands between them, and their names or numbers; one text more than slots."""

    __slots__ = ("_parts", "names")

    def __init__(self, texts: Sequence[bytes], names: Sequence[Any]) -> None:
        self.names = tuple(names)
        self._parts = [b""] * (2 * len(self.names) + 1)
        self._parts[::2] = texts

    def fill(self, values: Mapping[str, bytes] | Sequence[bytes]) -> bytes:
        """Return the text with the slots' values, by name or number; they are escaped already."""
        found: Any = values
        parts = self._parts.copy()
        parts[1::2] = [found[name] for name in self.names]
        return b"".join(parts)


@lru_cache(maxsize=4)
def frame_environment(environment: jinja2.Environment) -> jinja2.Environment:
    """Return an environment whose filters and tests refuse slots, also in texts that were captured.

    It is kept with the templates that it has compiled, because a site has dozens of frames.
    """
    guarded = environment.overlay()
    guarded.filters = {name: _guarded(function) for name, function in environment.filters.items()}
    guarded.tests = {name: _guarded(function) for name, function in environment.tests.items()}
    guarded.cache = {}
    return guarded


def _guarded(function: Any) -> Any:
    def guard(*arguments: Any, **named: Any) -> Any:
        for value in (*arguments, *named.values()):
            if isinstance(value, Slot) or (isinstance(value, str) and MARK in value):
                raise SlotUsedError
        return function(*arguments, **named)

    guard.__dict__.update(getattr(function, "__dict__", {}))  # how Jinja is to call it stands in attributes
    return guard


def make_frame(environment: jinja2.Environment, template: str, variables: Mapping[str, Any]) -> Frame | None:
    """Return the frame that a template makes of variables with slots, or None where it needs their values.

    A name of digits is a number in the frame.
    """
    try:
        text = frame_environment(environment).get_template(template).render(variables)
    except Exception:  # noqa: BLE001 - whatever fails here fails again, and is reported, in full rendering
        return None
    pieces = text.split(MARK)
    names = [int(name) if name.isdecimal() else name for name in pieces[1::2]]
    return Frame([piece.encode() for piece in pieces[::2]], names)


def html(text: str) -> bytes:
    """Return a text as HTML, escaped as Jinja does it."""
    return escaped(text.encode()).replace(b'"', b"&#34;").replace(b"'", b"&#39;")


def escaped(text: bytes) -> bytes:
    """Return a text as HTML that stands between tags, where quotes mean nothing."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
