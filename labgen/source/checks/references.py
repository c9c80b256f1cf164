"""References: every id that a laboratory names, found in the lists, or a problem at the very number."""

import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from labgen.model.records import CountryRecord
from labgen.model.site_paths import visible_name
from labgen.problems.hints import LETTERS, did_you_mean, nearest
from labgen.problems.problem import Place, Problem, shown
from labgen.source.read_files import (
    BEHIND_LINKS,
    NO_LINK,
    check_file,
    is_plain,
    is_readable,
    leads_through_links,
)
from labgen.source.read_laboratory import SourceLaboratory
from labgen.source.read_lists import SourceList
from labgen.source.shared import Shared
from labgen.system.input_files import DATA, MEDIA


@dataclass(slots=True)
class References:
    """Looks up what laboratories name. What it finds wrong is in `problems`, until it is taken."""

    shared: Shared
    problems: list[Problem] = field(default_factory=list)
    sound_images: set[str] = field(default_factory=set)
    all_images: dict[str, str] = field(default_factory=dict)

    def check(self, source: SourceLaboratory) -> list[Problem]:
        """Return what is wrong with all that one laboratory names, but for other laboratories."""
        self.problems = []
        _check_status(self, source, "deal_status")
        _check_status(self, source, "verification_status")
        _check_similar(self, source)
        _check_images(self, source)
        _check_focus(self, source)
        _check_country(self, source)
        for section in NAMED:
            _check_named(self, source, section)
        if not source.record.model_fields_set.isdisjoint(SELDOM_NAMED):
            for section in SELDOM_NAMED:
                _check_named(self, source, section)
        _check_job_countries(self, source)
        _check_accreditations(self, source)
        return self.problems

    def report(self, code: str, message: str, place: Place, hint: str = "") -> None:
        """Take note of an error."""
        self.problems.append(Problem(code, message, place, hint))


NAMED = ("materials", "test_methods", "certifications", "standards")
SELDOM_NAMED = ("test_categories", "equipments", "material_categories")
"""The fields of a record that name entries of the catalogue of the same name; these are seldom written."""


def _check_named(references: References, source: SourceLaboratory, section: str) -> None:
    """Check the list of a record that names entries of the catalogue of the same name."""
    ids: list[int] = getattr(source.record, section)
    distinct = set(ids)
    if len(distinct) == len(ids) and distinct <= references.shared.lists[section].records.keys():
        return
    _check_repeats(references, source, section, ids)
    for number in dict.fromkeys(ids):
        _check_reference(references, section, section, number, source.place(section, ids.index(number)))


def _check_repeats(
    references: References, source: SourceLaboratory, field_name: str, keys: Iterable[object]
) -> None:
    seen: set[object] = set()
    for position, key in enumerate(keys):
        if key in seen:
            message = f"`{field_name}` names {key} twice"
            references.report(
                "duplicate-reference", message, source.place(field_name, position), "remove one of the two"
            )
        seen.add(key)


def _check_reference(references: References, field_name: str, stem: str, key: Any, place: Place) -> None:
    """Report a key that its list does not have; not if the list itself could not be read."""
    source_list = references.shared.lists[stem]
    if key in source_list.known or not source_list.is_sound or source_list.file is None:
        return  # that there is no such list is said once, for all laboratories
    message = f"`{field_name}` names {shown(key)}, which is not in {source_list.file}"
    references.report("unknown-reference", message, place, _hint(source_list, key))


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


def _check_country(references: References, source: SourceLaboratory) -> None:
    code = source.record.country
    if "country" not in source.unsound:
        _check_reference(references, "country", "countries", code, source.place("country"))


def _check_job_countries(references: References, source: SourceLaboratory) -> None:
    for position, job in enumerate(source.record.job_listings):
        if job.country is not None:
            place = source.place("job_listings", position, "country")
            _check_reference(references, "country", "countries", job.country, place)


