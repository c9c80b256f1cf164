"""Define the command `labgen import`, which recognises the kind of a source by its file name or URL."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labgen.cli.group import fail, main
from labgen.cli.import_service_command import import_from_service, service_options
from labgen.cli.show_result import show, show_next_step
from labgen.cli.url_options import is_address
from labgen.problems.text import plural, say
from labgen.report.text import echo, summarise, visible

if TYPE_CHECKING:
    from collections.abc import Collection

    from labgen.importing.headers import Foreign
    from labgen.importing.mapping import Mapped

TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".sqlite", ".sqlite3", ".db")
"""The suffixes of files that hold tables."""


def kind_of(source: str) -> str:
    """Return the kind of a source: `site` (with the API), `database`, `tables`, or "" for none of them."""
    if is_address(source):
        return "site"
    if re.match(r"[a-z][a-z0-9+.-]*://", source, re.IGNORECASE):
        return "database"
    return "tables" if source.lower().endswith(TABLES) else ""


def print_example(ctx: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
    """Print a mapping file to start from, and exit."""
    if is_wanted:
        from labgen.importing.mapping import EXAMPLE

        echo(EXAMPLE.read_text(encoding="utf-8"), nl=False)
        ctx.exit()


@main.command("import")
@click.argument("source")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
@click.option(
    "--mapping",
    "mapping_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A TOML file that maps names in the source to fields; for databases, with the SQL queries.",
)
@click.option(
    "--set",
    "values",
    metavar="COLUMN=VALUE",
    multiple=True,
    help="Value of all laboratories for a column that the table lacks, such as country=de; may be repeated.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 64),
    default=0,
    help="Number of digits of a display_id: 5 turns 1 into 00001.",
)
@click.option(
    "--mapping-example",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_example,
    help="Print a mapping file to start from, and exit.",
)
@service_options
def import_command(
    *,
    source: str,
    folder: Path,
    mapping_file: Path | None,
    values: tuple[str, ...],
    digits: int,
    show_all: bool,
    **service: Any,
) -> None:
    """Create a project in FOLDER (default: this one) from the data of SOURCE.

    SOURCE is a file with tables (.xlsx, .csv, .sqlite), the address of a database (postgresql://…), or
    that of a service with this API (https://…). Nothing is written if FOLDER already holds data/.

    A project with errors is written, too, if nothing of the tables is lost; the exit code is then 1.

    The answers of a service are cached, so that an interrupted import resumes where it stopped. The project
    is then built and compared with what was fetched: the exit code is 1 if a difference is unexplained.
    """
    from labgen.importing.mapping import Mapped, read_mapping
    from labgen.importing.write_project import require_free

    require_free(folder)
    mapped = _with_values(read_mapping(mapping_file) if mapping_file else Mapped(), values)
    match kind_of(source):
        case "site":
            import_from_service(source, folder, show_all=show_all, **service)
        case "tables" | "database" as kind:
            import_tables(source, folder, mapped, digits, is_database=kind == "database", show_all=show_all)
        case _:
            hint = say(
                "name a file with tables ({tables}), or the address of a database or service",
                tables=", ".join(TABLES),
            )
            fail(say("{source} is nothing that can be imported", source=source), hint, code=2)


def _with_values(mapped: "Mapped", values: tuple[str, ...]) -> "Mapped":
    """Add the values of --set, which apply to all laboratories, to a mapping."""
    from dataclasses import replace

    from labgen.model.tables import LABORATORY_TABLE
    from labgen.problems.hints import did_you_mean
    from labgen.system.input_files import LABORATORIES

    given = dict(mapped.values.get(LABORATORIES, {}))
    for one in values:
        column, _, value = one.partition("=")
        if column not in LABORATORY_TABLE.columns:
            fail(
                say("--set: `{column}` is no column", column=column),
                did_you_mean(column, LABORATORY_TABLE.columns),
                code=2,
            )
        given[column] = value
    return replace(mapped, values={**mapped.values, LABORATORIES: given})


def _mapping_hint(tables: "Collection[str]") -> str:
    """Return how columns are named and completed; `tables` are those whose columns are not clear."""
    from labgen.problems.text import joined
    from labgen.system.input_files import LABORATORIES

    headings = joined((f"[columns.{one}]" for one in tables), by=", ")
    named = say(
        "columns that have other names are named in a mapping file: --mapping m.toml, with {headings} "
        'and a line for each, such as display_id = "Labornummer"',
        headings=headings,
    )
    further = say("; missing ones of laboratories are given by --set country=de")
    return f"{named}{further if LABORATORIES in tables else ''}"


def show_import_notes(notes: list[str]) -> None:
    """Print how a source was read."""
    for note in notes:
        echo(say("note: {note}", note=visible(note)))


def _write_draft(source: str, folder: Path, foreign: "Foreign", mapped: "Mapped", digits: int) -> str:
    """Write a mapping file to begin with into the current folder; return what to do with it, or ""."""
    from labgen.importing.draft_mapping import draft_mapping
    from labgen.system.input_files import LABORATORIES

    file = Path(f"{Path(source).stem}.mapping.toml")
    header, sheet = foreign.headers.get(LABORATORIES), foreign.sheets[LABORATORIES]
    if header is None or sheet.book is None or file.exists():
        return ""
    words = ["labgen", "import", source, str(folder), "--mapping", str(file)]
    command = shlex.join([*words, "--digits", str(digits)] if digits else words)
    rows = [row for row in sheet.book.read(sheet.name).rows[header.row + 1 :] if any(row)]
    try:
        file.write_text(
            draft_mapping(header, rows, mapped.values.get(LABORATORIES, {}), command), encoding="utf-8"
        )
    except OSError:
        return ""
    return say(
        "{file} was written, with the columns as they seem to be: correct it, then {command}",
        file=file,
        command=command,
    )


def import_tables(
    source: str, folder: Path, mapped: "Mapped", digits: int, *, is_database: bool, show_all: bool
) -> None:
    """Write a project from tables, report its problems, and exit."""
    from labgen.importing.check_mapping import UnfitMappingError
    from labgen.importing.foreign_tables import tables_in_files
    from labgen.importing.from_database import tables_in_database
    from labgen.importing.from_tables import UnfitTablesError, project_of
    from labgen.importing.write_project import write_project
    from labgen.pipeline.build import check
    from labgen.pipeline.build_options import Options
    from labgen.pipeline.result import Outcome
    from labgen.report.bar import ProgressBar
    from labgen.report.imported import render_samples
    from labgen.system.input_files import LABORATORIES

    try:
        with ProgressBar(is_shown=sys.stderr.isatty()) as bar:
            if is_database:
                foreign = tables_in_database(source, mapped, bar.update)
            else:
                foreign = tables_in_files(Path(source), mapped, bar.update)
    except UnfitMappingError as error:
        show(Outcome(mapped.file.parent, error.problems), "text", show_all=show_all, quiet=False)
        fail(say("nothing was written"), say("correct the mapping file, and import again"))
    try:
        made = project_of(foreign, mapped.site, digits)
    except UnfitTablesError as error:
        show_import_notes(error.notes)
        show(Outcome(Path(source).parent, error.problems), "text", show_all=show_all, quiet=False)
        if not error.unclear:
            fail(say("nothing was written"), say("correct them there, and import it again"))
        header = foreign.headers.get(LABORATORIES)
        is_known = header and all(header.meant) and all(one.code == "missing-field" for one in error.problems)
        is_drafted = LABORATORIES in error.unclear and not (is_known or is_database or mapped.columns)
        draft = _write_draft(source, folder, foreign, mapped, digits) if is_drafted else ""
        fail(say("no project was written"), draft or _mapping_hint(error.unclear))
    show_import_notes(made.notes)
    show(Outcome(Path(source).parent, made.warnings), "text", show_all=show_all, quiet=False)
    echo(
        say(
            "the first {laboratories}, as they will be published:",
            laboratories=plural(len(made.samples), "laboratory", "laboratories"),
        )
    )
    echo("\n".join(map(visible, render_samples(made.samples).splitlines())))
    with ProgressBar(is_shown=sys.stderr.isatty()) as bar:
        count = write_project(folder, made.project, bar.update)
        outcome = check(folder, Options(progress=bar.update))
    show(outcome, "text", show_all=show_all, quiet=False)
    written = say(
        "{laboratories} in {files}",
        laboratories=plural(made.laboratories, "laboratory", "laboratories"),
        files=plural(count, "file"),
    )
    echo(
        say(
            "{written} written: {summarise}",
            written=written,
            summarise=summarise(outcome.errors, outcome.warnings),
        )
    )
    show_next_step(folder, say("correct the errors in data/, then ") if outcome.errors else "")
    click.get_current_context().exit(1 if outcome.errors else 0)
