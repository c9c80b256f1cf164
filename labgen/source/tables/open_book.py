"""Open a file that holds several tables, by the ending of its name."""

from pathlib import Path

from labgen.formats.budget import Budget
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.source.tables.books import Book, problem_of
from labgen.source.tables.containers import MOST_SHEETS
from labgen.source.tables.databases import open_database
from labgen.source.tables.unreadable import UnreadableError
from labgen.source.tables.workbooks import open_workbook
from labgen.system.input_files import DATABASES


def open_book(path: Path, file: str, budget: Budget) -> tuple[Book | None, list[Problem]]:
    """Return a workbook or a database, or None and why it cannot be read."""
    opened = open_database if file.endswith(DATABASES) else open_workbook
    try:
        return _with_few_sheets(opened(path, file, budget)), []
    except ImportError:
        message = say("`{file}` can be read with the package python-calamine only", file=file)
        hint = say("install it: pip install python-calamine")
        return None, [Problem("missing-package", message, Place(file), hint)]
    except UnreadableError as error:
        return None, [problem_of(error, file)]


def _with_few_sheets(book: Book) -> Book:
    if len(book.sheets) > MOST_SHEETS:
        message = say(
            "`{file}` holds more than {most_sheets:,} tables", file=book.file, most_sheets=MOST_SHEETS
        )
        raise UnreadableError(message, say("remove those that are no data"))
    return book
