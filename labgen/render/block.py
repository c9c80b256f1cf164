"""A document as indented JSON in HTML: its text is exactly the document, and addresses in it are links."""

from collections.abc import Iterator
from html import escape
from json.encoder import encode_basestring
from typing import Any

INDENT = "  "


def render_block(document: Any, links: frozenset[str]) -> str:
    """Return the HTML of a document; the values of the fields named in `links` become links.

    With the tags taken out and the character references resolved, the text parses to the document.
    """
    return "".join(_value(document, "\n", links, is_link=False))


def _value(value: Any, newline: str, links: frozenset[str], *, is_link: bool) -> Iterator[str]:
    match value:
        case str():
            yield _link(value) if is_link else _text(value)
        case dict() if value:
            inner = newline + INDENT
            before = "{" + inner
            for key, part in value.items():
                yield f"{before}{_text(key)}: "
                yield from _value(part, inner, links, is_link=key in links)
                before = "," + inner
            yield newline + "}"
        case list() if value:
            inner = newline + INDENT
            before = "[" + inner
            for part in value:
                yield before
                yield from _value(part, inner, links, is_link=False)
                before = "," + inner
            yield newline + "]"
        case dict():
            yield "{}"
        case list():
            yield "[]"
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case _:
            yield str(value)


def _text(value: str) -> str:
    quoted = encode_basestring(value).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return escape(quoted, quote=False)


def _link(value: str) -> str:
    return f'<a href="{escape(value)}">{_text(value)}</a>' if value else _text(value)
