"""Define the command `labgen import`: what a source is, is told by its form."""

import re
from pathlib import Path

import click

from labgen.cli.group import fail, main

TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls", ".ods", ".sqlite", ".sqlite3", ".db")
"""How the names of files end that hold tables."""


def kind_of(source: str) -> str:
    """Return what a source is: a `site` with the API, a `database`, `tables`, or "" for none of them."""
    if re.match(r"https?://", source, re.IGNORECASE):
        return "site"
    if re.match(r"[a-z][a-z0-9+.-]*://", source, re.IGNORECASE):
        return "database"
    return "tables" if source.lower().endswith(TABLES) else ""


@main.command("import")
@click.argument("source")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def import_command(source: str, folder: Path) -> None:
    """Make a project in FOLDER (default: this one) from SOURCE, once.

    SOURCE is a file with tables (.xlsx, .csv, .sqlite).
    """
    from labgen.importing.write_project import require_free

    require_free(folder)
    match kind_of(source):
        case _:
            fail(
                f"{source} is nothing that can be imported", "name a file with tables, or an address", code=2
            )
