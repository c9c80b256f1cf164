"""Write a tidy project: one file per laboratory, one file per list, no empty values."""

import csv
import fcntl
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from labgen.model.catalogues import COUNTRIES, SHARED_LISTS, UPGRADE_OPTIONS, SharedList
from labgen.model.record_fields import inner_model, written_fields
from labgen.model.records import LaboratoryRecord, PlainRecord, Record
from labgen.model.settings import SiteRecord
from labgen.output.errors import OutputError, as_output_error
from labgen.output.file_system import new_folder
from labgen.problems.text import say
from labgen.system.formula_guard import guarded
from labgen.system.input_files import DATA, LABORATORIES
from labgen.system.interruption import finishing
from labgen.system.progress import Progress, silent

Values = Mapping[str, Any]
"""A record with the values that a person would write in a source file."""

GITIGNORE = b"/out/\n/.labgen/\n"


@dataclass(frozen=True, slots=True)
class Project:
    """The contents of a project: settings, lists by the stems of their files, and laboratories.

    `files` are further files, by their names in the project, such as pictures in data/media/.
    """

    settings: Values
    lists: Mapping[str, Sequence[Values]]
    laboratories: Iterable[Values]
    files: Iterable[tuple[str, bytes]] = field(default=())


def require_free(target: Path) -> None:
    """Raise `OutputError` if a folder already holds data."""
    if os.path.lexists(target / DATA):
        raise OutputError(
            say("{target} already holds data/; nothing was written", target=target), say("name a new folder")
        )


def write_project(target: Path, project: Project, progress: Progress = silent) -> int:
    """Write a project in one step, and return its number of files. Raises `OutputError`.

    The files are written beside, and renamed at the end: however a process ends, data/ is there whole, or not
    at all. No file is ever replaced.
    """
    require_free(target)
    with as_output_error(target), new_folder(target), _staged(target) as staging:
        count = _write(staging, _files(target, project, progress))
        require_free(target)
        for file in sorted(staging.iterdir(), key=lambda file: file.name == DATA):  # data/ is last
            file.rename(target / file.name)
    return count


STAGING = ".labgen-import"
"""The folder beside data/ in which a project is written; one that a killed process left is removed."""


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """Yield an empty folder in the project that no other import writes to; it is removed at the end."""
    staging = target / STAGING
    staging.mkdir(exist_ok=True)
    descriptor = os.open(staging, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                say("another import is writing {target}", target=target), say("wait until it is done")
            ) from None
        try:
            _empty(staging)
            yield staging
        finally:
            with finishing(say("what was written so far is removed")):
                _empty(staging)
                with suppress(OSError):
                    staging.rmdir()
    finally:
        os.close(descriptor)


def _empty(folder: Path) -> None:
    for file in list(folder.iterdir()):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file, ignore_errors=True)
        else:
            file.unlink()


def _write(staging: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write files, and return their number."""
    count = 0
    for name, data in files:
        if name.startswith("/") or ".." in name.split("/"):
            raise OutputError(say("`{name}` leads out of the project", name=name))
        file = staging / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as opened:
            opened.write(data)
        count += 1
    return count


def _files(target: Path, project: Project, progress: Progress) -> Iterator[tuple[str, bytes]]:
    if not os.path.lexists(target / ".gitignore"):
        yield ".gitignore", GITIGNORE
    yield f"{DATA}/site.toml", settings_text(project.settings).encode()
    if not project.lists.get(UPGRADE_OPTIONS.stem):  # it must be there
        yield f"{DATA}/{UPGRADE_OPTIONS.stem}.json", b"[]\n"
    for listed in SHARED_LISTS:
        if entries := project.lists.get(listed.stem):
            yield list_file(listed, entries)
    total = len(project.laboratories) if isinstance(project.laboratories, Sized) else 0
    for done, one in enumerate(project.laboratories, 1):
        progress("written", done, max(done, total))
        name = f"{DATA}/{LABORATORIES}/{one['display_id']}.json"
        yield name, orjson.dumps(tidy(LaboratoryRecord, one), option=_INDENTED)
    yield from project.files


_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def tidy(model: type[Record], values: Values) -> dict[str, Any]:
    """Return a record's values in the order of its fields, without empty values and defaults."""
    tidied: dict[str, Any] = {}
    for key, described in written_fields(model).items():
        value = values.get(key)
        inner = inner_model(described.annotation)
        if inner and isinstance(value, Mapping):
            value = tidy(inner, value) or None
        elif inner and isinstance(value, list):
            value = [tidy(inner, one) for one in value]
        default = None if described.is_required() else described.get_default(call_default_factory=True)
        if described.is_required() or not (value in (None, "") or value == default):
            tidied[key] = value
    return tidied


def list_file(listed: SharedList[Any], entries: Sequence[Values]) -> tuple[str, bytes]:
    """Return the file name and the bytes of a list: CSV, or JSON Lines if entries may have long texts."""
    rows = [tidy(listed.record, one) for one in entries]
    if issubclass(listed.record, PlainRecord) or listed is COUNTRIES:
        return f"{DATA}/{listed.stem}.csv", _csv(rows).encode()
    return f"{DATA}/{listed.stem}.jsonl", b"".join(orjson.dumps(one) + b"\n" for one in rows)


def _csv(rows: Sequence[Values]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: guarded(one) if isinstance(one, str) else one for key, one in row.items()} for row in rows
    )
    return text.getvalue()


def settings_text(settings: Values) -> str:
    """Return the settings as TOML: top-level values first, then the tables."""
    fields = [key for key in written_fields(SiteRecord) if settings.get(key) is not None]
    simple = [key for key in fields if not _is_table(settings[key])]
    lines = [f"{key} = {_toml(settings[key])}" for key in simple]
    for key in fields:
        if isinstance(settings[key], Mapping):
            lines += _table(key, settings[key])
        elif key not in simple:
            lines += [line for one in settings[key] for line in ("", f"[[{key}]]", *_pairs(one))]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    )


def _table(name: str, table: Values) -> list[str]:
    inner = {key: one for key, one in table.items() if isinstance(one, Mapping)}
    own = {key: one for key, one in table.items() if key not in inner}
    lines = ["", f"[{name}]", *_pairs(own)] if own or not inner else []
    return lines + [line for key, one in inner.items() for line in _table(f"{name}.{_key(key)}", one)]


def _pairs(table: Values) -> list[str]:
    return [f"{_key(key)} = {_toml(one)}" for key, one in table.items() if one is not None]


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("-", "").replace("_", "").isalnum() else _toml(key)


def _toml(value: Any) -> str:
    """Encode a text, a number, a boolean or a list of them as TOML, whose basic strings are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
