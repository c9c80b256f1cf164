"""Print the result of a command and its problems, for people or for programs."""

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from labgen.model.site_paths import visible_name
from labgen.output.written import Written
from labgen.pipeline.result import Outcome
from labgen.problems.text import cause_of, plural, say
from labgen.report.choose_problems import choose
from labgen.report.machine import render_github, render_github_summary, render_json_report, render_sarif
from labgen.report.text import echo, render_problems, render_timings, visible


def show(outcome: Outcome, format_: str, *, show_all: bool, quiet: bool) -> None:
    """Print the problems: for people to standard error, for programs to standard output."""
    root = outcome.root
    match format_:
        case "json":
            echo(render_json_report(outcome.problems, file_prefix(root, here())))
        case "sarif":
            echo(render_sarif(outcome.problems, file_prefix(root, repository())))
        case "github":
            if outcome.problems:
                echo(render_github(outcome.problems, file_prefix(root, repository())))
            write_summary(github_summary(outcome))
        case _:
            if text := problems_as_text(outcome, show_all=show_all, quiet=quiet):
                echo(text, err=True)


def github_summary(outcome: Outcome) -> str:
    """Return the problems as Markdown, for the job summary."""
    return render_github_summary(outcome.problems, file_prefix(outcome.root, repository()))


def problems_as_text(outcome: Outcome, *, show_all: bool = False, quiet: bool = False) -> str:
    """Return the problems for people; lines and columns are only computed for those that are shown."""
    found = [one for one in outcome.found if not quiet or one.severity == "error"]
    if not found:
        return ""
    from labgen.source.locate import locate

    chosen = choose(found, show_all=show_all)
    located = locate(outcome.root, chosen.shown)
    return render_problems(located, chosen.more, file_prefix(outcome.root, here()))


def file_prefix(root: Path, origin: Path) -> str:
    """Return the relative path from `origin` to the project: "" if it is the same folder."""
    relative = os.path.relpath(root.resolve(), origin.resolve()).replace(os.sep, "/")
    return "" if relative == "." else visible_name(relative) + "/"


def here() -> Path:
    """Return the current folder, or the root if it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def repository() -> Path:
    """Return the folder to which GitHub's file names are relative: its workspace, or the current one."""
    return Path(os.environ.get("GITHUB_WORKSPACE") or here())


def write_summary(text: str) -> None:
    """Append a text to the job summary, if the command runs in a job of GitHub."""
    if file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(file).open("a", encoding="utf-8", errors="backslashreplace") as summary:
                summary.write(text)
        except OSError as error:
            echo(
                say(
                    "note: the job summary cannot be written: {strerror}",
                    strerror=cause_of(error),
                ),
                err=True,
            )


def show_files(written: Written, out: Path, *, quiet: bool, verbose: bool) -> None:
    """Print the files that were written and removed (`verbose`), and those that labgen did not write."""
    if verbose:
        for verb, files in (("wrote", written.written), ("removed", written.removed)):
            for file in files:
                echo(say("{verb} {out}", verb=verb, out=visible(str(out / file))), err=True)
    if written.foreign and not quiet:
        shown = ", ".join(written.foreign if verbose else written.foreign[:5])
        more = "" if verbose or len(written.foreign) <= len(written.foreign[:5]) else " …"
        count = plural(len(written.foreign), "file")
        echo(
            say(
                "note: {count} in {out} not written by labgen, and kept: {shown}{more}",
                count=count,
                out=out,
                shown=visible(shown),
                more=more,
            ),
            err=True,
        )


def show_notes(outcome: Outcome, *, quiet: bool) -> None:
    """Print what the hosts that a site is built for cannot do."""
    for note in outcome.notes if not quiet else ():
        echo(say("note: {note}", note=note), err=True)


def show_timings(seconds: Mapping[str, float], *, is_asked_for: bool) -> None:
    """Print how long each stage of a build took, if the user asked for it."""
    if is_asked_for:
        echo(render_timings(seconds), err=True)


def summary_line(outcome: Outcome, seconds: float) -> str:
    """Return a one-line summary of a build."""
    done = outcome.written
    if done is None:
        return ""
    return say(
        "{files}: {written_count:,} written, {removed_count:,} removed, "
        "{unchanged:,} unchanged, in {seconds:.1f} s",
        files=plural(done.total, "file"),
        written_count=done.written_count,
        removed_count=done.removed_count,
        unchanged=done.unchanged,
        seconds=seconds,
    )


def show_next_step(project: Path, before: str = "") -> None:
    """Print how to build a new project, in words that a shell understands; `before` is what to do first."""
    is_here = project.resolve() == here().resolve()
    folder = "" if is_here else say("cd {project} && ", project=shlex.quote(visible(str(project))))
    echo(say("\nNow: {before}{folder}labgen build", before=before, folder=folder))


def finish(outcome: Outcome, last_line: str, format_: str, *, quiet: bool, code: int = 0) -> NoReturn:
    """Print the last line, and exit with 1 if there is an error, otherwise with `code`."""
    if not quiet:
        echo(last_line, err=format_ != "text" or bool(outcome.errors))
    sys.exit(1 if outcome.errors else code)
