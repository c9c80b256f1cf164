"""A document as the bytes that a client fetches (decisions, "JSON")."""

from typing import Any

import orjson


def render_json(document: Any) -> bytes:
    r"""Return compact UTF-8 JSON in the document's order, no final newline.

    U+2028 and U+2029 are escaped, nothing else beyond what JSON demands (RFC 8259, section 7).
    """
    return escape_line_separators(orjson.dumps(document))


def spelt(text: str) -> bytes:
    """Return a text as JSON spells it, without its quotes."""
    return escape_line_separators(orjson.dumps(text)[1:-1])


def escape_line_separators(data: bytes) -> bytes:
    """Return JSON with U+2028 and U+2029 escaped."""
    if b"\xe2\x80" not in data:
        return data
    return data.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
