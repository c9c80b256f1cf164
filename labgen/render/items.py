"""Render objects and list items as JSON, as a JSON block in HTML, and as a view for people.

Most objects of one type differ only in their texts. So everything around the texts is rendered once for each
*shape* (which texts are empty, and all other values), and the texts are filled in (see `frames`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup

from labgen.render.block import render_block, render_item
from labgen.render.encode_json import json_strings, render_json, split_strings
from labgen.render.frames import MARK, Frame, Slot, escaped, html, make_frame
from labgen.render.links import Links, address_of
from labgen.render.templates import Templates
from labgen.system.compact import without_spare_memory


class Document(NamedTuple):
    """A document as JSON and as the JSON block of its page, and its views for people.

    It has one view or, if it is a list, one for each of its items; none if pages for people do not show it.
    """

    json: bytes
    block: bytes
    views: Sequence[bytes] = ()


class Rendered(NamedTuple):
    """An object as JSON, and as HTML: the JSON block of its page, and its view for people if it has one.

    The block of a list item does not contain its end.
    """

    json: bytes
    block: bytes
    view: bytes = b""


class View(NamedTuple):
    """The view for people of a document or an item: a template, its variables, and the value's name."""

    templates: Templates
    template: str
    variables: Mapping[str, Any]
    name: str = "item"

    def render(self, value: Any, path: str) -> bytes:
        """Return the view of a value; failures are reported with `path`."""
        return self.templates.render(self.template, path, **self.variables, **{self.name: value})

    def frame(self, value: Any) -> Frame | None:
        """Render a value with slots as a frame; None if the template does more than output the slots."""
        variables = {**self.variables, self.name: value}
        return make_frame(self.templates.frames, self.template, variables)


class ItemRenderer:
    """Renders objects of one type: items of a list, `depth` containers deep, or (0) whole documents.

    Objects that differ only in texts and in their numeric ids share a shape, in which these are filled in;
    with `is_deep`, also the texts of nested objects. `links` decides which values are links; texts of its
    `mixed` fields are not filled in, because only some are links: they are part of the shape. Without a view,
    only JSON is shown.
    """

    def __init__(self, links: Links, view: View | None, *, depth: int = 1, is_deep: bool = False) -> None:
        self.view = view
        self.links = links
        self.depth = depth
        self.site = view.variables["site"] if view else None
        self.mixed = links.mixed
        self.is_deep = is_deep
        self.block = (
            partial(render_item, links=links, depth=depth) if depth else partial(render_block, links=links)
        )
        self.shapes: dict[tuple[object, ...], _Shape | None] = {}

    def render(self, item: Mapping[str, Any], path: str) -> Rendered:
        """Render an item; failures are reported with `path`."""
        texts: list[str] = []
        key: list[object] = []
        self._look(item, texts, key)
        shape = self._shape(tuple(key), item)
        if shape is None:
            return Rendered(render_json(item), self.block(item), self._render_view(item, path))
        spelt_texts = json_strings(texts)
        as_html = escaped(spelt_texts)
        values = split_strings(as_html)
        values += [address_of(values[number]) for number in shape.addresses]
        number = b"%d" % item[ID] if type(item.get(ID)) is int else b""
        values.append(number)
        json = shape.json.fill([*split_strings(spelt_texts), number])
        block = shape.block.fill(values)
        if shape.view is None:
            return Rendered(json, block, self._render_view(item, path))
        return Rendered(json, block, self._filled(shape, shape.view, item, texts, as_html))

    def view_of(self, item: Mapping[str, Any], path: str) -> bytes:
        """Return the view of an item alone; failures are reported with `path`."""
        texts: list[str] = []
        key: list[object] = []
        self._look(item, texts, key)
        shape = self._shape(tuple(key), item)
        if shape is None or shape.view is None:
            return self._render_view(item, path)
        return self._filled(shape, shape.view, item, texts, escaped(json_strings(texts)))

    def _filled(
        self, shape: "_Shape", view: Frame, item: Mapping[str, Any], texts: Sequence[str], as_html: bytes
    ) -> bytes:
        seen: Any = _as_html(texts, as_html)
        if shape.written:
            seen = dict(enumerate(seen)) | self._written(shape, texts)
            if ID in shape.written:
                seen[ID] = b"%d" % item[ID]
        return view.fill(seen)

    def _written(self, shape: "_Shape", texts: Sequence[str]) -> dict[Any, bytes]:
        """Return the formatted texts of the view, by the names of their slots."""
        found: dict[Any, bytes] = {}
        for name in shape.written:
            if name == ID:
                continue
            write, _, number = name.partition(" ")
            shown = getattr(self.site, write)(texts[int(number)])
            found[name] = shown.encode() if isinstance(shown, Markup) else html(shown)
        return found

    def _render_view(self, item: Mapping[str, Any], path: str) -> bytes:
        return self.view.render(item, path) if self.view else b""

    def _look(self, item: Mapping[str, Any], texts: list[str], key: list[object]) -> None:
        """Collect the texts of an item, and the key of its shape."""
        for name, value in item.items():
            if type(value) is str and value and name not in self.mixed:
                texts.append(value)
                key.append(name)
            elif name == ID and type(value) is int:
                key.append((name,))
            elif self.is_deep and type(value) is dict:
                key.append(("{", name))
                self._look(value, texts, key)
                key.append("}")
            else:
                key.append((name, orjson.dumps(value)))

    def _shape(self, key: tuple[object, ...], item: Mapping[str, Any]) -> "_Shape | None":
        """Return the shape with this key; None if texts are ambiguous, or there are too many shapes."""
        if key not in self.shapes:
            if len(self.shapes) >= MAX_SHAPES:
                return None
            others = [
                part for one in key if isinstance(one, tuple) for part in one[1:] if isinstance(part, bytes)
            ]
            is_plain = not any(_SPELT_MARK in one or _NUMBER_MARK in one for one in others)
            self.shapes[tuple(map(_kept, key))] = self._new_shape(item) if is_plain else None
        return self.shapes[key]

    def _new_shape(self, item: Mapping[str, Any]) -> "_Shape":
        texts = (f"{MARK}{number}{MARK}" for number in count())
        marked = self._with(item, texts, NUMBER)
        json, _ = _split(render_json(marked))
        block, addresses = _split(self.block(marked))
        slotted = self._with(item, (Slot(str(number), is_filled=True) for number in count()), Slot(ID))
        view = self.view.frame(slotted) if self.view else Frame([b""], [])
        written = {name for name in view.names if isinstance(name, str)} if view else ()
        return _Shape(json, block, view, addresses, tuple(sorted(written)))

    def _with(self, item: Mapping[str, Any], others: Iterator[Any], number: Any) -> dict[str, Any]:
        """Return an item with its texts replaced by `others`, in their order, and its id by `number`."""
        found: dict[str, Any] = {}
        for name, value in item.items():
            if type(value) is str and value and name not in self.mixed:
                found[name] = next(others)
            elif name == ID and type(value) is int:
                found[name] = number
            elif self.is_deep and type(value) is dict:
                found[name] = self._with(value, others, number)
            else:
                found[name] = value
        return found


