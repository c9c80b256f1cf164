"""Stop a build whose data is right by its form, but has lost or moved the values of whole columns."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from labgen.memory.database import Memory
from labgen.memory.fingerprints import laboratory_fingerprints
from labgen.memory.remembered_laboratories import Changes, count
from labgen.memory.sources import Fingerprints, FingerprintTables
from labgen.model.catalogues import SHARED_LISTS, paths_to
from labgen.model.fingerprints import Column, columns
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.settings import LimitsRecord
from labgen.pipeline.accidents import (
    FEWEST_ROWS,
    READ_FROM,
    Accident,
    Limits,
    find_accidents,
    find_loss,
)
from labgen.pipeline.column_changes import ALWAYS
from labgen.pipeline.load_data import Source
from labgen.problems.problem import Place, Problem, Severity
from labgen.problems.text import first_of, noun, plural, say
from labgen.system.input_files import DATA

NAMED = 3
"""Number of rows that a message names."""
NAMED_COLUMNS = 4
CODES = frozenset({"emptied-field", "moved-values", "repeated-value", "changed-field"})
"""The codes of the problems that compare with the last build."""
NOTHING_BEFORE = say("no earlier build is remembered here, so the data was compared with nothing")
"""What a build says that cannot tell whether columns were emptied or moved."""


class Guarded(NamedTuple):
    """A table that is compared: what a row and several rows are called, its columns, and their names."""

    called: tuple[str, str]
    columns: Sequence[Column]
    names: Mapping[str, str]


def _names_of(found: Sequence[Column]) -> dict[str, str]:
    """Return the names of columns for messages: without what they are part of, unless that is needed."""
    ends = [one.name.rpartition(".")[2] for one in found]
    return {
        one.name: one.name if one.is_of_entries or ends.count(end) > 1 else end
        for one, end in zip(found, ends, strict=True)
    }


def _guarded_list(stem: str, record: type[Record]) -> Guarded:
    found = columns(record)
    return Guarded(noun("entry", "entries"), found, {one.name: f"{stem}.{one.name}" for one in found})


_OF_LABORATORY = columns(LaboratoryRecord)
LABORATORY = Guarded(noun("laboratory", "laboratories"), _OF_LABORATORY, _names_of(_OF_LABORATORY))
SAMPLE = LABORATORY._replace(called=noun("laboratory of a sample", "laboratories of a sample"))
LISTS = {one.stem: _guarded_list(one.stem, one.record) for one in SHARED_LISTS}
NAMES = (*LABORATORY.names.values(), *(name for one in LISTS.values() for name in one.names.values()))
"""The names that `--allow-change` takes, beside the whole names of fields."""
WHOLE_NAMES = frozenset(LABORATORY.names) | {f"{stem}.id" for stem in LISTS}
ALLOW = "labgen build --allow-change"


class _Table(NamedTuple):
    """A table before and now, and the file that holds it; of a list, its stem and the fields that name it."""

    of: Guarded
    before: Mapping[str, bytes]
    now: Mapping[str, bytes]
    file: str
    stem: str = ""
    explains: tuple[str, ...] = ()


def check_changes(
    source: Source, memory: Memory, before: FingerprintTables | None, allowed: Collection[str], file: str
) -> list[Problem]:
    """Report what looks like an accident since the last build, except in the columns that are `allowed`.

    `before` is None if the memory was updated: then it is in the source's changes. `file` holds the
    laboratories.
    """
    changes, limits = source.changes, source.shared.directory.site.limits
    had = len(before.laboratories) if before else count(memory) - len(changes.came) + len(changes.gone)
    if had < FEWEST_ROWS:
        return []
    called = SAMPLE if before and before.is_sample else LABORATORY
    tables = [_Table(called, before.laboratories, laboratory_fingerprints(memory), file)] if before else []
    if before is None and _are_many(changes, had):
        now = laboratory_fingerprints(memory)
        tables = [_Table(LABORATORY, _former(now, changes), now, file)]
    lists = before.lists if before else source.edits.had_entries
    for stem, listed in source.shared.lists.items():
        if rows := lists.get(stem):
            now = source.shared.entry_fingerprints(stem)
            fields = (f"{DATA}/{stem}", *(".".join(path) for path in paths_to(listed.listed)))
            tables.append(_Table(LISTS[stem], rows, now, listed.file or DATA, stem, fields))
    return [problem for table in tables for problem in _check(table, limits, allowed)]


def _are_many(changes: Changes, had: int) -> bool:
    """Return whether so many laboratories changed that all must be compared."""
    edited = (one for one in changes.now if one in changes.before)
    differ = sum(
        changes.now[one].summary.fingerprint != changes.before[one].summary.fingerprint for one in edited
    )
    return differ > ALWAYS and differ * 100 > had * READ_FROM


def _former(now: Fingerprints, changes: Changes) -> Fingerprints:
    """Return the fingerprints of all laboratories before the changes."""
    before = {one: stored.summary.fingerprint.tobytes() for one, stored in changes.before.items()}
    came = changes.came
    return {one: row for one, row in now.items() if one not in came} | before


def _check(table: _Table, limits: LimitsRecord, allowed: Collection[str]) -> list[Problem]:
    """Return the problems of a table."""
    most = Limits(limits.emptied_percent, limits.changed_percent, limits.moved_percent)
    found = find_accidents(table.of.columns, table.before, table.now, most, are_few_compared=bool(table.stem))
    problems = [_problem(one, names, table) for one in found if (names := _forbidden(one, table, allowed))]
    gone = find_loss(table.before, table.now, most.emptied) if table.stem else []
    if gone and f"{table.stem}.id" not in allowed:
        problems.append(_loss(gone, table))
    return problems


def _forbidden(one: Accident, table: _Table, allowed: Collection[str]) -> list[str]:
    """Return the names of an accident's columns; none if all of them may change."""
    names = [table.of.names[column] for column in one.columns]
    return [] if all(map(set(allowed).intersection, zip(names, one.columns, strict=True))) else names


