"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links."""

import json
from collections.abc import Callable
from functools import lru_cache
from html import escape
from json.encoder import encode_basestring
from typing import Any

INDENT = "  "

Put = Callable[[str], None]


def render_block(document: Any, links: frozenset[str], depth: int = 0) -> str:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document. `depth`
    is the number of containers around it, by which all lines but the first are indented.
    """
    pieces: list[str] = []
    _put_value(document, "\n" + INDENT * depth, links, pieces.append, is_link=False)
    return "".join(pieces)


def _put_value(value: Any, newline: str, links: frozenset[str], put: Put, *, is_link: bool) -> None:
    kind = type(value)
    if kind is str:
        put(_link(value) if is_link else _text(value))
    elif kind is dict and value:
        inner = newline + INDENT
        before = "{" + inner
        for key, part in value.items():
            put(f"{before}{_key(key)}: ")
            _put_value(part, inner, links, put, is_link=key in links)
            before = "," + inner
        put(newline + "}")
    elif kind is list and value:
        inner = newline + INDENT
        before = "[" + inner
        for part in value:
            put(before)
            _put_value(part, inner, links, put, is_link=False)
            before = "," + inner
        put(newline + "]")
    else:
        put(json.dumps(value))


def _text(value: str) -> str:
    quoted = encode_basestring(value)
    if not value.isascii():
        quoted = quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return quoted.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_key = lru_cache(maxsize=1024)(_text)
"""A key as text: of these there are few."""


def _link(value: str) -> str:
    return f'<a href="{escape(value)}">{_text(value)}</a>' if value else _text(value)
