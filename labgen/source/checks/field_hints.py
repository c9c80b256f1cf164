"""Suggest the field that was meant by an unknown key."""

from collections.abc import Collection
from typing import get_origin

from labgen.model.record_fields import inner_model, model_at, written_fields
from labgen.model.records import Record
from labgen.model.tables import Table
from labgen.problems.hints import closest
from labgen.problems.problem import Pointer
from labgen.problems.text import say

GERMAN_FIELDS = {
    "nr": "id", "nummer": "number", "firma": "name", "bezeichnung": "title", "titel": "title",
    "beschreibung": "summary", "land": "country", "ort": "locality", "stadt": "locality", "straße": "address",
    "strasse": "address", "adresse": "address", "plz": "postal_code", "postleitzahl": "postal_code",
    "webseite": "website", "homepage": "website", "url": "website", "ansprechpartner": "contact_person",
    "vorname": "first_name", "nachname": "last_name", "funktion": "position", "telefon": "phone",
    "mail": "email", "e-mail": "email", "bewertung": "rating", "bewertungen": "reviews", "bild": "image",
    "galerie": "gallery", "norm": "standard", "normen": "standards", "materialien": "materials",
    "werkstoffe": "materials", "prüfverfahren": "test_methods", "akkreditierungen": "accreditations",
    "zertifizierungen": "certifications", "stellenangebote": "job_listings", "datum": "published_on",
    "id": "display_id", "body": "accreditation_body", "stelle": "accreditation_body",
    "encoded_email": "email", "encoded_phone": "phone", "note": "_note", "notiz": "_note",
    "kommentar": "_note", "comment": "_note", "_comment": "_note", "bemerkung": "_note",
}  # fmt: skip
"""Names of fields in German tables and in the API; a field is suggested if the record has it."""
KEYS = ("id", "number")
"""What `Nr.` and `Nummer` name; in a table without it, they are the number of the laboratory."""


def field_meant(given: str, among: Collection[str]) -> str | None:
    """Return the field that was probably meant by a key: by a similar or a German name; or None."""
    folded = given.strip().casefold()
    near, german = closest(folded, tuple(among)), GERMAN_FIELDS.get(folded)
    if german in KEYS and german not in among:
        german = GERMAN_FIELDS["id"]
    return german if german in among and near != folded else near


def column_meant(given: str, table: Table) -> str | None:
    """Return the column that was probably meant by a name in a header, or None."""
    inner = {one.keys[-1]: one.name for one in table.columns.values() if len(one.keys) > 1}
    folded = given.strip().casefold()
    return inner.get(GERMAN_FIELDS.get(folded, folded)) or field_meant(given, tuple(table.columns))


def hint_for_field(given: str, model: type[Record], pointer: Pointer) -> str:
    """Return a hint for an unknown key of a record; `pointer` leads to the object that holds the key."""
    outer = model_at(model, pointer)
    if outer is None:
        return ""
    if near := field_meant(given, tuple(written_fields(outer))):
        return say("did you mean `{near}`?", near=near)
    inside = _inside(given, outer)
    return say("write it inside `{inside}`", inside=inside) if inside else ""


def _inside(given: str, model: type[Record]) -> str:
    """Return the dotted path to the part of a record that has a field, or ""."""
    for name, field in written_fields(model).items():
        inner = inner_model(field.annotation)
        if inner is None or get_origin(field.annotation) is list:
            continue
        if given in written_fields(inner):
            return name
        if deeper := _inside(given, inner):
            return f"{name}.{deeper}"
    return ""
