"""The command line: each command names its options, calls one function and shows the result.

Exit codes: 0 done; 1 the data has errors, or out/ cannot be written; 2 the command was used wrongly;
130 interrupted.
"""

import errno
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from labgen import __version__
from labgen.codes import CODES
from labgen.glance import glance
from labgen.outcome import Outcome
from labgen.output.errors import OutputError
from labgen.output.site_folder import Written
from labgen.paths import visible_name
from labgen.problems import Located, Place, Problem, plural
from labgen.report.bar import ProgressBar
from labgen.report.machine import render_github, render_github_summary, render_json_report, render_sarif
from labgen.report.text import render_problems, render_timings, summarise, visible
from labgen.scaffold import create_project, occupied
from labgen.source.hints import did_you_mean
from labgen.timings import Timings
from labgen.workers import cores

SHOWN_AT_MOST = 50
"""Problems that are printed without --all."""

Command = TypeVar("Command", bound=Callable[..., None])


class LabgenGroup(click.Group):
    """The group of commands; it turns what must not be a traceback into a sentence and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except OutputError as error:
            fail(str(error), error.hint)
        except KeyboardInterrupt:
            fail("interrupted; the site in out/ is whole, as it was or as it was to be", code=130)
        except OSError as error:
            if error.errno != errno.ENOSPC:  # what else may fail is caught where it is known
                raise
            give_up_output()
            fail("the output of this command cannot be written: the disk is full")


def give_up_output() -> None:
    """Let what could not be written go nowhere, so that the end of the program does not try again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str, hint: str = "", code: int = 1) -> NoReturn:
    """Print one sentence, and what to do, and exit."""
    click.echo(f"{click.style('error', fg='red', bold=True)}: {visible(message)}", err=True)
    if hint:
        click.echo(f"  = help: {visible(hint)}", err=True)
    sys.exit(code)


