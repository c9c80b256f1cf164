"""Define the top-level command, and how a command reports a failure and exits."""

import errno
import gc
import inspect
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from labgen import __version__
from labgen.output.errors import OutputError
from labgen.problems.text import say, term, text_of
from labgen.report.text import shown_sentence
from labgen.report.translate import translate
from labgen.system.interruption import Interruption


class LabgenGroup(click.Group):
    """The command group, which converts expected exceptions to a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and report expected exceptions."""
        try:
            return super().invoke(ctx)
        except OutputError as error:
            fail(text_of(error), error.hint)
        except Interruption as interruption:
            writes = ctx.invoked_subcommand == "build"
            whole = say("; the site in out/ is whole, as it was or as it was to be") if writes else ""
            fail(say("interrupted") + whole, code=interruption.exit_code)
        except MemoryError:
            fail(
                say("memory ran out; nothing more was written"),
                say("lower the limits below [limits] in data/site.toml"),
            )
        except OSError as error:
            if isinstance(error, FileNotFoundError) and is_removed():
                fail(say("the folder that this command runs in was removed"), say("go to one that is there"))
            if error.errno != errno.ENOSPC:  # other failures are caught where they are expected
                raise
            give_up_output()
            fail(say("the output of this command cannot be written: the disk is full"))


def is_removed() -> bool:
    """Return whether the current folder is no longer there."""
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return True
    return False


def give_up_output() -> None:
    """Discard unwritten output, so that Python does not try to write it again on exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_helps_in_language(group: click.Group) -> None:
    """Put the helps of all commands and options into the language in use, and the words of their values."""
    group.subcommand_metavar = translate(say("COMMAND [ARGS]..."))
    for command in (group, *group.commands.values()):
        command.help = translate(term(inspect.cleandoc(command.help or "")))
        command.options_metavar = translate(say("[OPTIONS]"))
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.help:
                parameter.help = translate(term(parameter.help))
            if parameter.metavar:
                parameter.metavar = translate(term(parameter.metavar))
            elif isinstance(parameter.type, click.IntRange | click.FloatRange):
                parameter.metavar = translate(say("NUMBER"))


def fail(message: str, hint: str = "", code: int = 1) -> NoReturn:
    """Print a one-sentence error and a hint, and exit."""
    with suppress(OSError):  # the terminal may have been closed
        title = click.style(translate(say("error")), fg="red", bold=True)
        click.echo(f"{title}: {shown_sentence(message)}", err=True)
        if hint:
            click.echo(f"  = {translate(say('help'))}: {shown_sentence(hint)}", err=True)
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
    if ctx.invoked_subcommand != "build":  # which makes many lasting values, few cycles, and ends soon
        gc.enable()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if os.environ.get("NO_COLOR"):
        ctx.color = False
