"""Define the facets of the search: sections of catalogues, the country, verification, the statuses."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from labgen.api.endpoint import PerLaboratory
from labgen.api.sections import PER_LABORATORY, per_laboratory
from labgen.model.catalogues import Catalogue, CatalogueEntry
from labgen.model.directory import Directory
from labgen.model.records import LaboratoryRecord
from labgen.search_index.index_input import Facet, Value


class SearchFacet(NamedTuple):
    """A facet; if its values are entries of a catalogue, the catalogue.

    `ids` are the ids, by value, of the values that have a text by which laboratories are found.
    """

    facet: Facet
    catalogue: Catalogue[Any] | None = None
    ids: Mapping[str, int] = {}


OWN_FACETS = ("country", "is_verified", "deal_status", "verification_status")
"""The facets that are not sections: each is a field of a laboratory, and also the name of its parameter."""
FACET_NAMES = frozenset({*(one.name for one in PER_LABORATORY if one.search_arg), *OWN_FACETS})
"""The names of all facets that a site may have."""


def search_facets(directory: Directory) -> list[SearchFacet]:
    """Return the facets of a site: its sections in their order, then `OWN_FACETS`."""
    sections = [_of_section(one, directory) for one in per_laboratory(directory) if one.search_arg]
    words, titles = directory.language.words, _titles(directory)
    own = [
        Facet(name, name, words[f"facet_{name}"], values, is_closed=name == "is_verified")
        for name, values in titles.items()
    ]
    ids = {code: int.from_bytes(code.encode()) for code in directory.countries}
    return sections + [SearchFacet(one, ids=ids if one.name == "country" else {}) for one in own]


def own_values(record: LaboratoryRecord) -> dict[str, str]:
    """Return a laboratory's values of the facets that are not sections."""
    return {
        "country": record.country,
        "is_verified": "true" if record.is_verified else "false",
        "deal_status": record.deal_status,
        "verification_status": record.verification_status,
    }


def _titles(directory: Directory) -> dict[str, dict[str, Value]]:
    site = directory.site
    titles: dict[str, Mapping[str, str]] = {
        "country": {code: one.name for code, one in directory.countries.items()},
        "is_verified": {one: directory.language.words[f"is_{one}"] for one in ("true", "false")},
        "deal_status": site.deal_statuses,
        "verification_status": site.verification_statuses,
    }
    return {
        name: {key: Value(title, title if name == "country" else "") for key, title in some.items()}
        for name, some in titles.items()
    }


def search_value(entry: CatalogueEntry) -> str:
    """Return what a search takes for an entry of a catalogue: its search_val, or else its id as text."""
    return getattr(entry, "search_val", "") or str(entry.id)


def _of_section(section: PerLaboratory, directory: Directory) -> SearchFacet:
    """Return a section's facet; a value is found by title, designation, and search_val if not a number."""
    catalogue = section.catalogue
    if catalogue is None or section.search_arg is None:
        raise TypeError(f"{section.name}: what is searched by must be entries of a catalogue")
    has_standard = "standard" in catalogue.record.model_fields
    values, ids = {}, {}
    for entry in directory.entries(catalogue).values():
        value = search_value(entry)
        parts = (entry.title, entry.standard if has_standard else "", "" if value.isdecimal() else value)
        values[value] = Value(entry.title, " ".join(filter(None, parts)), entry.id)
        ids[value] = entry.id
    return SearchFacet(
        Facet(section.name, section.search_arg, section.title_in(directory), values),
        catalogue,
        ids,
    )
