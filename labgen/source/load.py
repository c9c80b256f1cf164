"""From data/ to a `Directory`: read, validate, resolve, and say all that is wrong in one run."""

from collections.abc import Mapping
from pathlib import Path

from labgen.directory import Directory, Laboratory
from labgen.problems import Problem, count_errors
from labgen.records import LimitsRecord
from labgen.similarity import Facet, similar_laboratories
from labgen.source.contacts import check_contacts
from labgen.source.laboratories import load_laboratories
from labgen.source.layout import LIST_FILES, check_names
from labgen.source.lists import SourceList, load_list
from labgen.source.resolve import resolve
from labgen.source.settings import load_settings
from labgen.source.upgrade_options import check_upgrade_options


def load(root: Path) -> tuple[Directory | None, list[Problem]]:
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
    sources, found = load_laboratories(data)
    problems += found
    laboratories, media, found = resolve(data, site, lists, sources)
    problems += found + check_contacts(site, sources.found, lists)
    if site is None or count_errors(problems):
        return None, problems
    return Directory(site, laboratories, options, _similar(laboratories, site.limits), media), problems


def _similar(laboratories: Mapping[str, Laboratory], limits: LimitsRecord) -> dict[str, tuple[str, ...]]:
    """Return each laboratory's list: its own, where its record has one, or the computed one."""
    own = {
        display_id: tuple(laboratory.record.similar_labs)
        for display_id, laboratory in laboratories.items()
        if laboratory.record.similar_labs is not None
    }
    computed = similar_laboratories(
        {display_id: _facets(laboratory) for display_id, laboratory in laboratories.items()},
        {display_id: laboratory.country.iso_code for display_id, laboratory in laboratories.items()},
        laboratories.keys() - own.keys(),
        limits.similar_limit,
    )
    return computed | own


def _facets(laboratory: Laboratory) -> list[Facet]:
    record = laboratory.record
    sections = ("materials", "test_methods", "certifications", "standards")
    facets = [(section, number) for section in sections for number in getattr(record, section)]
    accredited = dict.fromkeys(one.accreditation_standard for one in record.accreditations)
    return facets + [("accreditations", number) for number in accredited]
