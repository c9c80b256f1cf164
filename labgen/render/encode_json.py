"""Encode a document as the exact JSON bytes that clients fetch (docs/reference/decisions.md)."""

from collections.abc import Sequence
from typing import Any

import orjson


def render_json(document: Any) -> bytes:
    r"""Return compact UTF-8 JSON in the document's order, no final newline.

    U+2028 and U+2029 are escaped, nothing else beyond what JSON demands (RFC 8259, section 7).
    """
    return escape_line_separators(orjson.dumps(document))


def spelt(texts: Sequence[str]) -> bytes:
    """Return texts as JSON spells them, without the first and the last quote: for `split`."""
    return escape_line_separators(
        orjson.dumps(texts, option=orjson.OPT_INDENT_2)[len(_BEFORE) : -len(_AFTER)]
    )


_BEFORE, _BETWEEN, _AFTER = b'[\n  "', b'",\n  "', b'"\n]'
"""What stands around the texts of an indented list. A line break stands in no spelt text."""


def split(texts: bytes) -> list[bytes]:
    """Return each text of what `spelt` has returned, or of what was made of it; there is at least one."""
    return texts.split(_BETWEEN)


def escape_line_separators(data: bytes) -> bytes:
    """Return JSON with U+2028 and U+2029 escaped."""
    if b"\xe2\x80" not in data:
        return data
    return data.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
