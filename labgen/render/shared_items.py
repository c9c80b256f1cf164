"""Render lists whose items several documents share; each item is rendered once."""

from collections.abc import Hashable, Sequence

from labgen.api.endpoint import Listing
from labgen.model.directory import Directory
from labgen.render.block import around_rows, fill_list, fill_rows
from labgen.render.encode_json import render_json
from labgen.render.items import ItemRenderer, Rendered, item_of_rows

MAX_ITEMS = 50_000
"""The maximum number of kept items of one endpoint; each takes some hundred bytes and twice its text."""


class ListRenderer:
    """Renders the documents of a listing; without `items`, its items are rendered as table rows."""

    def __init__(self, endpoint: Listing, directory: Directory, items: ItemRenderer | None) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.renderer = items
        self.items: dict[Hashable, Rendered] = {}
        empty = endpoint.enclose([], directory)
        before, _, after = render_json(empty).rpartition(b"[]")
        self.around = before + b"[", b"]" + after
        if items is None:
            self.around_block = around_rows(empty)
        elif empty:
            raise TypeError(f"{endpoint.name}: only an Envelope may enclose a list")

    def render(self, keys: Sequence[Hashable], path: str) -> Rendered:
        """Return the document with the items of these keys; there must be at least one key."""
        try:
            items = [*map(self.items.__getitem__, keys)]
        except KeyError:
            self._add(keys, path)
            return self.render(keys, path)
        jsons, blocks, views = zip(*items, strict=True)
        before, after = self.around
        return Rendered(b"%b%b%b" % (before, b",".join(jsons), after), self._block(blocks), b"".join(views))

    def _block(self, items: Sequence[bytes]) -> bytes:
        if self.renderer is None:
            before, after = self.around_block
            return fill_rows(before, items, after)
        return fill_list(items)

    def _add(self, keys: Sequence[Hashable], path: str) -> None:
        if len(self.items) > MAX_ITEMS:
            self.items.clear()
        for key in keys:
            if key not in self.items:
                self.items[key] = self.item(key, path)

    def item(self, key: Hashable, path: str) -> Rendered:
        """Return the item of a key; failures are reported with `path`."""
        item = self.endpoint.make_item(key, self.directory)
        return self.renderer.render(item, path) if self.renderer else item_of_rows(item)
