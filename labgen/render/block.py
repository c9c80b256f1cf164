"""Render a document as indented, coloured JSON in HTML, with links.

There are two forms. `render_block` is for a `<pre>`: keys, texts and other values are elements, so that they
can be coloured; the content of brackets is an element too, so that it can be folded. An object in a list is
an element with all of its lines, so that it can be hidden; in long lists, groups of objects are elements
(`<code>`), which browsers lay out only when they are nearly in view.

`rows_of` is for the lists of the facet sections, which may have thousands of entries: an entry is a row of a
table whose cells are its texts, and the style shows or hides the JSON around them (`<i>`). So the same HTML
is both the JSON and a table for people, with few elements per entry. Rows are in groups, which browsers lay
out when they are nearly in view. Optional tags are omitted.

The fragment of an entry's URL is its id (`#17`), and a link leads to it: in a `<pre>` the id itself, in a row
the JSON before its first text. `render_block` uses the position of entries that have no id.

Characters that people are to see differently are marked inside a cell: `<s>` is hidden from them, `<u>` is a
line break, `<em>` is a space. Of the markup inside a text, only `<sub>` and `<sup>` become elements.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import count, pairwise
from typing import Any

import orjson

from labgen.render.encode_json import escape_line_separators, json_strings, split_strings
from labgen.render.frames import Frame, escaped
from labgen.render.links import NO_LINKS, Links, address_of

INDENT = b"  "
GROUP = 50
"""The number of entries of a long list that browsers lay out at once."""
_BETWEEN = b",\n</span>"
"""The end of each object in a list except the last."""

_TEXT = rb'"(?:[^"\\\n]|\\.)*"'
_LINE = re.compile(rb"^( *)(?:(%b): )?(?:(%b)|([-\dtfn][^,\n]*)|([\]}]))?" % (_TEXT, _TEXT), re.MULTILINE)
"""The indentation of a line, its key, its text or other value, or the bracket that it closes."""
_ITEM = re.compile(rb"^( +)\{<span>\n(.*?^\1)</span>(\},?\n)", re.MULTILINE | re.DOTALL)
"""An object in a list: its indentation, its lines, and its end."""
_ID = re.compile(rb'^ *<i>"(?:display_)?id"</i>: <([bu])>(?:<a [^>]*>)?(.*?)(?:</a>)?</\1>')
"""The first line of an object that has an id; the id of a laboratory is a link to it."""


def render_block(document: Any, links: Links, depth: int = 0) -> bytes:
    """Return a document as HTML; `links` decides which values become links.

    Without its tags, and with the character references resolved, the text parses to the document. `depth` is
    the number of containers around it; all lines but the first are indented by it. Objects in lists have an
    id attribute: their id, or else their position, from 1.
    """
    text = _coloured(_indented(document), links)
    text = text.replace(b"{\n", b"{<span>\n").replace(b"[\n", b"[<span>\n")
    if b" {<span>\n" in text:
        places = count(1)
        text = _ITEM.sub(lambda found: _item(next(places), *found.groups()), text)
        if isinstance(document, list) and len(document) > GROUP:
            items = text.removeprefix(b"[<span>\n").removesuffix(b"\n</span></span>]")
            text = fill_list(items.split(_BETWEEN))
    return text.replace(b"\n", b"\n" + INDENT * depth) if depth else text


def _item(place: int, indent: bytes, lines: bytes, end: bytes) -> bytes:
    start, lines = _addressed(lines)
    return b"%b%b{\n%b%b</span>" % (start or b'<span id="%d">' % place, indent, lines, end)


def _addressed(lines: bytes) -> tuple[bytes, bytes]:
    """Return the start of an object that has an id, and its lines, in which a numeric id is a link to it."""
    found = _ID.match(lines)
    if not found or found[2] == b'""':
        return b"", lines
    if found[1] == b"b":
        return b'<span id="%b">' % address_of(found[2][1:-1]), lines
    start, end = found.span(2)
    link = b'<a href="#%b">%b</a>' % (found[2], found[2])
    return b'<span id="%b">' % found[2], lines[: start - len(b"<u>")] + link + lines[end + len(b"</u>") :]


def render_item(item: Any, links: Links, depth: int = 1) -> bytes:
    """Return an object of a list as HTML, without its end (see `fill_list`)."""
    lines = render_block(item, links, depth).removeprefix(b"{<span>\n").removesuffix(b"</span>}")
    start, lines = _addressed(lines)
    return b"%b%b{\n%b}" % (start or b"<span>", INDENT * depth, lines)


def fill_list(items: Sequence[bytes], depth: int = 1) -> bytes:
    """Join results of `render_item` into a list, as `render_block` would render it."""
    if not items:
        return b"[]"
    groups = [_BETWEEN.join(items[first : first + GROUP]) for first in range(0, len(items), GROUP)]
    lines = (_BETWEEN + b"</code><code>").join(groups) + b"\n</span>"
    if len(groups) > 1:
        lines = b"<code>%b</code>" % lines
    return b"[<span>\n%b%b</span>]" % (lines, INDENT * (depth - 1))


def around_list(document: Any, links: Links) -> tuple[bytes, bytes]:
    """Return the HTML of a document before and after its last value, which is an empty list."""
    before, _, after = render_block(document, links).rpartition(b"[]")
    return before, after


def _indented(document: Any) -> bytes:
    """Return indented JSON, escaped for HTML. No text in it contains a line break."""
    return escaped(escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2)))


def _coloured(text: bytes, links: Links) -> bytes:
    """Mark keys of indented JSON as `<i>`, texts as `<b>`, other values as `<u>`; brackets close `<span>`."""

    def mark(line: "re.Match[bytes]") -> bytes:
        indent, key, value, other, bracket = line.groups()
        if bracket:
            return b"%b</span>%b" % (indent, bracket)
        if key:
            indent = b"%b<i>%b</i>: " % (indent, key)
        if value:
            return b"%b<b>%b</b>" % (indent, links.link(key, value))
        return b"%b<u>%b</u>" % (indent, other) if other else indent

    return _LINE.sub(mark, text)


def rows_of(items: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Return entries of a list as table rows, each with a cell for each of its texts, without its end."""
    cells = iter(cell_texts([value for item in items for value in item.values() if type(value) is str]))
    rows = []
    for item in items:
        values = [
            next(cells) if type(value) is str else _indented(value).replace(b"\n", b"\n" + INDENT * 3)
            for value in item.values()
        ]
        kinds = tuple([type(value) for value in item.values()])
        rows.append(_row(tuple(item), kinds).fill(values))
    return rows


