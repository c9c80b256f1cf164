"""Check that all entries of lists, statuses and images that a laboratory refers to exist."""

import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from labgen.checks.entry_hints import hint_for, hint_for_status
from labgen.formats.read_files import (
    BEHIND_LINKS,
    NO_LINK,
    check_file,
    is_readable,
    is_regular_file,
    leads_through_links,
)
from labgen.model.catalogues import REFERENCES, Reference
from labgen.model.picture_fields import PICTURE_FIELDS, named_pictures, pictures_in
from labgen.model.pictures import files_of
from labgen.model.record_fields import last_key, resolve_pointer, values_at, values_with_pointers
from labgen.model.site_paths import visible_name
from labgen.problems.hints import DIGITS, LETTERS, did_you_mean, nearest
from labgen.problems.problem import Cause, Place, Pointer, Problem, shown
from labgen.problems.text import say
from labgen.source.read_laboratory import SourceLaboratory
from labgen.source.read_lists import SourceList
from labgen.source.read_settings import SETTINGS_FILE
from labgen.source.shared import SharedData
from labgen.system.input_files import DATA, MEDIA


@dataclass(slots=True)
class ReferenceChecker:
    """Checks the references of laboratories; `problems` are those of the laboratory that is being checked."""

    shared: SharedData
    problems: list[Problem] = field(default_factory=list)
    sound_images: set[str] = field(default_factory=set)
    all_images: dict[str, str] = field(default_factory=dict)

    def check(self, source: SourceLaboratory) -> list[Problem]:
        """Return the problems of a laboratory's references, except those to other laboratories."""
        self.problems = []
        _check_status(self, source, "deal_status")
        _check_status(self, source, "verification_status")
        _check_similar(self, source)
        _check_images(self, source)
        _check_focus(self, source)
        written = source.record.model_fields_set
        for reference in REFERENCES:
            if reference.path[0] in written:
                _check_named(self, source, reference)
        return self.problems

    def offer_images(self, problems: Iterable[Problem], written: object, depth: int) -> list[Problem]:
        """Return the problems of a laboratory; names that are no picture's get the name that was meant.

        `written` is the parsed laboratory, `depth` the length of the pointer to it.
        """
        media = self.shared.root / DATA / MEDIA
        return [
            replace(
                one, hint=_image_hint(self, media, str(resolve_pointer(written, one.place.pointer[depth:])))
            )
            if one.code in ("invalid-path", "mislabelled-image") and not one.hint and one.place.pointer
            else one
            for one in problems
        ]

    def report(
        self, code: str, message: str, place: Place, hint: str = "", cause: Cause | None = None
    ) -> None:
        """Record an error."""
        self.problems.append(Problem(code, message, place, hint, cause=cause))


def _check_named(references: ReferenceChecker, source: SourceLaboratory, reference: Reference) -> None:
    """Check the references in a field of a laboratory, and that no list refers to an entry twice."""
    listed = references.shared.lists[reference.listed.stem]
    keys = values_at(source.record, reference.path)
    distinct = set(keys)
    if distinct <= listed.records.keys() and (len(distinct) == len(keys) or not reference.is_list):
        return
    seen: set[object] = set()
    for pointer, key in values_with_pointers(source.record, reference.path):
        if reference.is_list and (pointer[:-1], key) in seen:
            _report_repeat(references, source, pointer, key)
        elif key not in listed.records and pointer[0] not in source.unsound:
            _check_reference(references, last_key(pointer), listed, key, source.place(*pointer))
        seen.add((pointer[:-1], key))


def _report_repeat(
    references: ReferenceChecker, source: SourceLaboratory, pointer: Pointer, key: object
) -> None:
    message = say("`{pointer}` names {key} twice", pointer=last_key(pointer), key=key)
    references.report("duplicate-reference", message, source.place(*pointer), say("remove one of the two"))


def _check_reference(
    references: ReferenceChecker, field_name: str, listed: SourceList, key: object, place: Place
) -> None:
    """Report a key that its list does not have, unless the list could not be read completely."""
    if key in listed.known or not listed.is_complete or listed.file is None:
        return  # a missing list is reported once, for all laboratories
    otherwise = say("correct it, or add the country there") if isinstance(key, str) else ""
    hint = hint_for(listed, key) or otherwise
    references.problems.append(unknown_entry(listed, key, field_name, place, hint))


def unknown_entry(listed: SourceList, key: object, field_name: str, place: Place, hint: str) -> Problem:
    """Return the error of a reference to an entry, by key or title, that a list does not have."""
    message = say(
        "`{field_name}` names {key}, which is not in {called}",
        field_name=field_name,
        key=shown(key),
        called=listed.called,
    )
    cause = Cause(say("{called} has no {key}", called=listed.called, key=shown(key)), listed.file or DATA)
    return Problem("unknown-reference", message, place, hint, cause=cause)


def missing_list(listed: SourceList, key: object, field_name: str, place: Place) -> Problem:
    """Return the error of a reference to an entry of a list that has no file."""
    message = say(
        "`{field_name}` names {key}, but there is no file {data}/{stem}.*",
        field_name=field_name,
        key=shown(key),
        data=DATA,
        stem=listed.listed.stem,
    )
    cause = Cause(say("there is no file {data}/{stem}.*", data=DATA, stem=listed.listed.stem), DATA)
    return Problem("missing-file", message, place, say("write one: csv, json, jsonl or yaml"), cause=cause)


