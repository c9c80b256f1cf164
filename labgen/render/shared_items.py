"""Render lists of which each item is rendered by itself; items that several documents share, only once."""

from collections.abc import Hashable, Sequence

from labgen.api.endpoint import Listing, PerLaboratory
from labgen.model.directory import Directory
from labgen.render.block import around_list, fill_list
from labgen.render.encode_json import render_json
from labgen.render.items import Document, ItemRenderer, Rendered
from labgen.system.compact import without_spare_memory

MAX_ITEMS = 50_000
"""The maximum number of kept items of one endpoint; each takes some hundred bytes and twice its text."""


class ListRenderer:
    """Renders the documents of an endpoint with a list; `items` renders its items."""

    def __init__(self, endpoint: PerLaboratory, directory: Directory, items: ItemRenderer) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.renderer = items
        self.items: dict[Hashable, Rendered] = {}
        empty = endpoint.enclose([], directory)
        before, _, after = render_json(empty).rpartition(b"[]")
        self.around = before + b"[", b"]" + after
        self.around_block = around_list(empty, items.links)

    def render(self, keys: Sequence[Hashable], path: str) -> Document:
        """Return the document with the shared items of these keys; there must be at least one key."""
        try:
            items = [*map(self.items.__getitem__, keys)]
        except KeyError:
            self._add(keys, path)
            return self.render(keys, path)
        return self.joined(items)

    def joined(self, items: Sequence[Rendered]) -> Document:
        """Return the document with these items; there must be at least one."""
        jsons, blocks, views = zip(*items, strict=True)
        (before, after), (start, end) = self.around, self.around_block
        block = b"%b%b%b" % (start, fill_list(blocks, self.renderer.depth), end)
        return Document(b"%b%b%b" % (before, b",".join(jsons), after), block, views)

    def _add(self, keys: Sequence[Hashable], path: str) -> None:
        if len(self.items) > MAX_ITEMS:
            self.items.clear()
        for key in keys:
            if key not in self.items:
                self.items[key] = self.item(key, path)

    def item(self, key: Hashable, path: str) -> Rendered:
        """Return the shared item of a key; failures are reported with `path`."""
        if not isinstance(self.endpoint, Listing):
            raise TypeError(f"{self.endpoint.name}: its items are not shared")
        item = self.endpoint.make_item(key, self.directory)
        rendered = self.renderer.render(item, path)
        return rendered._replace(json=without_spare_memory(rendered.json))
