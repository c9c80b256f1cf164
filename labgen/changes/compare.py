"""Compare the documents of two states of a site, and list the changes of each laboratory."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from labgen.api.endpoint import API, ROOT
from labgen.api.sections import facets, laboratories, new, upgrade_options
from labgen.changes.change import LABORATORY, SITE, Breaking, Change, Subject
from labgen.changes.documents import Named, Unit
from labgen.changes.meaning import is_other_meaning
from labgen.model.catalogues import ACCREDITATION_STANDARDS, COUNTRIES
from labgen.render.openapi import OPENAPI_FILE

CERTIFICATES = facets.ACCREDITATIONS.name
SHARED_FIELDS = {
    "country": (COUNTRIES.stem, "iso_code"),
    "deal_status": ("deal_statuses", "id"),
    "verification_status": ("verification_statuses", "id"),
}
"""The fields of a laboratory that show a shared entry: the kind of the entry, and the name of its key."""
OF_STANDARD = ("search_val", "title", "standard")
"""The fields of a certificate that belong to its standard."""


def compare(units: Iterable[Unit]) -> list[Change]:
    """Return all changes: first those of shared data, then those of the site and of each laboratory."""
    shared = _Shared()
    own = [change for unit in units for change in _of_unit(unit, shared)]
    return [*shared.changes(), *own]


class _Shared:
    """The data that laboratories share, as the documents of both states show it: entries, sections, cards."""

    def __init__(self) -> None:
        self.old: dict[Subject, Any] = {}
        self.new: dict[Subject, Any] = {}
        self.shown: Counter[Subject] = Counter()
        self.gone: Counter[Change] = Counter()
        self.catalogues: dict[str, tuple[dict[Subject, Any], dict[Subject, Any]]] = {}

    def note(self, old: Mapping[Subject, Any], now: Mapping[Subject, Any]) -> None:
        """Record the shared data that a laboratory shows before and after."""
        for subject, value in old.items():
            self.old.setdefault(subject, value)
        for subject, value in now.items():
            self.new.setdefault(subject, value)
        self.shown.update(old.keys() & now.keys())

    def note_page(self, catalogue: str, old: Any, now: Any) -> None:
        """Record the entries of a catalogue's page, None where a state does not have it."""
        before, after = self.catalogues.setdefault(catalogue, ({}, {}))
        before.update(_entries_of(catalogue, old))
        after.update(_entries_of(catalogue, now))

    def changes(self) -> Iterator[Change]:
        """Yield each difference once, with the number of laboratories that show it."""
        for change, count in self.gone.items():
            yield change._replace(laboratories=count)
        for subject in sorted(self.old.keys() & self.new.keys()):
            count = 0 if subject.kind == LABORATORY else self.shown[subject]
            for one in _of_shared(subject, self.old[subject], self.new[subject]):
                yield one._replace(laboratories=count)
        for old, now in self.catalogues.values():
            if old and now:
                yield from self._of_catalogue(old, now)

    def _of_catalogue(self, old: Mapping[Subject, Any], now: Mapping[Subject, Any]) -> Iterator[Change]:
        """Yield the changes of the entries that no laboratory shows."""
        for subject in sorted({*old, *now} - self.old.keys() - self.new.keys()):
            if subject not in now:
                yield Change(subject, "", "removed", old=old[subject])
            elif subject not in old:
                yield Change(subject, "", "added", new=now[subject])
            else:
                yield from _of_shared(subject, old[subject], now[subject])


def _entries_of(catalogue: str, page: Any) -> dict[Subject, Any]:
    """Return the entries of a catalogue's page, without the number of laboratories that have them."""
    kind, _ = SHARED_FIELDS.get(catalogue, (catalogue, ""))
    kind = ACCREDITATION_STANDARDS.stem if catalogue == CERTIFICATES else kind
    key = "id" if kind == catalogue else "search_val"
    entries = page["results"] if page else []
    return {
        Subject(kind, str(one[key])): {name: one[name] for name in one if name != "count"} for one in entries
    }


def _of_shared(subject: Subject, old: Any, now: Any) -> Iterator[Change]:
    """Yield the changes of shared data; an entry may mean something else."""
    for one in _of_objects(subject, old, now):
        yield one._replace(breaking=one.breaking or _other_meaning(one))


def _other_meaning(change: Change) -> Breaking | None:
    """Return `OTHER_MEANING` if an entry now means something else, judged by its search value or title."""
    is_titled = change.field in ("title", "standard") and change.subject.kind != "sections"
    is_other = change.field in ("search_val", "search_arg") or (
        is_titled and is_other_meaning(change.old, change.new)
    )
    return Breaking.OTHER_MEANING if is_other and change.verb == "changed" else None


