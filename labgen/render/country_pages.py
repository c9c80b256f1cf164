"""Render the public pages of countries, and those of the towns of large countries.

A country shows its laboratories by town. One with many shows its towns only, each of which has its own pages:
so an edit changes few of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import ceil
from typing import Any, NamedTuple

from markupsafe import Markup

from labgen.api.document_parts import card_document
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.model.german import collation_key
from labgen.model.records import CountryRecord
from labgen.model.site_paths import file_of, folder_of
from labgen.model.summaries import Card, Town
from labgen.render.formats import counted
from labgen.render.formats import number as written
from labgen.render.frames import Frame, Slot, html, make_frame
from labgen.render.items import ItemRenderer, View
from labgen.render.links import NO_LINKS
from labgen.render.metadata import Crumb, Metadata, breadcrumbs, json_ld
from labgen.render.pages import NavigationLink
from labgen.render.search_pages import page_name
from labgen.render.site_values import FRONT_PAGE, site_values
from labgen.render.templates import Templates

PAGE, TOWN, CARD = "country.html", "town.html", "card.html"
MOST_CARDS = 200
"""The number of laboratories that a country's page shows; one with more shows its towns."""
PER_PAGE = 100
"""The number of laboratories on a page of a town."""


class PlaceValues(NamedTuple):
    """The values that are specific to a page of a country or a town, as its template sees them (`page`)."""

    title: Any
    about: Any
    trail: tuple[NavigationLink, ...]
    previous: Any
    next: Any
    is_large: bool
    is_town: bool


class TownValues(NamedTuple):
    """A town on the page of its country, as its template sees it (`town`): with its cards, or a link."""

    name: Any
    slug: Any
    count: Any
    href: Any
    cards: Any