def _problem(one: Accident, names: Sequence[str], table: _Table) -> Problem:
    are_many = len(names) > 1
    slots = {"columns": _listed(names, NAMED_COLUMNS), "is_": "are" if are_many else "is"}
    slots |= {"s": "" if are_many else "s", "have": "have" if are_many else "has", "first": one.rows[0]}
    counted = say("{count:,} of {rows}", count=len(one.rows), rows=plural(one.of, *table.of.called))
    slots |= {"count": counted, "other": table.of.names.get(one.other, "")}
    message = say("{what}: {rows}", what=one.what.filled(**slots), rows=first_of(one.rows, NAMED))
    cause, option = one.cause.filled(**slots), f"{ALLOW} {','.join(names)}"
    hint = say("{cause}; if it is meant: {option}", cause=cause, option=option)
    severity: Severity = "error" if one.is_error else "warning"
    return Problem(
        one.kind, message, Place(table.file), hint, severity, explains=table.explains or one.columns
    )


def _loss(gone: Sequence[str], table: _Table) -> Problem:
    of = plural(len(table.before), *table.of.called)
    message = say(
        "{count:,} of {of} of `{stem}` would be removed: {gone}",
        count=len(gone),
        of=of,
        stem=table.stem,
        gone=first_of(gone, NAMED),
    )
    hint = say("bring them back; if they are meant to go: {option}", option=f"{ALLOW} {table.stem}.id")
    return Problem("emptied-field", message, Place(table.file), hint, explains=table.explains)


def _listed(names: Sequence[str], most: int) -> str:
    """Return names in a sentence: `a`, `b` and 3 more columns."""
    quoted = [f"`{one}`" for one in names]
    if len(quoted) > most:
        quoted = [*quoted[: most - 1], plural(len(quoted) - most + 1, "more column")]
    *first, last = quoted
    return say("{first} and {last}", first=", ".join(first), last=last) if first else last
