"""Render catalogues: their documents in pages, and their HTML pages."""

from collections.abc import Mapping, Sequence
from math import ceil

import orjson

from labgen.api.proposed import CatalogueItem, CatalogueList, Catalogues
from labgen.model.directory import PagePosition
from labgen.model.site_paths import JSON_FILE, file_of, folder_of
from labgen.render.list_pages import ListPages, Read

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

    def recounted(self, above: str, read: Read, counted: Mapping[int, int]) -> dict[str, bytes]:
        """Return the files of a page with other counts, by id; none if they are those of its document.

        `above` is the folder of the page, below that of the catalogue, whose files `read` returns. Raises
        ValueError as `resized` does.
        """
        document: CatalogueList = orjson.loads(read(above + JSON_FILE))
        number = int(above.split("/")[1]) if above else 1
        part = PagePosition(number, max(ceil(document["count"] / PAGE_SIZE), 1), document["count"])
        items = [
            one for one in document["results"] if counted.get(one["id"] or 0, one["count"]) != one["count"]
        ]
        if not items:
            return {}
        had = self._items(part, items)
        now = self._items(part, [one | {"count": counted[one["id"] or 0]} for one in items])
        in_json = zip([one.json for one in had], [one.json for one in now], strict=True)
        in_html = zip([one.block for one in had], [one.block for one in now], strict=True)
        files = self._edited(part, lambda file: read(above + file), in_json, in_html)
        return {above + file: data for file, data in files.items()}
