"""Define the options and the output of `labgen import` for a running service."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from labgen.cli.group import fail
from labgen.cli.options import Command, add_options, connections_option, rate_option, timeout_option
from labgen.cli.show_result import problems_as_text
from labgen.cli.url_options import require_address, route_to
from labgen.problems.text import plural, say
from labgen.report.bar import ProgressBar
from labgen.report.text import echo, visible
from labgen.system.workers import cores

if TYPE_CHECKING:
    from labgen.importing.service.find_laboratories import Found
    from labgen.importing.service.import_service import Imported
    from labgen.importing.service.pictures import How


def service_options(command: Command) -> Command:
    """Add the options for running services."""
    return add_options(
        command,
        click.option(
            "--ids",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A file with the ids of the laboratories, if the service does not list them.",
        ),
        click.option("--range", "id_range", metavar="FIRST-LAST", help="Try these ids, such as 00001-20000."),
        click.option("--follow", is_flag=True, help="Also import laboratories that others list as similar."),
        connections_option(" to a service"),
        rate_option("a service"),
        timeout_option(20.0, " of a service"),
        click.option(
            "--pictures",
            type=click.Choice(["published", "originals", "none"]),
            default="published",
            help="Import pictures as published, or their largest size as originals (default: published).",
        ),
        click.option("--skip-failed", is_flag=True, help="Skip documents that cannot be fetched."),
        click.option(
            "--all",
            "show_all",
            is_flag=True,
            help="Show every problem, and every place of values that were not imported unchanged.",
        ),
    )


PAUSES: tuple[float, ...] = (2.0, 4.0, 8.0, 16.0, 30.0)
"""Pauses in seconds between attempts to reach a service that no longer responds: a minute in total."""


def import_from_service(  # noqa: PLR0913
    source: str,
    folder: Path,
    *,
    ids: Path | None,
    id_range: str | None,
    follow: bool,
    connections: int,
    rate: float,
    timeout: float,
    pictures: "How",
    skip_failed: bool,
    show_all: bool,
) -> NoReturn:
    """Import the data of a running service, print the result, and exit."""
    from labgen.fetch.ask import Politeness
    from labgen.importing.service.fetch_documents import FetchOptions
    from labgen.importing.service.import_service import ImportOptions, import_service

    url = require_address(source, "service")
    with ProgressBar(is_shown=sys.stderr.isatty()) as progress:
        fetching = FetchOptions(
            _found(ids, id_range),
            is_followed=follow,
            are_failures_skipped=skip_failed,
            politeness=Politeness(
                connections, timeout, limit=float("inf"), rate=rate, patience=600.0, pauses=PAUSES
            ),
            route=route_to(url),
            progress=progress.update,
            say=progress.say,
        )
        imported = import_service(url, folder, ImportOptions(fetching, pictures, cores()))
    _show(imported, folder, show_all=show_all)


def _found(ids: Path | None, id_range: str | None) -> "Found | None":
    from labgen.importing.service.find_laboratories import ids_of_range, read_ids

    if ids and id_range:
        fail(say("--ids and --range name laboratories both"), say("choose one of them"), code=2)
    if ids:
        return read_ids(ids)
    return ids_of_range(id_range) if id_range else None


def _show(imported: "Imported", folder: Path, *, show_all: bool) -> NoReturn:
    """Print what could not be imported unchanged, and the verification, which decides the exit code."""
    from labgen.report.imported import render_deviations, render_proof

    def show_lines(text: str) -> None:
        if text:
            echo("\n".join(map(visible, text.splitlines())))

    show_lines(render_deviations(imported.deviations, show_all=show_all))
    count = plural(imported.laboratories, "laboratory", "laboratories")
    if imported.proof is None:
        echo(problems_as_text(imported.outcome, quiet=True), err=True)
        fail(
            say(
                "{count} written to {folder}, but the data has errors: nothing was compared",
                count=count,
                folder=folder,
            ),
            say("mend them, and build"),
        )
    show_lines(render_proof(imported.proof, show_all=show_all))
    echo(
        say(
            "{count} of {source} written to {folder} ({files} in data/)",
            count=count,
            source=imported.source,
            folder=folder,
            files=plural(imported.files, "file"),
        )
    )
    sys.exit(0 if imported.proof.is_explained else 1)