class CountryPages:
    """Renders the pages of countries and towns."""

    def __init__(self, directory: Directory, templates: Templates, hosts: HostAbilities) -> None:
        self.directory = directory
        self.templates = templates
        self.texts = directory.language.words
        self.sites = [
            site_values(directory, templates, hosts, directory.site.country_path + below)
            for below in ("1/", "1/1/")
        ]
        self.cards = [
            ItemRenderer(NO_LINKS, View(templates, CARD, {"site": site}), is_deep=True) for site in self.sites
        ]
        self.frame = cache(self._frame)
        self.town_frame = cache(self._town_frame)

    def path_for(self, country: CountryRecord, town: str = "", number: int = 1) -> str:
        """Return the path of the page of a country, or of a page of one of its towns."""
        name = page_name(number) if number > 1 else ""
        return f"{self.directory.site.country_path}{country.slug}/{f'{town}/' if town else ''}{name}"

    def file_for(self, country: CountryRecord) -> str:
        """Return the file of the page of a country."""
        return file_of(self.path_for(country), FRONT_PAGE)

    def folder_for(self, country: CountryRecord, town: str) -> str:
        """Return the folder of the pages of a town under out/."""
        return folder_of(self.path_for(country, town))

    def paths(self, country: CountryRecord, towns: Sequence[Town]) -> Iterator[str]:
        """Yield the paths of all pages of a country and its towns."""
        yield self.path_for(country)
        if is_large(towns):
            for one in towns:
                for number in range(1, ceil(one.laboratories / PER_PAGE) + 1):
                    yield self.path_for(country, one.slug, number)

    def country_file(
        self, country: CountryRecord, towns: Sequence[Town], cards: Mapping[str, Sequence[Card]]
    ) -> dict[str, bytes]:
        """Return the page of a country; `cards` are those of its towns by slug, if it shows them."""
        path, count = self.path_for(country), sum(one.laboratories for one in towns)
        shown = sorted(towns, key=lambda one: (one.names[0] == "", collation_key(one.names[0])))
        entries = b"".join([self._town(one, cards.get(one.slug)) for one in shown])
        values = {
            "title": self.texts["country_title"].format(country=country.name),
            "about": self._about(count, sum(one.names[0] != "" for one in towns)),
            "path": path,
        }
        return {self.file_for(country): self._page(0, values, entries, [], is_large=is_large(towns))}

    def town_files(self, country: CountryRecord, town: Town, cards: Sequence[Card]) -> dict[str, bytes]:
        """Return the pages of a town of a large country, by their names below its folder."""
        last = ceil(len(cards) / PER_PAGE)
        title = self.texts["country_title"].format(country=self._name(town))
        shown = sorted(cards, key=_order)
        files = {}
        for number in range(1, last + 1):
            some = shown[(number - 1) * PER_PAGE : number * PER_PAGE]
            values = {
                "title": f"{title} – {self.texts['page']} {number}" if number > 1 else title,
                "about": counted(town.laboratories, "search", self.texts),
                "path": self.path_for(country, town.slug, number),
                "country": country.name,
                "previous": page_name(number - 1) if number > 1 else "",
                "next": page_name(number + 1) if number < last else "",
            }
            entries = self._cards(some, 1)
            crumbs = [Crumb(country.name, self.path_for(country))]
            files[page_name(number)] = self._page(1, values, entries, crumbs, is_large=False)
        return files

    def try_out(self, cards: Sequence[Card]) -> None:
        """Render each kind of page, because a template that compiles can still fail."""
        for card in cards[:1]:
            country = self.directory.countries[card.country]
            town = Town("ort", (card.locality,), 1)
            self.country_file(country, [town], {"ort": [card]})
            self.town_files(country, town, [card])

    def _page(
        self,
        depth: int,
        values: Mapping[str, str],
        entries: bytes,
        crumbs: Sequence[Crumb],
        *,
        is_large: bool,
    ) -> bytes:
        site = self.sites[depth]
        trail = [Crumb(site.name, "/"), *crumbs, Crumb(values["title"], values["path"])]
        data = b"" if site.noindex else json_ld(breadcrumbs(trail, self.directory))
        filled = tuple(name for name, one in values.items() if one)
        frame = self.frame(depth, filled, is_large)
        if frame:
            texts = {name: html(one) for name, one in values.items()}
            return frame.fill(texts | {"entries": entries, "data": data})
        text, script = Markup(entries.decode()), Markup(data.decode())  # noqa: S704 - already escaped
        page = self._place(depth, defaultdict(str, values), is_large=is_large)
        meta = Metadata(page.title, page.about, values["path"], data=script)
        return self.templates.render(PAGE, values["path"], site=site, page=page, meta=meta, entries=text)

    def _frame(self, depth: int, filled: tuple[str, ...], is_large: bool) -> Frame | None:
        site = self.sites[depth]
        slots: Mapping[str, Any] = defaultdict(str, {name: Slot(name, is_filled=True) for name in filled})
        page = self._place(depth, slots, is_large=is_large)
        meta = Metadata(page.title, page.about, slots["path"], data=Slot("data", is_filled=not site.noindex))
        variables = {"site": site, "page": page, "meta": meta, "entries": Slot("entries")}
        return make_frame(self.templates.frames, PAGE, variables)

    def _place(self, depth: int, values: Mapping[str, Any], *, is_large: bool) -> PlaceValues:
        trail = [NavigationLink(self.sites[depth].name, self.sites[depth].front_page)]
        if depth:
            trail.append(NavigationLink(values["country"], f"../{self.sites[0].index}"))
        return PlaceValues(
            values["title"],
            values["about"],
            tuple(trail),
            values["previous"],
            values["next"],
            is_large,
            is_town=depth > 0,
        )

    def _town(self, town: Town, cards: Sequence[Card] | None) -> bytes:
        """Return a town on the page of its country."""
        values = {
            "name": self._name(town),
            "slug": town.slug,
            "count": written(town.laboratories, self.texts),
            "href": f"{town.slug}/{self.sites[0].index}",
        }
        shown = self._cards(cards, 0) if cards else b""
        frame = self.town_frame(bool(shown))
        if frame:
            return frame.fill({name: html(one) for name, one in values.items()} | {"cards": shown})
        one = TownValues(**values, cards=Markup(shown.decode()))  # noqa: S704 - already escaped
        return self.templates.render(TOWN, self.directory.site.country_path, site=self.sites[0], town=one)

    def _town_frame(self, has_cards: bool) -> Frame | None:
        cards = Slot("cards", is_filled=True) if has_cards else ""
        town = TownValues(Slot("name"), Slot("slug"), Slot("count"), Slot("href"), cards)
        return make_frame(self.templates.frames, TOWN, {"site": self.sites[0], "town": town})

    def _cards(self, cards: Sequence[Card], depth: int) -> bytes:
        """Return the cards of laboratories, by name."""
        path, some = self.directory.site.country_path, sorted(cards, key=_order)
        view = self.cards[depth].view_of
        return b"".join([view(card_document(card, self.directory), path) for card in some])

    def _name(self, town: Town) -> str:
        return town.names[0] or self.texts["no_town"]

    def _about(self, count: int, towns: int) -> str:
        if not count:
            return self.texts["search_none"]
        laboratories = counted(count, "search", self.texts)
        return f"{laboratories} {counted(towns, 'in_towns', self.texts)}" if towns else laboratories


def is_large(towns: Sequence[Town]) -> bool:
    """Return whether a country with these towns has pages of its towns."""
    return sum(one.laboratories for one in towns) > MOST_CARDS


def _order(card: Card) -> tuple[Any, ...]:
    return collation_key(card.name), card.display_id
