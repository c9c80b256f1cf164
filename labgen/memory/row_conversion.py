"""Convert laboratories to database rows and back."""

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from labgen.model.pictures import Picture
from labgen.model.summaries import Card, Certificate, Extras, SimilarList, SiteLink, Summary
from labgen.similar.similarity import Traits

LABORATORY_COLUMNS = 19
FACET_COUNT_SQL = f"(length(facets) - 1) / CASE substr(facets, 1, 1) WHEN x'{ord('I'):x}' THEN 4 ELSE 8 END"
"""The SQL expression for a laboratory's number of facets (see `_dump`)."""


class StoredLaboratory(NamedTuple):
    """A remembered laboratory: its number and its summary.

    `shown` is the list of similar laboratories that was published last, or None.
    """

    number: int
    summary: Summary
    shown: SimilarList | None = None


class Listing(NamedTuple):
    """What a laboratory's published list of similar laboratories depends on.

    Its number, its traits, the record's own list or None, and the list that was published last or None.
    """

    number: int
    traits: Traits
    own: tuple[str, ...] | None
    shown: SimilarList | None


def laboratory_row(number: int, one: Summary) -> tuple[Any, ...]:
    """Convert a summary to a row of the table `laboratory`."""
    card = one.card
    return (
        number,
        card.display_id,
        one.file,
        one.line,
        one.digest,
        card.name,
        card.slug,
        card.locality,
        card.country,
        one.rating,
        to_json(_plain(card.image)) if card.image else None,
        None if one.own_similar is None else to_json(one.own_similar),
        _dump(one.facets),
        to_json([_plain(picture) for picture in one.pictures]) if one.pictures else None,
        to_json(one.placeholders) if one.placeholders else None,
        _dump(one.secrets),
        _dump(one.mentions),
        one.fingerprint.tobytes(),
        _dump_extras(one.extras) if one.extras else None,
    )


def known_of(row: Sequence[Any]) -> StoredLaboratory:
    """Convert a row of the table `laboratory`, followed by the columns of `similar`, to a laboratory."""
    number, display_id, file, line, digest, name, slug, locality, country, rating, image = row[:11]
    own, facets, pictures, placeholders, secrets, mentions, fingerprint, extras, shown, last = row[11:]
    summary = Summary(
        file,
        line,
        digest,
        card_of((display_id, name, slug, image, locality, country)),
        rating,
        None if own is None else tuple(orjson.loads(own)),
        load_array(facets),
        tuple([picture_of(one) for one in orjson.loads(pictures)]) if pictures else (),
        tuple(orjson.loads(placeholders)) if placeholders else (),
        load_array(secrets),
        load_array(mentions),
        array("I", fingerprint),
        extras_of(extras) if extras else None,
    )
    return StoredLaboratory(number, summary, _shown(shown, last))


def _shown(display_ids: str | None, last: Any) -> SimilarList | None:
    """Convert the columns of `similar` to a list."""
    return None if display_ids is None else SimilarList(tuple(orjson.loads(display_ids)), last)


def listing_of(row: Sequence[Any]) -> Listing:
    """Convert columns of `laboratory` and `similar` to what a list of similar laboratories depends on."""
    number, facets, country, own, shown, last = row
    traits = Traits(load_array(facets), country)
    return Listing(number, traits, None if own is None else tuple(orjson.loads(own)), _shown(shown, last))


def card_of(row: Sequence[Any]) -> Card:
    """Convert columns, in the order of the fields of `Card`, to a card."""
    display_id, name, slug, image, locality, country = row
    return Card(display_id, name, slug, picture_of(orjson.loads(image)) if image else None, locality, country)


def _dump_extras(one: Extras) -> str:
    return to_json(
        (*one[:5], [tuple(link) for link in one.links], [tuple(each) for each in one.certificates])
    )


def extras_of(json: str) -> Extras:
    """Parse the column of `Summary.extras`."""
    sections, published_on, facets, references, countries, links, certificates = orjson.loads(json)
    return Extras(
        tuple(sections),
        published_on,
        tuple(facets),
        tuple(references),
        tuple(countries),
        tuple(SiteLink(*one) for one in links),
        tuple(Certificate(*one) for one in certificates),
    )


def picture_key(picture: Picture) -> str:
    """Return the key of a picture in the table `named_by`."""
    return to_json(_plain(picture))


def picture_of(plain: Sequence[Any]) -> Picture:
    """Convert the parsed JSON form of a picture to a picture."""
    name, use, x, y = plain
    return Picture(name, use, (x, y))


def to_json(value: Any) -> str:
    """Encode a value as JSON text, for a column."""
    return orjson.dumps(value).decode()


def load_array(data: bytes) -> "array[int]":
    """Parse a column with an array: its type code, then its bytes."""
    numbers = array(chr(data[0]))
    numbers.frombytes(data[1:])
    return numbers


def _dump(numbers: "array[int]") -> bytes:
    return numbers.typecode.encode() + numbers.tobytes()


def _plain(picture: Picture) -> tuple[Any, ...]:
    return (picture.name, picture.use, *picture.focus)
