"""Render catalogues: their documents in pages, and their HTML pages."""

from collections.abc import Mapping, Sequence
from math import ceil

from labgen.api.proposed import CatalogueItem, CatalogueList, Catalogues
from labgen.model.directory import PagePosition
from labgen.model.site_paths import JSON_FILE, file_of, folder_of
from labgen.render.list_pages import ListPages

PAGE_SIZE = 1000
"""The number of entries of a page; they are short, so clients need few requests for thousands."""


def parts_of(items: Sequence[CatalogueItem]) -> list[tuple[PagePosition, Sequence[CatalogueItem]]]:
    """Divide the items of a catalogue into pages; there is at least one."""
    last = max(ceil(len(items) / PAGE_SIZE), 1)
    return [
        (PagePosition(number, last, len(items)), items[(number - 1) * PAGE_SIZE : number * PAGE_SIZE])
        for number in range(1, last + 1)
    ]


def folder_for(endpoint: Catalogues, name: str) -> str:
    """Return the folder of a catalogue's files under out/."""
    return folder_of(endpoint.of(name, name).path)


class CataloguePages(ListPages):
    """Renders the pages of a catalogue."""

    def all_files(self, items: Sequence[CatalogueItem]) -> dict[str, bytes]:
        """Return the files of all pages of a catalogue with these items, by their names below its folder."""
        folder = self.endpoint.path
        return {
            file_of(self.endpoint.path_for(part.number).removeprefix(folder), name): data
            for part, some in parts_of(items)
            for name, data in self.files(part, some).items()
        }

    def recounted(self, name: str, document: CatalogueList, counted: Mapping[int, int]) -> dict[str, bytes]:
        """Return the files of a page with other counts, by id; none if they are those of its document.

        `name` is that of the document below the folder of the catalogue.
        """
        items = document["results"]
        now = [one | {"count": counted.get(one["id"] or 0, one["count"])} for one in items]
        if now == items:
            return {}
        above = name.removesuffix(JSON_FILE)
        number = int(above.split("/")[1]) if above else 1
        last = max(ceil(document["count"] / PAGE_SIZE), 1)
        files = self.files(PagePosition(number, last, document["count"]), now)
        return {above + file: data for file, data in files.items()}
