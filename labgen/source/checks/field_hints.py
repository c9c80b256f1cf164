"""Suggest the field that was meant by an unknown key."""

from collections.abc import Collection, Mapping
from typing import get_origin

from labgen.model.record_fields import inner_model, model_at, written_fields
from labgen.model.records import Record
from labgen.model.tables import Table
from labgen.problems.hints import LETTERS, closest, nearest
from labgen.problems.problem import Pointer
from labgen.problems.text import say

_MEANINGS = """
nr, nr., no.: display_id id
nummer: number display_id id
labornummer, lab-nr, lab-nr., labor-nr, labor-nr., id: display_id
labor, laboratorium, laborname, firma, firmenname: name
bezeichnung: title name
titel, überschrift: title
beschreibung: summary about
land, staat: country
ort, stadt: locality
straße, strasse, adresse, straße und hausnummer: address
plz, postleitzahl: postal_code
webseite, homepage, url, web, internet: website
ansprechpartner: contact_person
vorname: first_name
nachname: last_name
funktion: position
telefon, telefonnummer, tel., fon, encoded_phone: phone
mail, e-mail, e-mail-adresse, encoded_email: email
bewertung, sterne: rating
bewertungen: reviews
autor, kunde: author
bild: image
galerie: gallery
norm: standard accreditation_standard
normen: standards
materialien, werkstoffe: materials
prüfverfahren: test_methods
akkreditierungen: accreditations
body, stelle, akkreditierungsstelle: accreditation_body
urkundennummer: number
zertifizierungen: certifications
stellenangebote: job_listings
datum: published_on created_on
mitglied seit, aufgenommen am: published_on
geprüft, verifiziert: is_verified
status: verification_status deal_status
prüfstatus: verification_status
tarif, vertrag, vertragsart: deal_status
note, notiz, kommentar, comment, _comment, bemerkung: _note
"""
GERMAN_FIELDS: Mapping[str, tuple[str, ...]] = {
    name.strip(): tuple(fields.split())
    for names, fields in (line.split(":") for line in _MEANINGS.strip().splitlines())
    for name in names.split(",")
}
"""Fields by their names in German tables and in the API, the likeliest first; a record has some of them."""


def field_meant(given: str, among: Collection[str]) -> str | None:
    """Return the field that was probably meant by a key: by a similar or a German name; or None."""
    folded = given.strip().casefold()
    near = closest(folded, tuple(among))
    german = next((one for one in GERMAN_FIELDS.get(folded, ()) if one in among), None)
    return german if german and near != folded else near


def column_meant(given: str, table: Table, others: Collection[str] = ()) -> str | None:
    """Return the column, none of the `others`, that was probably meant by a name in a header; or None."""
    free = {name: one for name, one in table.columns.items() if name not in others}
    inner = {one.keys[-1]: name for name, one in free.items() if len(one.keys) > 1}
    folded = given.strip().casefold()
    by_key = (inner[one] for one in GERMAN_FIELDS.get(folded, (folded,)) if one in inner)
    return next(by_key, None) or field_meant(given, [one for one in free if ("." in one) == ("." in given)])


def hint_for_field(given: str, model: type[Record], pointer: Pointer, there: Collection[str]) -> str:
    """Return a hint for an unknown key; `pointer` leads to the object with it, which has the keys `there`."""
    outer = model_at(model, pointer)
    if outer is None:
        return ""
    near, inside = field_meant(given, tuple(written_fields(outer))), _inside(given, outer)
    if inside and not (near and nearest(given.casefold(), (near,), LETTERS)):
        return say("write it inside `{inside}`", inside=inside)
    if near in there:
        return say("remove it, or what stands in `{near}`", near=near)
    return say("did you mean `{near}`?", near=near) if near else ""


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
