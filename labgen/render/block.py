"""Render a document as indented, coloured JSON in HTML, with links.

Keys, texts and other values are elements of a `<pre>`, so that they can be coloured; the content of brackets
is an element too, so that it can be folded. An object in a list is an element with all of its lines, so that
it can be hidden; in long lists, groups of objects are elements (`<code>`), which browsers lay out only when
they are nearly in view.

The fragment of an entry's URL is its id (`#17`), and the id itself is a link to it; entries that have none
have their position.
"""

import re
from collections.abc import Sequence
from itertools import count
from typing import Any

import orjson

from labgen.render.encode_json import escape_line_separators
from labgen.render.frames import escaped
from labgen.render.links import Links, address_of

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
