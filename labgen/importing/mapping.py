"""Read a mapping file: the names that a source uses for labgen's tables and columns, or SQL queries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labgen.formats.budget import SETTINGS_SIZE, Budget, budget_from
from labgen.formats.toml_format import parse_toml
from labgen.model.tables import TABLES
from labgen.output.errors import OutputError
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import shown
from labgen.problems.text import cause_of, say
from labgen.system.input_files import read_bytes

EXAMPLE = Path(__file__).parent / "example_mapping.toml"
DEPTHS = {"sheets": 1, "sql": 1, "columns": 2, "values": 2}
"""The parts with names of tables, and how deep their texts lie: with 2, below the name of a column."""
PARTS = ("site", *DEPTHS)


@dataclass(frozen=True, slots=True)
class Mapped:
    """The contents of a mapping file, by table; empty if there is no `file`.

    `site` are settings. `sheets` has the source's name of a table, `sql` its query, `columns` the source's
    names of its columns, `values` the constants for columns that the source lacks.
    """

    site: Mapping[str, Any] = field(default_factory=dict)
    sheets: Mapping[str, str] = field(default_factory=dict)
    sql: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    file: Path = Path()

    @property
    def budget(self) -> Budget:
        """How much is read of the source: by the settings that the project is to have."""
        return budget_from(self.site.get("limits", {}), say("below [site.limits] in the mapping file"))


class ImportFailedError(OutputError):
    """Raised if a source cannot be imported; the message is one sentence, `hint` says what to do."""


def read_mapping(file: Path) -> Mapped:
    """Read and check a mapping file. Raises `ImportFailedError`."""
    found = _parsed(file)
    for name in found:
        if name not in PARTS:
            raise ImportFailedError(
                say("{file}: `{name}` is no part of a mapping", file=file, name=name),
                did_you_mean(name, PARTS),
            )
        if name in DEPTHS:
            _require_texts(file, name, found[name], DEPTHS[name])
        elif not isinstance(found[name], Mapping):
            raise ImportFailedError(
                say(
                    "{file}: `{name}` must be a table, not {found}",
                    file=file,
                    name=name,
                    found=shown(found[name]),
                )
            )
    for part in DEPTHS:
        for name in found.get(part, {}):
            if name not in TABLES:
                hint = did_you_mean(name, TABLES) or say("tables are {tables}", tables=", ".join(TABLES))
                raise ImportFailedError(
                    say("{file}: `{part}.{name}` is no table of labgen", file=file, part=part, name=name),
                    hint,
                )
    return Mapped(**found, file=file)


def _parsed(file: Path) -> dict[str, Any]:
    try:
        text = read_bytes(file, SETTINGS_SIZE).decode()
    except OSError as error:
        raise ImportFailedError(
            say("{file} cannot be read: {strerror}", file=file, strerror=cause_of(error))
        ) from error
    except UnicodeDecodeError as error:
        raise ImportFailedError(say("{file} is no TOML: {error}", file=file, error=error)) from error
    entries, problems = parse_toml(text, file.name)
    for one in problems:
        line = say(", line {line}", line=one.place.span.line) if one.place.span else ""
        raise ImportFailedError(
            say("{file}{line} is no TOML: {message}", file=file, line=line, message=one.message), one.hint
        )
    found: Any = entries[0].value
    return dict(found)


def _require_texts(file: Path, name: str, value: object, depth: int) -> None:
    """Raise `ImportFailedError` if a value is not a text or, with a depth, a table of texts."""
    if depth == 0 and not isinstance(value, str):
        raise ImportFailedError(
            say(
                "{file}: `{name}` must be a text in quotes, not {value}",
                file=file,
                name=name,
                value=shown(value),
            )
        )
    if depth > 0:
        if not isinstance(value, Mapping):
            raise ImportFailedError(
                say("{file}: `{name}` must be a table, not {value}", file=file, name=name, value=shown(value))
            )
        for key, inner in value.items():
            _require_texts(file, f"{name}.{key}", inner, depth - 1)


def folded(name: str) -> str:
    """Normalise a source's name of a sheet or a column, to compare it: lower case, single spaces."""
    return re.sub(r"\s+", " ", name).strip(" :?*").casefold()
