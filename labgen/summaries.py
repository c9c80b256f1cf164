"""What the rest of the site needs to know of a laboratory: little enough to keep that of all of them."""

from array import array
from collections.abc import Iterable
from typing import Literal, NamedTuple

Facet = int
"""An entry of a catalogue that laboratories share: 8 times its id, and the number of its section."""

SECTIONS = ("materials", "test_methods", "accreditation_standards", "certifications", "standards")
"""The catalogues that facets are of; a facet's section is the place here."""


SECTION_BITS = 3


def facets_of(section: int, numbers: Iterable[int]) -> list[Facet]:
    """Return the facets for entries of a section, by their ids."""
    return [number << SECTION_BITS | section for number in numbers]


def numbers_in(section: int, facets: Iterable[Facet]) -> list[int]:
    """Return the ids of a section's entries among facets."""
    return [one >> SECTION_BITS for one in facets if one % (1 << SECTION_BITS) == section]


def compact(numbers: Iterable[int]) -> "array[int]":
    """Return numbers in four bytes each, or in eight where one of them is too large."""
    listed = list(numbers)
    try:
        return array("I", listed)
    except OverflowError:
        return array("Q", listed)


Use = Literal["logo", "image", "gallery"]
"""The fields of a record that name pictures: each has its sizes."""

USES: tuple[Use, ...] = ("logo", "image", "gallery")

Focus = tuple[int, int]
"""The point of a picture that matters most, in percent from the left and from the top."""

CENTRE: Focus = (50, 50)


class Picture(NamedTuple):
    """A use of an original: its name below data/media/, the field, and the point that stays in view."""

    name: str
    use: Use
    focus: Focus = CENTRE


class Card(NamedTuple):
    """A laboratory as the documents of others show it (specification 2.5); `country` is the iso_code."""

    display_id: str
    name: str
    slug: str
    image: Picture | None
    locality: str
    country: str


class Shown(NamedTuple):
    """The laboratories that a laboratory's list shows, and the last of its rarest facets.

    `last` is None where it has fewer rare facets than count, or a list of its own (see `similarity`).
    """

    display_ids: tuple[str, ...]
    last: Facet | None = None


class Summary(NamedTuple):
    """A laboratory without its contents.

    `file`, `line` and `digest` are where it is written, its line there if the file holds several, and the
    digest of what is written. `own_similar` is the record's list or None, `pictures` what it shows of
    which originals, `initials` what stands for a logo that it has not. `secrets` and `mentions` are
    digests (see `source.contacts`): of its contact's address and number, and of what in its texts looks
    like one.
    """

    file: str
    line: int | None
    digest: bytes
    card: Card
    own_similar: tuple[str, ...] | None
    facets: "array[int]"
    pictures: tuple[Picture, ...]
    initials: str | None
    secrets: "array[int]"
    mentions: "array[int]"
    has_warnings: bool

    @property
    def originals(self) -> set[str]:
        """The names of the originals that it shows."""
        return {one.name for one in self.pictures}
