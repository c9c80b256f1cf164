"""From data/ to a `Directory`: read, validate, resolve, and say all that is wrong in one run."""

from collections.abc import Mapping
from pathlib import Path

from labgen.directory import Directory, Laboratory
from labgen.problems import Problem, count_errors
from labgen.progress import Progress, silent
from labgen.records import MAX_ID
from labgen.similarity import Facet, Similarity
from labgen.source.contacts import check_contacts
from labgen.source.laboratories import load_laboratories
from labgen.source.layout import LIST_FILES, check_names
from labgen.source.lists import SourceList, load_list
from labgen.source.resolve import resolve
from labgen.source.settings import load_settings
from labgen.source.upgrade_options import check_upgrade_options


def load(root: Path, progress: Progress = silent) -> tuple[Directory | None, list[Problem]]:
    """Return the directory that a project holds, or None where there is an error, and all problems."""
    data = root.resolve() / "data"
    problems = check_names(data)
    site, found = load_settings(data)
    problems += found
    lists: dict[str, SourceList] = {}
    for listed in LIST_FILES:
        lists[listed.stem], found = load_list(data, listed)
        problems += found
    options, found = check_upgrade_options(lists["upgrade_options"])
    problems += found
    sources, found = load_laboratories(data, progress)
    problems += found
    laboratories, media, found = resolve(data, site, lists, sources)
    problems += found + check_contacts(site, sources.found, lists)
    if site is None or count_errors(problems):
        return None, problems
    return Directory(site, laboratories, options, _similarity(laboratories), media), problems


def _similarity(laboratories: Mapping[str, Laboratory]) -> Similarity:
    return Similarity(
        {display_id: _facets(laboratory) for display_id, laboratory in laboratories.items()},
        {display_id: laboratory.country.iso_code for display_id, laboratory in laboratories.items()},
    )


def _facets(laboratory: Laboratory) -> list[Facet]:
    record = laboratory.record
    accredited = dict.fromkeys([one.accreditation_standard for one in record.accreditations])
    lists = (record.materials, record.test_methods, record.certifications, record.standards, accredited)
    return [section * (MAX_ID + 1) + number for section, numbers in enumerate(lists) for number in numbers]
