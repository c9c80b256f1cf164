"""Define by which facets laboratories are searched: the sections of catalogues, the country, the statuses."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from labgen.api.endpoint import PerLaboratory
from labgen.api.sections import PER_LABORATORY, per_laboratory
from labgen.model.catalogues import Catalogue
from labgen.model.directory import Directory
from labgen.model.records import CatalogueRecord, LaboratoryRecord
from labgen.search_index.records import Facet, Value


class SearchFacet(NamedTuple):
    """A facet; where its values are entries of a catalogue, that and the id of each value's entry."""

    facet: Facet
    catalogue: Catalogue[Any] | None = None
    ids: Mapping[str, int] = {}


OWN_FACETS = ("country", "is_verified", "deal_status", "verification_status")
"""The facets that are no sections: each is a field of a laboratory, and its own search argument."""
FACET_NAMES = frozenset({*(one.name for one in PER_LABORATORY if one.search_arg), *OWN_FACETS})
"""The names of all facets that a site may have."""


def search_facets(directory: Directory) -> list[SearchFacet]:
    """Return the facets of a site, in the order of its sections."""
    sections = [_of_section(one, directory) for one in per_laboratory(directory) if one.search_arg]
    words, titles = directory.language.words, _titles(directory)
    own = [Facet(name, name, words[f"facet_{name}"], values) for name, values in titles.items()]
    return sections + [SearchFacet(one) for one in own]


def own_values(record: LaboratoryRecord) -> dict[str, str]:
    """Return a laboratory's values of the facets that are no sections."""
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
    return {name: {key: Value(title) for key, title in some.items()} for name, some in titles.items()}


def _of_section(section: PerLaboratory, directory: Directory) -> SearchFacet:
    catalogue = section.catalogue
    if catalogue is None or section.search_arg is None:
        raise TypeError(f"{section.name}: what is searched by must be entries of a catalogue")
    entries = directory.entries(catalogue).values()
    values = {_search_val(one): Value(one.title, _text(one)) for one in entries}
    facet = Facet(section.name, section.search_arg, section.title_in(directory), values)
    return SearchFacet(facet, catalogue, {_search_val(one): one.id for one in entries})


def _search_val(entry: CatalogueRecord) -> str:
    return getattr(entry, "search_val", None) or str(entry.id)


def _text(entry: CatalogueRecord) -> str:
    """Return the text by which an entry is found: its title, and its designation."""
    value = _search_val(entry)
    parts = (entry.title, getattr(entry, "standard", ""), "" if value.isdecimal() else value)
    return " ".join(filter(None, parts))
