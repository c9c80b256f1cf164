"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links."""

from html import escape
from typing import Any

import orjson

from labgen.render.documents import escape_line_separators, render_json

INDENT = b"  "
MARK = b"\x01"
"""Stands in the place of a link while the text around it is escaped; JSON has no such character unescaped."""


def render_block(document: Any, links: frozenset[str], depth: int = 0) -> bytes:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document. `depth`
    is the number of containers around it, by which all lines but the first are indented.
    """
    anchors: list[bytes] = []
    marked = _marked(document, links, anchors) if links else document
    text = escape_line_separators(orjson.dumps(marked, option=orjson.OPT_INDENT_2))
    text = text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
    if depth:
        text = text.replace(b"\n", b"\n" + INDENT * depth)
    if anchors:
        pieces = text.split(MARK)
        pieces[1::2] = anchors
        text = b"".join(pieces)
    return text


def _marked(value: Any, links: frozenset[str], anchors: list[bytes]) -> Any:
    """Return a copy of a value with marks for its links, and add what belongs there to `anchors`."""
    if type(value) is list:
        return [_marked(part, links, anchors) for part in value]
    if type(value) is not dict:
        return value
    copy: dict[str, Any] = {}
    for key, part in value.items():
        if key in links and type(part) is str and part:
            anchors.append(_anchor(part))
            copy[key] = _PLACE
        else:
            copy[key] = _marked(part, links, anchors) if type(part) in _CONTAINERS else part
    return copy


_PLACE = orjson.Fragment(MARK + MARK)
_CONTAINERS = (dict, list)


def _anchor(address: str) -> bytes:
    shown = escape(render_json(address).decode(), quote=False)
    return f'<a href="{escape(address)}">{shown}</a>'.encode()