def _check_status(references: ReferenceChecker, source: SourceLaboratory, field_name: str) -> None:
    if references.shared.site is None or field_name in source.unsound:
        return
    table = {"deal_status": "deal_statuses", "verification_status": "verification_statuses"}[field_name]
    known: dict[str, str] = getattr(references.shared.site, table)
    given: str = getattr(source.record, field_name)
    if given not in known:
        message = say(
            "`{field_name}` is {given}, which is not in [{table}] of data/site.toml",
            field_name=field_name,
            given=shown(given),
            table=table,
        )
        cause = Cause(
            say(
                "[{table}] of `{settings_file}` has no {given}",
                table=table,
                settings_file=SETTINGS_FILE,
                given=shown(given),
            ),
            SETTINGS_FILE,
        )
        references.report(
            "unknown-status", message, source.place(field_name), hint_for_status(given, known), cause
        )


def _check_similar(references: ReferenceChecker, source: SourceLaboratory) -> None:
    named = source.record.similar_labs or []
    if not named:
        return
    for position, display_id in enumerate(named):
        if display_id in named[:position]:
            _report_repeat(references, source, ("similar_labs", position), display_id)
    if "display_id" not in source.unsound and source.record.display_id in named:
        place = source.place("similar_labs", named.index(source.record.display_id))
        references.report(
            "unknown-reference", say("`similar_labs` names the laboratory itself"), place, say("remove it")
        )


def _check_images(references: ReferenceChecker, source: SourceLaboratory) -> None:
    """Check that the file of each picture exists, and that no list shows an original twice."""
    first: dict[str, Pointer] = {}
    seen: set[tuple[Pointer, str]] = set()
    for pointer, name in named_pictures(source.record):
        if (pointer[:-1], name) in seen and isinstance(pointer[-1], int):
            _warn_of_repeat(references, source, pointer, name)
        seen.add((pointer[:-1], name))
        first.setdefault(name, pointer)
    for name, pointer in first.items():
        for file in files_of(name):
            if file not in references.sound_images and references.shared.has_media:
                _check_image(references, file, source.place(*pointer))


def _warn_of_repeat(
    references: ReferenceChecker, source: SourceLaboratory, pointer: Pointer, name: str
) -> None:
    if f"{DATA}/{MEDIA}/{name}" in references.shared.files:
        message, place = (
            say("`{pointer}` shows {name} twice", pointer=last_key(pointer), name=shown(name)),
            source.place(*pointer),
        )
        hint = say("remove one of the two")
        references.problems.append(Problem("duplicate-reference", message, place, hint, "warning"))


def _check_focus(references: ReferenceChecker, source: SourceLaboratory) -> None:
    """Report focus points of pictures that are never cropped: misspelt names, or logos."""
    focus = source.record.focus
    fields = [use for use, field in PICTURE_FIELDS.items() if not field.declared.is_whole]
    if not focus or not source.unsound.isdisjoint(use.partition(".")[0] for use in fields):
        return
    cropped = [one.name for one in pictures_in(source.record) if one.use in fields]
    for name in [one for one in focus if one not in cropped]:
        place = source.place("focus", name)
        message = say(
            "`focus` names {name}, which is in none of {fields}",
            name=shown(name),
            fields=", ".join(f"`{one}`" for one in fields),
        )
        hint = did_you_mean(name, cropped) or say("what is shown whole, as logos are, needs no `focus`")
        references.report("unknown-reference", message, Place(place.file, place.pointer, "key"), hint)


def _check_image(references: ReferenceChecker, name: str, place: Place) -> None:
    media = references.shared.root / DATA / MEDIA
    file = media / name
    if f"{DATA}/{MEDIA}/{name}" in references.shared.files and is_regular_file(file) and is_readable(file):
        references.sound_images.add(name)
    elif not os.path.lexists(file):
        message = say(
            "`{pointer}` names {name}, which is not in data/{media}/",
            pointer=last_key(place.pointer or ()),
            name=shown(name),
            media=MEDIA,
        )
        cause = Cause(say("`data/{media}/` has no {name}", media=MEDIA, name=shown(name)), f"data/{MEDIA}")
        references.report("missing-image", message, place, _image_hint(references, media, name), cause)
    elif wrong := check_file(file, f"data/{MEDIA}/{name}", media):
        references.problems += [Problem(one.code, one.message, place, one.hint) for one in wrong]
    elif leads_through_links(media, name):
        references.report(
            "unreadable-file",
            say("{name} {behind_links}", name=shown(name), behind_links=BEHIND_LINKS),
            place,
            NO_LINK,
        )
    else:
        references.sound_images.add(name)


def _image_hint(references: ReferenceChecker, media: Path, name: str) -> str:
    """Return a hint with the image that was meant: with another case, suffix, spelling or Unicode form.

    It is "" if there is none, or if the file has that very name, but is no image.
    """
    if not references.all_images and media.is_dir():
        files = (path.relative_to(media).as_posix() for path in media.rglob("*") if path.is_file())
        references.all_images.update((_folded(file), visible_name(file)) for file in files)
    folded = _folded(name.removeprefix("data/").removeprefix(f"{MEDIA}/"))
    near = references.all_images.get(folded)
    if near == name:
        return ""
    if near is None:
        stem = folded.rpartition(".")[0] or folded
        twin = next((one for one in references.all_images if stem and one.rpartition(".")[0] == stem), None)
        slip = twin or nearest(folded, references.all_images, LETTERS + DIGITS + "_-")
        return say('did you mean "{all_images}"?', all_images=references.all_images[slip]) if slip else ""
    is_same_to_the_eye = unicodedata.normalize("NFC", near) == unicodedata.normalize("NFC", name)
    how = say(", whose letters are composed of other characters") if is_same_to_the_eye else ""
    return say('did you mean "{near}"{how}?', near=near, how=how)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
