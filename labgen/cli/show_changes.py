"""Print the changes between two states of a site, and set the exit code by their kinds."""

import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from labgen.changes.change import Breaking, Change, is_met
from labgen.cli.options import Option
from labgen.cli.show_result import github_summary, problems_as_text, show, write_summary
from labgen.output.errors import OutputError
from labgen.pipeline.result import Outcome
from labgen.problems.text import plural, say
from labgen.report.text import echo, summarise
from labgen.report.translate import translate

if TYPE_CHECKING:
    from labgen.pipeline.build_options import Options

FOUND = 3
"""The exit code if a change matches --fail-on."""


def fail_on_option(exits: str = "Exit") -> Option:
    """Return the option for the changes that make a command fail; `exits` begins its help."""
    return click.option(
        "--fail-on",
        metavar="KIND",
        type=click.Choice(["any", "breaking", *(one.value for one in Breaking)]),
        multiple=True,
        help=f"{exits} with code {FOUND} if there is a change of this kind: any, breaking, or one of "
        f"{', '.join(Breaking)}; may be repeated.",
    )


def show_changes(
    changes: Sequence[Change],
    format_: str = "text",
    *,
    values: bool = False,
    show_all: bool = False,
    total: int = 0,
) -> None:
    """Print changes as text, Markdown or JSON; `total` is the number of laboratories, if it is known."""
    from labgen.report.changes import render_changes, render_changes_as_json, render_changes_as_markdown

    match format_:
        case "json":
            echo(render_changes_as_json(changes))
        case "markdown":
            echo(render_changes_as_markdown(changes))
        case _:
            echo(render_changes(changes, show_all=show_all, values=values, total=total))


def show_changes_from(
    before: Path, out: Path, outcome: Outcome, format_: str, options: "Options"
) -> Sequence[Change]:
    """Show what a build changed from another state, and return it.

    GitHub gets it in the job summary, and with the problems in the comment of a pull request.
    """
    changes: Sequence[Change] | None = None
    reason = say("What would be published is shown when the errors are corrected.")
    if outcome.written:
        from labgen.changes.compare_sites import changes_from

        lenient = replace(
            options, is_strict=False, against=None, are_removals_allowed=True, are_limits_off=True
        )
        with suppress(OutputError):
            changes = changes_from(before, out, lenient)
        reason = say(
            "What would change cannot be shown: there is no sound project or site before the change."
        )
    if format_ == "github":
        from labgen.cli.pull_request import write_comment
        from labgen.report.changes import render_changes_as_markdown

        text = translate(reason) if changes is None else render_changes_as_markdown(changes)
        write_summary(f"\n{text}\n")
        write_comment(f"{github_summary(outcome)}\n{text}\n")
    elif changes is None:
        echo(reason, err=True)
    else:
        show_changes(changes)
    return changes or ()


def finish_changes(changes: Sequence[Change], fail_on: Collection[str]) -> NoReturn:
    """Exit with the code 3 if a change matches --fail-on, otherwise with 0."""
    sys.exit(FOUND if is_met(changes, fail_on) else 0)


def dry_build(
    root: Path, out: Path, options: "Options", fail_on: Collection[str], *, show_all: bool, quiet: bool
) -> NoReturn:
    """Print the problems and the changes that a build would make, without making them, and exit."""
    from labgen.changes.compare_sites import preview_build

    preview = preview_build(root, out, options)
    outcome, written = preview.outcome, preview.outcome.written
    show(outcome, "text", show_all=show_all, quiet=quiet)
    if written is None:
        refuse(outcome, say("nothing would be written"))
    if not quiet:
        counts = say(
            "{written_count:,} would be written, {removed_count:,} removed",
            written_count=written.written_count,
            removed_count=written.removed_count,
        )
        echo(say("{files}: {counts}", files=plural(written.total, "file"), counts=counts), err=True)
    show_changes(preview.changes, show_all=show_all, total=outcome.laboratories)
    if outcome.errors:
        refuse(outcome, say("a build would stop"))
    finish_changes(preview.changes, fail_on)


def refuse(outcome: Outcome, consequence: str) -> NoReturn:
    """Report that the data has errors, and exit."""
    echo(
        say(
            "{summarise}: {consequence}",
            summarise=summarise(outcome.errors, outcome.warnings),
            consequence=consequence,
        ),
        err=True,
    )
    sys.exit(1)


def show_accidents(outcome: Outcome) -> None:
    """Exit if the data has errors; if it only changed in a way that stops a build, show this and go on."""
    from labgen.pipeline.guard import CODES

    if outcome.written is None:
        require_sound(outcome)
    accidents = replace(outcome, found=[one for one in outcome.found if one.code in CODES])
    if accidents.found:
        echo(problems_as_text(accidents), err=True)


def require_sound(outcome: Outcome) -> None:
    """Show the errors of a project's data and exit if there are any: then nothing can be compared."""
    if outcome.errors:
        echo(problems_as_text(outcome, quiet=True), err=True)
        refuse(outcome, say("nothing was compared"))
