"""Convert the documents of a laboratory to its record, and note whatever cannot be converted unchanged."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from labgen.api.endpoint import ROOT
from labgen.api.sections import facets
from labgen.api.sections.laboratory import LaboratoryDocument
from labgen.importing.service.deviations import Deviation
from labgen.importing.service.mend import mend
from labgen.importing.service.pictures import SHOWN, Pictures
from labgen.importing.service.survey import (
    CATALOGUES,
    CERTIFICATES,
    Documents,
    Survey,
    commonest,
    is_id,
    items_of,
    parse_page_url,
    standard_of,
    stat_of,
)
from labgen.model.catalogues import OWN_LISTS, REFERENCES, SharedList
from labgen.model.german import slugify
from labgen.model.record_fields import written_fields
from labgen.model.records import LaboratoryRecord, PlainRecord
from labgen.model.values import DIGITS
from labgen.problems.problem import shown
from labgen.problems.text import say

COPIED = ("name", "is_verified", "locality", "about", "address", "postal_code", "website", "rating")
"""The fields that are copied unchanged from a laboratory's document to its record."""
LEFT_OUT = say("it was left out")
KNOWN = frozenset(LaboratoryDocument.__annotations__)
ITEM_FIELDS: Mapping[str, frozenset[str]] = {
    one.name: frozenset(inner.__annotations__)
    for one in facets.ENDPOINTS
    for inner in getattr(one.document, "__args__", ())
}
"""The fields that the entries of each section have."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The data for converting all laboratories: shared values, existing ids, pictures, dates."""

    survey: Survey
    standards: Mapping[tuple[str, ...], int]
    entries: Mapping[str, frozenset[int]]
    display_ids: frozenset[str]
    pictures: Pictures
    dates: Mapping[str, str] = field(default_factory=dict)


class Notes:
    """The deviations of one laboratory."""

    def __init__(self, display_id: str) -> None:
        self.display_id = display_id
        self.deviations: list[Deviation] = []

    def note(self, where: str, what: str, done: str = LEFT_OUT, field: str = "") -> None:
        """Record a deviation at a place in the laboratory's documents."""
        self.deviations.append(
            Deviation(
                say("{display_id} {where}", display_id=self.display_id, where=where).strip(),
                what,
                done,
                field,
            )
        )


def record_of(
    display_id: str, documents: Documents, shared: Shared
) -> tuple[dict[str, Any] | None, list[Deviation]]:
    """Convert a laboratory's documents to its record (None if invalid); return also the deviations."""
    notes = Notes(display_id)
    detail = documents.get(ROOT)
    if not isinstance(detail, dict):
        notes.note("", say("the laboratory's document is no object"))
        return None, notes.deviations
    if detail.get("display_id") != display_id:
        notes.note(
            shown(detail.get("display_id")),
            say("a document says that it is another laboratory's"),
            say("the address is right"),
            "display_id",
        )
    values: dict[str, Any] = {"display_id": display_id, **_of_detail(detail, shared, notes)}
    for section, document in documents.items():
        if section in CATALOGUES or section == CERTIFICATES:
            values[section] = _of_section(section, document, shared, notes)
        elif section in OWN_LISTS:
            values[section] = _own_list(section, document, str(detail.get("name")), shared, notes)
    values["similar_labs"] = _similar(documents.get("similar_labs"), shared, notes)
    values |= shared.pictures.of(display_id, documents, notes.note)
    if display_id in shared.dates:
        values["published_on"] = shared.dates[display_id]
    record, deviations = mend(
        LaboratoryRecord, {key: one for key, one in values.items() if one is not None}, display_id
    )
    return record, [*notes.deviations, *deviations]


def _of_detail(detail: Mapping[str, Any], shared: Shared, notes: Notes) -> dict[str, Any]:
    """Return the fields of a record that come from the laboratory's own document."""
    for name in detail.keys() - KNOWN:
        notes.note(name, say("a field that the specification does not have"))
    values = {name: detail.get(name) for name in COPIED}
    website = values["website"]
    if isinstance(website, str) and website and not re.match(r"https?://", website, re.IGNORECASE):
        notes.note(
            shown(website),
            say("a website without https:// or http://"),
            say("https:// was put before it"),
            "website",
        )
        values["website"] = f"https://{website}"
    for name in ("rating", "contact_person", "stats", "about"):
        if detail.get(name) is None:
            notes.note(
                name, say("`{name}` is null or missing", name=name), say("it has its default now"), name
            )
    values |= _of_shared(detail, shared, notes)
    contact = detail.get("contact_person")
    if isinstance(contact, dict):
        values["contact_person"] = _contact(contact, notes)
    stats = detail.get("stats")
    if isinstance(stats, dict) and stats.keys() - {"projects"}:
        notes.note(", ".join(sorted(stats.keys() - {"projects"})), say("a second statistic"), field="stats")
    stat = stat_of(detail)
    if stat is not None and stat != commonest(shared.survey.stats):
        values["stats"] = {"projects": dict(stat)}
    return values


