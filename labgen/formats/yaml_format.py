"""Parse YAML: the core schema of YAML 1.2, without anchors, aliases and tags.

PyYAML splits the text into events, and this module interprets them, because PyYAML's own rules are those of
YAML 1.1, in which `no` is false and 01067 is 567, and because its composer recurses without a limit.
"""

import re
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from labgen.formats.budget import MOST_PROBLEMS, UNLIMITED, Budget, too_many
from labgen.formats.format import Format, Lines, Node, ParsedValue
from labgen.formats.yaml_syntax import explain_syntax
from labgen.problems.problem import Place, Pointer, Problem, Span, short
from labgen.problems.text import say

MAX_DEPTH = 100
MAX_DIGITS = 1000
YAML_COST = 10
"""How many times as much a value costs in YAML: events, nodes and places in Python."""

_NULL = re.compile(r"~|null|")
"""`Null` and `NULL` are texts: a name, or what an export wrote, of which a check warns."""
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
# Characters that are not printable in YAML 1.2, and U+0085, U+2028, U+2029: line ends for libyaml.
_NOT_RAW = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_COMMENT = re.compile(r"[ \t]+(#[^\s#][^\n]*)")
"""A comment without a space after its #, on the line of a value."""
_IN_QUOTES = say("put the text in quotes if it belongs to it, or write a space after #")


