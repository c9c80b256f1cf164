"""Define the pictures of laboratories, and the mark that says how those of a field are made."""

from dataclasses import dataclass
from typing import NamedTuple

from labgen.model.site_paths import MEDIA_PATH


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


LOGO = Size(100, 80)
LOGO_2X = Size(200, 160)
CARD = Size(160, 224)
PREVIEW = Size(160, 160)
LARGE = Size(1600, 900)
"""The sizes in the specification (2.1, 2.5, 2.6)."""


@dataclass(frozen=True, slots=True, init=False)
class Pictured:
    """Marks a field of a laboratory, at any depth, that names pictures (`values.Image`).

    Each is made in `sizes`, from small to large. If it `is_whole`, it is fitted into them, else it is cropped
    around its focus. If it `has_initials`, those of the laboratory are drawn where there is no picture.
    """

    sizes: tuple[Size, ...]
    is_whole: bool
    has_initials: bool

    def __init__(self, *sizes: Size, is_whole: bool = False, has_initials: bool = False) -> None:
        for name, value in (("sizes", sizes), ("is_whole", is_whole), ("has_initials", has_initials)):
            object.__setattr__(self, name, value)


Use = str
"""A field of laboratories that names pictures, by its path: `logo`, or `job_listings.photo`."""

Focus = tuple[int, int]
"""The point of a picture that matters most, in percent from the left and from the top."""

CENTRE: Focus = (50, 50)


PUBLISHED = "published/"
"""The folder below data/media/ with pictures that are published unchanged, at their own paths."""


class Picture(NamedTuple):
    """A use of an original: its name below data/media/, the field, and the point that stays in view.

    For a picture that is published unchanged, the name is its URL, or two URLs separated by a space: of the
    small and of the large size.
    """

    name: str
    use: Use
    focus: Focus = CENTRE

    @property
    def addresses(self) -> list[str]:
        """The URLs of a picture that is published unchanged, the small one first; empty for an original."""
        return self.name.split(" ") if is_address(self.name) else []

    @property
    def files(self) -> list[str]:
        """The names below data/media/ of the files that the picture needs."""
        return files_of(self.name)


def files_of(name: str) -> list[str]:
    """Return the names below data/media/ of the files that a picture with this name needs."""
    if not is_address(name):
        return [name]
    own = (one for one in name.split(" ") if one.startswith(MEDIA_PATH))
    return [PUBLISHED + one.removeprefix(MEDIA_PATH) for one in own]


def is_address(name: str) -> bool:
    """Return whether a picture is given by its URL and not by its file."""
    return name.startswith(MEDIA_PATH) or name.lower().startswith(("http://", "https://"))
