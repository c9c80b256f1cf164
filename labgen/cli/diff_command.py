"""Define the command `labgen diff`, and the options by which changes are shown and judged."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from labgen.cli.build_command import project_option, require_data
from labgen.cli.group import fail, main
from labgen.cli.route import proxy_for, require_address
from labgen.cli.show_changes import fail_on_option, finish_changes, require_sound, show_changes
from labgen.report.bar import ProgressBar
from labgen.system.input_files import DATA
from labgen.system.workers import cores

if TYPE_CHECKING:
    from labgen.changes.change import Change
    from labgen.pipeline.build import Options


@main.command("diff")
@click.argument("old", required=False)
@click.argument("new", required=False)
@project_option
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="The last build, without OLD (default: out/ in the project).",
)
@fail_on_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="How changes are shown (default: text).",
)
@click.option("--values", is_flag=True, help="Show the values before and after, too.")
@click.option("--all", "show_all", is_flag=True, help="Show every laboratory that changed.")
def diff_command(  # noqa: PLR0913
    *,
    old: str | None,
    new: str | None,
    root: Path,
    out: Path | None,
    fail_on: tuple[str, ...],
    format_: str,
    values: bool,
    show_all: bool,
) -> None:
    """Say what changed from OLD to NEW, by laboratory and field.

    OLD and NEW are projects, built folders, or addresses of live hosts (https://…). Without NEW, it is the
    project's data; without OLD, it is the last build. Exit code 3 where --fail-on names a change.
    """
    from labgen.changes.sides import compare_folders, preview_build
    from labgen.pipeline.build import Options

    with ProgressBar(is_shown=sys.stderr.isatty()) as progress:
        options = Options(
            jobs=cores(), progress=progress.update, are_limits_off=True, are_removals_allowed=True
        )
        if old is None:
            require_data(root)
            preview = preview_build(root, out or root / "out", options)
            require_sound(preview.outcome)
            changes: Sequence[Change] = preview.changes
        else:
            if new is None:
                require_data(root)
            with ExitStack() as opened:
                found: dict[str, Path] = {}
                for name in sorted((old, new or str(root)), key=_is_address):
                    found[name] = opened.enter_context(_side(name, options, [*found.values()]))
                changes = compare_folders(found[old], found[new or str(root)])
    show_changes(changes, format_, values=values, show_all=show_all)
    finish_changes(changes, fail_on)


def _is_address(name: str) -> bool:
    return name.lower().startswith(("http://", "https://"))


@contextmanager
def _fetched(address: str, options: "Options", others: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder with the documents of a live host."""
    from ssl import create_default_context

    from labgen.changes.documents import laboratories_in
    from labgen.fetch.ask import Politeness
    from labgen.fetch.client import Route
    from labgen.importing.service.fetch_documents import Manner, fetched_folder
    from labgen.importing.service.find_laboratories import Found

    manner = Manner(
        otherwise=next(
            (Found(laboratories_in(one), "the other side", is_tried=True) for one in others), None
        ),
        politeness=Politeness(limit=float("inf"), rate=RATE),
        route=Route(proxy_for(require_address(address)), create_default_context()),
        progress=options.progress,
    )
    with fetched_folder(urlsplit(address), manner) as site:
        yield site


RATE = 50.0
"""Requests to a host in a second."""


@contextmanager
def _side(name: str, options: "Options", others: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder with the documents of a built folder, of what a project would publish, or of a host.

    A host without a list of laboratories is asked for those of the other side.
    """
    from labgen.changes.sides import published

    if _is_address(name):
        with _fetched(name, options, others) as site:
            yield site
        return
    folder = Path(name)
    if not folder.is_dir():
        fail(f"there is no folder {click.format_filename(folder)}", code=2)
    if not (folder / DATA).is_dir():
        yield folder
        return
    with published(folder, options) as (site, outcome):
        require_sound(outcome)
        if site:
            yield site
