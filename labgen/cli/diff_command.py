"""Define the command `labgen diff`."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.build_command import require_data
from labgen.cli.group import fail, main
from labgen.cli.options import out_option, project_option, rate_option
from labgen.cli.show_changes import (
    fail_on_option,
    finish_changes,
    require_sound,
    show_accidents,
    show_changes,
)
from labgen.cli.url_options import is_address, require_address, route_to
from labgen.problems.text import say
from labgen.report.bar import ProgressBar
from labgen.system.input_files import DATA
from labgen.system.workers import cores

if TYPE_CHECKING:
    from labgen.changes.change import Change
    from labgen.pipeline.build_options import Options


@main.command("diff")
@click.argument("old", required=False)
@click.argument("new", required=False)
@project_option
@out_option("The folder of the last build, used without OLD")
@fail_on_option()
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    help="Output format of changes (default: text).",
)
@rate_option("a live host")
@click.option("--values", is_flag=True, help="Also show the values before and after.")
@click.option("--all", "show_all", is_flag=True, help="Show every changed laboratory.")
def diff_command(  # noqa: PLR0913
    *,
    old: str | None,
    new: str | None,
    root: Path,
    out: Path | None,
    fail_on: tuple[str, ...],
    format_: str,
    rate: float,
    values: bool,
    show_all: bool,
) -> None:
    """Show what changed from OLD to NEW, by laboratory and field.

    OLD and NEW are projects, built folders, or addresses of live hosts (https://…). NEW
    defaults to the project's data, OLD to the last build. The exit code is 3 if a change matches --fail-on.
    """
    from labgen.changes.compare_sites import preview_build
    from labgen.pipeline.build_options import Options

    with ProgressBar(is_shown=sys.stderr.isatty()) as progress:
        options = Options(
            jobs=cores(), progress=progress.update, are_limits_off=True, are_removals_allowed=True
        )
        if old is None:
            require_data(root)
            preview = preview_build(root, out or root / "out", options)
            show_accidents(preview.outcome)
            total = preview.outcome.laboratories
            changes: Sequence[Change] = preview.changes
        else:
            if new is None:
                require_data(root)
            changes, total = _compare(old, new or str(root), options, rate), 0
    show_changes(changes, format_, values=values, show_all=show_all, total=total)
    finish_changes(changes, fail_on)


def _compare(old: str, new: str, options: "Options", rate: float) -> "Sequence[Change]":
    """Return the changes between two sides. Hosts are read last: they may need the other side's ids."""
    from labgen.changes.compare_sites import compare_folders

    found: dict[str, Path] = {}
    with ExitStack() as opened:
        for name in sorted(dict.fromkeys((old, new)), key=is_address):
            side = (
                _fetched(name, options, rate, [*found.values()]) if is_address(name) else _side(name, options)
            )
            found[name] = opened.enter_context(side)
        return compare_folders(found[old], found[new])


@contextmanager
def _fetched(address: str, options: "Options", rate: float, others: Sequence[Path]) -> Iterator[Path]:
    """Yield a folder with the documents of a live host."""
    from labgen.changes.documents import laboratories_in
    from labgen.fetch.ask import Politeness
    from labgen.importing.service.fetch_documents import FetchOptions, fetched_folder
    from labgen.importing.service.find_laboratories import Found

    url = require_address(address, "service")
    named = [Found(laboratories_in(one), say("the other side"), is_tried=True) for one in others]
    fetching = FetchOptions(
        otherwise=named[0] if named else None,
        politeness=Politeness(limit=float("inf"), rate=rate),
        route=route_to(url),
        progress=options.progress,
    )
    with fetched_folder(url, fetching) as site:
        yield site


@contextmanager
def _side(name: str, options: "Options") -> Iterator[Path]:
    """Yield a folder with the documents of a built folder, or of what a project would publish."""
    from labgen.changes.compare_sites import published

    folder = Path(name)
    if not folder.is_dir():
        fail(say("there is no folder {folder}", folder=click.format_filename(folder)), code=2)
    if not (folder / DATA).is_dir():
        yield folder
        return
    with published(folder, options) as (site, outcome):
        require_sound(outcome)
        if site:
            yield site