def _of_shared(detail: Mapping[str, Any], shared: Shared, notes: Notes) -> dict[str, Any]:
    """Return the keys of a laboratory's country and statuses, and the slug in its URL if it is unusual."""
    values: dict[str, Any] = {}
    country = detail.get("country")
    code = country.get("iso_code") if isinstance(country, dict) else None
    if isinstance(code, str):
        values["country"] = code.lower()
    if isinstance(code, str) and code != code.lower():
        notes.note(
            code, say("the code of a country is in capitals"), say("it is in small letters now"), "country"
        )
    for name, votes in (
        ("deal_status", shared.survey.deal_statuses),
        ("verification_status", shared.survey.verification_statuses),
    ):
        status = detail.get(name)
        key: Any = status.get("id") if isinstance(status, dict) else None
        if key not in votes:
            key = max(votes, key=lambda one: sum(votes[one].values()), default=UNKNOWN_STATUS)
            notes.note(
                name, say("`{name}` has no id and title", name=name), say("it is `{key}` now", key=key), name
            )
        values[name] = key
    address = parse_page_url(detail.get("url"), detail.get("display_id"))
    called = detail.get("name")
    if address is None:
        notes.note(
            shown(detail.get("url")),
            say("the address of its page has another form"),
            say("it is made of its name now"),
        )
    elif isinstance(called, str) and address.slug != (slugify(called) or detail.get("display_id")):
        values["slug"] = address.slug
    if isinstance(detail.get("url"), str) and "://" in detail["url"]:
        notes.note(
            shown(detail["url"]), say("the address of its page is absolute"), say("it is relative now")
        )
    return values


UNKNOWN_STATUS = "unknown"


