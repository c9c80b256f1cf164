"""Define the command `labgen diff`, and the options by which changes are shown and judged."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.build_command import project_option, require_data
from labgen.cli.group import fail, main
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

    OLD and NEW are projects or built folders. Without NEW, it is the project's data; without OLD, it is
    the last build. Exit code 3 where --fail-on names a change.
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
            with _side(old, options) as before, _side(new or str(root), options) as after:
                changes = compare_folders(before, after)
    show_changes(changes, format_, values=values, show_all=show_all)
    finish_changes(changes, fail_on)


@contextmanager
def _side(name: str, options: "Options") -> Iterator[Path]:
    """Yield a folder with the documents of a built folder, or of what a project would publish."""
    from labgen.changes.sides import published

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
