"""A document as the bytes that a client fetches (decisions, "JSON")."""

from typing import Any

import orjson

_LINE_SEPARATORS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"))


def render_json(document: Any) -> bytes:
    r"""Return compact UTF-8 JSON in the document's order, no final newline.

    U+2028 and U+2029 are escaped, nothing else beyond what JSON demands (RFC 8259, section 7).
    """
    data = orjson.dumps(document)
    if b"\xe2\x80" in data:
        for raw, escaped in _LINE_SEPARATORS:
            data = data.replace(raw, escaped)
    return data
