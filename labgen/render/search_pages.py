"""Render the search page, and a page for each facet value, which works without JavaScript.

The pages of values are limited, because nobody reads thousands of them: a facet shows its commonest values,
and a value shows its first laboratories. The search page finds the rest.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from labgen.api.document_parts import website_path
from labgen.api.search_facets import PLACES
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import PAGE_FILE, SEARCH_FOLDER, file_of
from labgen.model.summaries import Card
from labgen.render.formats import counted
from labgen.render.formats import number as written
from labgen.render.frames import Frame, Slot, html, make_frame
from labgen.render.metadata import Metadata
from labgen.render.pages import NavigationLink
from labgen.render.site_values import FRONT_PAGE, SEARCH_DESCRIPTION, SiteValues, site_values
from labgen.render.templates import Templates
from labgen.render.value_sentences import places_of, related_values
from labgen.search.index_files import file_name

PAGE = "search.html"
LIST = "search-list.html"
ENTRY = "search-entry.html"
CLIENT = f"{SEARCH_FOLDER}/client.js"
MOST_VALUES = 100
"""The maximum number of values of a facet that have pages: those that most laboratories have."""
PER_PAGE = 100
"""The number of laboratories on a page of a value."""
MOST_PAGES = 3
"""The maximum number of pages of a value."""
MOST_LABORATORIES = PER_PAGE * MOST_PAGES
MOST_RELATED = 4
"""The number of other values of the same laboratories that a page of a value names."""
SHOWN = 8
"""The number of values that the search page shows of a facet at first, as its script does later."""
OPEN = 4
"""The number of facets whose values the search page shows at first."""
LONGEST_NAME = 16
"""The maximum length of a short name (OpenSearch 1.1)."""
LONGEST_DESCRIPTION = 1024
SCRIPT_TEXTS = (
    "a_selection", "again", "entry", "filters", "first_page", "from_file", "ignored", "in_text", "instead",
    "loading", "many", "missing", "next", "no_page", "no_values", "none", "nowhere", "offline", "one", "page",
    "previous", "quoted", "rated", "remove", "suggestions", "try_filters", "try_words", "without",
)  # fmt: skip
"""The names of the texts that the script of the search page shows."""


class PreviewValue(NamedTuple):
    """A value of a facet: its search_val, its title, and the number of laboratories that have it."""

    search_val: str
    title: str
    laboratories: int


class PreviewCounts(NamedTuple):
    """A facet: its values that most laboratories have, in this order, and the number of all its values."""

    name: str
    search_arg: str
    title: str
    values: Sequence[PreviewValue]
    total: int


class FacetPreview(NamedTuple):
    """A facet as the search page shows it at first; `has_more` if it has values that are not shown.

    `within` is the label of a field to search these, or "".
    """

    name: str
    search_arg: str
    title: str
    href: str
    values: Sequence["SearchValue"]
    is_open: bool
    has_more: bool
    within: str


class SearchValue(NamedTuple):
    """A value of a facet, and the URL of its page."""

    search_val: str
    title: str
    laboratories: int
    href: str


class SearchValues(NamedTuple):
    """The values that are specific to the search page, as its template sees them (`search`)."""

    facets: Sequence[FacetPreview]
    heading: str
    client: str
    texts: Mapping[str, str]
    are_rated: bool


class ListEntry(NamedTuple):
    """A line of a list: a title, its link, and a note beside it."""

    title: Any
    href: Any
    note: Any


class ListValues(NamedTuple):
    """The values that are specific to a page of values or of the laboratories of a value (`page`).

    `places` says where the laboratories are, "" where that is not known of all; `related` names other values
    that they have, "" if there are none; `rest` is a sentence about the entries that are not shown, "" if all
    are; `search` is the URL of the search for the value.
    """

    title: Any
    about: Any
    places: Any
    related: Any
    trail: tuple[NavigationLink, ...]
    previous: Any
    next: Any
    rest: Any
    search: Any


class SearchPages:
    """Renders the pages below the path of the search."""

    def __init__(self, directory: Directory, templates: Templates, hosts: HostAbilities) -> None:
        self.directory = directory
        self.templates = templates
        self.hosts = hosts
        self.texts = directory.language.words
        self.path = directory.site.search_path
        self.site = self._site("facet/value/")
        self.lines: dict[str, bytes] = {}
        self.frame = cache(self._frame)
        slots = ListEntry(Slot("title"), Slot("href"), Slot("note"))
        self.entry_frame = make_frame(templates.frames, ENTRY, {"site": self.site, "entry": slots})

    def page_files(self, facets: Sequence[PreviewCounts], count: int, *, are_rated: bool) -> dict[str, bytes]:
        """Return the files that the search has once: its page, its description, and the pages of facets.

        Results can be ordered by their ratings if any of the laboratories `are_rated`.
        """
        site = self.directory.site
        files = {FRONT_PAGE: self._search_page(facets, count, are_rated=are_rated)}
        if site.base_url:
            files[SEARCH_DESCRIPTION] = opensearch(site)
        files |= {f"{facet.name}/{FRONT_PAGE}": self._facet_page(facet) for facet in facets}
        return {file_of(self.path, name): data for name, data in files.items()}

    def value_files(
        self,
        facet: PreviewCounts,
        value: PreviewValue,
        cards: Sequence[Card],
        related: Sequence[PreviewValue],
    ) -> dict[str, bytes]:
        """Return the pages of a value by their names below its folder.

        `cards` are its first laboratories, `related` other values that its laboratories have.
        """
        towns = Counter(one.locality for one in cards if one.locality)
        links = [NavigationLink(one.title, f"../{file_name(one.search_val)}/{FRONT_PAGE}") for one in related]
        is_all = len(cards) == value.laboratories
        sentences = {
            "places": places_of(towns, self.texts, self.site.data_lang) if is_all else Markup(),
            "related": related_values(links, self.texts, self.site.data_lang),
        }
        return {
            page_name(number + 1): self._value_page(
                facet, value, number + 1, cards[start : start + PER_PAGE], sentences
            )
            for number, start in enumerate(range(0, min(len(cards), MOST_LABORATORIES), PER_PAGE))
        }

    def paths(self, facets: Sequence[PreviewCounts]) -> Iterator[str]:
        """Yield the paths of all pages of the search."""
        yield self.path
        for facet in facets:
            yield f"{self.path}{facet.name}/"
            for value in facet.values:
                for number in range(1, _page_count(value) + 1):
                    yield self._path_of(facet, value, number)

    def _path_of(self, facet: PreviewCounts, value: PreviewValue, number: int) -> str:
        """Return the path of a page of a value: that of its folder for the first one."""
        name = page_name(number) if number > 1 else ""
        return f"{self.path}{facet.name}/{file_name(value.search_val)}/{name}"

    def try_out(self, cards: Sequence[Card]) -> None:
        """Render each kind of page, because a template that compiles can still fail."""
        value = PreviewValue("de", "Deutschland", len(cards))
        facet = PreviewCounts("country", "country", "Land", [value], 1)
        self.page_files([facet], len(cards), are_rated=True)
        self.value_files(facet, value, cards, [value])

    def _site(self, below: str) -> SiteValues:
        return site_values(self.directory, self.templates, self.hosts, self.path + below)

    def _search_page(self, facets: Sequence[PreviewCounts], count: int, *, are_rated: bool) -> bytes:
        texts = {name: self.texts[f"search_{name}"] for name in SCRIPT_TEXTS}
        texts["no_rating"] = self.texts["no_rating"]
        shown = [self._shown(facet, is_open=at < OPEN) for at, facet in enumerate(facets)]
        frame = SearchValues(shown, counted(count, "search", self.texts), CLIENT, texts, are_rated)
        meta = Metadata(self.texts["search_title"], frame.heading, self.path)
        return self.templates.render(PAGE, self.path, site=self._site(""), search=frame, meta=meta)

    def _shown(self, facet: PreviewCounts, *, is_open: bool) -> FacetPreview:
        name = facet.name
        values = [
            SearchValue(*one, href=f"{name}/{file_name(one.search_val)}/{FRONT_PAGE}")
            for one in facet.values[:SHOWN]
        ]
        href, has_more = f"{name}/{FRONT_PAGE}", facet.total > SHOWN
        is_searched = has_more and name not in PLACES
        within = self.texts["search_within"].format(title=facet.title) if is_searched else ""
        return FacetPreview(name, facet.search_arg, facet.title, href, values, is_open, has_more, within)

    def _facet_page(self, facet: PreviewCounts) -> bytes:
        entries = [
            self._entry(
                one.title,
                f"{file_name(one.search_val)}/{FRONT_PAGE}",
                Markup.escape(counted(one.laboratories, "search", self.texts)),
            )
            for one in facet.values
        ]
        hidden = facet.total - len(facet.values)
        trail = self._trail("../", NavigationLink(facet.title, is_current=True))
        rest = self.texts["search_rest_values"].format(count=written(hidden, self.texts)) if hidden else ""
        about = self.texts["search_values_about"]
        page = ListValues(facet.title, about, "", "", trail, "", "", rest, f"../{FRONT_PAGE}")
        path = f"{self.path}{facet.name}/"
        return self._list_page(self._site(f"{facet.name}/"), page, page.about, path, b"".join(entries))

    def _value_page(
        self,
        facet: PreviewCounts,
        value: PreviewValue,
        number: int,
        cards: Sequence[Card],
        sentences: Mapping[str, Markup],
    ) -> bytes:
        entries = [self.lines.get(card.display_id) or self._line(card) for card in cards]
        last = _page_count(value)
        query = urlencode({facet.search_arg: value.search_val})
        hidden = value.laboratories - MOST_LABORATORIES if number == last else 0
        values = {
            "facet": facet.title,
            "title": f"{facet.title}{self.texts['colon']} {value.title}"
            + (f" – {self.texts['page']} {number}" if number > 1 else ""),
            "about": (about := counted(value.laboratories, "search", self.texts)),
            **sentences,
            "description": f"{about}. {places.striptags()}" if (places := sentences["places"]) else about,
            "previous": page_name(number - 1) if number > 1 else "",
            "next": page_name(number + 1) if number < last else "",
            "rest": self.texts["search_rest"].format(count=written(hidden, self.texts)) if hidden > 0 else "",
            "search": f"../../{FRONT_PAGE}?{query}",
            "path": self._path_of(facet, value, number),
        }
        frame = self.frame(tuple(name for name, one in values.items() if one))
        if frame:
            own = {"entries": b"".join(entries)} | {key: text.encode() for key, text in sentences.items()}
            return frame.fill({name: html(one) for name, one in values.items()} | own)
        about, path = values["description"], values["path"]
        return self._list_page(self.site, self._value_frame(values), about, path, b"".join(entries))

    def _frame(self, filled: tuple[str, ...]) -> Frame | None:
        """Return the frame for the value pages in which exactly these texts are not empty."""
        slots: Mapping[str, Any] = defaultdict(str, {name: Slot(name, is_filled=True) for name in filled})
        page = self._value_frame(slots)
        meta = Metadata(page.title, slots["description"], slots["path"])
        variables = {"site": self.site, "page": page, "meta": meta, "entries": Slot("entries")}
        return make_frame(self.templates.frames, LIST, variables)

    def _value_frame(self, values: Mapping[str, Any]) -> ListValues:
        trail = self._trail("../../", NavigationLink(values["facet"], f"../{FRONT_PAGE}"))
        own = {name: values[name] for name in ListValues._fields if name != "trail"}
        return ListValues(trail=trail, **own)

    def _list_page(
        self, site: SiteValues, page: ListValues, description: str, path: str, entries: bytes
    ) -> bytes:
        text = Markup(entries.decode())  # noqa: S704 - already escaped
        meta = Metadata(page.title, description, path)
        return self.templates.render(LIST, self.path, site=site, page=page, meta=meta, entries=text)

    def _trail(self, up: str, last: NavigationLink) -> tuple[NavigationLink, ...]:
        return NavigationLink(self.texts["search"], f"{up}{FRONT_PAGE}"), last

    def _entry(self, title: str, href: str, note: Markup) -> bytes:
        """Return a line of a list."""
        if self.entry_frame:
            return self.entry_frame.fill({"title": html(title), "href": html(href), "note": note.encode()})
        return self.templates.render(ENTRY, self.path, site=self.site, entry=ListEntry(title, href, note))

    def _line(self, card: Card) -> bytes:
        """Return the line of a laboratory, which is the same on all pages, and keep it."""
        href = f"{self.site.laboratories}{card.display_id}/{PAGE_FILE}"
        if self.site.public or self.site.website_url:
            address = website_path(card, self.directory)
            href = self.site.website_url + address if self.site.website_url else address + self.site.index
        line = self.lines[card.display_id] = self._entry(card.name, href, self._place(card))
        return line

    def _place(self, card: Card) -> Markup:
        """Return where a laboratory is; the name of the place does not change the direction of later text."""
        place = Markup("<bdi>{}</bdi>, ").format(card.locality) if card.locality else Markup()
        return place + self.directory.countries[card.country].name


def _page_count(value: PreviewValue) -> int:
    return min(ceil(value.laboratories / PER_PAGE), MOST_PAGES)


def page_name(number: int) -> str:
    """Return the file name of a page of a value; the first page has the number 1."""
    return f"page-{number}.html" if number > 1 else FRONT_PAGE


def opensearch(site: SiteRecord) -> bytes:
    """Return the description by which browsers offer the search. Its URLs must have a host."""
    address = escape(f"{site.base_url}{site.base_path}{site.search_path}")
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>{escape(site.name[:LONGEST_NAME])}</ShortName>
<Description>{escape(site.name[:LONGEST_DESCRIPTION])}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" method="get" template="{address}?q={{searchTerms}}"/>
</OpenSearchDescription>
""".encode()
