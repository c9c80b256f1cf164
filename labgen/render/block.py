"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links.

Two forms. `render_block` is for a `<pre>`: keys, texts and other values are elements, so that they can be
coloured, and what stands in brackets is one too, so that it can be folded. `rows_of` is for the lists of
the facet sections, which may have more than a thousand entries: an entry is a row of a table whose cells are
its texts, and what JSON has around them (`<i>`) is shown or hidden by the style. So one text is both the
JSON and the table for people, at few elements an entry.

What JSON spells and people do not want to see is marked inside a cell: `<s>` is hidden from them, `<u>` is
where a line breaks, `<em>` a space. Of a text's own markup only `<sub>` and `<sup>` become elements.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from html import escape, unescape
from itertools import count
from typing import Any

import orjson

from labgen.render.encode_json import escape_line_separators, spelt, split
from labgen.render.frames import Frame, escaped

INDENT = b"  "
FOLD = b"<span>"

_TEXT = rb'"(?:[^"\\\n]|\\.)*"'
_LINE = re.compile(rb"^( *)(?:(%b): )?(?:(%b)|([-\dtfn][^,\n]*)|([\]}]))?" % (_TEXT, _TEXT), re.MULTILINE)
"""The indentation of a line, its key, its text or other value, or the bracket that it closes."""
_ITEM = re.compile(rb"^( +)\{<span>$", re.MULTILINE)


def render_block(document: Any, links: frozenset[str], depth: int = 0) -> bytes:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document. `depth`
    is the number of containers around it, by which all lines but the first are indented. Objects in lists
    have their place, from 1, as id.
    """
    text = _coloured(_indented(document), links)
    text = text.replace(b"{\n", b"{<span>\n").replace(b"[\n", b"[<span>\n")
    if b" {<span>\n" in text:
        places = count(1)
        text = _ITEM.sub(lambda found: b'%b{<span id="%d">' % (found[1], next(places)), text)
    return text.replace(b"\n", b"\n" + INDENT * depth) if depth else text


def render_item(item: Any, links: frozenset[str], depth: int = 1) -> bytes:
    """Return an object of a list, without its place in it (see `fill_list`)."""
    return render_block(item, links, depth).removeprefix(b"{" + FOLD)


def fill_list(items: Sequence[bytes], depth: int = 1) -> bytes:
    """Return a list of objects, each as `render_item` made it: what `render_block` makes of the list."""
    if not items:
        return b"[]"
    indent = INDENT * (depth - 1)
    return b"[<span>\n%b  %b\n%b</span>]" % (indent, _objects(depth).join(items), indent)


def around_list(document: Any, links: frozenset[str]) -> tuple[bytes, bytes]:
    """Return the block of a document before and after a list: its last value, which is empty."""
    before, _, after = render_block(document, links).rpartition(b"[]")
    return before, after


def _indented(document: Any) -> bytes:
    """Return indented JSON, escaped for HTML. No text in it holds a line break."""
    return escaped(escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2)))


def _coloured(text: bytes, links: frozenset[str]) -> bytes:
    """Return indented JSON with keys as `<i>`, texts as `<b>`, others as `<u>`; brackets close `<span>`."""
    addresses = _keys(links)

    def mark(line: "re.Match[bytes]") -> bytes:
        indent, key, value, other, bracket = line.groups()
        if bracket:
            return b"%b</span>%b" % (indent, bracket)
        if key:
            indent = b"%b<i>%b</i>: " % (indent, key)
        if value:
            shown = _anchor(value) if key in addresses and value != b'""' else value
            return b"%b<b>%b</b>" % (indent, shown)
        return b"%b<u>%b</u>" % (indent, other) if other else indent

    return _LINE.sub(mark, text)


@cache
def _keys(names: frozenset[str]) -> frozenset[bytes]:
    return frozenset(_indented(name) for name in names)


def _anchor(value: bytes) -> bytes:
    return b'<a href="%b">%b</a>' % (address_of(value[1:-1]), value)


def address_of(text: bytes) -> bytes:
    """Return the value of an attribute that a text is, given as JSON spells it, escaped."""
    if b"\\" not in text:
        return text
    address: str = orjson.loads(unescape(f'"{text.decode()}"'))
    return escape(address).replace("\n", "&#10;").encode()


class Numbered:
    """What stands before each of several entries, with its place in the list, from 1."""

    def __init__(self, first: bytes, others: bytes) -> None:
        self.others = others
        self.starts = [first % 1]

    def join(self, entries: Sequence[bytes]) -> bytes:
        """Return the entries, each after its start."""
        for place in range(len(self.starts) + 1, len(entries) + 1):
            self.starts.append(self.others % place)
        parts = [b""] * (2 * len(entries))
        parts[::2], parts[1::2] = self.starts[: len(entries)], entries
        return b"".join(parts)


ROWS = Numbered(b'<tr id="%d">', b',\n</i></td></tr><tr id="%d">')


@cache
def _objects(depth: int) -> Numbered:
    return Numbered(b'{<span id="%d">', b",\n" + INDENT * depth + b'{<span id="%d">')


def rows_of(items: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Return entries of a list, each as the cells of a row, one for each of its texts, without its end."""
    cells = iter(cell_texts([value for item in items for value in item.values() if type(value) is str]))
    rows = []
    for item in items:
        values = [
            next(cells) if type(value) is str else _indented(value).replace(b"\n", b"\n" + INDENT * 3)
            for value in item.values()
        ]
        are_texts = tuple([type(value) is str for value in item.values()])
        rows.append(_row(tuple(item), are_texts).fill(values))
    return rows


