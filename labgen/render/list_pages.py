"""Render the paged list of all laboratories: its documents and its HTML pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from labgen.api.endpoint import PAGE, Paged
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory, PagePosition
from labgen.model.site_paths import JSON_FILE, PAGE_FILE
from labgen.render.block import around_list, fill_list
from labgen.render.encode_json import render_json
from labgen.render.frames import Frame, Slot, html
from labgen.render.items import ItemRenderer, Rendered
from labgen.render.pages import (
    Beside,
    NavigationLink,
    Page,
    Variant,
    page_frame,
    render_page,
)
from labgen.render.site_values import site_values
from labgen.render.templates import Templates

SECOND = 2
DEPTH = 2
"""The number of containers around an item: the document, and its list."""


Read = Callable[[str], bytes]
"""Returns a published file of a document, by its name below the document's folder."""
Changes = Iterable[tuple[bytes, bytes]]
"""Parts of a text in their order, each with what comes in its place."""


class ListPages:
    """Renders the documents of a paged endpoint, and their HTML pages."""

    def __init__(
        self, endpoint: Paged, directory: Directory, templates: Templates, hosts: HostAbilities
    ) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.templates = templates
        self.texts = directory.language.words
        self.title = endpoint.title_in(directory)
        self.sites = [
            site_values(directory, templates, hosts, endpoint.path_for(number)) for number in (1, 2)
        ]
        self.links = [site.links_in(endpoint) for site in self.sites]
        self.items = [ItemRenderer(links, None, depth=DEPTH) for links in self.links]
        self.frame = cache(self._frame)

    def files(self, part: PagePosition, cards: Sequence[Any]) -> dict[str, bytes]:
        """Return the files of a document with these laboratories, by their names below its folder."""
        items = self._items(part, [self.endpoint.make_item(card, self.directory) for card in cards])
        head, before, after = self._around(part)
        block = b"".join([before, fill_list([item.block for item in items], DEPTH), after])
        return {
            JSON_FILE: head + b",".join([item.json for item in items]) + b"]}",
            PAGE_FILE: self._page_of(part, cards, block),
        }

    def resized(self, part: PagePosition, before: PagePosition, read: Read) -> dict[str, bytes]:
        """Return these files of a document with the same laboratories, at a place in a list that was another.

        Raises ValueError if the published files, which `read` returns, must be rendered instead.
        """
        had, now = self._around(before), self._around(part)
        return self._edited(part, read, [(had[0], now[0])], [(had[1], now[1])])

    def _edited(self, part: PagePosition, read: Read, in_json: Changes, in_html: Changes) -> dict[str, bytes]:
        """Return the published files of a document with changes in its JSON, and in the block of its page."""
        frame = self.frame(Variant(part.number > 1, part.number < part.last, has_entries=True))
        if frame is None or frame.names.count("block") != 1:
            raise ValueError("the template reads the document, or does not show it once")
        return {
            JSON_FILE: _replaced(read(JSON_FILE), in_json),
            PAGE_FILE: _replaced(read(PAGE_FILE), in_html),
        }

    def _items(self, part: PagePosition, items: Iterable[Any]) -> list[Rendered]:
        path = self.endpoint.path_for(part.number)
        return [self.items[part.number > 1].render(one, path) for one in items]

    def _around(self, part: PagePosition) -> tuple[bytes, bytes, bytes]:
        """Return a document before its items: as JSON, and as the block of its page; then its end there."""
        empty = self.endpoint.enclose([], part, self.directory)
        return render_json(empty).removesuffix(b"]}"), *around_list(empty, self.links[part.number > 1])

    def _page_of(self, part: PagePosition, cards: Sequence[Any], block: bytes) -> bytes:
        number = part.number
        variant = Variant(number > 1, number < part.last, has_entries=True)
        values = self._values(number)
        frame = self.frame(variant)
        if frame:
            slots = {name: html(text) for name, text in values.items()}
            return frame.fill(slots | {"block": block})
        document = self.endpoint.make(part, cards, self.directory)
        page = self._page(values, variant)
        return render_page(self.templates, self.sites[number > 1], page, document, block)

    def _values(self, number: int) -> dict[str, Any]:
        """Return the texts that are specific to a page, by the names of the slots."""
        name, is_first = self.endpoint.name, number == 1
        up = f"{PAGE}/" if is_first else "../"
        return {
            "title": self.title if is_first else f"{self.title} – {self.texts['page']} {number}",
            "path": self.endpoint.path_for(number),
            "filename": f"{name}.json" if is_first else f"{name}-{number}.json",
            "previous": str(number - 1),
            "previous_href": f"{up}{number - 1}/{PAGE_FILE}" if number > SECOND else f"../../{PAGE_FILE}",
            "next": str(number + 1),
            "next_href": f"{up}{number + 1}/{PAGE_FILE}",
        }

    def _page(self, values: Mapping[str, Any], variant: Variant) -> Page:
        texts = self.texts
        trail = [NavigationLink(texts["api"], self.sites[variant.has_previous].reference)]
        if variant.has_previous:
            trail.append(NavigationLink(self.title, f"../../{PAGE_FILE}"))
        trail.append(NavigationLink(values["title"], is_current=True))
        before = NavigationLink(values["previous"], values["previous_href"])
        after = NavigationLink(values["next"], values["next_href"])
        return Page(
            self.endpoint.name,
            values["title"],
            self.endpoint.about_in(self.directory),
            values["path"],
            values["filename"],
            tuple(trail),
            Beside(texts["beside_pages"], texts["previous_page"], texts["next_page"]),
            self.sites[0].hosts.document_headers,
            previous=before if variant.has_previous else None,
            next=after if variant.has_next else None,
            has_filter=True,
        )

    def _frame(self, variant: Variant) -> Frame | None:
        page = self._page({name: Slot(name) for name in self._values(1)}, variant)
        return page_frame(self.templates, self.sites[variant.has_previous], page)


def _replaced(text: bytes, changes: Changes) -> bytes:
    """Return a text with changes. Raises ValueError if a part is not there."""
    pieces, at = [], 0
    for old, new in changes:
        begin = text.index(old, at)
        pieces += [text[at:begin], new]
        at = begin + len(old)
    return b"".join([*pieces, text[at:]])
