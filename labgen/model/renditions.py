"""Compute the paths and sizes of the published pictures (renditions), and draw placeholders.

Nothing here reads or decodes a picture. A path depends only on the digest of the original's bytes, so
documents are rendered without the pictures. `images` makes the renditions.
"""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from xml.sax.saxutils import escape

from labgen.model.german import slugify
from labgen.model.picture_fields import PICTURE_FIELDS, uses_without
from labgen.model.pictures import Picture, Size, Use
from labgen.model.records import LaboratoryRecord
from labgen.model.site_paths import MEDIA_PATH

SUFFIXES = {"webp": ".webp", "jpeg": ".jpg", "png": ".png"}
"""File extensions of renditions, by the format in the settings."""

LONGEST = 80
"""Maximum number of characters of an original's name in a path."""

RECIPE = 2
"""Version of the rendering of pictures: increase it with any change of the pixels."""


@cache
def recipe() -> str:
    """Return what else determines a rendition's bytes: the versions of the rendering and of Pillow."""
    try:
        return f"{RECIPE}, pillow {version('pillow')}"
    except PackageNotFoundError:
        return f"{RECIPE}"


@dataclass(frozen=True, slots=True)
class RenditionPaths:
    """The paths of renditions, from the originals' digests (by file name) and the configured format."""

    digests: Mapping[str, bytes]
    image_format: str

    def key(self, picture: Picture) -> str:
        """Return the key of a picture's renditions: a digest of all that determines their bytes."""
        suffix = picture.name.rpartition(".")[2].lower()
        told = (suffix, _drawn(picture.use), picture.focus, self.image_format, recipe())
        return hashlib.sha256(self.digests[picture.name] + repr(told).encode()).hexdigest()[:16]

    def file(self, size: Size) -> str:
        """Return the file name of a rendition in its picture's folder."""
        return f"{size}{SUFFIXES[self.image_format]}"

    def path(self, picture: Picture, size: Size) -> str:
        """Return the path of a rendition; it contains the original's name in ASCII."""
        stem = picture.name.rpartition("/")[2].rpartition(".")[0]
        return f"{MEDIA_PATH}{self.key(picture)}/{slugify(stem)[:LONGEST] or 'picture'}-{self.file(size)}"


def _drawn(use: Use) -> str:
    """Return how a picture is drawn: its use, and whether it is whole where that is not usual for it."""
    is_whole = PICTURE_FIELDS[use].declared.is_whole
    return use if is_whole == (use == "logo") else f"{use}, {'whole' if is_whole else 'cropped'}"


def placeholders_in(record: LaboratoryRecord) -> tuple[str, ...]:
    """Return the placeholders of a laboratory: for each use that needs one, the use and the initials."""
    uses = uses_without(record)
    return tuple([f"{use} {initials(record.name)}" for use in uses]) if uses else ()


def sizes_of_placeholder(key: str) -> tuple[str, tuple[Size, ...]]:
    """Return the initials of a placeholder, and its sizes."""
    use, _, letters = key.partition(" ")
    return letters, PICTURE_FIELDS[use].declared.sizes


@cache
def placeholder_path(letters: str, size: Size) -> str:
    """Return the site's path of the placeholder with these initials."""
    digest = hashlib.sha256(placeholder(letters, size)).hexdigest()[:16]
    return f"{MEDIA_PATH}{digest}/{_PLACEHOLDER}{size}.svg"


def is_placeholder(file: str) -> bool:
    """Return whether a file below media/ is a placeholder, by its name."""
    return file.rpartition("/")[2].startswith(_PLACEHOLDER)


_PLACEHOLDER = "initials-"


def placeholder(letters: str, size: Size) -> bytes:
    """Return a plain SVG with initials, at the given size: the placeholder of a missing picture."""
    scale = min(size.width / 100, size.height / 80)
    width, height = (f"{side / scale:.6g}" for side in size)
    x, y = (f"{side / scale / 2 + down:.6g}" for side, down in zip(size, (0, 11), strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size.width}" height="{size.height}"'
        f' viewBox="0 0 {width} {height}"><path fill="#e7ebf0" d="M0 0h{width}v{height}H0z"/>'
        f'<text x="{x}" y="{y}" text-anchor="middle" font-family="sans-serif" font-size="32" fill="#465566">'
        f"{escape(letters)}</text></svg>"
    ).encode()


@lru_cache(maxsize=4)
def initials(name: str) -> str:
    """Return the first letters or digits of a name's first two words, upper-case; "?" if it has none."""
    words = unicodedata.normalize("NFC", name).split()
    firsts = [next((char for char in word if char.isalnum()), "") for word in words]
    return "".join([first.upper() for first in firsts if first][:2]) or "?"
