"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links.

Two forms. `render_block` is for a `<pre>`: keys, texts and other values are elements, so that they can be
coloured, and what stands in brackets is one too, so that it can be folded. `render_row` is for the lists of
the facet sections, which may have more than a thousand entries: an entry is a row of a table whose cells are
its texts, and what JSON has around them (`<i>`) is shown or hidden by the style. So one text is both the
JSON and the table for people, at few elements an entry.

What JSON spells and people do not want to see is marked inside a cell: `<s>` is hidden from them, `<u>` is
where a line breaks, `<em>` a space. Of a text's own markup only `<sub>` and `<sup>` become elements.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape, unescape
from itertools import count
from typing import Any

import orjson

from labgen.render.documents import escape_line_separators

INDENT = b"  "
FOLD = b"<span>"

_TEXT = rb'"(?:[^"\\\n]|\\.)*"'
_KEY = re.compile(rb"^( *)(%b): " % _TEXT, re.MULTILINE)
_TEXT_VALUE = re.compile(rb"(^ *|</i>: )(%b)(?=,?$)" % _TEXT, re.MULTILINE)
_OTHER_VALUE = re.compile(rb"(^ *|</i>: )(-?[0-9][-+.\deE]*|true|false|null)(?=,?$)", re.MULTILINE)
_OPENS = re.compile(rb"([\[{])$", re.MULTILINE)
_CLOSES = re.compile(rb"(\n *)([\]}])")
_ITEM = re.compile(rb"^( +)\{<span>$", re.MULTILINE)


def render_block(document: Any, links: frozenset[str], depth: int = 0) -> bytes:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document. `depth`
    is the number of containers around it, by which all lines but the first are indented. Objects in lists
    have their place, from 1, as id.
    """
    text = _coloured(_indented(document), links)
    text = _CLOSES.sub(rb"\1</span>\2", _OPENS.sub(rb"\1<span>", text))
    places = count(1)
    text = _ITEM.sub(lambda found: b'%b{<span id="%d">' % (found[1], next(places)), text)
    return text.replace(b"\n", b"\n" + INDENT * depth) if depth else text


def render_item(item: Any, links: frozenset[str]) -> bytes:
    """Return an object of a list, without its place in it (see `fill_list`)."""
    return render_block(item, links, 1).removeprefix(b"{" + FOLD)


def fill_list(items: Sequence[bytes]) -> bytes:
    """Return a list of objects, each as `render_item` made it: what `render_block` makes of the list."""
    listed = [b'{<span id="%d">%b' % numbered for numbered in enumerate(items, 1)]
    return b"[<span>\n  %b\n</span>]" % b",\n  ".join(listed)


def _indented(document: Any) -> bytes:
    """Return indented JSON, escaped for HTML. No text in it holds a line break."""
    return _escaped(escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2)))


def _escaped(text: bytes) -> bytes:
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")


def _coloured(text: bytes, links: frozenset[str]) -> bytes:
    """Return indented JSON with keys as `<i>`, texts as `<b>` and other values as `<u>`."""
    text = _TEXT_VALUE.sub(rb"\1<b>\2</b>", _KEY.sub(rb"\1<i>\2</i>: ", text))
    text = _OTHER_VALUE.sub(rb"\1<u>\2</u>", text)
    return _fields(links).sub(_anchor, text) if links else text


@cache
def _fields(names: frozenset[str]) -> "re.Pattern[bytes]":
    """Return what finds fields that hold a text."""
    keys = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf'^( *<i>"(?:{keys})"</i>: )<b>"((?:[^"\\\n]|\\.)+)"</b>'.encode(), re.MULTILINE)


def _anchor(field: "re.Match[bytes]") -> bytes:
    key, value = field.groups()
    address = value
    if b"\\" in value:
        text: str = orjson.loads(b'"' + unescape(value.decode()).encode() + b'"')
        address = escape(text).encode()
    return b'%b<b><a href="%b">"%b"</a></b>' % (key, address, value)


ROW_END = b",\n</i></td></tr>"
LAST_ROW_END = b"\n</i></td></tr>"


def render_row(item: Mapping[str, Any]) -> bytes:
    """Return an entry of a list as the cells of a row, one for each of its texts, without its end."""
    cells = []
    around = b"    {\n"
    separator = b""
    for name, value in item.items():
        key = b"%b      %b: " % (separator, _indented(name))
        if isinstance(value, str):
            cells.append(b'<td><i>%b%b"</i>%b' % (around, key, cell_text(value)))
            around = b'"'
        else:
            around += key + _indented(value).replace(b"\n", b"\n" + INDENT * 3)
        separator = b",\n"
    if not cells:
        return b"<td><i>%b\n    }" % around
    return b"</td>".join(cells) + b"<i>%b\n    }" % around


def around_rows(envelope: Any) -> tuple[bytes, bytes]:
    """Return what stands before and after the rows: an envelope whose last value is an empty list."""
    before, _, after = _coloured(_indented(envelope), frozenset()).rpartition(b"[]")
    start = b'<tr class="around"><td>%b[' % before
    return start, b'<tr class="around"><td>  ]%b</td></tr>' % after


def render_rows(envelope: Any, rows: Sequence[bytes]) -> bytes:
    """Return the rows of a table's body: the envelope, and its entries as `render_row` made them.

    The text of all of it is the document.
    """
    before, after = around_rows(envelope)
    return fill_rows(before, rows, after)


def fill_rows(before: bytes, rows: Sequence[bytes], after: bytes) -> bytes:
    """Return rows between what `around_rows` has given."""
    if not rows:
        return b"%b\n</td></tr>%b" % (before, after)
    middle = [part for place, row in enumerate(rows, 1) for part in (b'<tr id="%d">' % place, row, ROW_END)]
    middle[-1] = LAST_ROW_END
    return b"".join((before, b"\n</td></tr>", *middle, after))


_MARKUP = re.compile(rb"&lt;(su[bp])&gt;((?:(?!&lt;/?su[bp]&gt;).)*)&lt;/\1&gt;")
_SPELT = re.compile(
    rb"""\\(?P<char>["\\])
    |(?P<line>(?:\\[nrt]|[ ]){0,8}(?:\\[nr]|;;|\\u202[89])(?:\\[nrt]|[ ]|;;|\\u202[89])*)
    |(?P<tab>\\t)""",
    re.VERBOSE,
)


def cell_text(text: str) -> bytes:
    """Return a text as JSON spells it, without its quotes, and marked so that people can read it."""
    spelt = _escaped(escape_line_separators(orjson.dumps(text))[1:-1])
    if b"\\" in spelt or b";;" in spelt:
        spelt = _SPELT.sub(_marked, spelt)
    if b"&lt;su" in spelt:
        spelt = _MARKUP.sub(rb"<\1><s>&lt;\1&gt;</s>\2<s>&lt;/\1&gt;</s></\1>", spelt)
    return spelt


def _marked(found: "re.Match[bytes]") -> bytes:
    if char := found["char"]:
        return b"<s>\\</s>%b" % char
    return b"<u>%b</u>" % found["line"] if found["line"] else b"<em>\\t</em>"