@lru_cache(maxsize=1000)
def _row(names: Sequence[str], kinds: Sequence[type]) -> Frame:
    """Return the frame of rows with these field names and types; the title is the row's header."""
    texts = [name for name, kind in zip(names, kinds, strict=True) if kind is str]
    cells = {name: b"<th>" if after == "title" else b"<td>" for name, after in pairwise(texts)}
    start, text, end = b"<tr>", b"<td><i>    {\n", b"</i>"
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        value = b"\0%d\0" % place
        if kind is int and name == "id" and place == 0:
            start, text, end = b'<tr id="%b">' % value, b'<td><a href="#%b">    {\n' % value, b"</a>"
        text += b"      %b: " % _key(name)
        if kind is str:
            text += b'"%b%b%b<i>"' % (end, value, cells.get(name, b""))
            end = b"</i>"
        else:
            text += value
        text += b",\n" if place + 1 < len(names) else b"\n    }"
    pieces = re.split(rb"\0(\d+)\0", start + text)
    return Frame(pieces[::2], [int(place) for place in pieces[1::2]])


_key = cache(_indented)


def around_rows(envelope: Any) -> tuple[bytes, bytes]:
    """Return the HTML before and after the rows, for an envelope whose last value is an empty list."""
    return _around(_indented(envelope))


@lru_cache(maxsize=64)
def _around(envelope: bytes) -> tuple[bytes, bytes]:
    text = _coloured(envelope, NO_LINKS).replace(b"</span>", b"")
    before, _, after = text.rpartition(b"[]")
    start = b'<tbody><tr class="around"><td>%b[' % before
    return start, b'<tr class="around"><td>  ]%b</td></tr></tbody>' % after


def render_rows(envelope: Any, rows: Sequence[bytes]) -> bytes:
    """Return the body of a table: the envelope around its entries, which are results of `rows_of`.

    Its text content is the JSON document.
    """
    before, after = around_rows(envelope)
    return fill_rows(before, rows, after)


def fill_rows(before: bytes, rows: Sequence[bytes], after: bytes) -> bytes:
    """Return rows between the two results of `around_rows`."""
    if not rows:
        return b"%b\n%b" % (before, after)
    groups = [b",\n</i>".join(rows[first : first + GROUP]) for first in range(0, len(rows), GROUP)]
    return b"%b\n%b\n</i>%b" % (before, b",\n</i><tbody>".join(groups), after)


_MARKUP = re.compile(rb"&lt;(su[bp])&gt;((?:(?!&lt;/?su[bp]&gt;).)*)&lt;/\1&gt;")
_GAP = rb"\\[nrt]|;;|\\u202[89]"
_SPELT = re.compile(rb"([\\;](?:(?<=\\)[\"\\]|(?:(?<=\\)[nrt]|(?<=\\)u202[89]|(?<=;);)(?:%b|[ ])*))" % _GAP)
"""An escaped quote or backslash, or gaps. It begins with a character set, which is fast to search for."""
_BREAK = re.compile(rb"\\[nru]|;;")


def cell_texts(texts: Sequence[str]) -> list[bytes]:
    """Return texts as JSON strings without their quotes, marked up so that people can read them."""
    cells = escaped(json_strings(texts))
    is_plain = b"\\" not in cells and b";;" not in cells and b"&lt;su" not in cells
    return split_strings(cells) if is_plain else [_readable(cell) for cell in split_strings(cells)]


def _readable(cell: bytes) -> bytes:
    if b"\\" in cell or b";;" in cell:
        pieces = _SPELT.split(cell)
        pieces[1::2] = map(_marked, pieces[1::2])
        cell = b"".join(pieces)
    if b"&lt;su" in cell:
        cell = _MARKUP.sub(_element, cell)
    return cell


@lru_cache(maxsize=1000)
def _marked(found: bytes) -> bytes:
    """Mark an escape sequence or a gap with HTML elements. Cached, because few different ones occur."""
    if found[1:] in (b'"', b"\\"):
        return b"<s>\\</s>%b" % found[1:]
    return b"<u>%b</u>" % found if _BREAK.search(found) else b"<em>%b</em>" % found


def _element(found: "re.Match[bytes]") -> bytes:
    name, text = found.groups()
    return b"<%b><s>&lt;%b&gt;</s>%b<s>&lt;/%b&gt;</s></%b>" % (name, name, text, name, name)
