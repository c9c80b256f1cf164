"""Correct mistakes in the source files if the correction is beyond doubt (`labgen check --fix`)."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from labgen.formats.budget import Budget
from labgen.formats.read_files import is_regular_file
from labgen.formats.rewrite import EditTarget, Value, parts_of, rewrite, value_at
from labgen.problems.problem import Place, Pointer, Problem
from labgen.source.corrections import correction
from labgen.source.file_formats import format_of
from labgen.source.project_budget import budget_of
from labgen.system.input_files import DATA, read_bytes

_UTF8_BOM = b"\xef\xbb\xbf"


class RewrittenFile(NamedTuple):
    """A source file before and after its corrections, and the number of mistakes that these fix."""

    file: str
    before: bytes
    after: bytes
    mistakes: int


def plan_fixes(root: Path, problems: Iterable[Problem]) -> list[RewrittenFile]:
    """Return the files that the corrections beyond doubt would change, sorted by name. Nothing is written."""
    by_file: defaultdict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_file[problem.place.file].append(problem)
    budget = budget_of(root)
    found = (_mend_file(root, budget, file, by_file[file]) for file in sorted(by_file))
    return [one for one in found if one and one.before != one.after]


def _mend_file(root: Path, budget: Budget, file: str, problems: list[Problem]) -> RewrittenFile | None:
    """Return a file with its mistakes fixed; None unless it is a regular UTF-8 file in data/."""
    file_format, path = format_of(file), root / file
    if file_format is None or not file.startswith(f"{DATA}/") or not is_regular_file(path):
        return None
    try:
        before = read_bytes(path, budget.file)
        text = before.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    parts = parts_of(file_format.parse(text, file, budget)[0])
    changes: dict[EditTarget, Value] = {}
    for place, group in _by_place(problems).items():
        target = EditTarget(place.pointer or (), place.part)
        is_name = place.part == "key" or _is_column(parts, target.pointer)
        given = target.pointer[-1] if is_name else value_at(parts, target.pointer)
        for problem in group:
            meant = correction(problem, changes.get(target, given))
            if meant is not None:
                changes[target] = meant
    text, count = rewrite(text, file_format, changes) if changes else (text, 0)
    has_mark = before.startswith(_UTF8_BOM)
    is_mark_wrong = any(one.code == "byte-order-mark" for one in problems)
    mark = _UTF8_BOM if has_mark and not is_mark_wrong else b""
    return RewrittenFile(file, before, mark + text.encode(), count + is_mark_wrong)


def _is_column(parts: Mapping[Pointer, object], pointer: Pointer) -> bool:
    """Return whether a pointer leads to a cell in the header of a table."""
    return bool(pointer) and isinstance(pointer[-1], str) and isinstance(value_at(parts, pointer[:-1]), list)


def _by_place(problems: Iterable[Problem]) -> dict[Place, list[Problem]]:
    """Group the problems by value; leave out values inside another value that has problems."""
    found: defaultdict[Place, list[Problem]] = defaultdict(list)
    for problem in problems:
        if problem.place.pointer:
            found[problem.place].append(problem)
    pointers = {place.pointer for place in found}
    return {
        place: group
        for place, group in found.items()
        if not any((place.pointer or ())[:length] in pointers for length in range(len(place.pointer or ())))
    }


def diff_of(mended: RewrittenFile) -> str:
    """Return the corrections of a file as a unified diff."""
    before, after = (data.decode().splitlines(keepends=True) for data in (mended.before, mended.after))
    lines = unified_diff(before, after, f"a/{mended.file}", f"b/{mended.file}", n=1)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


class FileChangedError(Exception):
    """A source file changed since its mistakes were found."""


def write_mended(root: Path, mended: RewrittenFile) -> None:
    """Replace a file with its corrected version, atomically.

    Raises `FileChangedError` if it has changed since, and OSError if it cannot be written.
    """
    path = root / mended.file
    with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=path.parent, delete=False) as written:
        new = Path(written.name)
        with removed_on_failure(new):
            written.write(mended.after)
            written.close()
            shutil.copymode(path, new)
            if not is_regular_file(path) or read_bytes(path) != mended.before:
                raise FileChangedError(mended.file)
            new.replace(path)


@contextmanager
def removed_on_failure(file: Path) -> Iterator[None]:
    """Remove a file if the body of the `with` statement fails."""
    try:
        yield
    except BaseException:
        file.unlink(missing_ok=True)
        raise
