"""YAML, as little of it as data needs: the core schema of YAML 1.2, without anchors, aliases and tags.

PyYAML parses; its rules of YAML 1.1 for what is a number or a boolean are not used, so `no` is the text
"no" and 01067 the text "01067".
"""

import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from labgen.problems import Place, Pointer, Problem, Span
from labgen.source.formats import Entry, Format, Node, span_at

_TAG = "tag:yaml.org,2002:"
_PLAIN = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)\.[0-9]+", list("-0123456789")),
)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parse_yaml(text: str, file: str) -> tuple[list[Entry], list[Problem]]:
    """Return the value of a YAML text; anchors, tags and equal keys are problems."""
    root, problem = _compose(text, file)
    if problem:
        return [], [problem]
    problems: list[Problem] = []
    value = _value(root, file, problems, set())
    is_whole = all(problem.code == "duplicate-key" for problem in problems)
    return [Entry((), value)] if is_whole else [], problems


def yaml_nodes(text: str, _wanted: Collection[Pointer] = ()) -> Iterator[Node]:
    """Yield where each value of a YAML text stands."""
    root, problem = _compose(text, "")
    if problem is None:
        yield from _nodes(root, (), None)


def _nodes(node: Any, pointer: Pointer, key: Any) -> Iterator[Node]:
    key_stretch = (key.start_mark.index, key.end_mark.index) if key else None
    yield Node(pointer, (node.start_mark.index, node.end_mark.index), key_stretch)
    if node.id == "mapping":
        for name, part in node.value:
            yield from _nodes(part, (*pointer, str(name.value)), name)
    elif node.id == "sequence":
        for number, part in enumerate(node.value):
            yield from _nodes(part, (*pointer, number), None)


@cache
def _loader() -> Any:
    """Return the loader class; an ImportError where PyYAML is not installed."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own interface

    for name, pattern, first in _PLAIN:
        Loader.add_implicit_resolver(_TAG + name, re.compile(f"^(?:{pattern})$"), first)
    return Loader


def _compose(text: str, file: str) -> tuple[Any, Problem | None]:
    try:
        loader = _loader()
    except ImportError:
        message = f"`{file}` is YAML, which needs the package PyYAML"
        return None, Problem(
            "missing-package", message, Place(file), "install it: pip install 'labgen[yaml]'"
        )
    import yaml

    if unprintable := _UNPRINTABLE.search(text):
        message = f"YAML cannot hold the character U+{ord(unprintable[0]):04X} as it stands"
        return None, _problem(
            file, text, unprintable.start(), message, 'write it in double quotes as "\\x…" or "\\u…"'
        )
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return None, _problem(file, text, mark.index if mark else 0, _syntax_message(error))
    except (yaml.YAMLError, RecursionError) as error:
        return None, _problem(file, text, 0, f"the text cannot be read as YAML: {str(error).splitlines()[0]}")
    if root is None:
        return None, Problem("empty-file", f"`{file}` holds no value", Place(file))
    return root, None


def _syntax_message(error: Any) -> str:
    what = str(error.problem or error.context)
    if "\\t" in what or "tab" in what:
        return "a tab stands where YAML wants spaces"
    return f"the text is not valid YAML: {what}"


def _problem(file: str, text: str, start: int, message: str, hint: str = "") -> Problem:
    return Problem("invalid-yaml", message, Place(file, span=span_at(text, min(start, len(text)))), hint)


def _value(node: Any, file: str, problems: list[Problem], seen: set[int]) -> Any:
    """Return a node's value; what is wrong is added to `problems`, and what an alias names is left out."""
    if id(node) in seen:
        message = "anchors and aliases are not supported"
        problems.append(_marked(node, file, message, "write the value out where it is used"))
        return None
    seen.add(id(node))
    match node.id:
        case "mapping":
            return _mapping(node, file, problems, seen)
        case "sequence":
            return [_value(part, file, problems, seen) for part in node.value]
        case _:
            return _scalar(node, file, problems)


def _mapping(node: Any, file: str, problems: list[Problem], seen: set[int]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, part in node.value:
        if key.id != "scalar":
            problems.append(_marked(key, file, "a key must be a text"))
            continue
        if key.value in result:
            message, hint = f"`{key.value}` stands twice in one object", "remove one of the two"
            problems.append(_marked(key, file, message, hint, "duplicate-key"))
        result[key.value] = _value(part, file, problems, seen)
    return result


def _scalar(node: Any, file: str, problems: list[Problem]) -> Any:
    match node.tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return node.value.lower() == "true"
        case "int" if len(node.value) < MAX_DIGITS:
            return int(node.value)
        case "float" if len(node.value) < MAX_DIGITS:
            return Decimal(node.value)
        case "str":
            return node.value
        case _:
            problems.append(
                _marked(node, file, f"the value or tag `{node.tag}` is not supported", "leave the tag out")
            )
            return None


MAX_DIGITS = 1000


def _marked(node: Any, file: str, message: str, hint: str = "", code: str = "invalid-yaml") -> Problem:
    start, end = node.start_mark, node.end_mark
    length = max(1, end.column - start.column) if end.line == start.line else 1
    return Problem(code, message, Place(file, span=Span(start.line + 1, start.column + 1, length)), hint)


YAML = Format("YAML", parse_yaml, yaml_nodes)
