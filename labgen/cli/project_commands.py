"""Define the commands `labgen init`, `labgen schema` and `labgen explain`."""

from pathlib import Path

import click

from labgen.cli.group import fail, main
from labgen.cli.options import project_option
from labgen.cli.show_result import here, show_next_step
from labgen.output.errors import as_output_error
from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.problems.explanation import Explanation
from labgen.problems.hints import did_you_mean
from labgen.problems.text import plural, say
from labgen.report.text import echo, severity_word
from labgen.report.translate import language_in_use, translate


@main.command("init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=".")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "yaml"]),
    default="json",
    help="Format of laboratories and upgrade options (default: json).",
)
def init_command(folder: Path, format_: str) -> None:
    """Write a small project that builds as it is into FOLDER (default: this one).

    It includes JSON Schemas, with which editors complete and check the source files. Existing files are not
    changed.
    """
    from labgen.cli.new_project import create_project, occupied

    if taken := occupied(folder, format_):
        fail(
            say(
                "{folder} already holds {taken}{part}; nothing was written",
                folder=folder,
                taken=", ".join(taken[:5]),
                part=" …" if taken[5:] else "",
            ),
            code=2,
        )
    with as_output_error(folder, say("nothing was kept")):
        names = create_project(folder, format_)
    is_here, name_of_folder = folder.resolve() == here().resolve(), click.format_filename(folder)
    echo(
        say(
            "{files} written to {name_of_folder}:",
            files=plural(len(names), "file"),
            name_of_folder=say("this folder") if is_here else name_of_folder,
        )
    )
    for name in names:
        click.echo(f"  {name}")
    show_next_step(folder)


def complete_schema(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the names of schemas that begin with a text, for shell completion."""
    from labgen.source.editor_schemas import SCHEMAS

    return [name for name in SCHEMAS if name.startswith(begun)]


@main.command("schema")
@click.argument("name", required=False, shell_complete=complete_schema)
@project_option
def schema_command(name: str | None, root: Path) -> None:
    """Print the JSON Schema of the source files NAME, for editors; without one, list the names.

    In a project, the schema of laboratories includes the keys of its statuses and countries.
    """
    from labgen.source.editor_schemas import SCHEMAS, read_project_keys, schema_text

    if name is None:
        longest = max(map(len, SCHEMAS))
        for one, source in SCHEMAS.items():
            click.echo(f"{one:{longest}}  {source.files}")
        return
    if name not in SCHEMAS:
        hint = did_you_mean(name, SCHEMAS) or say("`labgen schema` lists them")
        fail(say("there is no schema `{name}`", name=name), hint, code=2)
    click.echo(schema_text(name, read_project_keys(root)), nl=False)


def complete_code(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the codes that begin with a text, for shell completion."""
    return [code for code in all_codes() if code.startswith(begun)]


def all_codes() -> dict[str, Explanation]:
    """Return the explanation of each code: those of problems in the data, then those of `labgen verify`."""
    language = language_in_use()
    return {**CODES.in_language(language), **VERIFY_CODES.in_language(language)}


@main.command("explain")
@click.argument("code", required=False, shell_complete=complete_code)
def explain_command(code: str | None) -> None:
    """Explain the problem code CODE; without one, list all codes."""
    codes = all_codes()
    if code is None:
        longest = max(map(len, codes))
        for name, one in codes.items():
            click.echo(f"{name:{longest}}  {one.meaning}")
        return
    code = code.partition("[")[2].rstrip("]") or code  # error[code], as it is printed
    if code not in codes:
        fail(
            say("`{code}` is not the code of a problem", code=code),
            did_you_mean(code, codes) or say("`labgen explain` lists them"),
            code=2,
        )
    found = codes[code]
    words = f" {translate(say('or'))} ".join(map(severity_word, found.severities))
    severity = f" ({words})" if code in CODES else ""
    echo(f"{click.style(code, bold=True)}{severity}\n\n{found.meaning}\n{found.reason}\n")
    echo(say("Example:  {example}\nRemedy:   {remedy}", example=found.example, remedy=found.remedy))