class _Read(NamedTuple):
    """The result of one pass over a text; `is_whole` says that the value is complete."""

    value: Any = None
    nodes: tuple[Node, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_whole: bool = False


def parse_yaml(text: str, file: str, budget: Budget = UNLIMITED) -> tuple[list[ParsedValue], list[Problem]]:
    """Return the value of a YAML text; anchors, aliases, tags and repeated keys are problems."""
    read = _read(text, file, budget)
    return [ParsedValue((), read.value)] if read.is_whole else [], list(read.problems)


def yaml_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield the position of each value of a YAML text."""
    yield from _read(text, "").nodes


@cache
def _parser() -> Any:
    """Return the function that splits a text into events. Raises ImportError if PyYAML is not installed."""
    import yaml

    return lambda text: yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _read(text: str, file: str, budget: Budget = UNLIMITED) -> _Read:
    try:
        parse = _parser()
    except ImportError:
        message = say("`{file}` is YAML, which needs the package PyYAML", file=file)
        hint = say("install it: pip install pyyaml")
        return _Read(problems=(Problem("missing-package", message, Place(file), hint),))
    if bad := _NOT_RAW.search(text):
        message = say("YAML cannot hold the character U+{ord:04X} as it stands", ord=ord(bad[0]))
        hint = say('write it in double quotes, as "\\u{ord:04x}"', ord=ord(bad[0]))
        return _Read(problems=(_problem(Lines(text), file, bad.span(), message, hint),))
    return _Builder(text, file, budget).read(parse)


class _Builder:
    """Builds a value, and the positions of its parts, from events, without recursion."""

    def __init__(self, text: str, file: str, budget: Budget) -> None:
        self.text = text
        self.file = file
        self.budget = budget
        self.problems: list[Problem] = []
        self.nodes: list[Node] = []
        self.open: list[_Open] = []
        self.top: list[Any] = []
        self.is_whole = True
        self._lines: Lines | None = None

    def read(self, parse: Any) -> _Read:
        """Return the value of the text, positions and problems; after a syntax error, only problems."""
        import yaml

        try:
            for event in parse(self.text):
                self.take(event)
                if len(self.open) > MAX_DEPTH:
                    self.refuse(event, say("the values are nested too deeply"))
                    break
                if len(self.nodes) > self.budget.values // YAML_COST:
                    self.stop(event, self.budget.of_values)
                    break
                if len(self.problems) > MOST_PROBLEMS:
                    self.stop(event, lambda place, _: too_many(place))
                    break
        except yaml.MarkedYAMLError as error:
            return _Read(problems=(*self.problems, explain_syntax(self.text, self.file, error)))
        except (yaml.YAMLError, RecursionError) as error:
            message = say("the text cannot be read as YAML: {error}", error=str(error).splitlines()[0])
            return _Read(problems=(_problem(Lines(self.text), self.file, (0, 1), message),))
        if not self.top and not self.problems:
            place = Place(self.file, span=Span(1, 1, 1))
            return _Read(
                problems=(Problem("empty-file", say("`{file}` holds no value", file=self.file), place),)
            )
        value = self.top[0] if self.top else None
        return _Read(value, tuple(self.nodes), tuple(self.problems), self.is_whole)

    def refuse(self, event: Any, message: str, hint: str = "", code: str = "invalid-yaml") -> None:
        """Record a problem; unless it is a duplicate key, the parsed value counts as incomplete."""
        stretch = (event.start_mark.index, event.end_mark.index)
        self.problems.append(_problem(self.lines(), self.file, stretch, message, hint, code))
        self.is_whole = self.is_whole and code == "duplicate-key"

    def stop(self, event: Any, problem: Callable[[Place, str], Problem]) -> None:
        """Record that the text is not read on, and why."""
        span = self.lines().span(event.start_mark.index)
        self.problems.append(problem(Place(self.file, span=span), f"`{self.file}`"))
        self.is_whole = False

    def lines(self) -> Lines:
        """Return the lines of the text, split once."""
        if self._lines is None:
            self._lines = Lines(self.text)
        return self._lines

    def take(self, event: Any) -> None:
        """Process the next event."""
        kind = type(event).__name__
        if kind == "DocumentStartEvent" and self.top:
            self.refuse(
                event, say("the file holds a second document"), say("remove the line `---`, or use a list")
            )
        if getattr(event, "tag", None) is not None:
            self.refuse(
                event,
                say("tags such as {tag} are not supported", tag=short(event.tag)),
                say("leave the tag out"),
            )
        if kind != "AliasEvent" and getattr(event, "anchor", None) is not None:
            self.refuse(
                event,
                say("anchors and aliases are not supported"),
                say("write the value out where it is used"),
            )
        match kind:
            case "ScalarEvent":
                self.scalar(event)
            case "AliasEvent":
                if self.is_whole:  # else its anchor was refused
                    self.refuse(
                        event, say("anchors and aliases are not supported"), say("write the value out")
                    )
                self.add(event, None)
            case "SequenceStartEvent" | "MappingStartEvent":
                self.open.append(
                    _Open(event, [] if kind == "SequenceStartEvent" else {}, self.pointer(event))
                )
            case "SequenceEndEvent" | "MappingEndEvent":
                closed = self.open.pop()
                self.add(closed.event, closed.value, event.end_mark.index, closed.pointer)

    def pointer(self, event: Any) -> Pointer:
        """Return the pointer to the value that the current event begins."""
        if not self.open:
            return ()
        parent = self.open[-1]
        if isinstance(parent.value, list):
            return (*parent.pointer, len(parent.value))
        if parent.key is None:  # a collection where a key should be
            self.refuse(event, say("a key must be a text"))
            return (*parent.pointer, "")
        return (*parent.pointer, parent.key.value)

    def scalar(self, event: Any) -> None:
        """Process a key, or a value without parts."""
        parent = self.open[-1] if self.open else None
        if parent and isinstance(parent.value, dict) and parent.key is None:
            parent.key = event
            if event.value in parent.value:
                message, hint = (
                    say("`{value}` stands twice in one object", value=short(event.value)),
                    say("remove one of the two"),
                )
                self.refuse(event, message, hint, "duplicate-key")
            return
        if len(event.value) > self.budget.text:
            place = Place(self.file, span=self.lines().span(event.start_mark.index))
            self.problems.append(self.budget.of_text(len(event.value), place))
            self.is_whole = False
        self.look_behind(event)
        self.add(event, self.plain(event) if event.implicit[0] else event.value)

    def look_behind(self, event: Any) -> None:
        """Warn of a comment that was probably meant to be a part of the unquoted text before it."""
        found = _COMMENT.match(self.text, event.end_mark.index)
        if found and not event.style:
            place = Place(self.file, span=self.lines().span(found.start(1), found.end()))
            message, hint = say("this is a comment, and no part of the text before it"), _IN_QUOTES
            self.problems.append(Problem("yaml-comment", message, place, hint, "warning"))

    def plain(self, event: Any) -> Any:
        """Return the value that an unquoted text stands for (YAML 1.2, chapter 10.3)."""
        text = event.value
        if _NULL.fullmatch(text):
            return None
        if _BOOLEAN.fullmatch(text):
            return text.lower() == "true"
        if _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text):
            if len(text) > MAX_DIGITS:
                self.refuse(event, say("a number has too many digits"))
                return 0
            return int(text) if _INTEGER.fullmatch(text) else Decimal(text)
        return text

    def add(self, event: Any, value: Any, end: int | None = None, pointer: Pointer | None = None) -> None:
        """Add a finished value to the list or object that contains it, and record its position."""
        parent = self.open[-1] if self.open else None
        key = parent.key if parent else None
        if parent and isinstance(parent.value, dict) and key is None:
            parent.key = event  # an alias or a collection where a key should be: refused already
            event.value = ""
            return
        where = self.pointer(event) if pointer is None else pointer
        stretch = (event.start_mark.index, event.end_mark.index if end is None else end)
        self.nodes.append(Node(where, stretch, (key.start_mark.index, key.end_mark.index) if key else None))
        if parent is None:
            self.top.append(value)
        elif isinstance(parent.value, list):
            parent.value.append(value)
        elif key:
            parent.value[key.value] = value
            parent.key = None


class _Open:
    """A list or an object that is not finished; `key` is the event of the key whose value comes next."""

    def __init__(self, event: Any, value: Any, pointer: Pointer) -> None:
        self.event = event
        self.value = value
        self.pointer = pointer
        self.key: Any = None


def _problem(
    lines: Lines,
    file: str,
    stretch: tuple[int, int],
    message: str,
    hint: str = "",
    code: str = "invalid-yaml",
) -> Problem:
    return Problem(code, message, Place(file, span=lines.span(*stretch)), hint)


YAML = Format("YAML", parse_yaml, yaml_nodes)
