"""Find the lines and columns of problems when these are shown."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from labgen.formats.budget import MEGABYTE
from labgen.formats.encodings import CSV_SUFFIX, decode_table
from labgen.formats.format import Format, Lines, Node
from labgen.problems.problem import Located, Place, Pointer, Problem, Span
from labgen.source.file_formats import format_of
from labgen.source.tables.places import Cells
from labgen.system.input_files import read_bytes


def locate(root: Path, problems: Iterable[Problem]) -> list[Located]:
    """Return the problems with their lines, sorted by place. Each file is read and scanned once."""
    by_file: defaultdict[str, list[Problem]] = defaultdict(list)
    cells = Cells(root)
    located = []
    for problem in map(cells.where_written, problems):
        if cell := cells.find(problem.place):
            located.append(Located(problem, cell.span, where=cell.called))
        else:
            by_file[problem.place.file].append(problem)
    located += [one for file, group in by_file.items() for one in _locate_in(root, file, group)]
    return sorted(located, key=lambda one: one.order)


def _locate_in(root: Path, file: str, problems: list[Problem]) -> list[Located]:
    if all(problem.place.pointer is None and problem.place.span is None for problem in problems):
        return [Located(problem, None) for problem in problems]
    try:
        has_pointers = any(problem.place.pointer is not None for problem in problems)
        if not has_pointers and (root / file).stat().st_size > LARGEST_SHOWN:
            return [Located(problem, problem.place.span) for problem in problems]
        data = read_bytes(root / file)
    except OSError:
        return [Located(problem, problem.place.span) for problem in problems]
    text = decode_table(data, file)[0] if file.endswith(CSV_SUFFIX) else None
    text = data.decode("utf-8-sig", "replace") if text is None else text
    lines = Lines(text)
    nodes = _find(text, format_of(file), [problem.place.pointer for problem in problems])
    return [_located(problem, _span(problem.place, nodes, lines), lines) for problem in problems]


LARGEST_SHOWN = 32 * MEGABYTE
"""A larger file is not read again only to show the lines of its problems."""


def _located(problem: Problem, span: Span | None, lines: Lines) -> Located:
    if span is None or span.line > len(lines.texts):
        return Located(problem, span)
    return Located(problem, span, lines.texts[span.line - 1])


def _find(text: str, file_format: Format | None, pointers: Iterable[Pointer | None]) -> dict[Pointer, Node]:
    """Return the positions of the values at the pointers, and of all values that contain them."""
    wanted = {
        pointer[:length] for pointer in pointers if pointer is not None for length in range(len(pointer) + 1)
    }
    if not wanted or file_format is None:
        return {}
    return {node.pointer: node for node in file_format.nodes(text, wanted) if node.pointer in wanted}


def _span(place: Place, nodes: dict[Pointer, Node], lines: Lines) -> Span | None:
    """Return the span of a place; if its value does not exist, that of the innermost value around it."""
    if place.pointer is None:
        return place.span
    length = next((n for n in range(len(place.pointer), -1, -1) if place.pointer[:n] in nodes), None)
    if length is None:
        return Span(1, 1, 1)
    node = nodes[place.pointer[:length]]
    is_key = place.part == "key" and node.key is not None and length == len(place.pointer)
    span = lines.span(*(node.key if is_key and node.key else node.value))
    opens = lines.texts[span.line - 1][span.column - 1 : span.column] in ("{", "[")
    return span._replace(length=1) if opens else span
