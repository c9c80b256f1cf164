"""Render pages of one kind once, as a frame with slots, and fill the slots for each page.

A slot stands for a value that is not known yet. A template may output it, wherever and as often as it likes.
Whatever else a template does with a slot raises `SlotUsedError`, and then there is no frame: every page is
rendered in full. So a filled frame equals a full rendering, for these reasons:

- A slot is no text, and nothing can be asked of it. `FrameEnvironment.output` alone makes text of it, and
  Jinja calls that for `{{ … }}` alone.
- Text that is captured instead of output (by a macro, an import, or a block of `set`, `filter` or `call`) is
  refused where it holds a slot. What `super()` and `self.block()` return is a slot again.
- Filters, tests and subscripts refuse a slot as their argument: some go by the type of a value, or take an
  error for an answer.
- The marks around the names of slots are counted, so a template cannot write one of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

import jinja2
from jinja2.environment import TemplateModule
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context
from markupsafe import Markup

from labgen.render.environment import CompiledTemplates, PageEnvironment, PageTemplate, checked, encoded
from labgen.render.template_loader import TemplateLoader

MARK = "\0"
"""Around the name of a slot in a rendered frame; no text of a record holds it."""


class SlotUsedError(Exception):
    """A template does something else with a slot than to output it."""


def _refuse(*_: object) -> NoReturn:
    raise SlotUsedError


class Slot:
    """A placeholder between two texts for a value that is filled in later; templates can only output it.

    But for one that `is_filled`, a text that is known not to be empty: a template may test if it is there.
    """

    __slots__ = ("_is_filled", "_marked")

    def __init__(self, name: str, before: str = "", after: str = "", *, is_filled: bool = False) -> None:
        self._marked = f"{Markup.escape(before)}{MARK}{name}{MARK}{Markup.escape(after)}"
        self._is_filled = is_filled

    def __bool__(self) -> bool:
        is_filled: bool = object.__getattribute__(self, "_is_filled")
        return is_filled or _refuse(self)

    def __getattribute__(self, name: str) -> NoReturn:
        raise SlotUsedError(name)

    __repr__ = __hash__ = __eq__ = _refuse


def formatted(value: Any, name: str, write: Callable[[Any], str]) -> Any:
    """Return a value as `write` writes it, or the slot `name number` where it is the slot of a number.

    Slots of other names are refused: only objects of documents are filled with what is written (`items`).
    """
    if not isinstance(value, Slot):
        return write(value)
    _, slot, *_ = object.__getattribute__(value, "_marked").split(MARK)
    return Slot(f"{name} {slot}") if slot.isdecimal() else _refuse()


class _Captured(Slot):
    """The text of a block that holds slots: it can be output, like a slot, and nothing else."""

    __slots__ = ()

    def __init__(self, marked: str) -> None:
        super().__init__("")
        self._marked = marked


def _refuse_slots(*values: object) -> None:
    if any(isinstance(value, Slot) for value in values):
        raise SlotUsedError


class _FrameContext(Context):
    """The variables of a template that is rendered as a frame."""

    environment: "FrameEnvironment"

    def call(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call a function for a template; what a block returns is a slot if it holds one."""
        if isinstance(function, BlockReference):
            return self.environment.captured(function)
        return super().call(function, *arguments, **named)


class _FrameTemplate(PageTemplate):
    """A template that is rendered as a frame."""

    def make_module(self, *arguments: Any, **named: Any) -> TemplateModule:
        """Return what a template exports; its text is captured."""
        module = super().make_module(*arguments, **named)
        if MARK in str(module):
            raise SlotUsedError
        return module


class FrameEnvironment(PageEnvironment):
    """Renders templates with slots among their variables. Raises where the result would not be a frame."""

    template_class = _FrameTemplate
    compiled: ClassVar = CompiledTemplates()
    context_class = _FrameContext

    def __init__(self, loader: TemplateLoader) -> None:
        super().__init__(loader, finalize=self.output)
        self.filters = {name: _guarded(function) for name, function in self.filters.items()}
        self.tests = {name: _guarded(function) for name, function in self.tests.items()}
        self.marks = 0
        self.may_capture = False

    def marked(self, template: str, variables: Mapping[str, Any]) -> str:
        """Return what a template outputs, with the names of slots between marks."""
        self.marks, self.may_capture = 0, False
        text = "".join(self.get_template(template).generate(variables))
        if text.count(MARK) != self.marks:
            raise SlotUsedError
        return text

    @jinja2.pass_eval_context
    def output(self, context: EvalContext, value: Any) -> Any:
        """Return what is output for a value; slots are filled with escaped texts."""
        if not isinstance(value, Slot):
            return checked(value)
        if not context.autoescape:
            raise SlotUsedError
        text: str = object.__getattribute__(value, "_marked")
        self.marks += text.count(MARK)
        return Markup(text)  # noqa: S704 - what is around the slot is escaped

    def captured(self, block: BlockReference) -> Any:
        """Return what a block outputs, as a slot if it holds one."""
        before, self.may_capture = self.marks, True
        text = block()
        if text.count(MARK) != self.marks - before:
            raise SlotUsedError
        self.marks = before
        return _Captured(text) if MARK in text else text

    def concat(self, texts: Iterable[str]) -> str:
        """Return captured text. Jinja joins with this all that is not output."""
        may_capture, self.may_capture = self.may_capture, False  # what is captured inside is no block's text
        text = "".join(texts)
        if MARK in text and not may_capture:
            raise SlotUsedError
        return text

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute; those of Jinja's own objects would lead around the guards."""
        if attribute.startswith("_"):
            raise SlotUsedError
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item, or an attribute."""
        if isinstance(argument, str) and argument.startswith("_"):
            raise SlotUsedError
        return super().getitem(obj, argument)


def _guarded(function: Any) -> Any:
    """Return a filter or a test that refuses slots."""

    def guard(*arguments: Any, **named: Any) -> Any:
        _refuse_slots(*arguments, *named.values())
        return function(*arguments, **named)

    guard.__dict__.update(getattr(function, "__dict__", {}))  # how Jinja is to call it stands in attributes
    return guard


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


def make_frame(environment: FrameEnvironment, template: str, variables: Mapping[str, Any]) -> Frame | None:
    """Return the frame that a template makes of variables with slots, or None where it needs their values.

    A name of digits is a number in the frame.
    """
    try:
        pieces = environment.marked(template, variables).split(MARK)
        texts = [encoded(piece) for piece in pieces[::2]]
    except Exception:  # noqa: BLE001 - whatever fails here fails again, and is reported, in full rendering
        return None
    return Frame(texts, [int(name) if name.isdecimal() else name for name in pieces[1::2]])


def html(text: str) -> bytes:
    """Return a text as HTML, escaped as Jinja does it."""
    return escaped(text.encode()).replace(b'"', b"&#34;").replace(b"'", b"&#39;")


def escaped(text: bytes) -> bytes:
    """Return a text as HTML that stands between tags, where quotes mean nothing."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
