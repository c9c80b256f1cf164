"""Define the commands `labgen build` and `labgen check`."""

import os
import secrets
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from labgen.changes.change import is_met
from labgen.cli.against import against_option, read_against
from labgen.cli.fixing import fix
from labgen.cli.group import fail, main
from labgen.cli.options import Command, add_options, known_hosts, out_option, project_option, quiet_option
from labgen.cli.show_changes import FOUND, dry_build, fail_on_option, show_changes_from
from labgen.cli.show_result import finish, show, show_files, show_notes, show_timings, summary_line
from labgen.output.errors import OutputError
from labgen.output.units import UnitSample
from labgen.pipeline.build_options import Options
from labgen.pipeline.quick_check import quick_check
from labgen.pipeline.result import Outcome
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem, with_errors
from labgen.problems.text import plural, say, text_of
from labgen.report.bar import ProgressBar
from labgen.report.choose_problems import MOST_OF_A_KIND
from labgen.report.text import summarise
from labgen.system.input_files import DATA, TEMPLATES
from labgen.system.progress import silent
from labgen.system.timings import Timings
from labgen.system.workers import cores


def project_options(command: Command) -> Command:
    """Add the options that `build` and `check` share."""
    return add_options(
        command,
        project_option,
        click.option("--strict", is_flag=True, help="Treat warnings as errors."),
        click.option(
            "--format",
            "format_",
            type=click.Choice(["text", "json", "github", "sarif"]),
            default="text",
            help="Output format of problems (default: text).",
        ),
        click.option(
            "--all",
            "show_all",
            is_flag=True,
            help=f"Show every problem, not just {MOST_OF_A_KIND} of each kind.",
        ),
        quiet_option,
        click.option(
            "-j", "--jobs", type=click.IntRange(1, 256), help="Number of processes (default: one per core)."
        ),
    )


removals_option = click.option(
    "--allow-removals",
    is_flag=True,
    help="Allow that any number of laboratories is removed, or loses the zeros of its display_id.",
)


