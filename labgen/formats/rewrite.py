"""Replace single values and keys in the text of a source file; the rest stays the same, byte for byte."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from labgen.formats.csv_format import CSV
from labgen.formats.format import Format, Node, ParsedValue
from labgen.formats.toml_format import TOML
from labgen.formats.yaml_format import YAML
from labgen.model.record_fields import resolve_pointer
from labgen.problems.problem import Part, Pointer
from labgen.system.formula_guard import guarded

Value = str | int | bool | list[int] | list[str]


class EditTarget(NamedTuple):
    """The part of a file to be replaced: the value at a pointer, or its key."""

    pointer: Pointer
    part: Part = "value"


def value_at(parts: Mapping[Pointer, object], pointer: Pointer) -> Any:
    """Return the value at a pointer into a file, or None if there is none; see `parts_of`."""
    top = next((pointer[:length] for length in (0, 1) if pointer[:length] in parts), None)
    return None if top is None else resolve_pointer(parts[top], pointer[len(top) :])


def parts_of(entries: Sequence[ParsedValue]) -> dict[Pointer, object]:
    """Return the values of a file by their pointers: a single value, or those of its lines or rows."""
    return {one.pointer: one.value for one in entries}


def rewrite(text: str, file_format: Format, changes: Mapping[EditTarget, Value]) -> tuple[str, int]:
    """Return a text with changed values or keys, and the number of changes.

    A value that cannot be encoded safely, such as a YAML text over several lines, is not changed. The whole
    text is returned unchanged if the new text, when parsed, would differ by anything but these changes.
    """
    nodes = {one.pointer: one for one in file_format.nodes(text, {one.pointer for one in changes})}
    edits: list[tuple[int, int, str]] = []
    made: dict[EditTarget, Value] = {}
    for target, value in changes.items():
        stretch = _stretch(nodes, target)
        spelt = stretch and _spell(file_format, target, value, text[slice(*stretch)])
        if stretch and spelt is not None:
            edits.append((*stretch, spelt))
            made[target] = value
    changed = text
    for start, end, spelt in sorted(edits, reverse=True):
        changed = changed[:start] + spelt + changed[end:]
    return (changed, len(made)) if _is_just(text, changed, file_format, made) else (text, 0)


def _stretch(nodes: Mapping[Pointer, Node], target: EditTarget) -> tuple[int, int] | None:
    node = nodes.get(target.pointer)
    return node and (node.key if target.part == "key" else node.value)


def _spell(file_format: Format, target: EditTarget, value: Value, was: str) -> str | None:
    """Return the source text of a value, in the style of the former value, or None if that is not safe."""
    if file_format is CSV:
        text = guarded(value) if isinstance(value, str) else _text_of(value)
        return '"' + text.replace('"', '""') + '"' if re.search('[",;\t\r\n]', was + text) else text
    quoted = json.dumps(value, ensure_ascii="\\u" in was)
    if file_format is TOML:
        is_bare = target.part == "key" and re.fullmatch(r"[\w-]+", was, re.ASCII)
        is_literal = was.startswith("'") and "'" not in quoted
        spelt = str(value) if is_bare else f"'{value}'" if is_literal else quoted
        return None if was.startswith(('"""', "'''")) else spelt
    if file_format is YAML and isinstance(value, str):
        return _spell_yaml(value, was, quoted)
    return quoted


def _spell_yaml(value: str, was: str, quoted: str) -> str | None:
    if "\n" in was or was.startswith(("|", ">")):
        return None
    if was.startswith("'"):
        return "'" + value.replace("'", "''") + "'"
    return quoted if was.startswith('"') or not _PLAIN.fullmatch(value) else value


_PLAIN = re.compile(r"[^\W\d_](?:[\w./@+() -]*[\w./@+()])?(?<!\btrue)(?<!\bfalse)(?<!\bnull)|\d{4}-\d\d-\d\d")
"""Texts that certainly need no quotes in YAML; it does not match all such texts."""


def _is_just(before: str, after: str, file_format: Format, changes: Mapping[EditTarget, Value]) -> bool:
    """Return whether two texts, when parsed, differ by these changes and by nothing else."""
    wanted, problems = file_format.parse(before, "")
    now, new_problems = file_format.parse(after, "")
    parts = parts_of(wanted)
    for target, value in changes.items():
        is_header = file_format is CSV and target.pointer[:1] == wanted[0].pointer
        if is_header:
            wanted = _with_column(wanted, str(target.pointer[-1]), str(value))
            parts = parts_of(wanted)
        elif not _apply(parts, target, _text_of(value) if file_format is CSV else value):
            return False
    return wanted == now and len(problems) == len(new_problems)


def _apply(parts: Mapping[Pointer, object], target: EditTarget, value: Value) -> bool:
    """Change a value or key in parsed entries; return False if the value is missing, or the key is taken."""
    holder, step = value_at(parts, target.pointer[:-1]), target.pointer[-1]
    if holder is None or (target.part == "key" and value in holder):
        return False
    if target.part == "key":
        holder[value] = holder.pop(step)
    else:
        holder[step] = value
    return True


def _text_of(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _with_column(entries: list[ParsedValue], name: str, new: str) -> list[ParsedValue]:
    """Return the entries of a table with a column renamed."""
    header, *rows = entries
    names = header.value if isinstance(header.value, list) else []
    renamed = [ParsedValue(header.pointer, [new if one == name else one for one in names])]
    for row in rows:
        cells = row.value if isinstance(row.value, dict) else {}
        renamed.append(
            ParsedValue(row.pointer, {new if key == name else key: one for key, one in cells.items()})
        )
    return renamed
