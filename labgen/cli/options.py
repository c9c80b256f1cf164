"""Define the options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import click

from labgen.cli.group import fail
from labgen.problems.text import say, text_of

Command = TypeVar("Command", bound=Callable[..., None])


class Option(Protocol):
    """An option of click: a decorator for commands."""

    def __call__(self, command: Command, /) -> Command:
        """Add the option to a command."""


def add_options(command: Command, *options: Option) -> Command:
    """Add options to a command, in the order of its help."""
    for option in reversed(options):
        command = option(command)
    return command


project_option = click.option(
    "-C",
    "--project",
    "root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The folder that holds data/ (default: this one).",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Show only errors.")
max_deletes_option = click.option(
    "--max-deletes",
    type=click.IntRange(0),
    default=1000,
    help="Stop, without changing anything, if more files than this would be removed (default: 1000).",
)


def out_option(meaning: str, default: str = say("out/ in the project")) -> Option:
    """Return the option for the folder of the built site."""
    path = click.Path(path_type=Path)
    return click.option("-o", "--out", type=path, help=f"{meaning} (default: {default}).")


def connections_option(to: str = "", *, default: int = 4, most: int = 32) -> Option:
    """Return the option for the number of connections."""
    text = say("Simultaneous connections{to} (default: {default}).", to=to, default=default)
    return click.option("--connections", type=click.IntRange(1, most), default=default, help=text)


def timeout_option(default: float, of: str = "") -> Option:
    """Return the option for the time that a host has to answer."""
    text = say("Seconds to wait for an answer{of} (default: {default:g}).", of=of, default=default)
    return click.option("--timeout", type=click.FloatRange(0.1, 600), default=default, help=text)


def rate_option(to: str) -> Option:
    """Return the option for the number of requests per second."""
    text = say("Requests per second to {to}, 0 for no limit (default: 50).", to=to)
    return click.option("--rate", type=click.FloatRange(0), default=50.0, help=text)


def known_hosts(_ctx: click.Context, _option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts, each once; exit with an error if one is unknown or cannot serve the contract."""
    if names:
        from labgen.hosts.choose_hosts import UnknownHostError, profile_of

        for name in names:
            try:
                profile_of(name)
            except UnknownHostError as error:
                fail(text_of(error), error.hint, code=2)
    return tuple(dict.fromkeys(names))
