"""Define the command `labgen serve`."""

import sys
import threading
import time
import webbrowser
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.build_command import require_data
from labgen.cli.group import fail, main
from labgen.cli.options import project_option
from labgen.cli.show_result import problems_as_text
from labgen.output.errors import OutputError
from labgen.problems.text import cause_of, plural, say, text_of
from labgen.report.text import echo, summarise, visible
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
@click.option(
    "--host",
    "address",
    metavar="ADDRESS",
    default="127.0.0.1",
    callback=lambda *given: _address(given[-1]),
    help="The address to listen on (default: 127.0.0.1, this machine alone). 0.0.0.0 or :: listens to all "
    "networks of this machine: whoever reaches it can read the preview.",
)
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    callback=lambda *given: _names(given[-1]),
    help="A further name that the preview answers for, beside localhost and the address. May be repeated.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the front page in the browser.")
def serve_command(root: Path, port: int, address: str, names: tuple[str, ...], *, is_opened: bool) -> None:
    """Preview the site on this machine as a host would serve it, and rebuild it when the data changes.

    out/ is not changed. Ctrl-C stops the preview.
    """
    from labgen.serve.known_hosts import known_hosts
    from labgen.serve.preview import Preview, changes
    from labgen.serve.server import open_server

    require_data(root)
    preview = Preview(root, cores(), lambda outcome: click.unstyle(problems_as_text(outcome)))
    _build(preview)
    preview.jobs = 1  # from now on, threads are running, so processes must not be forked
    try:
        server = open_server(port, preview.respond, address, known_hosts(names, address))
    except OSError as error:
        fail(
            say(
                "no port from {port} on is free at {address}: {strerror}",
                port=port,
                address=address,
                strerror=cause_of(error),
            )
        )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://{_own_name(address)}:{server.server_port}{preview.site.base_path}/"
    echo(say("Preview: {url}  (Ctrl-C ends it)", url=url))
    if not ip_address(address).is_loopback:
        echo(
            say("note: the preview listens on {address}: other machines can read it", address=address),
            err=True,
        )
    if is_opened:
        webbrowser.open(url)
    is_over = threading.Event()
    try:
        for _ in changes(root, is_over):
            _build(preview)
    except Interruption:
        echo("", err=True)
    finally:
        is_over.set()
        server.shutdown()
        server.server_close()


def _address(given: str) -> str:
    try:
        return str(ip_address("127.0.0.1" if given == "localhost" else given.strip("[]")))
    except ValueError:
        message = say(
            "{given} is no IP address: give 0.0.0.0 for all of this machine, or one of them", given=given
        )
        raise click.BadParameter(message) from None


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    from labgen.serve.known_hosts import is_name

    for name in given:
        if not is_name(name):
            raise click.BadParameter(
                say("{name} is no name of a host: give it without scheme, port and path", name=name)
            )
    return given


def _own_name(address: str) -> str:
    """Return the host of the preview's address for a browser on this machine."""
    found = ip_address(address)
    if found.is_unspecified:
        return "127.0.0.1" if found.version == IPV4 else "[::1]"
    return address if found.version == IPV4 else f"[{address}]"


IPV4 = 4


def _build(preview: "Preview") -> None:
    """Build the preview, and print the problems, then the result in a line."""
    started = time.monotonic()
    now = time.strftime("%H:%M:%S")
    try:
        outcome = preview.build()
    except OutputError as error:
        echo(say("{now} {error}", now=now, error=visible(text_of(error))), err=True)
        return
    if outcome.found:
        echo(problems_as_text(outcome), err=True)
    if outcome.written is None:
        counted = summarise(outcome.errors, outcome.warnings)
        echo(say("{now} {counted}: the last good site is shown", now=now, counted=counted), err=True)
        return
    done = plural(outcome.written.written_count, "file")
    echo(
        say(
            "{now} built: {done} written in {monotonic:.1f} s",
            now=now,
            done=done,
            monotonic=time.monotonic() - started,
        )
    )
    sys.stdout.flush()
