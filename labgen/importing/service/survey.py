"""Infer the data that laboratories of a service share: catalogues, countries, titles, limits and so on."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labgen.api.endpoint import ROOT, Listing, PerLaboratory
from labgen.api.sections import PER_LABORATORY, facets
from labgen.fetch.urls import split_untrusted
from labgen.importing.service.deviations import Deviation
from labgen.model.catalogues import Catalogue
from labgen.problems.text import say

COMMONEST = say("the commonest was taken")
SHARED_FIELDS = ("limit", "title", "search_arg", "name")
STANDARD_FIELDS = ("search_val", "title", "standard")
"""The fields of a certificate that belong to its standard."""
CERTIFICATES = facets.ACCREDITATIONS.name
CATALOGUES: Mapping[str, Catalogue[Any]] = {
    one.name: one.catalogue for one in PER_LABORATORY if isinstance(one, Listing) and one.catalogue
}
"""The catalogue of each section whose entries laboratories share."""

Documents = Mapping[str, Any]
"""The existing documents of a laboratory, by the names of their sections."""
Votes = dict[Any, Counter[Any]]
"""By key, such as the id of an entry: how often each value is shown for it."""


@dataclass(slots=True)
class Survey:
    """Counts of the values that documents show for shared data; if they differ, the commonest is right."""

    entries: defaultdict[str, Votes] = field(default_factory=lambda: defaultdict(dict))
    countries: Votes = field(default_factory=dict)
    deal_statuses: Votes = field(default_factory=dict)
    verification_statuses: Votes = field(default_factory=dict)
    heads: dict[tuple[str, str], Counter[Any]] = field(default_factory=dict)
    stats: Counter[Any] = field(default_factory=Counter)
    words: Votes = field(default_factory=dict)
    standards: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, documents: Documents) -> None:
        """Add the documents of a laboratory to the counts."""
        detail = documents.get(ROOT)
        if isinstance(detail, dict):
            self._add_detail(detail)
        for card in _cards(documents.get("similar_labs")):
            self._add_country(card.get("country"))
        for section, document in documents.items():
            if isinstance(document, dict) and section != ROOT:
                self._add_section(section, document)
        for job in _cards(documents.get("job_listings")):
            self._add_country(job.get("country"))

    def _add_detail(self, detail: Mapping[str, Any]) -> None:
        self._add_country(detail.get("country"))
        for name, votes in (
            ("deal_status", self.deal_statuses),
            ("verification_status", self.verification_statuses),
        ):
            status = detail.get(name)
            if isinstance(status, dict) and _is_filled(status.get("id")) and _is_filled(status.get("title")):
                _vote(votes, status["id"], status["title"])
        stat = stat_of(detail)
        if stat is not None:
            self.stats[stat] += 1
        if address := parse_page_url(detail.get("url"), detail.get("display_id")):
            _vote(self.words, "laboratory", address.word)
            _vote(self.words, "base_path", address.base_path)

    def _add_country(self, country: Any) -> None:
        if not isinstance(country, dict) or not isinstance(country.get("iso_code"), str):
            return
        slug, name, link = (country.get(key) for key in ("slug", "name", "link"))
        code = country["iso_code"].lower()
        known = name if _is_filled(name) else code.upper()
        _vote(self.countries, code, (slug if isinstance(slug, str) else "", known))
        match = re.fullmatch(r"(?:.*/)?([A-Za-z0-9_-]+)/([^/]*)/", link) if isinstance(link, str) else None
        if match and match[2] == slug:
            _vote(self.words, "country", match[1])

    def _add_section(self, section: str, document: Mapping[str, Any]) -> None:
        for name in SHARED_FIELDS:
            if isinstance(document.get(name), str | int):
                _vote(self.heads, (section, name), document[name])
        for item in items_of(document):
            if section == CERTIFICATES:
                if standard := standard_of(item):
                    self.standards[standard] += 1
            elif section in CATALOGUES and is_id(item.get("id")):
                _vote(self.entries[section], item["id"], entry_of(CATALOGUES[section], item))

    def disputes(self) -> Iterator[Deviation]:
        """Yield a deviation for all shared data that laboratories show in different ways."""
        for section, votes in sorted(self.entries.items()):
            for number, found in votes.items():
                if len(found) > 1:
                    yield Deviation(
                        say("{section} {number}", section=section, number=number),
                        say("one id has two texts"),
                        COMMONEST,
                    )
        kinds: dict[str, Votes] = {
            say("a country has two forms"): self.countries,
            say("a status has two titles"): {**self.deal_statuses, **self.verification_statuses},
            say("laboratories have different limits or titles of a section"): {**self.heads},
            say("addresses of laboratories have different forms"): self.words,
        }
        for what, votes in kinds.items():
            for key, found in votes.items():
                if len(found) > 1:
                    where = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
                    yield Deviation(where, what, COMMONEST)


class PageUrl(NamedTuple):
    """The parts of the URL of a laboratory's public page."""

    base_path: str
    word: str
    slug: str


def parse_page_url(url: Any, display_id: Any) -> PageUrl | None:
    """Split a URL `/<base path>/<word>/<display_id>/<slug>/` into its parts; return None for any other."""
    parts = split_untrusted(url)
    pattern = rf"((?:/[A-Za-z0-9._~-]+)*)/([A-Za-z0-9_-]+)/{re.escape(str(display_id))}/([A-Za-z0-9_-]+)/"
    match = re.fullmatch(pattern, parts.path)
    return PageUrl(match[1], match[2], match[3]) if match else None


def commonest(votes: Counter[Any]) -> Any:
    """Return the most frequent value; on a tie, the one that was found first."""
    return votes.most_common(1)[0][0]


def stat_of(detail: Mapping[str, Any]) -> tuple[tuple[str, str], ...] | None:
    """Return the text fields of a laboratory's projects statistic, or None if it has no such statistic."""
    stats = detail.get("stats")
    stat = stats.get("projects") if isinstance(stats, dict) else None
    if not isinstance(stat, dict):
        return None
    values = [(key, stat.get(key)) for key in ("key", "value", "value_level", "label")]
    return tuple((key, value) for key, value in values if isinstance(value, str))


def entry_of(catalogue: Catalogue[Any], item: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of an entry that its record has, as a hashable value."""
    fields = catalogue.record.model_fields.keys() - catalogue.record.unpublished.keys() - {"id"}
    return tuple((name, item[name]) for name in sorted(fields) if isinstance(item.get(name), str | int))


def standard_of(item: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the fields of a certificate that belong to its standard, or None if they are incomplete."""
    values = tuple(item.get(name) for name in STANDARD_FIELDS)
    return tuple(map(str, values)) if all(isinstance(one, str) for one in values) else None


def items_of(document: Any) -> list[dict[str, Any]]:
    """Return the entries of a section that are objects."""
    return _cards(document.get("items")) if isinstance(document, dict) else []


def is_id(value: Any) -> bool:
    """Return whether a value is a valid id of an entry."""
    return type(value) is int and value >= 0


def sections_for(display_id: str, endpoints: Iterable[PerLaboratory]) -> dict[str, str]:
    """Return the paths of a laboratory's documents by section."""
    return {one.name: one.path_for(display_id) for one in endpoints}


def _cards(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _vote(votes: Votes, key: Any, value: Any) -> None:
    votes.setdefault(key, Counter())[value] += 1
