"""Define the command `labgen serve`."""

import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.build_command import require_data
from labgen.cli.group import fail, main
from labgen.cli.options import project_option
from labgen.cli.show_result import problems_as_text
from labgen.output.errors import OutputError
from labgen.problems.problem import plural
from labgen.report.text import summarise, visible
from labgen.system.interruption import Interruption
from labgen.system.workers import cores

if TYPE_CHECKING:
    from labgen.serve.preview import Preview


@main.command("serve")
@project_option
@click.option(
    "-p",
    "--port",
    type=click.IntRange(1, 65535),
    default=8000,
    help="The port, or the next free one after it (default: 8000).",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the front page in the browser.")
def serve_command(root: Path, port: int, *, is_opened: bool) -> None:
    """Preview the site on this machine as a host would serve it, and rebuild it when the data changes.

    out/ is not changed. Ctrl-C stops the preview.
    """
    from labgen.serve.preview import Preview, changes
    from labgen.serve.server import open_server

    require_data(root)
    preview = Preview(root, cores(), lambda outcome: click.unstyle(problems_as_text(outcome)))
    _build(preview)
    preview.jobs = 1  # from now on, threads are running, so processes must not be forked
    try:
        server = open_server(port, preview.respond)
    except OSError as error:
        fail(f"no port from {port} on is free: {(error.strerror or '').lower()}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}{preview.first_path()}"
    click.echo(f"Preview: {address}  (Ctrl-C ends it)")
    if is_opened:
        webbrowser.open(address)
    is_over = threading.Event()
    try:
        for _ in changes(root, is_over):
            _build(preview)
    except Interruption:
        click.echo("", err=True)
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()


def _build(preview: "Preview") -> None:
    """Build the preview, and print the problems, then the result in a line."""
    started = time.monotonic()
    now = time.strftime("%H:%M:%S")
    try:
        outcome = preview.build()
    except OutputError as error:
        click.echo(f"{now} {visible(str(error))}", err=True)
        return
    if outcome.found:
        click.echo(problems_as_text(outcome), err=True)
    if outcome.written is None:
        counted = summarise(outcome.errors, outcome.warnings)
        click.echo(f"{now} {counted}: the last good site is shown", err=True)
        return
    done = plural(outcome.written.written_count, "file")
    click.echo(f"{now} built: {done} written in {time.monotonic() - started:.1f} s")
    sys.stdout.flush()
