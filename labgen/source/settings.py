"""The settings in data/site.toml."""

import os
from pathlib import Path

from labgen.problems import Place, Problem, count_errors
from labgen.records import SiteRecord
from labgen.sections import SECTION_NAMES
from labgen.source.hints import did_you_mean
from labgen.source.layout import SETTINGS
from labgen.source.lists import read_file
from labgen.source.validate import validate

FILE = f"data/{SETTINGS}"


def load_settings(data: Path) -> tuple[SiteRecord | None, list[Problem]]:
    """Return the settings, or None where they have errors, and all problems."""
    if not os.path.lexists(data / SETTINGS):
        hint = "`labgen init` shows one; it needs [deal_statuses] and [verification_statuses]"
        return None, [Problem("missing-file", f"there is no file {FILE}", Place("data"), hint)]
    entries, problems, _ = read_file(data, FILE)
    if not entries:
        return None, problems
    site, found = validate(SiteRecord, entries[0].value, FILE, (), "site's settings")
    problems += found
    if site:
        problems += _check_sections(site)
    return (None if count_errors(problems) else site), problems


def _check_sections(site: SiteRecord) -> list[Problem]:
    return [
        Problem(
            "unknown-field",
            f"`{name}` is not a section",
            Place(FILE, ("sections", name), "key"),
            did_you_mean(name, SECTION_NAMES),
        )
        for name in site.sections
        if name not in SECTION_NAMES
    ]
