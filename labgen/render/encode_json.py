"""Encode a document as the exact JSON bytes that clients fetch (docs/reference/decisions.md)."""

from collections.abc import Sequence
from typing import Any

import orjson


def render_json(document: Any) -> bytes:
    """Return compact UTF-8 JSON with the keys in the document's order, without a final newline.

    U+2028 and U+2029 are escaped, and otherwise only what JSON requires (RFC 8259, section 7).
    """
    return escape_line_separators(orjson.dumps(document))


def json_strings(texts: Sequence[str]) -> bytes:
    """Return texts as JSON strings in one piece for `split_strings`, without the first and the last quote."""
    return escape_line_separators(
        orjson.dumps(texts, option=orjson.OPT_INDENT_2)[len(_BEFORE) : -len(_AFTER)]
    )


_BEFORE, _BETWEEN, _AFTER = b'[\n  "', b'",\n  "', b'"\n]'
"""The characters around the strings of an indented JSON list. No JSON string contains a line break."""


def split_strings(texts: bytes) -> list[bytes]:
    """Split the result of `json_strings`, or text derived from it, into its strings (at least one)."""
    return texts.split(_BETWEEN)


def escape_line_separators(data: bytes) -> bytes:
    """Return JSON with U+2028 and U+2029 escaped."""
    if b"\xe2\x80" not in data:
        return data
    return data.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
