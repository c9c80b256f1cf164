"""Define the facets of the search: sections of catalogues, country and place, verification, statuses."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from labgen.api.endpoint import PerLaboratory
from labgen.api.sections import PER_LABORATORY, per_laboratory
from labgen.model.catalogues import Catalogue, CatalogueEntry, designation_of
from labgen.model.directory import Directory
from labgen.model.records import LaboratoryRecord
from labgen.search.synonyms import Synonyms, groups_of
from labgen.search_index.index_input import Facet, Value
from labgen.system.lazy import Lazy


class SearchFacet(NamedTuple):
    """A facet; if its values are entries of a catalogue, the catalogue.

    `ids` are the ids, by value, of the values that have a text by which laboratories are found. Where
    several entries of the catalogue have one value, this is the lowest id, and `others` are the further ones.
    """

    facet: Facet
    catalogue: Catalogue[Any] | None = None
    ids: Mapping[str, int] = {}
    others: Mapping[str, Sequence[int]] = {}

    def all_ids(self, value: str) -> list[int]:
        """Return the ids of all entries that have a value."""
        return [self.ids[value], *self.others.get(value, ())] if value in self.ids else []


PLACES = ("locality", "postal_area")
"""The facets whose values have no text: words find places by themselves."""
OWN_FACETS = ("country", *PLACES, "is_verified", "deal_status", "verification_status")
"""The facets that are not sections: each is a field of a laboratory, and also the name of its parameter."""
FACET_NAMES = frozenset({*(one.name for one in PER_LABORATORY if one.search_arg), *OWN_FACETS})
"""The names of all facets that a site may have."""


def search_facets(directory: Directory) -> list[SearchFacet]:
    """Return the facets of a site: its sections in their order, then `OWN_FACETS`."""
    synonyms = Synonyms(synonym_groups(directory))
    sections = [_of_section(one, directory, synonyms) for one in per_laboratory(directory) if one.search_arg]
    words = directory.language.words
    own = [
        Facet(name, name, words[f"facet_{name}"], values, is_closed=name == "is_verified")
        for name, values in _values(directory).items()
    ]
    ids = {code: _id_of(code) for code in directory.countries}
    return sections + [SearchFacet(one, ids=ids if one.name == "country" else {}) for one in own]


def shared_values(facets: Iterable[SearchFacet]) -> dict[str, str]:
    """Return the values that several entries have, each with its ids, titles and text."""
    return {
        f"{one.facet.name} {value}": f"{one.all_ids(value)} {one.facet.values[value]}"
        for one in facets
        for value in one.others
    }


def _id_of(country: str) -> int:
    return int.from_bytes(country.encode())


def own_values(record: LaboratoryRecord) -> dict[str, str]:
    """Return a laboratory's values of the facets that are not sections, but none that is empty."""
    postal_area = _POSTAL_AREA.match(record.postal_code)
    values = {
        "country": record.country,
        "locality": record.locality.strip(" "),
        "postal_area": postal_area[0] if postal_area else "",
        "is_verified": "true" if record.is_verified else "false",
        "deal_status": record.deal_status,
        "verification_status": record.verification_status,
    }
    return {name: value for name, value in values.items() if value}


_POSTAL_AREA = re.compile("[0-9]{2}")
"""The first two digits of a postal code."""


class _PlaceValues(dict[str, Value]):
    """The values of a facet that laboratories themselves give, each with the title that it has."""

    def __init__(self, rest: str = "") -> None:
        super().__init__()
        self.rest = rest

    def __missing__(self, value: str) -> Value:
        return Value(f"{value}{self.rest}")


def _values(directory: Directory) -> dict[str, Mapping[str, Value]]:
    """Return the values of `OWN_FACETS`; those of places are not known before the laboratories are."""
    site = directory.site
    titles: dict[str, Mapping[str, str]] = {
        "is_verified": {one: directory.language.words[f"is_{one}"] for one in ("true", "false")},
        "deal_status": site.deal_statuses,
        "verification_status": site.verification_statuses,
    }
    values: dict[str, Mapping[str, Value]] = {
        name: {key: Value(title) for key, title in some.items()} for name, some in titles.items()
    }
    values["country"] = {
        code: Value(one.name, one.name, code=_id_of(code)) for code, one in directory.countries.items()
    }
    places: dict[str, Mapping[str, Value]] = {"locality": _PlaceValues(), "postal_area": _PlaceValues("…")}
    return {name: {**values, **places}[name] for name in OWN_FACETS}


def search_value(entry: CatalogueEntry) -> str:
    """Return what a search takes for an entry of a catalogue: its search_val, or else its id as text."""
    return getattr(entry, "search_val", "") or str(entry.id)


def synonym_groups(directory: Directory) -> list[list[str]]:
    """Return the groups of words that mean the same in a directory."""
    return groups_of((one.word, one.synonym) for one in directory.synonyms)


def _of_section(section: PerLaboratory, directory: Directory, synonyms: Synonyms) -> SearchFacet:
    """Return a section's facet; a value is found by title, standard and designation (see `designation_of`).

    Synonyms of what stands there find it, too. Entries with one search_val are one value, which has the
    titles and the texts of all.
    """
    catalogue = section.catalogue
    if catalogue is None or section.search_arg is None:
        raise TypeError(f"{section.name}: what is searched by must be entries of a catalogue")
    has_standard = "standard" in catalogue.record.model_fields
    entries, ids = directory.entries(catalogue), defaultdict[str, list[int]](list)
    for number in sorted(entries):
        ids[search_value(entries[number])].append(number)

    def value_of(number: int) -> Value:
        entry = entries[number]
        parts = (entry.title, entry.standard if has_standard else "", designation_of(entry))
        return Value(entry.title, synonyms.expanded(BETWEEN.join(filter(None, parts))), number)

    values = Lazy[str, Value](lambda value: _as_one([value_of(number) for number in ids[value]]))
    return SearchFacet(
        Facet(section.name, section.search_arg, section.title_in(directory), values),
        catalogue,
        {value: some[0] for value, some in ids.items()},
        {value: some[1:] for value, some in ids.items() if len(some) > 1},
    )


def _as_one(some: Sequence[Value]) -> Value:
    """Return the value that the entries with one search_val are, in the order of their ids."""
    titles = [*dict.fromkeys(one.title for one in some)]
    shown = [*titles[:MOST_TITLES], *(["…"] if len(titles) > MOST_TITLES else [])]
    return Value(BETWEEN.join(shown), BETWEEN.join(one.text for one in some), some[0].number)


BETWEEN = " | "
"""What stands between texts: no designation goes over it."""
MOST_TITLES = 3
"""The number of titles that a value of several entries has."""
