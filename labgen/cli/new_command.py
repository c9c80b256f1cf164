"""Define the command `labgen new`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.build_command import require_data
from labgen.cli.group import fail, main
from labgen.cli.options import project_option
from labgen.output.errors import as_output_error
from labgen.problems.text import say, text_of
from labgen.report.text import echo
from labgen.system.input_files import DATA

if TYPE_CHECKING:
    from labgen.source.new_laboratory import NewDefaults
    from labgen.source.read_lists import SourceList


@main.command("new")
@click.argument("name")
@click.option("--country", help="The iso_code of its country (default: that of most laboratories).")
@project_option
def new_command(name: str, country: str | None, root: Path) -> None:
    """Write a new laboratory called NAME, with the next free number and empty fields to fill in.

    It is written in the format of the existing ones: a JSON or YAML file, or a line of laboratories.jsonl.
    """
    from labgen.source.fix import FileChangedError
    from labgen.source.new_laboratory import NoPlaceError, add, next_display_id, required_values

    require_data(root)
    if not name.strip() or not name.isprintable():
        fail(say("a laboratory needs a name of one line"), code=2)
    known, files, countries = look_around(root)
    display_id = next_display_id(known.display_ids)
    values = required_values(name.strip(), display_id, known) | ({"country": country} if country else {})
    require_country(values["country"], countries)
    try:
        with as_output_error(root / DATA):
            file = add(root, values, files, is_first=not known.countries)
    except NoPlaceError as error:
        fail(text_of(error), say("the next free display_id is {display_id}", display_id=display_id))
    except FileChangedError as error:
        fail(say("{error} was changed meanwhile, and is left as it is", error=error), say("run it again"))
    echo(say("{file}: {display_id}, {name}", file=file, display_id=display_id, name=name.strip()))
    echo(say("fill it in, then: labgen check"), err=True)


def require_country(country: str, listed: "SourceList") -> None:
    """Refuse a country that is not in the list of countries, unless that has errors."""
    from labgen.checks.entry_hints import hint_for

    if country in listed.known or not listed.is_complete or not listed.file:
        return
    known = say(
        "--country names one of {called}, such as {records}",
        called=listed.called,
        records=next(iter(listed.records), "de"),
    )
    if not country:
        fail(say("a laboratory needs a country, and there are no others to take it from"), known, code=2)
    fail(
        say("there is no country `{country}` in {called}", country=country, called=listed.called),
        hint_for(listed, country) or known,
        code=2,
    )


def look_around(root: Path) -> tuple["NewDefaults", list[str], "SourceList"]:
    """Return the values that a new laboratory depends on, the files of existing ones, and the countries."""
    from labgen.memory.database import open_empty
    from labgen.memory.remembered_laboratories import display_ids
    from labgen.model.catalogues import COUNTRIES
    from labgen.pipeline.load_data import load
    from labgen.pipeline.rebuild import compare_files
    from labgen.source.new_laboratory import NewDefaults
    from labgen.system.input_files import find_inputs
    from labgen.system.workers import cores

    files = compare_files(find_inputs(root), {})
    with open_empty(None) as memory:
        source = load(root, files, memory, jobs=cores())
        taken = display_ids(memory)
        countries = memory.column("SELECT country FROM laboratory WHERE country <> ''")
    if (site := source.shared.site) is None:
        fail(
            say("data/site.toml has errors, so the statuses are not known"), say("`labgen check` shows them")
        )
    names = list(files.inputs.laboratories)
    stems = [Path(one).stem for one in names]
    statuses = next(iter(site.deal_statuses)), next(iter(site.verification_statuses))
    return NewDefaults([*taken, *stems], countries, *statuses), names, source.shared.lists[COUNTRIES.stem]
