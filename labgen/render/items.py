"""Items of a list: each as JSON, as a part of the block, and as people see it.

Most items of a list differ in their texts only. So what is around the texts is rendered once for each
*shape* (which texts are empty, and what all other values are), and the texts are filled in (see `frames`).
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from labgen.registry import Endpoint
from labgen.render.block import address_of, escaped, render_item, render_row
from labgen.render.documents import escape_line_separators, render_json
from labgen.render.frames import MARK, PageFrame, Slot, html, make_frame
from labgen.render.pages import SiteFrame, view_template
from labgen.render.templates import Templates


class Item(NamedTuple):
    """An item of a list: its JSON, what its block has after its place, and its view."""

    json: bytes
    block: bytes
    view: bytes = b""


class View(NamedTuple):
    """How people see an item: a template, and the variables that it receives beside `item`."""

    templates: Templates
    name: str
    variables: Mapping[str, Any]


def item_view(endpoint: Endpoint, site: SiteFrame, templates: Templates, laboratories: str) -> View | None:
    """Return how people see the items of an endpoint's lists, if there is a template for them.

    `laboratories` is the address of the list of all laboratories, as seen from the page.
    """
    name = view_template(endpoint, templates)
    return View(templates, name, {"site": site, "laboratories": laboratories}) if name else None


def item_of_rows(item: Mapping[str, Any]) -> Item:
    """Return an entry of a facet section, whose block is what people see."""
    return Item(render_json(item), render_row(item))


class ItemRenderer:
    """Renders items of one type; the values of the fields named in `links` are addresses.

    `depth` is the number of containers around an item. Without a view, people see its JSON alone.
    """

    def __init__(self, links: frozenset[str], view: View | None, depth: int = 1) -> None:
        self.links = links
        self.view = view
        self.depth = depth
        self.shapes: dict[tuple[tuple[str, ...], bytes], _Shape | None] = {}

    def render(self, item: Mapping[str, Any], path: str) -> Item:
        """Return an item rendered; `path` is the one that a failure is reported with."""
        texts = {name: value for name, value in item.items() if isinstance(value, str) and value}
        others = {name: value for name, value in item.items() if name not in texts}
        key = (tuple(item), orjson.dumps(others))
        try:
            shape = self.shapes[key]
        except KeyError:
            shape = self.shapes[key] = self._shape(item, tuple(texts), key[1])
        if shape is None:
            return Item(render_json(item), render_item(item, self.links, self.depth), self._view(item, path))
        jsons = {name: spelt(text) for name, text in texts.items()}
        blocks = {name: escaped(text) for name, text in jsons.items()}
        blocks |= {HREF + name: address_of(blocks[name]) for name in shape.addresses}
        block = shape.block.fill(blocks)
        if shape.view is None:
            return Item(shape.json.fill(jsons), block, self._view(item, path))
        views = {name: _as_html(text, blocks[name]) for name, text in texts.items()}
        return Item(shape.json.fill(jsons), block, shape.view.fill(views))

    def _view(self, item: Mapping[str, Any], path: str) -> bytes:
        if self.view is None:
            return b""
        return self.view.templates.render(self.view.name, path, **self.view.variables, item=item)

    def _shape(self, item: Mapping[str, Any], names: tuple[str, ...], others: bytes) -> "_Shape | None":
        if _SPELT_MARK in others:
            return None
        marked = {**item, **{name: f"{MARK}{name}{MARK}" for name in names}}
        block = _split(render_item(marked, self.links, self.depth))
        addresses = tuple(name.removeprefix(HREF) for name in block.names if name.startswith(HREF))
        return _Shape(_split(render_json(marked)), block, self._view_frame(item, names), addresses)

    def _view_frame(self, item: Mapping[str, Any], names: tuple[str, ...]) -> PageFrame | None:
        if self.view is None:
            return PageFrame((b"",), ())
        templates, name, variables = self.view
        slotted = {**item, **{one: Slot(one, is_filled=True) for one in names}}
        return make_frame(templates.environment, name, {**variables, "item": slotted})


class _Shape(NamedTuple):
    """What items of one shape have around their texts; the view is None where it must look into them."""

    json: PageFrame
    block: PageFrame
    view: PageFrame | None
    addresses: tuple[str, ...]


def spelt(text: str) -> bytes:
    """Return a text as JSON spells it, without its quotes."""
    return escape_line_separators(orjson.dumps(text)[1:-1])


def _as_html(text: str, spelt_as_html: bytes) -> bytes:
    """Return a text as HTML; where JSON has nothing to spell, that differs in one character at most."""
    return html(text) if b"\\" in spelt_as_html else spelt_as_html.replace(b"'", b"&#39;")


HREF = "href "
"""Before the name of a slot whose text stands in an attribute."""

_SPELT_MARK = spelt(MARK)
_MARKED = re.compile(
    rb"%b(\w+)%b|%b(\w+)%b" % (*[re.escape(_SPELT_MARK)] * 2, *[re.escape(MARK.encode())] * 2)
)


def _split(text: bytes) -> PageFrame:
    """Return the frame of what holds marks: as JSON spells them where a text stands, raw in an attribute."""
    pieces = _MARKED.split(text)
    names = [
        in_text.decode() if in_text else HREF + in_attribute.decode()
        for in_text, in_attribute in zip(pieces[1::3], pieces[2::3], strict=True)
    ]
    return PageFrame(tuple(pieces[::3]), tuple(names))
