"""Read the settings in data/site.toml."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from labgen.api.sections import SECTION_NAMES
from labgen.model.accreditation_rules import RULE_NAMES
from labgen.model.record_fields import field_names, inner_model, resolve_pointer, written_fields
from labgen.model.records import Record
from labgen.model.settings import SiteRecord
from labgen.problems.codes import CODES
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem, count_errors, short
from labgen.problems.text import say
from labgen.source.checks.texts import check_texts
from labgen.source.checks.validate import validate
from labgen.source.file_formats import SETTINGS
from labgen.source.file_names import is_misnamed, rename_hint
from labgen.source.read_lists import read_file

SETTINGS_FILE = f"data/{SETTINGS}"


def load_settings(data: Path) -> tuple[SiteRecord | None, list[Problem]]:
    """Return the settings, or None if they are missing or have errors, and all problems."""
    if not os.path.lexists(data / SETTINGS):
        if is_misnamed(data, "site"):
            return None, []
        hint = rename_hint(data, "site")
        hint = hint or say("`labgen init` shows one; it needs [deal_statuses] and [verification_statuses]")
        return None, [
            Problem(
                "missing-file",
                say("there is no file {settings_file}", settings_file=SETTINGS_FILE),
                Place("data"),
                hint,
            )
        ]
    entries, problems, _ = read_file(data, SETTINGS_FILE)
    if not entries:
        return None, problems
    value, misplaced = _without_misplaced(entries[0].value)
    site, found = validate(SiteRecord, value, SETTINGS_FILE, ())
    problems += misplaced + [_with_home(one, value) for one in found]
    if site:
        problems += _check_sections(site) + _check_accepted(site)
        problems += check_texts(site, SETTINGS_FILE, ())
    return (None if count_errors(problems) else site), problems


FREE_TABLES = ("sections", "deal_statuses", "verification_statuses")
"""The tables whose keys are not names of settings."""
SETTINGS_TABLES = ("words", "search", "limits", "tables", "looks")
"""The tables whose keys occur in no other table."""


def _homes() -> dict[str, str]:
    """Return a hint for each setting that says where it belongs in the file."""
    top = [
        name for name, field in written_fields(SiteRecord).items() if inner_model(field.annotation) is None
    ]
    homes = {
        key: say("write it below [{table}]", table=table)
        for table in SETTINGS_TABLES
        for key in field_names(SiteRecord, (table,))
    }
    homes |= {name: say("write it above the first [table]") for name in top if name not in FREE_TABLES}
    return {name: home for name, home in homes.items() if name not in field_names(Record)}


PLACEMENT_HINTS = _homes()
_NOT_FREE = PLACEMENT_HINTS.keys() - field_names(SiteRecord, ("words",))
"""The settings whose names nobody would use as the key of a status."""


def _without_misplaced(value: Any) -> tuple[dict[str, Any], list[Problem]]:
    """Return the settings without those that are misplaced in `FREE_TABLES`, and an error for each of these.

    In TOML, a key below the last table belongs to that table.
    """
    tables = {name: value[name] for name in FREE_TABLES if isinstance(value.get(name), dict)}
    problems = [
        Problem(
            "unknown-field",
            say("`{key}` stands in [{name}], but is a setting of the site", key=key, name=name),
            Place(SETTINGS_FILE, (name, key), "key"),
            PLACEMENT_HINTS[key],
        )
        for name, table in tables.items()
        for key in table
        if key in _NOT_FREE
    ]
    own = {
        name: {key: one for key, one in table.items() if key not in _NOT_FREE}
        for name, table in tables.items()
    }
    return value | own, problems


def _with_home(problem: Problem, value: dict[str, Any]) -> Problem:
    """Return a problem of the settings; if a setting is in the wrong table, with a hint where it belongs."""
    pointer = problem.place.pointer or ()
    name, given = str((pointer or ("",))[-1]), resolve_pointer(value, pointer)
    if pointer == ("accept",) and isinstance(given, dict):
        return replace(problem, hint=say("write [[accept]]"))
    is_misplaced = problem.code == "unknown-field" and name in PLACEMENT_HINTS and not isinstance(given, dict)
    return replace(problem, hint=PLACEMENT_HINTS[name]) if is_misplaced else problem


def _check_sections(site: SiteRecord) -> list[Problem]:
    """Report names in [sections] and in `publish` that are not sections."""
    named = [
        ("unknown-field", name, Place(SETTINGS_FILE, ("sections", name), "key")) for name in site.sections
    ]
    named += [
        ("unknown-reference", name, Place(SETTINGS_FILE, ("publish", position)))
        for position, name in enumerate(site.publish)
    ]
    return [
        Problem(
            code, say("`{name}` is not a section", name=short(name)), place, did_you_mean(name, SECTION_NAMES)
        )
        for code, name, place in named
        if name not in SECTION_NAMES
    ]


def _check_accepted(site: SiteRecord) -> list[Problem]:
    """Report codes in [[accept]] that are unknown or those of errors, and unknown rules."""
    problems = []
    for position, one in enumerate(site.accept):
        place = Place(SETTINGS_FILE, ("accept", position, "code"))
        if one.code not in CODES:
            hint = did_you_mean(one.code, CODES) or say("`labgen explain` lists them")
            message = say("`{code}` is not the code of a problem", code=short(one.code))
            problems.append(Problem("unknown-reference", message, place, hint))
        elif "warning" not in CODES[one.code].severities:
            message = say("`{code}` is an error, and only warnings can be accepted", code=one.code)
            hint = say("remove it, and correct the data instead")
            problems.append(Problem("invalid-value", message, place, hint))
        for number, name in enumerate(one.rules):
            if name not in RULE_NAMES:
                place = Place(SETTINGS_FILE, ("accept", position, "rules", number))
                message = say("`{name}` is not a rule of accreditation", name=short(name))
                problems.append(Problem("unknown-reference", message, place, did_you_mean(name, RULE_NAMES)))
    return problems
