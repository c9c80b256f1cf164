"""Write a new project for `labgen init`: example data, a CI workflow, and schemas for editors."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from labgen.source.editor_schemas import SCHEMAS, read_project_keys, schema_text

BLUEPRINT = Path(__file__).resolve().parent.parent / "project"
DOT = "dot-"
"""The prefix of packed files and folders that are hidden in the project: it stands for the dot."""
COMMON = "common"
"""The folder with the files that all formats share; the files of one format are in a folder of its name."""
ACTION = ".github/actions/labgen/"
"""The folder of the action, which is used by the project's workflow."""
TOP = BLUEPRINT.parent.parent
"""The top of a checkout, where the action's files stand; an installed package has them in `COMMON`."""


def occupied(target: Path, format_: str = "json") -> list[str]:
    """Return the names of the new project's files that already exist: they would be overwritten."""
    return sorted(name for name, _ in _files(format_) if os.path.lexists(target / name))


def create_project(target: Path, format_: str = "json") -> list[str]:
    """Write a small project that builds at once, and return the names of its files.

    The format of its laboratories and upgrade options is `json` or `yaml`. Raises OSError if a file cannot be
    written or already exists, and then leaves no new file or folder.
    """
    written: list[str] = []
    made: list[Path] = []
    try:
        for name, data in _files(format_):
            file = target / name
            made += [one for one in reversed(file.parents) if not one.exists()]
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as opened:
                written.append(name)
                opened.write(data)
    except OSError:
        for name in written:
            (target / name).unlink(missing_ok=True)
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise
    return written


def _files(format_: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of a new project's files, sorted by name."""
    found = dict(_blueprint(BLUEPRINT / COMMON)) | dict(_blueprint(BLUEPRINT / format_))
    keys = read_project_keys(BLUEPRINT / COMMON)
    found |= {ACTION + file.name: file.read_bytes() for file in _of_checkout()}
    found |= {f"schemas/{name}.json": schema_text(name, keys).encode() for name in SCHEMAS}
    yield from sorted(found.items())


def _of_checkout() -> list[Path]:
    """Return the files of the action in a checkout; none in an installed package."""
    return [file for name in ("action.yml", "requirements.lock") if (file := TOP / name).is_file()]


def _blueprint(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            parts = path.relative_to(folder).parts
            yield (
                "/".join("." + part.removeprefix(DOT) if part.startswith(DOT) else part for part in parts),
                path.read_bytes(),
            )
