"""Collect the fields of laboratories that name pictures, and find the pictures of a laboratory.

Such a field is declared by its type (`values.Image`) and the mark `Pictured`, and nowhere else.
"""

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import NamedTuple, get_origin

from pydantic.fields import FieldInfo

from labgen.model.catalogues import ENTRIES
from labgen.model.pictures import CENTRE, Picture, Pictured, Size, Use
from labgen.model.record_fields import (
    FieldPath,
    all_fields,
    is_list,
    marks_of,
    owner_of,
    types_in,
    values_at,
    values_with_pointers,
)
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.values import IMAGE
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Pointer


class PictureField(NamedTuple):
    """A field of a record that names pictures: how they are made, and where laboratories have it."""

    declared: Pictured
    is_list: bool
    is_never_none: bool
    paths: tuple[FieldPath, ...]

    @property
    def use(self) -> Use:
        """The use of its pictures: the first of its paths."""
        return ".".join(self.paths[0])


def _is_picture(field: FieldInfo) -> bool:
    return any(mark == IMAGE or isinstance(mark, Pictured) for mark in marks_of(field))


def _fault(field: FieldInfo) -> str:
    """Return what is wrong with the declaration of a field, and what to write instead, or ""."""
    marks = list(marks_of(field))
    declared = [mark for mark in marks if isinstance(mark, Pictured)]
    if IMAGE not in marks or get_origin(field.annotation) is dict:
        return "it is Pictured, but names no pictures: its type must be Image, Image | None or list[Image]"
    if len(declared) != 1:
        return "it names a picture, so it must have one mark Pictured, such as Pictured(PREVIEW, LARGE)"
    if declared[0].has_initials and (is_list(field.annotation) or field.is_required()):
        return "has_initials is for a picture that may be missing: Image | None"
    return _fault_of_sizes(declared[0].sizes)


def _fault_of_sizes(sizes: tuple[Size, ...]) -> str:
    if wrong := [one for one in sizes if not isinstance(one, Size) or min(one) < 1]:
        return f"Pictured takes sizes, such as Size(640, 480), not {wrong[0]!r}"
    if not sizes:
        return "Pictured needs a size at least, such as Pictured(PREVIEW, LARGE)"
    areas = [one.width * one.height for one in sizes]
    if areas != sorted(areas) or len(set(sizes)) < len(sizes):
        return f"its sizes must be written once each, from small to large, not {', '.join(map(str, sizes))}"
    return ""


def _collect() -> Iterator[tuple[tuple[type[Record], str], PictureField]]:
    """Yield the fields that name pictures, each with its record type and its name. Raises TypeError."""
    for record in ENTRIES:
        for name, field in record.model_fields.items():
            if _is_picture(field):
                raise TypeError(
                    f"{record.__name__}.{name}: only laboratories, and their lists, have pictures"
                )
    paths: dict[tuple[type[Record], str], list[FieldPath]] = {}
    for path, field in all_fields(LaboratoryRecord):
        if _is_picture(field):
            owner = owner_of(LaboratoryRecord, path)
            if fault := _fault(field):
                raise TypeError(f"{owner.__name__}.{path[-1]}: {fault}")
            paths.setdefault((owner, path[-1]), []).append(path)
    for (owner, name), some in paths.items():
        field = owner.model_fields[name]
        (declared,) = (mark for mark in marks_of(field) if isinstance(mark, Pictured))
        is_never_none = declared.has_initials or NoneType not in types_in(field.annotation)
        yield (owner, name), PictureField(declared, is_list(field.annotation), is_never_none, tuple(some))


_BY_NAME = dict(_collect())
PICTURE_FIELDS: Mapping[Use, PictureField] = {one.use: one for one in _BY_NAME.values()}
"""All fields that name pictures, by the use of their pictures, in the order of the record."""
_PATHS = [(path, use) for use, field in PICTURE_FIELDS.items() for path in field.paths]
IN_WORDS = ", ".join(f"`{use}`" for use in PICTURE_FIELDS)
"""The fields in which a picture can be named, for messages."""


def is_pictured(record: type[Record], name: str) -> bool:
    """Return whether a field of a record, given by its attribute, names pictures."""
    return (record, name) in _BY_NAME


def picture_field(record: type[Record], name: str) -> PictureField:
    """Return the field of a record that names pictures, by its attribute. Raises TypeError."""
    if not is_pictured(record, name):
        names = [one for owner, one in _BY_NAME if owner is record]
        remedy = did_you_mean(name, names) or f"mark it, such as {name}: Annotated[Image, Pictured(PREVIEW)]"
        raise TypeError(f"{record.__name__} has no pictures in `{name}`: {remedy}")
    return _BY_NAME[record, name]


def picture_named(name: str, use: Use, record: LaboratoryRecord) -> Picture:
    """Return the picture with a name that a laboratory uses in a field."""
    if PICTURE_FIELDS[use].declared.is_whole:
        return Picture(name, use)
    x, y = record.focus.get(name, CENTRE)
    return Picture(name, use, (x, y))


def pictures_in(record: LaboratoryRecord) -> dict[Picture, None]:
    """Return the pictures of a laboratory, each once, in the order of the record's fields."""
    written = record.model_fields_set
    return {
        picture_named(name, use, record): None
        for path, use in _PATHS
        if path[0] in written
        for name in values_at(record, path)
    }


def named_pictures(record: LaboratoryRecord) -> Iterator[tuple[Pointer, str]]:
    """Yield the names of a laboratory's pictures, each with its pointer."""
    for path, _ in _PATHS:
        if path[0] in record.model_fields_set:
            yield from values_with_pointers(record, path)


def uses_without(record: LaboratoryRecord) -> list[Use]:
    """Return the uses for which a laboratory's initials are drawn, because it lacks a picture."""
    return list(dict.fromkeys(use for path, use in _WITH_INITIALS if _lacks(record, path)))


_WITH_INITIALS = [(path, use) for path, use in _PATHS if PICTURE_FIELDS[use].declared.has_initials]


def _lacks(record: LaboratoryRecord, path: FieldPath) -> bool:
    owners = values_at(record, path[:-1]) if path[1:] else [record]
    return any(getattr(one, path[-1]) is None for one in owners)
