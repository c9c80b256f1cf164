"""Define the summary of a laboratory: the small part of its data that a build keeps without its record."""

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from labgen.model.pictures import Picture

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


class Card(NamedTuple):
    """A laboratory as the documents of others show it (specification 2.5); `country` is the iso_code."""

    display_id: str
    name: str
    slug: str
    image: Picture | None
    locality: str
    country: str


class Town(NamedTuple):
    """A town of a country, the names that laboratories spell it by, the commonest first, and their number.

    Laboratories without a town have the name "".
    """

    slug: str
    names: tuple[str, ...]
    laboratories: int


class Address(NamedTuple):
    """What the addresses of a laboratory's pages are made of, and its date in the directory or ""."""

    display_id: str
    slug: str
    published_on: str


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
    or "". `facets` are its facets of catalogues that are not compared, `references` the entries to which it
    only refers (see `values.RefersTo`), `countries` those of its job listings, `links` its links into the
    site, and `certificates` the certificates whose numbers only one organisation can have.
    """

    sections: tuple[str, ...]
    published_on: str = ""
    facets: tuple[Facet, ...] = ()
    references: tuple[Facet, ...] = ()
    countries: tuple[str, ...] = ()
    links: tuple[SiteLink, ...] = ()
    certificates: tuple[Certificate, ...] = ()


class Summary(NamedTuple):
    """The part of a laboratory that is stored between builds, for others' documents and for checks.

    `file` is its source file, `line` its line there if the file contains several laboratories, `digest` the
    digest of the source text. `own_similar` is the record's list or None, `pictures` are its uses of
    originals, `placeholders` are drawn where it has none (see `renditions.placeholders_in`). `secrets` and
    `mentions` are digests (see `source.checks.contacts`): of the contact's e-mail address and number, and of
    texts that look like these.
    `fingerprint` is that of the record (see `model.fingerprints`). `extras` is None for a laboratory that has
    none of these parts.
    """

    file: str
    line: int | None
    digest: bytes
    card: Card
    rating: str
    own_similar: tuple[str, ...] | None
    facets: "array[int]"
    pictures: tuple[Picture, ...]
    placeholders: tuple[str, ...]
    secrets: "array[int]"
    mentions: "array[int]"
    fingerprint: "array[int]"
    extras: Extras | None = None

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The laboratory's certificates whose numbers belong to a single organisation."""
        return self.extras.certificates if self.extras else ()

    @property
    def name_and_place(self) -> str:
        """The laboratory's name and place without case, by which one that is there twice is found; or ""."""
        card = self.card
        return f"{card.name}\n{card.locality}\n{card.country}".casefold() if card.locality else ""

    @property
    def originals(self) -> set[str]:
        """The names of the files below data/media/ that the laboratory's pictures need."""
        return {file for one in self.pictures for file in one.files}
