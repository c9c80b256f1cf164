"""Render pages of one kind once, as a frame with slots, and fill the slots for each page.

A slot stands for a value that is not known yet. A template may output it, wherever and as often as it likes.
Whatever else a template does with a slot raises `SlotUsedError`, and then there is no frame: every page is
rendered in full. So a filled frame equals a full rendering, for these reasons:

- A slot is not a text, and templates cannot read anything of it. Only `FrameEnvironment.output` converts it
  to text, and Jinja calls that only for `{{ … }}`.
- Text that is captured instead of output (by a macro, an import, or a block of `set`, `filter` or `call`) is
  refused if it contains a slot. The results of `super()` and `self.block()` become slots again.
- Filters, tests and subscripts refuse a slot as their argument: some depend on the type of a value, or treat
  an error as a result.
- The marks around the names of slots are counted, so a template cannot forge a slot.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import jinja2
from jinja2.environment import TemplateModule
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context
from markupsafe import Markup

from labgen.render.environment import Codes, PageEnvironment, PageTemplate, checked, encoded
from labgen.render.template_limits import limited_memory
from labgen.render.template_loader import TemplateLoader

MARK = "\0"
"""Stands before and after the name of a slot in a rendered frame; no text of a record contains it."""


class SlotUsedError(Exception):
    """A template does something with a slot other than output it."""


def _refuse(*_: object) -> NoReturn:
    raise SlotUsedError


class Slot:
    """A placeholder, between two texts, for a value that is filled in later; templates can only output it.

    With `is_filled`, the text is known not to be empty, so templates may also test its truth.
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
    """Return `write(value)`; if the value is a slot whose name is a number, return the slot `name number`.

    Other slots are refused: only slots for texts of documents are filled with formatted texts (see `items`).
    """
    if not isinstance(value, Slot):
        return write(value)
    _, slot, *_ = object.__getattribute__(value, "_marked").split(MARK)
    return Slot(f"{name} {slot}") if slot.isdecimal() else _refuse()


class _Captured(Slot):
    """The text of a block that contains slots. Templates may only output it, as with a slot."""

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
        """Call a function for a template; the result of a block becomes a slot if it contains one."""
        if isinstance(function, BlockReference):
            return self.environment.captured(function)
        return super().call(function, *arguments, **named)


class _FrameTemplate(PageTemplate):
    """A template that is rendered as a frame."""

    def make_module(self, *arguments: Any, **named: Any) -> TemplateModule:
        """Return the module that a template exports. Raises `SlotUsedError` if its text contains a slot."""
        module = super().make_module(*arguments, **named)
        if MARK in str(module):
            raise SlotUsedError
        return module


class FrameEnvironment(PageEnvironment):
    """Renders templates with slots among their variables. Raises if the result would not be a frame."""

    template_class = _FrameTemplate
    context_class = _FrameContext

    def __init__(self, loader: TemplateLoader, codes: Codes) -> None:
        super().__init__(loader, codes, finalize=self.output)
        self.filters = {name: _guarded(function) for name, function in self.filters.items()}
        self.tests = {name: _guarded(function) for name, function in self.tests.items()}
        self.marks = 0
        self.may_capture = False

    def marked(self, template: str, variables: Mapping[str, Any]) -> str:
        """Return the output of a template, with the names of slots between marks."""
        self.marks, self.may_capture, self.turns = 0, False, 0
        with limited_memory():
            text = "".join(self.get_template(template).generate(variables))
        if text.count(MARK) != self.marks:
            raise SlotUsedError
        return text

    @jinja2.pass_eval_context
    def output(self, context: EvalContext, value: Any) -> Any:
        """Return the text to output for a value: for a slot, its marked name. Escaped texts fill it later."""
        if not isinstance(value, Slot):
            return checked(value)
        if not context.autoescape:
            raise SlotUsedError
        text: str = object.__getattribute__(value, "_marked")
        self.marks += text.count(MARK)
        return Markup(text)  # noqa: S704 - the text around the slot is escaped

    def captured(self, block: BlockReference) -> Any:
        """Return the output of a block, as a slot if it contains one."""
        before, self.may_capture = self.marks, True
        text = block()
        if text.count(MARK) != self.marks - before:
            raise SlotUsedError
        self.marks = before
        return _Captured(text) if MARK in text else text

    def concat(self, texts: Iterable[str]) -> str:
        """Join captured text. Jinja calls this for all text that is not output."""
        may_capture, self.may_capture = self.may_capture, False  # text captured inside is not the block's
        text = "".join(texts)
        if MARK in text and not may_capture:
            raise SlotUsedError
        return text

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute, unless its name begins with _: such attributes would bypass the guards."""
        if attribute.startswith("_"):
            raise SlotUsedError
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item, or an attribute; refuse names as `getattr` does."""
        if isinstance(argument, str) and argument.startswith("_"):
            raise SlotUsedError
        return super().getitem(obj, argument)


def _guarded(function: Any) -> Any:
    """Return a filter or a test that refuses slots as arguments."""

    def guard(*arguments: Any, **named: Any) -> Any:
        _refuse_slots(*arguments, *named.values())
        return function(*arguments, **named)

    guard.__dict__.update(getattr(function, "__dict__", {}))  # attributes say how Jinja must call it
    return guard


class Frame:
    """A text with slots: the texts around the slots, one more than slots, and their names or numbers."""

    __slots__ = ("_parts", "names")

    def __init__(self, texts: Sequence[bytes], names: Sequence[Any]) -> None:
        self.names = tuple(names)
        self._parts = [b""] * (2 * len(self.names) + 1)
        self._parts[::2] = texts

    def fill(self, values: Mapping[str, bytes] | Sequence[bytes]) -> bytes:
        """Return the text with its slots filled, by name or number; the values are already escaped."""
        found: Any = values
        parts = self._parts.copy()
        parts[1::2] = [found[name] for name in self.names]
        return b"".join(parts)


def make_frame(environment: FrameEnvironment, template: str, variables: Mapping[str, Any]) -> Frame | None:
    """Return a template as a frame, given variables with slots; None if it does more than output the slots.

    A name of digits becomes a number in the frame.
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
    """Escape a text for use between tags of HTML, where quotes need no escape."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
