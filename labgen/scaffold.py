"""A new project: the files of `labgen/project/`, copied to where the keeper wants them."""

import os
from collections.abc import Iterator
from pathlib import Path

BLUEPRINT = Path(__file__).resolve().parent / "project"
DOT = "dot-"
"""Begins the packed names of hidden files."""


def occupied(target: Path) -> list[str]:
    """Return the names of the new project's files that are there already: they would be overwritten."""
    return sorted(name for name, _ in _files() if os.path.lexists(target / name))


def create_project(target: Path) -> list[str]:
    """Write a small project that builds at once, and return the names of its files.

    Raises OSError where a file cannot be written or is there already, and then leaves no file.
    """
    written: list[str] = []
    try:
        for name, data in _files():
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as opened:
                written.append(name)
                opened.write(data)
    except OSError:
        for name in written:
            (target / name).unlink(missing_ok=True)
        raise
    return written


def _files() -> Iterator[tuple[str, bytes]]:
    for path in sorted(BLUEPRINT.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            parts = path.relative_to(BLUEPRINT).parts
            yield (
                "/".join("." + part.removeprefix(DOT) if part.startswith(DOT) else part for part in parts),
                path.read_bytes(),
            )
