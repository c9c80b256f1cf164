"""Limit how much is read of one source, so that no file can exhaust the memory or the time.

The limits are settings below [limits]. They are read first (`project_budget`), because workbooks and lists
are opened before the settings are checked. Each reader compares what it is about to read with its
`Budget`, before it reads or while it reads, and says where a limit is reached, and which setting raises it.
"""

import sys
from typing import NamedTuple

from labgen.model.settings import LimitsRecord
from labgen.problems.problem import Place, Pointer, Problem
from labgen.problems.text import say

MEGABYTE = 1_000_000
SETTINGS_SIZE = MEGABYTE
"""The limit for data/site.toml itself, which cannot be a setting in it; also for words and mappings."""


class Budget(NamedTuple):
    """How much may be read.

    These are the bytes of a file, the bytes of a laboratory, the rows of a table, the values of a file, and
    the characters of a text. `home` is the place of the settings, for hints.
    """

    file: int
    laboratory: int
    rows: int
    values: int
    text: int
    home: str = say("below [limits] in data/site.toml")

    def hint(self, setting: str) -> str:
        """Return what to do where a limit is reached."""
        return say("if it is meant to be so large, raise `{setting}` {home}", setting=setting, home=self.home)

    def of_file(self, name: str, size: int, *, is_laboratory: bool = False) -> Problem:
        """Return the problem of a file, or of the file or the line of a laboratory, that is too large."""
        most, setting = self.file, "file_megabytes"
        if is_laboratory:
            most, setting = self.laboratory, "laboratory_megabytes"
        message = say(
            "`{name}` has {size:,.1f} MB, but at most {most:,.0f} MB are read",
            name=name,
            size=size / MEGABYTE,
            most=most / MEGABYTE,
        )
        return Problem("too-large", message, Place(name), self.hint(setting))

    def of_text(self, length: int, place: Place) -> Problem:
        """Return the problem of a text that is too long."""
        message = say(
            "a text has {length:,} characters, but at most {text:,} are read", length=length, text=self.text
        )
        return Problem("too-large", message, place, self.hint("text_characters"))

    def of_values(self, place: Place, called: str) -> Problem:
        """Return the problem of a file or a table that holds too many values."""
        message = say("{called} holds more than {values:,} values", called=called, values=self.values)
        return Problem("too-large", message, place, self.hint("file_values"))

    def of_texts(self, place: Place, called: str) -> Problem:
        """Return the problem of a table whose cells hold too much text together."""
        message = say("{called} holds texts of more than {most:,} characters", called=called, most=self.file)
        return Problem("too-large", message, place, self.hint("file_megabytes"))

    def of_rows(self, place: Place, called: str) -> Problem:
        """Return the problem of a table that has too many rows."""
        message = say("{called} has more than {rows:,} rows", called=called, rows=self.rows)
        return Problem("too-large", message, place, self.hint("table_rows"))


def budget_from(limits: object, home: str = "") -> Budget:
    """Return the budget of some settings; the defaults if these are wrong, which is reported elsewhere."""
    try:
        found = LimitsRecord.model_validate(limits)
    except ValueError:
        found = LimitsRecord()
    budget = Budget(
        file=found.file_megabytes * MEGABYTE,
        laboratory=found.laboratory_megabytes * MEGABYTE,
        rows=found.table_rows,
        values=found.file_values,
        text=found.text_characters,
    )
    return budget._replace(home=home) if home else budget


DEFAULT = budget_from({})
_NEVER = sys.maxsize
UNLIMITED = Budget(_NEVER, _NEVER, _NEVER, _NEVER, _NEVER)
"""For what was read within a budget before, and is read again."""
MOST_PROBLEMS = 50_000
"""How many errors are kept of one source; then it is not read on, because they probably have one cause."""


def too_many(place: Place, most: int = MOST_PROBLEMS) -> Problem:
    """Return the problem of a source that has too many problems."""
    message = say("there are more than {most:,} problems, and what follows is not checked", most=most)
    return Problem("too-many-problems", message, place, say("mend these first: they probably have one cause"))


def long_texts(value: object, budget: Budget, file: str, top: Pointer = ()) -> list[Problem]:
    """Return a problem for each text in a parsed value, or key, that is too long; a few are enough."""
    found: list[Problem] = []
    pending: list[tuple[Pointer, object]] = [(top, value)]
    while pending and len(found) < FEW:
        pointer, one = pending.pop()
        if isinstance(one, str):
            if len(one) > budget.text:
                found.append(budget.of_text(len(one), Place(file, pointer)))
            continue
        parts = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        for step, part in parts:
            if isinstance(step, str) and len(step) > budget.text:
                found.append(budget.of_text(len(step), Place(file, pointer)))
            elif isinstance(part, str | list | dict):
                pending.append(((*pointer, step), part))
    return found


FEW = 10
