"""Define the command `labgen sync`."""

import sys
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import click

from labgen.cli.group import fail, main
from labgen.cli.options import connections_option, max_deletes_option, quiet_option, timeout_option
from labgen.cli.url_options import require_address, route_to
from labgen.problems.text import plural, say, text_of
from labgen.report.bar import ProgressBar
from labgen.report.text import echo, visible

MOST_SHOWN = 10
"""The maximum number of files that are named of those that could not be copied."""


@main.command("sync")
@click.argument("url")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--check", "is_checked", is_flag=True, help="Compare the bytes of all files in the folder.")
@max_deletes_option
@click.option(
    "--max-bytes",
    type=click.IntRange(1),
    default=20 * 10**9,
    help="Maximum number of bytes to fetch (default: 20 GB).",
)
@connections_option()
@timeout_option(30.0)
@quiet_option
def sync_command(  # noqa: PLR0913
    *,
    url: str,
    folder: Path,
    is_checked: bool,
    max_deletes: int,
    max_bytes: int,
    connections: int,
    timeout: float,
    quiet: bool,
) -> None:
    """Mirror the site at URL to FOLDER, by its manifest.

    Only files that differ are fetched; each is verified by its digest and replaced atomically. Files in the
    folder that the site does not have are removed at the end, except hidden ones. An interrupted sync resumes
    where it stopped.
    """
    from labgen.fetch.ask import Politeness
    from labgen.fetch.client import Client
    from labgen.mirror.sync import Limits, SyncError, sync

    site = require_address(url, "site")
    route = route_to(site)
    politeness = Politeness(connections, timeout, limit=float("inf"))
    progress_bar = ProgressBar(is_shown=not quiet and sys.stderr.isatty())
    with progress_bar as progress, closing(Client(site, timeout, route)) as client:
        try:
            limits = Limits(max_deletes, max_bytes)
            done = sync(client, folder, politeness, limits, progress.update, is_checked=is_checked)
        except SyncError as error:
            fail(text_of(error), error.hint)
    if done.failed:
        _fail_with(done.failed, say("{files} fetched", files=plural(done.fetched, "file")))
    if not quiet:
        kept = done.total - done.fetched
        echo(
            say(
                "{files}: {fetched:,} fetched, {removed:,} removed, {kept:,} unchanged, by "
                "{requests} ({size:,} bytes)",
                files=plural(done.total, "file"),
                fetched=done.fetched,
                removed=done.removed,
                kept=kept,
                requests=plural(done.requests, "request"),
                size=done.size,
            )
        )


def _fail_with(failed: dict[str, str], done: str) -> NoReturn:
    """Print which files could not be copied, and exit."""
    for name, reason in list(failed.items())[:MOST_SHOWN]:
        echo(say("{name}: {reason}", name=visible(name), reason=visible(reason)), err=True)
    more = (
        say(" (the first {most_shown} are shown)", most_shown=MOST_SHOWN) if len(failed) > MOST_SHOWN else ""
    )
    fail(
        say(
            "{files} could not be copied{more}; {done}",
            files=plural(len(failed), "file"),
            more=more,
            done=done,
        ),
        say("run it again: it goes on from here"),
    )