ID = "id"
"""The key of numeric ids, and the name of their slot in views."""
NUMBER = 7_465_018_203_947
"""Stands for an id in the frames of shapes."""
MAX_SHAPES = 1000
"""The maximum number of shapes of one type; objects of further shapes are rendered in full."""


def _kept(part: object) -> object:
    """Return a part of a shape's key, in the least memory."""
    if isinstance(part, tuple) and isinstance(part[-1], bytes):
        return part[0], without_spare_memory(part[1])
    return part


class _Shape(NamedTuple):
    """The frames around the texts of items of one shape; the texts are numbered in their order.

    In the block, the texts in `addresses` are values a second time, after all texts. `written` are the names
    of slots that `frames.formatted` made. The view is None if its template does more than output the texts.
    """

    json: Frame
    block: Frame
    view: Frame | None
    addresses: tuple[int, ...]
    written: tuple[str, ...]


def _as_html(texts: Sequence[str], spelt_as_html: bytes) -> list[bytes]:
    """Return texts as HTML; without JSON escapes, it differs from escaped JSON only in apostrophes."""
    spelt_texts = split_strings(spelt_as_html.replace(b"'", b"&#39;"))
    if b"\\" not in spelt_as_html:
        return spelt_texts
    return [html(text) if b"\\" in one else one for text, one in zip(texts, spelt_texts, strict=True)]


_SPELT_MARK, _NUMBER_MARK = json_strings([MARK]), b"%d" % NUMBER
_MARKED = re.compile(
    rb"%b([0-9]+)%b|%b([0-9]+)%b|(%b)"
    % (*[re.escape(_SPELT_MARK)] * 2, *[re.escape(MARK.encode())] * 2, _NUMBER_MARK)
)


def _split(text: bytes) -> tuple[Frame, tuple[int, ...]]:
    """Return the frame of a text with marks, and the numbers of the texts that stand in attributes.

    Marks are JSON escapes in place of a text, and raw in an attribute. The id is the last value (-1).
    """
    pieces = _MARKED.split(text)
    in_texts, in_attributes, ids = pieces[1::4], pieces[2::4], pieces[3::4]
    further = count(sum(map(bool, in_texts)))
    names = [
        int(number) if number else -1 if is_id else next(further)
        for number, is_id in zip(in_texts, ids, strict=True)
    ]
    return Frame(pieces[::4], names), tuple([int(number) for number in in_attributes if number])
