"""The columns of a CSV file against the fields of its records: a wrong one is one problem, not one a row."""

from labgen.problems import Place, Problem
from labgen.records import Record
from labgen.source.formats import Entry
from labgen.source.hints import closest, did_you_mean


def check_columns(
    entries: list[Entry], file: str, model: type[Record]
) -> tuple[list[Entry], list[Problem], bool]:
    """Return the rows without what says nothing, what is wrong with the header, and whether rows can be used.

    Empty cells, and columns that no record has, say nothing. Rows without a column that every record needs
    cannot be used.
    """
    columns = tuple(entries[0].value) if entries and isinstance(entries[0].value, dict) else ()
    fields = tuple(model.model_fields)
    unknown = [name for name in columns if name and name not in fields]
    meant = {closest(name, fields) for name in unknown}
    needed = [name for name in fields if model.model_fields[name].is_required() and name not in columns]
    problems = []
    for name in unknown:
        message = f"the column `{name}` is not known"
        problems.append(Problem("unknown-field", message, Place(file, (0, name)), did_you_mean(name, fields)))
    missing = [name for name in needed if name not in meant] if entries else []
    problems += [
        Problem("missing-field", f"the column `{name}` is missing", Place(file, (0,))) for name in missing
    ]
    return [_without_silence(entry, fields) for entry in entries], problems, not needed


def _without_silence(entry: Entry, fields: tuple[str, ...]) -> Entry:
    row = entry.value if isinstance(entry.value, dict) else {}
    return Entry(entry.pointer, {name: cell for name, cell in row.items() if cell and name in fields})