def _columns(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of columns, which may be joined by commas."""
    if not values:
        return ()  # without the model, which a build without a change does not need
    from labgen.pipeline.guard import NAMES, WHOLE_NAMES

    names = [name for value in values for name in value.split(",")]
    for name in names:
        if name not in NAMES and name not in WHOLE_NAMES:
            hint = did_you_mean(name, NAMES) or say(
                "there are {names} and others", names=", ".join(NAMES[:3])
            )
            raise click.BadParameter(say('there is no column "{name}"; {hint}', name=name, hint=hint))
    return tuple(names)


changes_option = click.option(
    "--allow-change",
    "allowed_changes",
    metavar="COLUMN",
    multiple=True,
    callback=_columns,
    help="Allow that this column is emptied, moved or changed as a whole, such as email or materials.title; "
    "may be repeated, or several with commas.",
)
DEPENDS_ON_OPTIONS = ("over-limit",)
"""The codes of warnings that are errors in a build without a certain option."""


def _percent(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    """Return a number of percent."""
    if value is None:
        return None
    with suppress(ValueError):
        if 0 < (share := float(value.removesuffix("%").replace(",", "."))) <= WHOLE:
            return share
    raise click.BadParameter(say("it is a number of percent, above 0 and up to 100, such as 1%"))


WHOLE = 100


@main.command("build")
@project_options
@out_option("The folder that the site is written to")
@removals_option
@changes_option
@against_option
@click.option(
    "--host",
    "hosts",
    metavar="NAME",
    multiple=True,
    callback=known_hosts,
    help="Build for this host, instead of those in site.toml; may be repeated (see `labgen hosts`).",
)
@click.option(
    "--allow-over-limit", is_flag=True, help="Write the site even if it exceeds the limits of a host."
)
@click.option("--dry-run", is_flag=True, help="Show what would change, by laboratory and field, and stop.")
@click.option(
    "--audit",
    "share",
    metavar="PERCENT",
    callback=_percent,
    help="Then make a random part of the site anew, such as 1%, and compare it with what was built.",
)
@click.option(
    "--changes-from",
    "before",
    metavar="OLD",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Then show what changed from the project or built folder OLD, by laboratory and field; with "
    "--format github, in the job summary and in a comment of the pull request.",
)
@fail_on_option("With --dry-run or --changes-from: exit")
@click.option("-v", "--verbose", is_flag=True, help="List each file that is written or removed.")
@click.option("--timings", "has_timings", is_flag=True, help="Show how long each stage took.")
def build_command(  # noqa: PLR0913
    *,
    root: Path,
    out: Path | None,
    hosts: tuple[str, ...],
    allow_over_limit: bool,
    allow_removals: bool,
    allowed_changes: tuple[str, ...],
    against: str | None,
    dry_run: bool,
    before: Path | None,
    fail_on: tuple[str, ...],
    share: float | None,
    strict: bool,
    format_: str,
    show_all: bool,
    quiet: bool,
    verbose: bool,
    has_timings: bool,
    jobs: int | None,
) -> None:
    """Check the data, and write the site to out/.

    Only changed files are written, and files that the data no longer has are removed. If there is an error,
    nothing is written. `labgen diff` shows the result of --dry-run in other formats, too.
    """
    timings = Timings()
    require_data(root)
    out = out or root / "out"
    require_apart(root, out)
    options = Options(strict, jobs or cores(), silent, timings, hosts, allow_over_limit, allow_removals)
    published = read_against(against) if against else None
    options = replace(options, allowed_changes=allowed_changes, against=published)
    require_fitting(format_, before, fail_on, is_dry=dry_run, has_audit=bool(share))
    if dry_run:
        dry_build(root, out, options, fail_on, show_all=show_all, quiet=quiet)
    try:
        with timings.stage("look for changes"):
            seen = quick_check(root, out, hosts)
            unchanged = None if published else seen.unchanged_result()
            had = seen.warnings() if unchanged else []
        if unchanged and not (strict and had) and not any(one.code in DEPENDS_ON_OPTIONS for one in had):
            outcome = Outcome(root, had, written=unchanged)
        else:
            with timings.stage("start"):
                from labgen.pipeline.build import build
            with ProgressBar(is_shown=not quiet and sys.stderr.isatty()) as progress:
                outcome = build(root, out, replace(options, progress=progress.update), seen)
        if share and outcome.written:
            with timings.stage("audit"):
                from labgen.pipeline.audit import audit
            outcome = audit(root, out, outcome, options, UnitSample(share, secrets.randbits(32)))
    except OutputError as error:
        if format_ == "text":
            raise
        place = Place(os.path.relpath(out, root))
        outcome = Outcome(root, [Problem("cannot-write", text_of(error), place, error.hint)])
    with timings.stage("show problems"):
        show(outcome, format_, show_all=show_all, quiet=quiet)
    changes = show_changes_from(before, out, outcome, format_, options) if before else ()
    if outcome.written is None:
        show_timings(timings.seconds(), is_asked_for=has_timings)
        finish(
            outcome,
            say("{summarise}: nothing was written", summarise=summarise(outcome.errors, outcome.warnings)),
            format_,
            quiet=quiet,
        )
    show_files(outcome.written, out, quiet=quiet, verbose=verbose)
    show_notes(outcome, quiet=quiet)
    seconds = timings.seconds()
    show_timings(seconds, is_asked_for=has_timings)
    code = FOUND if is_met(changes, fail_on) else 0
    finish(outcome, summary_line(outcome, sum(seconds.values())), format_, quiet=quiet, code=code)


def require_fitting(
    format_: str, before: Path | None, fail_on: tuple[str, ...], *, is_dry: bool, has_audit: bool
) -> None:
    """Exit with an error if options of a build do not fit together."""
    if before and format_ not in ("text", "github"):
        fail(say("--changes-from takes the formats text and github"), code=2)
    if is_dry and before:
        fail(say("--dry-run compares with the last build, so it takes no --changes-from"), code=2)
    if is_dry and has_audit:
        fail(say("--audit compares what was built, and --dry-run builds nothing"), code=2)
    if is_dry and format_ != "text":
        fail(
            say("--dry-run shows text"),
            say("`labgen diff --format {format}` may do what you want", format=format_),
            code=2,
        )
    if fail_on and not is_dry and not before:
        hint = say("`labgen diff --fail-on` compares, too")
        fail(say("--fail-on needs --dry-run or --changes-from"), hint, code=2)


@main.command("check")
@project_options
@out_option("The site of the last build, to compare with")
@removals_option
@changes_option
@against_option
@click.option(
    "--fix",
    "is_fixing",
    is_flag=True,
    help="Apply corrections that are certain, after showing them and asking.",
)
@click.option("--yes", "is_agreed", is_flag=True, help="With --fix: apply without asking.")
def check_command(  # noqa: PLR0913
    *,
    root: Path,
    strict: bool,
    format_: str,
    show_all: bool,
    quiet: bool,
    jobs: int | None,
    out: Path | None,
    allow_removals: bool,
    allowed_changes: tuple[str, ...],
    against: str | None,
    is_fixing: bool,
    is_agreed: bool,
) -> None:
    """Report problems in data/ and templates/; without --fix, write nothing.

    With --fix, mistakes with one certain correction are corrected: dates, decimal commas, country codes,
    spaces around a text, misspelt keys. The rest of a file is not changed by a byte.

    If there is a site in out/, laboratories that went from it are reported as by a build. Only a build can
    tell whether the site fits on its host, whether a template fails for another laboratory than the one
    that is tried here, and whether out/ can be written.
    """
    from labgen.pipeline.build import check

    require_data(root)
    if is_agreed and not is_fixing:
        fail(say("--yes needs --fix"), say("labgen check --fix --yes"), code=2)
    if is_fixing and format_ != "text":
        fail(say("--fix shows its changes as text, so it takes no --format"), code=2)
    with ProgressBar(is_shown=not quiet and sys.stderr.isatty()) as progress:
        options = Options(strict, jobs or cores(), progress.update)
        options = replace(options, are_removals_allowed=allow_removals, allowed_changes=allowed_changes)
        options = replace(options, against=read_against(against) if against else None)
        outcome = check(root, options, out)
    while is_fixing and fix(root, with_errors(outcome.found), is_agreed=is_agreed):
        outcome = check(root, options, out)  # texts are only checked if a laboratory has no errors
    show(outcome, format_, show_all=show_all, quiet=quiet)
    counted = (
        say("{laboratories}: ", laboratories=plural(outcome.laboratories, "laboratory", "laboratories"))
        if outcome.laboratories
        else ""
    )
    finish(outcome, counted + summarise(outcome.errors, outcome.warnings), format_, quiet=quiet)


def require_data(root: Path) -> None:
    """Exit with an error if a folder is not a project."""
    if not (root / "data").is_dir():
        hint = say("`labgen init` makes a project; --project names another folder")
        fail(
            say("there is no folder data/ in {resolve}", resolve=click.format_filename(root.resolve())),
            hint,
            code=2,
        )


def require_apart(root: Path, out: Path) -> None:
    """Exit with an error if the site would be written into data/ or templates/, or around the project."""
    project, site, data, templates = (
        Path(os.path.realpath(folder)) for folder in (root, out, root / DATA, root / TEMPLATES)
    )
    is_inside = site.is_relative_to(data) or site.is_relative_to(templates)
    if is_inside or project.is_relative_to(site) or data.is_relative_to(site):
        fail(
            say(
                "the site cannot be written to {out}: the project's own files lie there",
                out=click.format_filename(out),
            ),
            code=2,
        )
