"""References: every id that a laboratory names, found in the lists, or a problem at the very number."""

import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from labgen.directory import Accreditation, Laboratory
from labgen.german import dictionary_key, slugify
from labgen.paths import visible_name
from labgen.problems import Place, Problem, shown
from labgen.records import (
    AccreditationStandardRecord,
    CountryRecord,
    MaterialRecord,
    SiteRecord,
)
from labgen.source.files import check_file
from labgen.source.hints import LETTERS, did_you_mean, nearest
from labgen.source.laboratories import SourceLaboratories, SourceLaboratory
from labgen.source.layout import MEDIA
from labgen.source.lists import SourceList


@dataclass(slots=True)
class Resolver:
    """What references are looked up in, and what was found wrong on the way.

    `asked_in_vain` are the lists that have no file but are named: they are reported once.
    """

    data: Path
    site: SiteRecord | None
    lists: Mapping[str, SourceList]
    laboratories: SourceLaboratories
    problems: list[Problem] = field(default_factory=list)
    media: dict[str, Path] = field(default_factory=dict)
    asked_in_vain: set[str] = field(default_factory=set)
    images: dict[str, str] = field(default_factory=dict)
    has_media: bool = True
    rank: Mapping[int, int] = field(default_factory=dict)

    def report(self, code: str, message: str, place: Place, hint: str = "") -> None:
        """Take note of an error."""
        self.problems.append(Problem(code, message, place, hint))


def resolve(
    data: Path, site: SiteRecord | None, lists: Mapping[str, SourceList], laboratories: SourceLaboratories
) -> tuple[dict[str, Laboratory], dict[str, Path], list[Problem]]:
    """Return the laboratories by display_id, the images that they name, and all problems of references.

    Without settings (None), statuses are not looked up. What is resolved is of use only if nothing is wrong.
    """
    resolver = Resolver(data, site, lists, laboratories, rank=_rank_by_title(lists["materials"]))
    if not (data / MEDIA).resolve().is_relative_to(data.resolve()):
        message = f"`data/{MEDIA}` is a symbolic link that leaves data/"
        resolver.report(
            "outside-data", message, Place(f"data/{MEDIA}"), "put the images themselves into data/"
        )
        resolver.has_media = False
    resolved = {source.record.display_id: _laboratory(resolver, source) for source in laboratories.found}
    return resolved, resolver.media, resolver.problems


def _rank_by_title(materials: SourceList) -> dict[int, int]:
    """Return each material's place in German dictionary order (specification 2.7, rule 1)."""
    records = cast("Iterable[MaterialRecord]", materials.records.values())
    ordered = sorted(records, key=lambda record: (dictionary_key(record.title), record.id))
    return {record.id: place for place, record in enumerate(ordered)}


def _laboratory(resolver: Resolver, source: SourceLaboratory) -> Laboratory:
    record = source.record
    _check_status(resolver, source, "deal_status")
    _check_status(resolver, source, "verification_status")
    _check_similar(resolver, source)
    _check_images(resolver, source)
    rank = resolver.rank
    return Laboratory(
        record=record,
        country=_country(resolver, source),
        slug=record.slug or slugify(record.name) or record.display_id,
        materials=tuple(sorted(_named(resolver, source, "materials"), key=lambda one: rank[one.id])),
        test_methods=_named(resolver, source, "test_methods"),
        accreditations=_accreditations(resolver, source),
        certifications=_named(resolver, source, "certifications"),
        standards=_named(resolver, source, "standards"),
    )


def _named(resolver: Resolver, source: SourceLaboratory, section: str) -> tuple[Any, ...]:
    """Return the entries of a catalogue that the list of the same name in a record names."""
    ids: list[int] = getattr(source.record, section)
    records = resolver.lists[section].records
    try:
        if len(set(ids)) == len(ids):
            return tuple([records[number] for number in ids])
    except KeyError:
        pass
    _check_repeats(resolver, source, section, ids)
    for number in dict.fromkeys(ids):
        _check_reference(resolver, section, section, number, source.place(section, ids.index(number)))
    return tuple(records[number] for number in ids if number in records)


def _check_repeats(
    resolver: Resolver, source: SourceLaboratory, field_name: str, keys: Iterable[object]
) -> None:
    seen: set[object] = set()
    for position, key in enumerate(keys):
        if key in seen:
            message = f"`{field_name}` names {key} twice"
            resolver.report(
                "duplicate-reference", message, source.place(field_name, position), "remove one of the two"
            )
        seen.add(key)


def _check_reference(resolver: Resolver, field_name: str, stem: str, key: Any, place: Place) -> None:
    """Report a key that its list does not have; not if the list itself could not be read."""
    source_list = resolver.lists[stem]
    if key in source_list.known or not source_list.is_sound:
        return
    if source_list.file is None:
        if stem not in resolver.asked_in_vain:
            resolver.asked_in_vain.add(stem)
            message = f"`{field_name}` names {shown(key)}, but there is no file data/{stem}.*"
            resolver.report("missing-file", message, place, "write one: csv, json, jsonl or yaml")
        return
    message = f"`{field_name}` names {shown(key)}, which is not in {source_list.file}"
    resolver.report("unknown-reference", message, place, _hint(source_list, key))


