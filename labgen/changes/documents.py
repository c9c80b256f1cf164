"""List the documents of a site in a folder, and pair the documents of two folders by laboratory."""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from labgen.api.endpoint import API, LABORATORIES, PAGE, ROOT
from labgen.api.proposed import OWN_CATALOGUES
from labgen.api.sections import PER_LABORATORY, PER_SITE
from labgen.model.site_paths import JSON_FILE, file_of, folder_of
from labgen.output.errors import OutputError
from labgen.problems.text import say
from labgen.render.openapi import OPENAPI_FILE
from labgen.system.input_files import read_bytes

LIST = "laboratories"
"""The section of all pages of the list of laboratories."""
_OF_LABORATORY = re.compile(rf"{LABORATORIES[1:]}([0-9]+)/(?:([^/]+)/)?{JSON_FILE}")
_OF_LIST = re.compile(rf"{LABORATORIES[1:]}(?:{PAGE}/([0-9]+)/)?{JSON_FILE}")
_CATALOGUES = (*(one.name for one in PER_LABORATORY if one.search_arg), *OWN_CATALOGUES)
_OF_CATALOGUE = re.compile(
    rf"(?!{API[1:]})(?:[a-z0-9_-]+/)+({'|'.join(_CATALOGUES)})/(?:{PAGE}/([0-9]+)/)?{JSON_FILE}"
)
_ONCE = {file_of(one.path, JSON_FILE): one.name for one in PER_SITE}


class Named(NamedTuple):
    """The identity of a document: its laboratory ("" for the site's own), its section, its page number.

    A page of a catalogue has no section.
    """

    laboratory: str
    section: str
    number: int = 1
    catalogue: str = ""


def named(file: str) -> Named | None:
    """Identify a document by its file name under out/; return None if the file is not a document."""
    if found := _OF_LABORATORY.fullmatch(file):
        return Named(found[1], found[2] or ROOT)
    if found := _OF_LIST.fullmatch(file):
        return Named("", LIST, int(found[1] or 1))
    if found := _OF_CATALOGUE.fullmatch(file):
        return Named("", "", int(found[2] or 1), found[1])
    if file == OPENAPI_FILE:
        return Named("", OPENAPI_FILE)
    if file in _ONCE:
        return Named("", _ONCE[file])
    is_document = file.startswith(API[1:]) and file.endswith(f"/{JSON_FILE}")
    return Named("", folder_of(file.removesuffix(JSON_FILE).removeprefix(API[1:]))) if is_document else None


def document_files(out: Path) -> list[str]:
    """Return the file names of all documents in a folder. Raises `OutputError` if it does not hold a site."""
    top = out / API.strip("/")
    if not top.is_dir():
        raise OutputError(
            say("{out} holds no site", out=out), say("a built site has a folder {api}", api=API.strip("/"))
        )
    walks = chain.from_iterable(map(os.walk, (top, *_catalogue_folders(out))))
    found = (Path(folder, JSON_FILE) for folder, _, files in walks if JSON_FILE in files)
    contract = [OPENAPI_FILE] if (out / OPENAPI_FILE).is_file() else []
    return sorted([*(one.relative_to(out).as_posix() for one in found), *contract])


def _catalogue_folders(out: Path) -> Iterator[Path]:
    """Yield the folders of the catalogues, which `openapi.json` names; there is none without it."""
    if (file := out / OPENAPI_FILE).is_file():
        for path, name in product(_parse(file.read_bytes(), file)["paths"], _CATALOGUES):
            if path.endswith("/{catalogue}/"):
                yield out / path.strip("/").format(catalogue=name)


def laboratories_in(out: Path) -> tuple[str, ...]:
    """Return the display_ids of the laboratories in a folder."""
    names = filter(None, map(named, document_files(out)))
    return tuple(sorted({one.laboratory for one in names if one.laboratory}))


class Unit(NamedTuple):
    """The documents that differ, before and after, of one laboratory or of the site itself.

    `is_gone` and `is_new` say that only the old or only the new state has the laboratory.
    """

    laboratory: str
    old: Mapping[Named, Any]
    new: Mapping[Named, Any]
    is_gone: bool = False
    is_new: bool = False


class Side(NamedTuple):
    """One of the two states: a folder, and the file names of the documents in it to compare."""

    folder: Path
    files: Collection[str]

    def read(self, file: str) -> bytes | None:
        """Return the bytes of a document, or None if it is not in `files`."""
        return read_bytes(self.folder / file) if file in self.files else None


def pair(old: Side, new: Side) -> Iterator[Unit]:
    """Yield a unit for the site's own documents first, then one for each laboratory, in order."""
    old, new = (Side(one.folder, frozenset(one.files)) for one in (old, new))
    units: defaultdict[str, list[tuple[str, Named]]] = defaultdict(list)
    for file in sorted({*old.files, *new.files}):
        if name := named(file):
            units[name.laboratory].append((file, name))
    for laboratory, files in sorted(units.items()):
        yield _unit(laboratory, files, old, new)


def _unit(laboratory: str, files: Iterable[tuple[str, Named]], old: Side, new: Side) -> Unit:
    detail = file_of(f"{LABORATORIES}{laboratory}/", JSON_FILE)
    before: dict[Named, Any] = {}
    after: dict[Named, Any] = {}
    for file, name in files:
        was, now = old.read(file), new.read(file)
        if was == now:
            continue
        if was is not None:
            before[name] = _parse(was, old.folder / file)
        if now is not None:
            after[name] = _parse(now, new.folder / file)
    had, has = detail in old.files, detail in new.files
    return Unit(laboratory, before, after, is_gone=had and not has, is_new=has and not had)


def _parse(data: bytes, file: Path) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise OutputError(
            say("{file} is no JSON: {error}", file=file, error=error), say("build that site again")
        ) from None
