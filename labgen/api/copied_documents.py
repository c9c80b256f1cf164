"""Make documents from records: copy fields, and give each picture its paths.

The pictures of a document are the fields marked with `Rendition`.
"""

from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.api.document_parts import Rendition, Shows, rendition_path
from labgen.model.directory import Directory, Laboratory
from labgen.model.picture_fields import PictureField, is_pictured, picture_field
from labgen.model.pictures import Size
from labgen.model.record_fields import keys_of, types_in
from labgen.model.records import LaboratoryRecord, Record
from labgen.problems.hints import did_you_mean

Make = Callable[[Any, Laboratory, Directory], Any]
"""Makes the value of a field of a document, or a document, from a record of a laboratory."""


class ShownPicture(NamedTuple):
    """A path of pictures in a document: its keys, the field of the record, and the size.

    There are two keys if the first is that of a document of one picture, or of a list of such documents.
    """

    keys: tuple[str, ...]
    name: str
    field: PictureField
    size: Size


def copier(document: Any, record: type[Record]) -> Callable[..., Any]:
    """Return a function that makes a document from a record: it copies the fields with the same keys.

    If the document shows pictures, the function also needs laboratory and directory. Raises TypeError.
    """
    shown, hints = shown_pictures(document, record), get_type_hints(document)
    attributes = {key: name for name, key in keys_of(record).items()}
    made = {one.keys[0] for one in shown}
    for key in hints.keys() - made - attributes.keys():
        remedy = did_you_mean(key, attributes) or "copier() needs a field with the same key"
        raise TypeError(f"{document.__name__}.{key}: {record.__name__} has no such field: {remedy}")
    for key in hints.keys() - made:
        _check_type(f"{document.__name__}.{key}", hints[key], record, attributes[key])
    fields = [(key, attributes.get(key, "")) for key in hints]
    if not shown:
        return lambda one, *_: {key: getattr(one, name) for key, name in fields}
    makers = {key: _maker([one for one in shown if one.keys[0] == key]) for key in made}
    return lambda one, lab, directory: {
        key: makers[key](one, lab, directory) if key in makers else getattr(one, name) for key, name in fields
    }


ACCEPTED: Mapping[Any, set[type]] = {bool: {bool}, int: {int, float}, float: {float}, str: {str}}
"""For each type of a value that a record may have: the types of a document that it is among."""


def _check_type(field: str, hint: Any, record: type[Record], name: str) -> None:
    """Check that a document declares the type of a value that it copies. Raises TypeError."""
    declared = ACCEPTED.keys() & types_in(hint)
    for one in ACCEPTED.keys() & types_in(get_type_hints(record)[name]):
        if declared and declared.isdisjoint(ACCEPTED[one]):
            types = " | ".join(sorted(each.__name__ for each in declared))
            raise TypeError(f"{field}: it is {types}, but {record.__name__}.{name} may be {one.__name__}")


def picture_copier(document: Any, record: type[Record], name: str) -> Make:
    """Return a function that makes documents of the pictures in a field of a record. Raises TypeError."""
    return _maker([one._replace(keys=(name, *one.keys)) for one in shown_pictures(document, record, name)])


def _maker(shown: list[ShownPicture]) -> Make:
    """Return what makes the value of a key that shows pictures, in one size, or as documents of several."""
    name, field = shown[0].name, shown[0].field

    def path_of(original: str | None, size: Size, lab: Laboratory, directory: Directory) -> str | None:
        return rendition_path(original, field.use, size, lab, directory)

    def make(original: str | None, lab: Laboratory, directory: Directory) -> Any:
        if len(shown[0].keys) == 1:
            return path_of(original, shown[0].size, lab, directory)
        paths = {one.keys[1]: path_of(original, one.size, lab, directory) for one in shown}
        return paths if any(paths.values()) else None

    if not field.is_list:
        return lambda one, lab, directory: make(getattr(one, name), lab, directory)
    return lambda one, lab, directory: [make(each, lab, directory) for each in getattr(one, name) or ()]


def shown_pictures(kind: Any, record: type[Record], name: str = "") -> list[ShownPicture]:
    """Return the paths of pictures in a document, or in those of a list, that is made from a record.

    `name` is the field whose pictures the documents show, if each is of one picture. Raises TypeError.
    """
    return [
        one
        for document in dict.fromkeys(filter(is_typeddict, map(_bare, types_in(kind))))
        for key, hint in get_type_hints(document, include_extras=True).items()
        for one in _shown_by(document, key, hint, record, name)
    ]


def _shown_by(document: Any, key: str, hint: Any, record: type[Record], name: str) -> Iterator[ShownPicture]:
    """Yield the paths of pictures in a field of a document."""
    mark = next((one for part in types_in(hint) for one in _marks(part) if isinstance(one, Rendition)), None)
    try:
        if mark:
            yield _shown(key, mark, hint, record, name)
        elif is_pictured(record, key):
            _check_hint(key, picture_field(record, key), hint)
            inner = shown_pictures(hint, record, key)
            _check(inner, NO_PATH)
            yield from (one._replace(keys=(key, *one.keys)) for one in inner)
        else:
            _check(not name, "the document of a picture has its paths alone, each marked Rendition(size)")
    except TypeError as error:
        raise TypeError(f"{document.__name__}.{key}: {error}") from None


NO_PATH = (
    'it names a picture: publish its path instead, marked Rendition(size, "…"), or a document of its paths'
)


def _shown(key: str, mark: Rendition, hint: Any, record: type[Record], name: str) -> ShownPicture:
    is_told = isinstance(mark.size, Size) and isinstance(mark.of, str) and (mark.of or name)
    _check(is_told, 'Rendition needs a size, and the field that names the picture: Rendition(LARGE, "photo")')
    of = mark.of or name
    field = picture_field(record, of)
    sizes = ", ".join(map(str, field.declared.sizes))
    _check(mark.size in field.declared.sizes, f"`{of}` is made in {sizes}, and not in {mark.size}")
    if mark.of:
        _check_hint(of, field, hint)
    return ShownPicture((key,), of, field, mark.size)


def _check_hint(name: str, field: PictureField, hint: Any) -> None:
    """Check that the type of a field of a document is a list, or may be null, as what it shows."""
    parts = list(types_in(hint))
    is_listed = any(get_origin(part) is list for part in parts)
    what = "several pictures, so it must be a list" if field.is_list else "one picture, so it must be no list"
    _check(field.is_list is is_listed, f"`{name}` names {what}")
    is_always = field.is_list or field.is_never_none or NoneType in parts
    _check(is_always, f"it is null where there is no `{name}`: write FilePath | None")


def _check(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise TypeError(otherwise)


def _marks(part: Any) -> tuple[Any, ...]:
    return part.__metadata__ if get_origin(part) is Annotated else ()


def _bare(part: Any) -> Any:
    return get_origin(part) if is_typeddict(get_origin(part)) else part


def fields_of_pictures(shown: list[ShownPicture]) -> Shows:
    """Return the fields of laboratories on which the paths of pictures depend, besides their names."""
    declared = [one.field.declared for one in shown]
    names = {
        "focus": not all(one.is_whole for one in declared),
        "name": any(one.has_initials for one in declared),
    }
    return {LaboratoryRecord: [name for name, is_shown in names.items() if is_shown]}