def _hint(source_list: SourceList, key: object) -> str:
    if isinstance(key, int):
        near = nearest(str(key), _Texts(source_list.records))
        return f"did you mean {near} ({source_list.records[int(near)].title})?" if near else ""  # type: ignore[attr-defined]
    lower = str(key).casefold()
    countries = cast("Mapping[str, CountryRecord]", source_list.records)
    near = lower if lower in countries else _code_of(lower, countries) or nearest(lower, countries, LETTERS)
    return f'did you mean "{near}" ({countries[near].name})?' if near else ""


def _code_of(name: str, countries: Mapping[str, CountryRecord]) -> str | None:
    return next((code for code, record in countries.items() if record.name.casefold() == name), None)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Ids as texts, without a copy of them all."""

    ids: Mapping[int, object]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text.isdecimal() and str(int(text)) == text and int(text) in self.ids


def _country(resolver: Resolver, source: SourceLaboratory) -> CountryRecord:
    code = source.record.country
    country = resolver.lists["countries"].records.get(code)
    if country is None and "country" not in source.unsound:
        _check_reference(resolver, "country", "countries", code, source.place("country"))
    return cast("CountryRecord", country)


def _accreditations(resolver: Resolver, source: SourceLaboratory) -> tuple[Accreditation, ...]:
    records = cast(
        "Mapping[int, AccreditationStandardRecord]", resolver.lists["accreditation_standards"].records
    )
    seen: set[int] = set()
    for position, one in enumerate(source.record.accreditations):
        if one.id in seen:
            message = f"the accreditation {one.id} stands twice in this laboratory"
            place = source.place("accreditations", position, "id")
            resolver.report("duplicate-id", message, place, "each certificate has an id of its own")
        seen.add(one.id)
        if (number := one.accreditation_standard) not in records:
            place = source.place("accreditations", position, "accreditation_standard")
            _check_reference(resolver, "accreditation_standard", "accreditation_standards", number, place)
    return tuple(
        Accreditation(one, records[one.accreditation_standard])
        for one in source.record.accreditations
        if one.accreditation_standard in records
    )


def _check_status(resolver: Resolver, source: SourceLaboratory, field_name: str) -> None:
    if resolver.site is None or field_name in source.unsound:
        return
    table = {"deal_status": "deal_statuses", "verification_status": "verification_statuses"}[field_name]
    known: dict[str, str] = getattr(resolver.site, table)
    given: str = getattr(source.record, field_name)
    if given not in known:
        message = f"`{field_name}` is {shown(given)}, which is not in [{table}] of data/site.toml"
        resolver.report("unknown-status", message, source.place(field_name), did_you_mean(given, known))


def _check_similar(resolver: Resolver, source: SourceLaboratory) -> None:
    named = source.record.similar_labs or []
    _check_repeats(resolver, source, "similar_labs", named)
    known = resolver.laboratories.known
    for position, display_id in enumerate(named):
        place = source.place("similar_labs", position)
        if display_id in named[:position]:
            continue
        if display_id == source.record.display_id and "display_id" not in source.unsound:
            resolver.report(
                "unknown-reference", "`similar_labs` names the laboratory itself", place, "remove it"
            )
        elif display_id not in known and resolver.laboratories.is_complete:
            padded = (display_id.zfill(width) for width in range(len(display_id) + 1, MAX_WIDTH))
            near = next((one for one in padded if one in known), None) or nearest(display_id, known)
            hint = f'did you mean "{near}"?' if near else ""
            message = f"`similar_labs` names {shown(display_id)}, which is no laboratory's display_id"
            resolver.report("unknown-reference", message, place, hint)


MAX_WIDTH = 10


def _check_images(resolver: Resolver, source: SourceLaboratory) -> None:
    record = source.record
    named = [(record.logo, ("logo",)), (record.image, ("image",))]
    named += [(name, ("gallery", position)) for position, name in enumerate(record.gallery)]  # type: ignore[misc]
    places = {name: steps for name, steps in reversed(named) if name is not None}
    for name, steps in places.items():
        if name not in resolver.media and resolver.has_media:
            _check_image(resolver, name, source.place(*steps))


def _check_image(resolver: Resolver, name: str, place: Place) -> None:
    media = resolver.data / MEDIA
    file = media / name
    if not os.path.lexists(file):
        message = f"`{_field(place)}` names {shown(name)}, which is not in data/{MEDIA}/"
        resolver.report("missing-image", message, place, _image_hint(resolver, media, name))
    elif wrong := check_file(file, f"data/{MEDIA}/{name}", media):
        resolver.problems += [Problem(one.code, one.message, place, one.hint) for one in wrong]
    else:
        resolver.media[name] = file


def _image_hint(resolver: Resolver, media: Path, name: str) -> str:
    """Return the image that was probably meant: written in another case, or with composed letters."""
    if not resolver.images and media.is_dir():
        files = (path.relative_to(media).as_posix() for path in media.rglob("*") if path.is_file())
        resolver.images.update((_folded(file), visible_name(file)) for file in files)
    near = resolver.images.get(_folded(name.removeprefix("data/").removeprefix(f"{MEDIA}/")))
    if near is None:
        return ""
    is_same_to_the_eye = unicodedata.normalize("NFC", near) == unicodedata.normalize("NFC", name)
    how = ", whose letters are composed of other characters" if is_same_to_the_eye else ""
    return f'did you mean "{near}"{how}?'


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _field(place: Place) -> str:
    return next(step for step in reversed(place.pointer or ()) if isinstance(step, str))
