"""Render the front page: what the directory holds, and where one can begin."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from labgen.api.document_parts import SimilarLab, card_document
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.model.german import collation_key
from labgen.model.site_paths import folder_of
from labgen.model.summaries import Town
from labgen.render.formats import counted, number
from labgen.render.metadata import Metadata, website
from labgen.render.site_values import FRONT_PAGE, SiteValues, site_values
from labgen.render.templates import Templates
from labgen.search.index_files import file_name

MOST_VALUES = 15
"""The number of values that the front page shows of a facet: those that most laboratories have."""
MOST_TOWNS = 24


class CountedValue(NamedTuple):
    """A value of a facet: its search_val, its title, and the number of laboratories that have it."""

    search_val: str
    title: str
    laboratories: int


class CountedFacet(NamedTuple):
    """A facet: the values that most laboratories have, in this order, and the number of all values in use."""

    name: str
    title: str
    values: Sequence[CountedValue]
    total: int


class CountedCountry(NamedTuple):
    """A country with laboratories, by its iso_code, and its towns."""

    iso_code: str
    towns: Sequence[Town]

    @property
    def laboratories(self) -> int:
        """The number of its laboratories."""
        return sum(one.laboratories for one in self.towns)


class Overview(NamedTuple):
    """What is counted of the directory for its front page."""

    facets: Sequence[CountedFacet] = ()
    countries: Sequence[CountedCountry] = ()


class Sum(NamedTuple):
    """A number, and what it counts."""

    title: str
    value: str


class CountedLink(NamedTuple):
    """A link with a number of laboratories; without an address, it is a text."""

    title: str
    href: str
    laboratories: str


class LinkList(NamedTuple):
    """A list of links, and the page with all of them, "" if there is none."""

    title: str
    href: str
    links: Sequence[CountedLink]


class FrontValues(NamedTuple):
    """The values that are specific to the front page, as its template sees them (`front`)."""

    sums: Sequence[Sum]
    lists: Sequence[LinkList]
    countries: Sequence[CountedLink]
    towns: Sequence[CountedLink]
    newest: Sequence[SimilarLab]


def render_front_page(
    directory: Directory, templates: Templates, hosts: HostAbilities, overview: Overview
) -> bytes:
    """Return the front page."""
    site = site_values(directory, templates, hosts)
    front = FrontValues(
        _sums(directory, overview),
        [one for one in map(_list(directory), overview.facets) if one.links] if site.search else [],
        _countries(directory, site, overview),
        _towns(directory, site, overview) if directory.site.has_public_pages else [],
        [card_document(one.card, directory) for one in directory.newest],
    )
    about = site.texts["home_about"].format(
        laboratories=counted(sum(one.laboratories for one in overview.countries), "home", site.texts),
        countries=counted(len(overview.countries), "in_countries", site.texts),
    )
    data = Markup(website(directory).decode())  # noqa: S704 - escaped
    meta = Metadata(site.name, about, "/", data=data)
    return templates.render(FRONT_PAGE, "/", site=site, meta=meta, front=front)


def _sums(directory: Directory, overview: Overview) -> list[Sum]:
    words = directory.language.words
    counts = [
        (words["laboratories"], sum(one.laboratories for one in overview.countries)),
        (words["countries"], len(overview.countries)),
        *((one.title, one.total) for one in overview.facets if one.name in ("test_methods", "standards")),
    ]
    return [Sum(title, number(count, words)) for title, count in counts]


def _list(directory: Directory) -> Callable[[CountedFacet], LinkList]:
    words, path = directory.language.words, folder_of(directory.site.search_path)

    def links(facet: CountedFacet) -> LinkList:
        some = [
            CountedLink(
                one.title,
                f"{path}/{facet.name}/{file_name(one.search_val)}/{FRONT_PAGE}",
                number(one.laboratories, words),
            )
            for one in facet.values
        ]
        return LinkList(facet.title, f"{path}/{facet.name}/{FRONT_PAGE}", some)

    return links


def _countries(directory: Directory, values: SiteValues, overview: Overview) -> list[CountedLink]:
    """Return the countries, with the most laboratories first."""
    words = directory.language.words
    ranked = sorted(
        overview.countries,
        key=lambda one: (-one.laboratories, collation_key(directory.countries[one.iso_code].name)),
    )
    return [
        CountedLink(
            directory.countries[one.iso_code].name,
            _country_href(directory, values, one.iso_code),
            number(one.laboratories, words),
        )
        for one in ranked
    ]


def _country_href(directory: Directory, values: SiteValues, iso_code: str) -> str:
    """Return the URL of the page of a country; "" if there is none."""
    site, slug = directory.site, directory.countries[iso_code].slug
    path = f"{site.country_path}{slug}/"
    if slug and site.website_url:
        return f"{site.website_url}{site.base_path}{path}"
    return path.lstrip("/") + values.index if slug and site.has_public_pages else ""


def _towns(directory: Directory, values: SiteValues, overview: Overview) -> list[CountedLink]:
    """Return the towns with the most laboratories, by name."""
    words = directory.language.words
    some = [
        (town, href)
        for one in overview.countries
        if (href := _country_href(directory, values, one.iso_code))
        for town in one.towns
        if town.names[0]
    ]
    largest = sorted(some, key=lambda one: (-one[0].laboratories, collation_key(one[0].names[0]), one[1]))
    shown = sorted(largest[:MOST_TOWNS], key=lambda one: (collation_key(one[0].names[0]), one[1]))
    return [
        CountedLink(town.names[0], f"{href}#town-{town.slug}", number(town.laboratories, words))
        for town, href in shown
    ]