def _of_unit(unit: Unit, shared: _Shared) -> Iterator[Change]:
    """Yield the changes of a laboratory, or of the site's own documents; record what they share."""
    subject = Subject(LABORATORY, unit.laboratory) if unit.laboratory else SITE
    old, now = (_shared_of(side) for side in (unit.old, unit.new))
    shared.note(old, now)
    if unit.is_gone or unit.is_new:
        yield _whole(subject, unit)
        return
    for name in sorted({*unit.old, *unit.new}):
        before, after = unit.old.get(name), unit.new.get(name)
        if name.catalogue:
            shared.note_page(name.catalogue, before, after)
        elif name.section == OPENAPI_FILE:
            yield from _of_contract(before, after)
        elif name in unit.old and name in unit.new:
            yield from _of_documents(subject, name, before, after)
        elif name.number == 1:
            section = Subject("sections", name.section)
            is_gone = name in unit.old
            breaking = Breaking.DOCUMENT_GONE if is_gone else None
            shared.gone[Change(section, "", "removed" if is_gone else "added", breaking=breaking)] += 1


def _of_contract(old: Any, now: Any) -> Iterator[Change]:
    """Yield the paths beside the API that came or went; those of the API are known by their documents."""
    if old and now:
        had, has = ({path for path in one["paths"] if not path.startswith(API)} for one in (old, now))
        for path in sorted(had ^ has):
            breaking = Breaking.DOCUMENT_GONE if path in had else None
            yield Change(Subject("path", path), "", "removed" if path in had else "added", breaking=breaking)


def _whole(subject: Subject, unit: Unit) -> Change:
    """Return the change for a laboratory that was added or removed, with its name."""
    detail = Named(unit.laboratory, ROOT)
    side = unit.old if unit.is_gone else unit.new
    document = side.get(detail)
    name = document.get("name") if isinstance(document, dict) else None
    if unit.is_gone:
        return Change(subject, "", "removed", old=name, breaking=Breaking.LABORATORY_GONE)
    return Change(subject, "", "added", new=name)


def _of_documents(subject: Subject, name: Named, old: Any, now: Any) -> Iterator[Change]:
    """Yield the changes of one document of a laboratory or of the site, compared according to its shape."""
    section = name.section
    if section == laboratories.ENDPOINT.name:
        yield from _of_list(old, now, name.number)
    elif section == upgrade_options.ENDPOINT.name:
        yield from _of_entries(subject, section, _options(old), _options(now))
    elif _is_envelope(old) and _is_envelope(now):
        key = "id" if section == CERTIFICATES else None
        yield from _of_entries(
            subject, section, _keyed(old["items"], section, key), _keyed(now["items"], section, key)
        )
    elif isinstance(old, list) and isinstance(now, list):
        yield from _of_entries(subject, section, _keyed(old, section), _keyed(now, section))
    elif isinstance(old, dict) and isinstance(now, dict):
        yield from _of_laboratory(subject, section, old, now)
    else:
        yield Change(subject, section, "changed", old, now, Breaking.OTHER_TYPE)


