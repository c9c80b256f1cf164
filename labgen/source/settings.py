"""The settings in data/site.toml."""

import os
from pathlib import Path

from labgen.api.sections import SECTION_NAMES
from labgen.model.records import SiteRecord
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem, count_errors, short
from labgen.source.checks.validate import validate
from labgen.source.file_names import is_misnamed
from labgen.source.layout import SETTINGS
from labgen.source.read_lists import read_file

FILE = f"data/{SETTINGS}"


def load_settings(data: Path) -> tuple[SiteRecord | None, list[Problem]]:
    """Return the settings, or None where they have errors, and all problems."""
    if not os.path.lexists(data / SETTINGS):
        if is_misnamed(data, "site"):
            return None, []
        hint = "`labgen init` shows one; it needs [deal_statuses] and [verification_statuses]"
        return None, [Problem("missing-file", f"there is no file {FILE}", Place("data"), hint)]
    entries, problems, _ = read_file(data, FILE)
    if not entries:
        return None, problems
    site, found = validate(SiteRecord, entries[0].value, FILE, ())
    problems += found
    if site:
        problems += _check_sections(site)
    return (None if count_errors(problems) else site), problems


def _check_sections(site: SiteRecord) -> list[Problem]:
    """Report names that are no section's, for a title or for what is to be published."""
    named = [("unknown-field", name, Place(FILE, ("sections", name), "key")) for name in site.sections]
    named += [
        ("unknown-reference", name, Place(FILE, ("publish", position)))
        for position, name in enumerate(site.publish)
    ]
    return [
        Problem(code, f"`{short(name)}` is not a section", place, did_you_mean(name, SECTION_NAMES))
        for code, name, place in named
        if name not in SECTION_NAMES
    ]
