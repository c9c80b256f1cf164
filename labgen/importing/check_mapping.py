"""Check that the sheets and the columns that a mapping file names are in the source."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from labgen.importing.mapping import Mapped, folded
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Pointer, Problem, short
from labgen.problems.text import say
from labgen.source.tables.sheets import kind_of

LISTED = 12
"""Maximum number of names in a hint."""


class Header(NamedTuple):
    """The names of a table's columns, and the name of its sheet or file in messages."""

    called: str
    names: Sequence[str]


class UnfitMappingError(Exception):
    """Raised if a mapping names what the source does not have; `problems` say what."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(say("the mapping names what is not in the source"))
        self.problems = problems


def check_sheets(mapped: Mapped, sheets: Collection[str], source: str) -> Iterator[Problem]:
    """Yield an error for each sheet of a mapping that is not among `sheets`, those of the source."""
    known = set(map(folded, sheets))
    for table, theirs in mapped.sheets.items():
        if folded(theirs) not in known:
            hint = (
                ""
                if sheets
                else say("a file such as {table}.csv beside it is read as `{table}`", table=table)
            )
            what = say(
                "the {kind_of} `{theirs}`, which is not in `{source}`",
                kind_of=kind_of(source),
                theirs=short(theirs),
                source=source,
            )
            yield _problem(mapped, ("sheets", table), what, theirs, sheets, hint)


def check_columns(mapped: Mapped, headers: Mapping[str, Header]) -> Iterator[Problem]:
    """Yield an error for each column of a mapping that is not in the header of its table.

    The columns of a table that itself is a wrong sheet in the mapping are left out.
    """
    for table, columns in mapped.columns.items():
        header = headers.get(table)
        if header is None and table not in mapped.sheets:
            what = say("columns of `{table}`, but the source has no such table", table=table)
            hint = say("name its sheet below [sheets]: {table} = …", table=table)
            yield _problem(mapped, ("columns", table), what, table, (), hint)
        elif header is not None:
            known = set(map(folded, header.names))
            for own, theirs in columns.items():
                if folded(theirs) not in known:
                    what = say(
                        "the column `{theirs}`, which is not in {called}",
                        theirs=short(theirs),
                        called=header.called,
                    )
                    yield _problem(mapped, ("columns", table, own), what, theirs, header.names)


def _problem(
    mapped: Mapped, pointer: Pointer, what: str, given: str, among: Collection[str], hint: str = ""
) -> Problem:
    names = [one.strip() for one in among if one.strip()]
    listed = ", ".join(f"`{short(one)}`" for one in names[:LISTED]) + (", …" if len(names) > LISTED else "")
    message = say("`{pointer}` names {what}", pointer=short(".".join(map(str, pointer))), what=what)
    hint = did_you_mean(given, names) or hint or (say("there are {listed}", listed=listed) if names else "")
    return Problem("unknown-reference", message, Place(mapped.file.name, pointer), hint)
