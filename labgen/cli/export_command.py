"""Define the command `labgen export`."""

import sys
from pathlib import Path

import click

from labgen.cli.group import main
from labgen.cli.options import project_option, quiet_option
from labgen.cli.show_result import finish, show
from labgen.problems.text import plural, say
from labgen.report.bar import ProgressBar

FORMS = ("jsonl", "csv", "sqlite", "parquet")
DEFAULT = FORMS[:3]


@main.command("export")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@project_option
@click.option(
    "--format",
    "forms",
    type=click.Choice(FORMS),
    multiple=True,
    default=DEFAULT,
    help="JSON Lines, CSV tables, a SQLite database, or Parquet; may be repeated (default: the first three).",
)
@click.option(
    "--contacts", is_flag=True, help="Also export the addresses and numbers of contacts, in plain text."
)
@quiet_option
def export_command(*, folder: Path, root: Path, forms: tuple[str, ...], contacts: bool, quiet: bool) -> None:
    """Export all data to a new FOLDER, in formats that other programs and labgen itself read.

    The addresses and numbers of contacts are left out without --contacts, because a site publishes them only
    encoded.
    """
    from labgen.export.table_rows import ExportSelection
    from labgen.pipeline.export import export

    with ProgressBar(is_shown=not quiet and sys.stderr.isatty()) as progress:
        done = export(root, folder, forms, ExportSelection(has_contacts=contacts), progress.update)
    show(done.outcome, "text", show_all=False, quiet=quiet)
    laboratories = plural(done.outcome.laboratories, "laboratory", "laboratories")
    line = say("{laboratories} in {files}", laboratories=laboratories, files=plural(len(done.files), "file"))
    finish(done.outcome, say("nothing was exported") if done.outcome.errors else line, "text", quiet=quiet)