def _check_accreditations(references: References, source: SourceLaboratory) -> None:
    seen: set[int] = set()
    for position, one in enumerate(source.record.accreditations):
        if one.id in seen:
            message = f"the accreditation {one.id} stands twice in this laboratory"
            place = source.place("accreditations", position, "id")
            references.report("duplicate-id", message, place, "each certificate has an id of its own")
        seen.add(one.id)
        if one.accreditation_standard not in references.shared.lists["accreditation_standards"].records:
            place = source.place("accreditations", position, name := "accreditation_standard")
            _check_reference(references, name, "accreditation_standards", one.accreditation_standard, place)


def _check_status(references: References, source: SourceLaboratory, field_name: str) -> None:
    if references.shared.site is None or field_name in source.unsound:
        return
    table = {"deal_status": "deal_statuses", "verification_status": "verification_statuses"}[field_name]
    known: dict[str, str] = getattr(references.shared.site, table)
    given: str = getattr(source.record, field_name)
    if given not in known:
        message = f"`{field_name}` is {shown(given)}, which is not in [{table}] of data/site.toml"
        references.report("unknown-status", message, source.place(field_name), did_you_mean(given, known))


def _check_similar(references: References, source: SourceLaboratory) -> None:
    named = source.record.similar_labs or []
    if not named:
        return
    _check_repeats(references, source, "similar_labs", named)
    if "display_id" not in source.unsound and source.record.display_id in named:
        place = source.place("similar_labs", named.index(source.record.display_id))
        references.report(
            "unknown-reference", "`similar_labs` names the laboratory itself", place, "remove it"
        )


def _check_images(references: References, source: SourceLaboratory) -> None:
    record = source.record
    named: list[tuple[str | None, tuple[str | int, ...]]] = [
        (record.logo, ("logo",)),
        (record.image, ("image",)),
    ]
    named += [(name, ("gallery", position)) for position, name in enumerate(record.gallery)]
    places = {name: steps for name, steps in reversed(named) if name is not None}
    for name, steps in places.items():
        if name not in references.sound_images and references.shared.has_media:
            _check_image(references, name, source.place(*steps))


def _check_focus(references: References, source: SourceLaboratory) -> None:
    """Report points of pictures that are cropped nowhere: a slip in the name, or a logo."""
    record = source.record
    cropped = [one.name for use in ("image", "gallery") for one in record.pictures(use)]
    if record.focus and not {"image", "gallery"} & source.unsound:
        for name in [one for one in record.focus if one not in cropped]:
            place = source.place("focus", name)
            message = f"`focus` names {shown(name)}, which is neither `image` nor in `gallery`"
            hint = did_you_mean(name, cropped) or "logos are shown whole, and need no `focus`"
            references.report("unknown-reference", message, Place(place.file, place.pointer, "key"), hint)


def _check_image(references: References, name: str, place: Place) -> None:
    media = references.shared.root / DATA / MEDIA
    file = media / name
    if f"{DATA}/{MEDIA}/{name}" in references.shared.files and is_plain(file) and is_readable(file):
        references.sound_images.add(name)
    elif not os.path.lexists(file):
        message = f"`{_field(place)}` names {shown(name)}, which is not in data/{MEDIA}/"
        references.report("missing-image", message, place, _image_hint(references, media, name))
    elif wrong := check_file(file, f"data/{MEDIA}/{name}", media):
        references.problems += [Problem(one.code, one.message, place, one.hint) for one in wrong]
    elif leads_through_links(media, name):
        references.report("unreadable-file", f"{shown(name)} {BEHIND_LINKS}", place, NO_LINK)
    else:
        references.sound_images.add(name)


def _image_hint(references: References, media: Path, name: str) -> str:
    """Return the image that was probably meant: written in another case, or with composed letters."""
    if not references.all_images and media.is_dir():
        files = (path.relative_to(media).as_posix() for path in media.rglob("*") if path.is_file())
        references.all_images.update((_folded(file), visible_name(file)) for file in files)
    near = references.all_images.get(_folded(name.removeprefix("data/").removeprefix(f"{MEDIA}/")))
    if near is None:
        return ""
    is_same_to_the_eye = unicodedata.normalize("NFC", near) == unicodedata.normalize("NFC", name)
    how = ", whose letters are composed of other characters" if is_same_to_the_eye else ""
    return f'did you mean "{near}"{how}?'


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _field(place: Place) -> str:
    return next(step for step in reversed(place.pointer or ()) if isinstance(step, str))
