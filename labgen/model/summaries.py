"""Define the summary of a laboratory: the small part of its data that other laboratories' pages need."""

from array import array
from collections.abc import Iterable
from typing import Literal, NamedTuple

from labgen.model.site_paths import MEDIA_PATH

Facet = int
"""An entry of a catalogue: its id, and in the last 10 bits the number of its catalogue.

An id has at most 53 bits (`values.MAX_ID`), so a facet fits a signed number of 64 bits.
"""

CATALOGUE_BITS = 10
MAX_CATALOGUES = 1 << CATALOGUE_BITS


def facets_of(catalogue: int, ids: Iterable[int]) -> list[Facet]:
    """Return entries of a catalogue, which is given by its number, as facets."""
    if catalogue >= MAX_CATALOGUES:
        raise ValueError(f"catalogue {catalogue}: facets have room for {MAX_CATALOGUES} catalogues")
    return [one << CATALOGUE_BITS | catalogue for one in ids]


def ids_of(catalogue: int, facets: Iterable[Facet]) -> list[int]:
    """Return the ids of a catalogue's entries among facets."""
    return [one >> CATALOGUE_BITS for one in facets if one % MAX_CATALOGUES == catalogue]


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


PUBLISHED = "published/"
"""The folder below data/media/ with pictures that are published as they are, at their addresses."""


class Picture(NamedTuple):
    """A use of an original: its name below data/media/, the field, and the point that stays in view.

    A picture that is taken as published has its address for a name, or two with a space between: those of the
    small and the large size.
    """

    name: str
    use: Use
    focus: Focus = CENTRE

    @property
    def addresses(self) -> list[str]:
        """The addresses of a picture that is taken as published, the small one first; none of an original."""
        return self.name.split(" ") if is_address(self.name) else []

    @property
    def files(self) -> list[str]:
        """The names below data/media/ of the files that it needs."""
        if not self.addresses:
            return [self.name]
        own = (one for one in self.addresses if one.startswith(MEDIA_PATH))
        return [PUBLISHED + one.removeprefix(MEDIA_PATH) for one in own]


def is_address(name: str) -> bool:
    """Return whether a picture is named by its address and not by its file."""
    return name.startswith(MEDIA_PATH) or name.lower().startswith(("http://", "https://"))


class Card(NamedTuple):
    """A laboratory as the documents of others show it (specification 2.5); `country` is the iso_code."""

    display_id: str
    name: str
    slug: str
    image: Picture | None
    locality: str
    country: str


class Dated(NamedTuple):
    """A laboratory with the date on which it was added to the directory."""

    card: Card
    published_on: str


class Shown(NamedTuple):
    """The laboratories that a laboratory's list shows, and the last of its rarest facets.

    `last` is None where it has fewer rare facets than count, or a list of its own (see `similarity`).
    """

    display_ids: tuple[str, ...]
    last: Facet | None = None


class SiteLink(NamedTuple):
    """A link of a laboratory into the site, and where it is written: `resources/0/url` (RFC 6901)."""

    address: str
    place: str

    @property
    def pointer(self) -> tuple[str | int, ...]:
        """The pointer to the link in the laboratory's record."""
        return tuple(int(step) if step.isdecimal() else step for step in self.place.split("/"))


class Certificate(NamedTuple):
    """A certificate that no two organisations can have: its key, its place in the record, and whose it is.

    `key` is the name of the rule for the accreditation body's numbers, and the number; `host` is that of
    the website.
    """

    key: str
    position: int
    host: str


class Extras(NamedTuple):
    """The summary of a laboratory's optional sections, None for most laboratories.

    `sections` are the names of those that the laboratory has data for, `published_on` its date for `new` or
    "". `facets` are the entries that it names but is not compared by, `countries` those of its job listings,
    `links` what it links to in the site, and `certificates` what only one organisation can have.
    """

    sections: tuple[str, ...]
    published_on: str = ""
    facets: tuple[Facet, ...] = ()
    countries: tuple[str, ...] = ()
    links: tuple[SiteLink, ...] = ()
    certificates: tuple[Certificate, ...] = ()


class Summary(NamedTuple):
    """The remembered part of a laboratory: what decides about other laboratories' documents and about checks.

    `file`, `line` and `digest` are where it is written, its line there if the file holds several, and the
    digest of what is written. `own_similar` is the record's list or None, `pictures` what it shows of
    which originals, `initials` what stands for a logo that it has not. `secrets` and `mentions` are
    digests (see `source.contacts`): of its contact's address and number, and of what in its texts looks
    like one. `extras` is None for a laboratory that has nothing of the kind.
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
    extras: Extras | None = None

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """Its certificates that only one organisation can have."""
        return self.extras.certificates if self.extras else ()

    @property
    def originals(self) -> set[str]:
        """The names of the original picture files."""
        return {file for one in self.pictures for file in one.files}