@click.group(
    cls=LabgenGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="labgen %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Publish a directory of testing laboratories as a static JSON API.

    The data lies in data/, the site is written to out/.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def project_options(command: Command) -> Command:
    """Add the options that `build` and `check` share."""
    options = [
        click.option(
            "-C",
            "--project",
            "root",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            default=".",
            help="The folder that holds data/ (default: this one).",
        ),
        click.option("--strict", is_flag=True, help="Take warnings for errors."),
        click.option(
            "--format",
            "format_",
            type=click.Choice(["text", "json", "github", "sarif"]),
            default="text",
            help="How problems are shown (default: text).",
        ),
        click.option(
            "--all", "show_all", is_flag=True, help=f"Show every problem, not only the first {SHOWN_AT_MOST}."
        ),
        click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors."),
        click.option(
            "-j", "--jobs", type=click.IntRange(1, 256), help="Processes to work with (default: one a core)."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@main.command("build")
@project_options
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="The folder that the site is written to (default: out/ in the project).",
)
@click.option("-v", "--verbose", is_flag=True, help="Name each file that is written or removed.")
@click.option("--timings", "has_timings", is_flag=True, help="Show how long each stage took.")
def build_command(  # noqa: PLR0913
    *,
    root: Path,
    out: Path | None,
    strict: bool,
    format_: str,
    show_all: bool,
    quiet: bool,
    verbose: bool,
    has_timings: bool,
    jobs: int | None,
) -> None:
    """Check the data, and write the site to out/.

    Only files whose bytes changed are written; what the data no longer has is removed. If there is an
    error, nothing is touched.
    """
    started = time.monotonic()
    require_data(root)
    out = out or root / "out"
    require_apart(root, out)
    timings = Timings()
    try:
        outcome = _build(root, out, strict, jobs, timings, is_shown=not quiet and sys.stderr.isatty())
    except OutputError as error:
        if format_ == "text":
            raise
        place = Place(os.path.relpath(out, root))
        outcome = Outcome((Located(Problem("cannot-write", str(error), place, error.hint), None),))
    show(outcome, root, format_, show_all=show_all, quiet=quiet)
    if outcome.written is None:
        finish(
            outcome,
            f"{summarise(outcome.errors, outcome.warnings)}: nothing was written",
            format_,
            quiet=quiet,
        )
    show_files(outcome.written, out, quiet=quiet, verbose=verbose)
    if has_timings:
        click.echo(render_timings(timings.seconds, time.monotonic() - started), err=True)
    finish(outcome, _account(outcome, time.monotonic() - started), format_, quiet=quiet)


def _build(
    root: Path, out: Path, strict: bool, jobs: int | None, timings: Timings, *, is_shown: bool
) -> Outcome:
    with timings.stage("look for changes"):
        seen = glance(root, out)
        if unchanged := seen.unchanged():
            return Outcome((), written=unchanged)
    with timings.stage("start"):
        from labgen.build import Options, build
    with ProgressBar(is_shown=is_shown) as progress:
        return build(root, out, Options(strict, jobs or cores(), progress.update, timings), seen)


@main.command("check")
@project_options
def check_command(
    *, root: Path, strict: bool, format_: str, show_all: bool, quiet: bool, jobs: int | None
) -> None:
    """Say what is wrong in data/ and templates/, without writing anything."""
    from labgen.build import Options, check

    require_data(root)
    with ProgressBar(is_shown=not quiet and sys.stderr.isatty()) as progress:
        outcome = check(root, Options(strict, jobs or cores(), progress.update))
    show(outcome, root, format_, show_all=show_all, quiet=quiet)
    counted = (
        f"{plural(outcome.laboratories, 'laboratory', 'laboratories')}: " if outcome.laboratories else ""
    )
    finish(outcome, counted + summarise(outcome.errors, outcome.warnings), format_, quiet=quiet)


@main.command("init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
def init_command(folder: Path) -> None:
    """Write a small project into FOLDER (default: this one) that builds at once.

    No file that is there already is touched.
    """
    if taken := occupied(folder):
        fail(
            f"{folder} already holds {', '.join(taken[:5])}{' …' if taken[5:] else ''}; nothing was written",
            code=2,
        )
    try:
        names = create_project(folder)
    except OSError as error:
        fail(f"{folder} cannot be written: {(error.strerror or '').lower()}; nothing was kept")
    is_here, name_of_folder = folder.resolve() == here().resolve(), click.format_filename(folder)
    click.echo(f"{plural(len(names), 'file')} written to {'this folder' if is_here else name_of_folder}:")
    for name in names:
        click.echo(f"  {name}")
    click.echo(f"\nNow: {'' if is_here else f'cd {name_of_folder} && '}labgen build")


def complete_code(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the codes that begin so, for completion in the shell."""
    return [code for code in CODES if code.startswith(begun)]


@main.command("explain")
@click.argument("code", required=False, shell_complete=complete_code)
def explain_command(code: str | None) -> None:
    """Explain the problems that have the code CODE; without one, list the codes."""
    if code is None:
        longest = max(map(len, CODES))
        for name, one in CODES.items():
            click.echo(f"{name:{longest}}  {one.meaning}")
        return
    if code not in CODES:
        fail(
            f"`{code}` is not the code of a problem",
            did_you_mean(code, CODES) or "`labgen explain` lists them",
            code=2,
        )
    found = CODES[code]
    click.echo(f"{click.style(code, bold=True)}\n\n{found.meaning}\n{found.reason}\n")
    click.echo(f"Example:  {found.example}\nRemedy:   {found.remedy}")


def require_data(root: Path) -> None:
    """Refuse a folder that is no project."""
    if not (root / "data").is_dir():
        hint = "`labgen init` makes a project; --project names another folder"
        fail(f"there is no folder data/ in {click.format_filename(root.resolve())}", hint, code=2)


def require_apart(root: Path, out: Path) -> None:
    """Refuse to write the site into the data, or around the project."""
    real, data = out.resolve(), (root / "data").resolve()
    is_inside = real.is_relative_to(data) or real.is_relative_to((root / "templates").resolve())
    if is_inside or root.resolve().is_relative_to(real) or data.is_relative_to(real):
        fail(
            f"the site cannot be written to {click.format_filename(out)}: the project's own files lie there",
            code=2,
        )


def show(outcome: Outcome, root: Path, format_: str, *, show_all: bool, quiet: bool) -> None:
    """Print the problems: for people to standard error, for programs to standard output."""
    problems = [one for one in outcome.problems if not quiet or one.problem.severity == "error"]
    match format_:
        case "json":
            click.echo(render_json_report(outcome.problems, file_prefix(root, here())))
        case "sarif":
            click.echo(render_sarif(outcome.problems, file_prefix(root, repository())))
        case "github":
            prefix = file_prefix(root, repository())
            if outcome.problems:
                click.echo(render_github(outcome.problems, prefix))
            write_summary(render_github_summary(outcome.problems, prefix))
        case _:
            if problems:
                most = len(problems) if show_all else SHOWN_AT_MOST
                click.echo(render_problems(problems, file_prefix(root, here()), most), err=True)


def file_prefix(root: Path, origin: Path) -> str:
    """Return what leads from `origin` to the project: "" if it is the same folder."""
    relative = os.path.relpath(root.resolve(), origin.resolve()).replace(os.sep, "/")
    return "" if relative == "." else visible_name(relative) + "/"


def here() -> Path:
    """Return the current folder; the root where it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def repository() -> Path:
    """Return the folder that GitHub counts file names from: its workspace, or this one."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or here())


def write_summary(text: str) -> None:
    """Append to the job summary, where GitHub asks for one."""
    if file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as summary:
                summary.write(text)
        except OSError as error:
            click.echo(f"note: the job summary cannot be written: {(error.strerror or '').lower()}", err=True)


def show_files(written: Written, out: Path, *, quiet: bool, verbose: bool) -> None:
    """Print what was done to single files, and which files in out/ are not labgen's."""
    if verbose:
        for verb, files in (("wrote", written.written), ("removed", written.removed)):
            for file in files:
                click.echo(f"{verb} {visible(str(out / file))}", err=True)
    if written.foreign and not quiet:
        shown = ", ".join(written.foreign if verbose else written.foreign[:5])
        more = "" if verbose or len(written.foreign) <= len(written.foreign[:5]) else " …"
        count = plural(len(written.foreign), "file")
        click.echo(
            f"note: {count} in {out} not written by labgen, and kept: {visible(shown)}{more}", err=True
        )


def _account(outcome: Outcome, seconds: float) -> str:
    done = outcome.written
    if done is None:
        return ""
    return (
        f"{plural(done.total, 'file')}: {done.written_count:,} written, {done.removed_count:,} removed, "
        f"{done.unchanged:,} unchanged, in {seconds:.1f} s"
    )


def finish(outcome: Outcome, last_line: str, format_: str, *, quiet: bool) -> NoReturn:
    """Print the last line, and exit: 1 where there is an error."""
    if not quiet:
        click.echo(last_line, err=format_ != "text" or bool(outcome.errors))
    sys.exit(1 if outcome.errors else 0)