@lru_cache(maxsize=1000)
def _row(names: Sequence[str], are_texts: Sequence[bool]) -> Frame:
    """Return what rows have around the values of these names."""
    last = max([place for place, is_text in enumerate(are_texts) if is_text], default=-1)
    around: list[bytes] = []
    text = b"<td><i>    {\n"
    for place, (name, is_text) in enumerate(zip(names, are_texts, strict=True)):
        key = b"      %b: " % _key(name)
        around.append(text + key + (b'"</i>' if is_text else b""))
        text = (b'</td><td><i>"' if place < last else b'<i>"') if is_text else b""
        text += b",\n" if place + 1 < len(names) else b""
    return Frame([*around, text + b"\n    }"], range(len(names)))


_key = cache(_indented)


def around_rows(envelope: Any) -> tuple[bytes, bytes]:
    """Return what stands before and after the rows: an envelope whose last value is an empty list."""
    return _around(_indented(envelope))


@lru_cache(maxsize=64)
def _around(envelope: bytes) -> tuple[bytes, bytes]:
    text = _coloured(envelope, frozenset()).replace(b"</span>", b"")
    before, _, after = text.rpartition(b"[]")
    start = b'<tr class="around"><td>%b[' % before
    return start, b'<tr class="around"><td>  ]%b</td></tr>' % after


def render_rows(envelope: Any, rows: Sequence[bytes]) -> bytes:
    """Return the rows of a table's body: the envelope, and its entries as `rows_of` made them.

    The text of all of it is the document.
    """
    before, after = around_rows(envelope)
    return fill_rows(before, rows, after)


def fill_rows(before: bytes, rows: Sequence[bytes], after: bytes) -> bytes:
    """Return rows between what `around_rows` has given."""
    if not rows:
        return b"%b\n</td></tr>%b" % (before, after)
    return b"%b\n</td></tr>%b\n</i></td></tr>%b" % (before, ROWS.join(rows), after)


_MARKUP = re.compile(rb"&lt;(su[bp])&gt;((?:(?!&lt;/?su[bp]&gt;).)*)&lt;/\1&gt;")
_GAP = rb"\\[nrt]|;;|\\u202[89]"
_SPELT = re.compile(rb"([\\;](?:(?<=\\)[\"\\]|(?:(?<=\\)[nrt]|(?<=\\)u202[89]|(?<=;);)(?:%b|[ ])*))" % _GAP)
"""A backslash and what it escapes, or gaps. It begins with a set of characters, which is searched quickly."""
_BREAK = re.compile(rb"\\[nru]|;;")


def cell_texts(texts: Sequence[str]) -> list[bytes]:
    """Return texts as JSON spells them, without their quotes, and marked so that people can read them."""
    cells = escaped(spelt(texts))
    is_plain = b"\\" not in cells and b";;" not in cells and b"&lt;su" not in cells
    return split(cells) if is_plain else [_readable(cell) for cell in split(cells)]


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
    """Return what JSON spells, marked: an escaped character, or a gap. There are few of these."""
    if found[1:] in (b'"', b"\\"):
        return b"<s>\\</s>%b" % found[1:]
    return b"<u>%b</u>" % found if _BREAK.search(found) else b"<em>%b</em>" % found


def _element(found: "re.Match[bytes]") -> bytes:
    name, text = found.groups()
    return b"<%b><s>&lt;%b&gt;</s>%b<s>&lt;/%b&gt;</s></%b>" % (name, name, text, name, name)
