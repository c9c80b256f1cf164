"""Show the corrections of `labgen check --fix`, ask for confirmation, and apply them."""

from collections.abc import Sequence
from pathlib import Path

import click

from labgen.cli.group import fail
from labgen.output.errors import as_output_error
from labgen.problems.problem import Problem
from labgen.problems.text import plural, say
from labgen.report.text import echo, visible
from labgen.report.translate import translate


def fix(root: Path, problems: Sequence[Problem], *, is_agreed: bool) -> bool:
    """Show the corrections, and apply them if the user agrees; return whether a file was written."""
    from labgen.source.fix import FileChangedError, diff_of, plan_fixes, write_mended

    files = plan_fixes(root.resolve(), problems)
    if not files:
        echo(say("nothing is left that can be mended with certainty"), err=True)
        return False
    echo("\n".join(visible(line) for one in files for line in diff_of(one).splitlines()))
    mistakes = plural(sum(one.mistakes for one in files), "mistake")
    if not is_agreed and not ask(
        say("Mend {mistakes} in {files}?", mistakes=mistakes, files=plural(len(files), "file"))
    ):
        echo(say("nothing was written; --yes mends without asking"), err=True)
        return False
    for one in files:
        try:
            with as_output_error(root / one.file):
                write_mended(root.resolve(), one)
        except FileChangedError:
            fail(
                say("{file} was changed meanwhile, and is left as it is", file=one.file), say("run it again")
            )
    echo(say("{mistakes} mended in {files}", mistakes=mistakes, files=plural(len(files), "file")), err=True)
    return True


def ask(question: str) -> bool:
    """Ask the user a yes-no question in their language; no answer, or no terminal, is a no."""
    yes = translate(say("y"))
    try:
        answer: str = click.prompt(
            f"{translate(question)} [{yes}/N]", default="", show_default=False, err=True
        )
        return answer.strip().lower()[:1] in {"y", yes}
    except click.Abort:
        echo(err=True)
        return False