def _of_laboratory(
    subject: Subject, section: str, old: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the changes of a laboratory's own fields; of shared entries, only that it shows another one."""
    changes = list(_of_objects(subject, _by_key(old), _by_key(now)))
    changed = {one.field for one in changes}
    is_another = {"name", "address"} <= changed and is_other_meaning(old.get("name"), now.get("name"))
    for one in changes:
        is_name = section == ROOT and one.field == "name"
        yield one._replace(breaking=Breaking.OTHER_MEANING) if is_name and is_another else one


def _by_key(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a laboratory's document with the shared entries replaced by their keys."""
    return {
        field: value.get(SHARED_FIELDS[field][1], value)
        if field in SHARED_FIELDS and isinstance(value, dict)
        else value
        for field, value in document.items()
    }


def _of_list(old: Any, now: Any, number: int) -> Iterator[Change]:
    """Yield a change of the page size of the list of laboratories; its entries are compared elsewhere."""
    was, becomes = (
        len(_cards(one)) if isinstance(one, dict) and one.get("next") else 0 for one in (old, now)
    )
    if number == 1 and was and becomes and was != becomes:
        yield Change(SITE, "page_size", "changed", was, becomes)


def _of_objects(subject: Subject, old: Any, now: Any, at: str = "") -> Iterator[Change]:
    """Yield the changes of all fields of an object, at any depth; the names of nested fields have dots."""
    if isinstance(old, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*old, *now]):
            field = f"{at}.{name}" if at else name
            if name not in now:
                yield Change(subject, field, "removed", old[name], breaking=Breaking.FIELD_GONE)
            elif name not in old:
                yield Change(subject, field, "added", new=now[name])
            else:
                yield from _of_objects(subject, old[name], now[name], field)
    elif old != now or type(old) is not type(now):
        yield Change(subject, at, "changed", old, now, _of_type(old, now))


def _of_type(old: Any, now: Any) -> Breaking | None:
    """Return why the loss of a value or its type can break a client, or None; a value for null does not."""
    if old and now == "" and isinstance(old, str):
        return Breaking.EMPTIED
    if old is None or type(old) is type(now):
        return None
    return Breaking.NEW_NULL if now is None else Breaking.OTHER_TYPE


def _of_entries(
    subject: Subject, field: str, old: Mapping[Hashable, Any], now: Mapping[Hashable, Any]
) -> Iterator[Change]:
    """Yield the changes of the entries of a list; shared values are compared elsewhere."""
    for key in old:
        if key not in now:
            yield Change(subject, field, "removed", old=old[key], entry=str(key))
    for key in now:
        if key not in old:
            yield Change(subject, field, "added", new=now[key], entry=str(key))
    common = [key for key in now if key in old]
    inner = [one for key in common for one in _of_entry(subject, field, key, old[key], now[key])]
    yield from inner
    is_shared = field in _SHARED_LISTS
    if common != [key for key in old if key in now] and not (is_shared or inner):
        yield Change(subject, field, "reordered")


_SHARED_LISTS = frozenset(one.name for one in facets.ENDPOINTS if one.name != CERTIFICATES)
"""The sections whose entries laboratories share: their order follows from the entries' titles."""
_CARDS = frozenset({"similar_labs", new.ENDPOINT.name})


def _of_entry(subject: Subject, field: str, key: Hashable, old: Any, now: Any) -> Iterator[Change]:
    """Yield the changes of an entry, unless it is shared."""
    if field in _SHARED_LISTS or field in _CARDS:
        return
    if field == CERTIFICATES:
        old, now = _certificate(old), _certificate(now)
    for one in _of_objects(subject, old, now):
        yield one._replace(field=field, entry=str(key), part=one.field)


def _certificate(item: Any) -> Any:
    """Return a certificate without the fields of its standard, except `search_val`, which identifies it."""
    if not isinstance(item, dict):
        return item
    return {name: value for name, value in item.items() if name not in OF_STANDARD[1:]}


def _keyed(items: Sequence[Any], section: str, key: str | None = None) -> dict[Hashable, Any]:
    """Return the entries of a list by their keys; a repeated key gets a number."""
    found: dict[Hashable, Any] = {}
    for item in items:
        name = key or ("display_id" if section in _CARDS else "id")
        own = item.get(name) if isinstance(item, dict) else item
        one: Hashable = own if isinstance(own, int | str) else str(item)
        number = 1
        while one in found:
            number += 1
            one = f"{own if isinstance(own, int | str) else item} ({number})"
        found[one] = item
    return found


def _options(document: Any) -> dict[Hashable, Any]:
    """Return the upgrade options by `billing`."""
    plans = document.get("laboratory") if isinstance(document, dict) else None
    lists = plans.values() if isinstance(plans, dict) else ()
    options = [one for listed in lists if isinstance(listed, list) for one in listed]
    return {str(one.get("billing")): one for one in options if isinstance(one, dict)}


def _is_envelope(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("items"), list)


def _shared_of(documents: Mapping[Named, Any]) -> dict[Subject, Any]:
    """Return the shared data in a laboratory's documents: entries, countries, statuses, sections, cards."""
    found: dict[Subject, Any] = {}
    for name, document in documents.items():
        if name.section == ROOT and isinstance(document, dict):
            for field, (kind, key) in SHARED_FIELDS.items():
                value = document.get(field)
                if isinstance(value, dict):
                    found[Subject(kind, str(value.get(key)))] = value
        elif _is_envelope(document):
            found |= _of_envelope(name.section, document)
        found |= {
            Subject(LABORATORY, str(card.get("display_id"))): {"image_url": card["image_url"]}
            for card in _cards(document)
            if isinstance(card, dict) and "image_url" in card
        }
    return found


def _cards(document: Any) -> list[Any]:
    """Return the cards in a list of laboratories."""
    listed = document.get("results") if isinstance(document, dict) else document
    return listed if isinstance(listed, list) else []


def _of_envelope(section: str, document: Mapping[str, Any]) -> dict[Subject, Any]:
    """Return the entries of a section, and the section's other fields."""
    head = {field: value for field, value in document.items() if field != "items"}
    found: dict[Subject, Any] = {Subject("sections", section): head}
    for item in document["items"]:
        if not isinstance(item, dict):
            continue
        if section == CERTIFICATES:
            standard = {field: item.get(field) for field in OF_STANDARD}
            found[Subject(ACCREDITATION_STANDARDS.stem, str(item.get("search_val")))] = standard
        else:
            found[Subject(section, str(item.get("id")))] = item
    return found