def _contact(contact: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return a contact person with decoded e-mail address and phone number."""
    values: dict[str, Any] = {}
    for name in ("first_name", "last_name", "position"):
        values[name] = contact.get(name) if isinstance(contact.get(name), str) else ""
        if contact.get(name) is None:
            notes.note(
                f"contact_person.{name}",
                say("`{name}` is null or missing", name=name),
                say("it is empty now"),
                "contact_person",
            )
    for plain in ("email", "phone"):
        codes = contact.get(f"encoded_{plain}")
        text = decode_contact(codes)
        if text is None:
            notes.note(
                say("encoded_{plain}: {codes}", plain=plain, codes=shown(codes)),
                say("no list of character codes"),
                say("it is empty now"),
                "contact_person",
            )
        values[plain] = text or ""
    return values


def decode_contact(codes: Any) -> str | None:
    """Decode a text from its character codes (specification 2.3); return None if they are invalid."""
    if not isinstance(codes, str) or not re.fullmatch(r"([0-9]{1,7}(,[0-9]{1,7})*)?", codes):
        return None
    numbers = [int(one) for one in codes.split(",") if one]
    if any(one > 0x10FFFF or 0xD800 <= one <= 0xDFFF for one in numbers):  # noqa: PLR2004 - no characters
        return None
    return "".join(map(chr, numbers))


def _of_section(section: str, document: Any, shared: Shared, notes: Notes) -> list[Any]:
    """Return the ids that a laboratory refers to in a section, or its certificates."""
    if not isinstance(document, dict) or not isinstance(document.get("items"), list):
        notes.note(section, say("a section has no list of entries"), say("it is empty now"))
        return []
    hidden = document.get("hidden_count")
    if hidden:
        notes.note(
            say("{section}: {hidden}", section=section, hidden=shown(hidden)),
            say("entries that the service does not show (`hidden_count`)"),
            say("they are not there; ask its keeper for them"),
        )
    found: dict[int, Any] = {}
    items = items_of(document)
    if len(items) < len(document["items"]):
        notes.note(section, say("an entry is no object"))
    for item in items:
        number: Any = item.get("id")
        if not is_id(number):
            notes.note(
                say("{section}: {number}", section=section, number=shown(number)),
                say("an entry has no id that is a number"),
            )
            continue
        if number in found:
            notes.note(
                say("{section} {number}", section=section, number=number),
                say("the same entry twice"),
                say("it stands there once now"),
            )
            continue
        if section != CERTIFICATES and number not in shared.entries[section]:
            continue  # reported once for all laboratories
        _note_item(section, item, notes)
        if section != CERTIFICATES:
            found[number] = number
        elif (standard := standard_of(item)) and standard in shared.standards:
            found[number] = {
                "id": number,
                "accreditation_standard": shared.standards[standard],
                "accreditation_body": item.get("accreditation_body"),
                "number": item.get("number"),
            }
        else:
            notes.note(
                say("{section} {number}", section=section, number=number),
                say("a certificate without search_val, title or standard"),
            )
    return list(found.values())


def _note_item(section: str, item: Mapping[str, Any], notes: Notes) -> None:
    """Record the fields of an entry that labgen does not publish, or publishes in another way."""
    where = say("{section} {item}", section=section, item=item["id"])
    for name in item.keys() - ITEM_FIELDS.get(section, item.keys()):
        notes.note(
            say("{where} {name}", where=where, name=name),
            say("an entry has a field that the specification does not have"),
        )
    if item.get("price") is not None:
        notes.note(
            say("{where}: {item}", where=where, item=shown(item["price"])), say("a price that is not null")
        )
    is_plain = section in CATALOGUES and issubclass(CATALOGUES[section].record, PlainRecord)
    if is_plain and item.get("search_val") != str(item["id"]):
        notes.note(
            say("{where}: {get}", where=where, get=shown(item.get("search_val"))),
            say("a `search_val` that is not the id as text"),
            say("it is the id now"),
        )


def _own_list(section: str, document: Any, called: str, shared: Shared, notes: Notes) -> list[Any]:
    """Return the entries of a laboratory's own list, with the fields that labgen knows."""
    if not isinstance(document, list):
        notes.note(section, say("a section is no list"), say("it is empty now"))
        return []
    fields = written_fields(OWN_LISTS[section])
    shown = {one.keys[0] for one in SHOWN[section]}
    entries = []
    for number, item in enumerate(document, 1):
        if not isinstance(item, dict):
            notes.note(section, say("an entry is no object"))
            continue
        for name in item.keys() - fields.keys() - shown:
            notes.note(
                say("{section} {name}", section=section, name=name),
                say("an entry has a field that labgen does not know"),
            )
        entry = {name: item[name] for name in fields if name not in shown and item.get(name) is not None}
        if isinstance(entry.get("country"), dict):
            entry["country"] = str(entry["country"].get("iso_code")).lower()
        _keep_known_ids(section, entry, shared, notes)
        stem = f"{notes.display_id}/{section}-{number}-"
        entries.append(entry | shared.pictures.of_items(section, [item], stem, called, notes.note))
    return entries


def _keep_known_ids(section: str, entry: dict[str, Any], shared: Shared, notes: Notes) -> None:
    """Remove the ids that no imported catalogue has: a service shows only what its sections name."""
    known: dict[SharedList[Any], frozenset[int]] = {
        listed: shared.entries[name] for name, listed in CATALOGUES.items()
    }
    named = [one for one in REFERENCES if one.path[:-1] == (section,) and one.path[-1] in entry]
    for one in (one for one in named if one.listed in known):
        name, ids = one.path[-1], known[one.listed]
        given = entry.pop(name)
        kept = [number for number in (given if one.is_list else [given]) if number in ids]
        if len(kept) < (len(given) if one.is_list else 1):
            notes.note(
                say("{section} {name}", section=section, name=name),
                say("an id of no entry that the service shows"),
            )
        if kept:
            entry[name] = kept if one.is_list else kept[0]


def _similar(document: Any, shared: Shared, notes: Notes) -> list[str] | None:
    """Return the display_ids in a list of similar laboratories that are also imported."""
    if document is None:
        return None
    cards = [one for one in document if isinstance(one, dict)] if isinstance(document, list) else []
    named: list[str] = []
    for card in cards:
        other = card.get("display_id")
        if not isinstance(other, str) or not re.fullmatch(DIGITS, other):
            notes.note(
                say("similar_labs: {other}", other=shown(other)),
                say("a similar laboratory has no display_id"),
            )
        elif other not in shared.display_ids:
            notes.note(
                say("similar_labs {other}", other=other), say("a similar laboratory that is not imported")
            )
        elif other == notes.display_id or other in named:
            notes.note(
                say("similar_labs {other}", other=other),
                say("a similar laboratory twice, or the laboratory itself"),
            )
        else:
            named.append(other)
    return named
