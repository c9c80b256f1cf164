"""The images that documents name: originals, and the placeholder for a laboratory without a logo.

Renditions of the sizes that the specification names are not made yet: an original is published as it is,
metadata included, and stands at the address of each of its sizes.
"""

import hashlib
import unicodedata
from typing import NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


LOGO = Size(100, 80)
LOGO_2X = Size(200, 160)
MEDIA_PATH = "/media/"


def original_path(name: str) -> str:
    """Return the site's path of an original, as an address spells it."""
    return MEDIA_PATH + quote(name)


def placeholder_path(letters: str, size: Size) -> str:
    """Return the site's path of the placeholder with these initials."""
    digest = hashlib.sha256(placeholder(letters, size)).hexdigest()[:16]
    return f"{MEDIA_PATH}{digest}/initials-{size.width}x{size.height}.svg"


def placeholder(letters: str, size: Size) -> bytes:
    """Return a plain SVG with initials, at the size asked for."""
    width, height = size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 100 80">'
        '<path fill="#e7ebf0" d="M0 0h100v80H0z"/>'
        '<text x="50" y="51" text-anchor="middle" font-family="sans-serif" font-size="32" fill="#465566">'
        f"{escape(letters)}</text></svg>"
    ).encode()


def initials(name: str) -> str:
    """Return the first letters or digits of a name's first two words, upper-case; "?" where it has none."""
    words = unicodedata.normalize("NFC", name).split()
    firsts = [next((char for char in word if char.isalnum()), "") for word in words]
    return "".join([first.upper() for first in firsts if first][:2]) or "?"
