"""Define the summary of a laboratory: the small part of its data that a build keeps without its record."""

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
    """Return entries of a catalogue as facets, from the catalogue's number and the ids of the entries."""
    if catalogue >= MAX_CATALOGUES:
        raise ValueError(f"catalogue {catalogue}: facets have room for {MAX_CATALOGUES} catalogues")
    return [one << CATALOGUE_BITS | catalogue for one in ids]


def ids_of(catalogue: int, facets: Iterable[Facet]) -> list[int]:
    """Return the ids of those facets that are entries of a catalogue, given by its number."""
    return [one >> CATALOGUE_BITS for one in facets if one % MAX_CATALOGUES == catalogue]


def compact(numbers: Iterable[int]) -> "array[int]":
    """Return an array of the numbers with four bytes each, or with eight if a number is too large."""
    listed = list(numbers)
    try:
        return array("I", listed)
    except OverflowError:
        return array("Q", listed)


Use = Literal["logo", "image", "gallery"]
"""The fields of a record that refer to pictures: each has its own sizes."""

USES: tuple[Use, ...] = ("logo", "image", "gallery")

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
        if not self.addresses:
            return [self.name]
        own = (one for one in self.addresses if one.startswith(MEDIA_PATH))
        return [PUBLISHED + one.removeprefix(MEDIA_PATH) for one in own]


def is_address(name: str) -> bool:
    """Return whether a picture is given by its URL and not by its file."""
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


class SimilarList(NamedTuple):
    """The published list of similar laboratories, and the last (commonest) facet that counted for it.

    `last` is None if all facets counted, or if the record contains the list (see `similar.similarity`).
    """

    display_ids: tuple[str, ...]
    last: Facet | None = None


class SiteLink(NamedTuple):
    """A link of a laboratory into the site, and its place in the record: `resources/0/url` (RFC 6901)."""

    address: str
    place: str

    @property
    def pointer(self) -> tuple[str | int, ...]:
        """The pointer to the link in the laboratory's record."""
        return tuple(int(step) if step.isdecimal() else step for step in self.place.split("/"))


class Certificate(NamedTuple):
    """A certificate whose number only one organisation can have: its key, position, and the organisation.

    `key` is the name of the rule for the accreditation body's numbers, and the number; `host` is the host of
    the laboratory's website, which identifies the organisation.
    """

    key: str
    position: int
    host: str


class Extras(NamedTuple):
    """The rare parts of a laboratory's summary; most laboratories have none of them.

    `sections` are the names of the optional sections that it has data for, `published_on` its date for `new`
    or "". `facets` are the entries that it refers to in catalogues that are not compared, `countries` those
    of its job listings, `links` its links into the site, and `certificates` the certificates whose numbers
    only one organisation can have.
    """

    sections: tuple[str, ...]
    published_on: str = ""
    facets: tuple[Facet, ...] = ()
    countries: tuple[str, ...] = ()
    links: tuple[SiteLink, ...] = ()
    certificates: tuple[Certificate, ...] = ()


class Summary(NamedTuple):
    """The part of a laboratory that is stored between builds, for others' documents and for checks.

    `file` is its source file, `line` its line there if the file contains several laboratories, `digest` the
    digest of the source text. `own_similar` is the record's list or None, `pictures` are its uses of
    originals, `initials` are on the placeholder of a missing logo. `secrets` and `mentions` are digests (see
    `source.checks.contacts`): of the contact's e-mail address and number, and of texts that look like these.
    `extras` is None for a laboratory that has none of these parts.
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
        """The laboratory's certificates whose numbers belong to a single organisation."""
        return self.extras.certificates if self.extras else ()

    @property
    def originals(self) -> set[str]:
        """The names of the files below data/media/ that the laboratory's pictures need."""
        return {file for one in self.pictures for file in one.files}
