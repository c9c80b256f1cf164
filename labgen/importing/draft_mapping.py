"""Draft a mapping file for tables whose headers are not clear, for people to correct."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from labgen.model.tables import DISPLAY_ID, LABORATORY_TABLE

EXAMPLES = 3
"""How many values of a column the draft shows."""
LONGEST_EXAMPLE = 30


class ReadHeader(NamedTuple):
    """How the header of a table was read: its row, its names, and labgen's column for each, or "".

    `unclear` are the columns that several names may mean, with these names.
    """

    row: int
    names: Sequence[str]
    meant: Sequence[str]
    unclear: Sequence[tuple[str, Sequence[str]]] = ()


def draft_mapping(
    header: ReadHeader, rows: Sequence[Sequence[str]], given: Mapping[str, str], command: str
) -> str:
    """Return a mapping file for the table of laboratories; `rows` are those below the header.

    `given` are the values of all laboratories, by column. `command` is how the tables are imported with it.
    """
    lines = [f"# {command}", "", "[columns.laboratories]"]
    lines += _columns(header, rows)
    needed = [one.name for one in LABORATORY_TABLE.columns.values() if one.is_required]
    missing = [one for one in needed if one not in (*header.meant, *given, DISPLAY_ID)]
    if given or missing:
        lines += ["", "[values.laboratories]"]
        lines += [f"{_key(name)} = {_toml(value)}" for name, value in given.items()]
        lines += [f'# {one} = ""' for one in missing]
    return "\n".join(lines) + "\n"


def _columns(header: ReadHeader, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a line for each column: as it was read, or as a comment where that is not clear."""
    twice = {own for own, _ in header.unclear}
    known: set[str] = set()
    for at, (name, own) in enumerate(zip(header.names, header.meant, strict=True)):
        values = [row[at] for row in rows if at < len(row) and row[at]]
        examples = ", ".join(_short(one) for one in values[:EXAMPLES])
        right = f"{_toml(name.strip())}  # {examples}" if examples else _toml(name.strip())
        is_clear = own and own not in twice and own not in known
        if own == DISPLAY_ID and not are_ids(values, len(rows)):
            is_clear = False
        known |= {own} if is_clear else set()
        if name.strip():
            left = _key(own) if own else DISPLAY_ID if are_ids(values, len(rows)) else "…"
            yield f"{'' if is_clear else '# '}{left} = {right}"


def are_ids(values: Sequence[str], count: int) -> bool:
    """Return whether the values of a column can be display_ids: digits, different, and in each row."""
    return len(set(values)) == count and all(
        re.fullmatch(r"[0-9]{1,64}(\.0)?", one.strip()) for one in values
    )


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_EXAMPLE else f"{plain[: LONGEST_EXAMPLE - 1]}…"


def _key(name: str) -> str:
    return _toml(name) if "." in name else name


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
