"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links."""

import re
from functools import cache
from html import escape, unescape
from typing import Any

import orjson

from labgen.render.documents import escape_line_separators

INDENT = b"  "


def render_block(document: Any, links: frozenset[str], depth: int = 0) -> bytes:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document. `depth`
    is the number of containers around it, by which all lines but the first are indented.
    """
    text = escape_line_separators(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    text = text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
    if links:
        text = _fields(links).sub(_anchor, text)
    return text.replace(b"\n", b"\n" + INDENT * depth) if depth else text


@cache
def _fields(names: frozenset[str]) -> "re.Pattern[bytes]":
    """Return what finds fields that hold a text. No text holds a line break, so a line begins with a key."""
    keys = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf'^( *"(?:{keys})": )"((?:[^"\\]|\\.)+)"'.encode(), re.MULTILINE)


def _anchor(field: "re.Match[bytes]") -> bytes:
    key, value = field.groups()
    address = value
    if b"\\" in value:
        text: str = orjson.loads(b'"' + unescape(value.decode()).encode() + b'"')
        address = escape(text).encode()
    return b'%b<a href="%b">"%b"</a>' % (key, address, value)
