"""A site's folder: each listed file is there, each document is valid, and nothing dead is linked."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from itertools import chain
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson
from pydantic import TypeAdapter, ValidationError

from labgen.contract import Level
from labgen.inputs import read_bytes
from labgen.output.errors import OutputError
from labgen.output.manifest import MARKER, Manifest, read_manifest
from labgen.output.site_folder import Written
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.registry import LABORATORIES, PAGE, Endpoint, PerLaboratory, PerSite, link_fields
from labgen.render.documents import render_json
from labgen.sections import ENDPOINTS, PAGED, PER_LABORATORY, PER_SITE
from labgen.verify.checks import Check

_ADDRESS = re.compile(rb'(?:href|src)="([^"]*)"')
HOST_INDEX = "index.html"


def manifest_of(out: Path) -> Manifest:
    """Return the list of what labgen wrote. Raises `OutputError` where there is none."""
    manifest = read_manifest(out / MARKER)
    if manifest is None:
        raise OutputError(f"{out} holds no site that labgen built", "`labgen build` writes one")
    return manifest


def documents_of(manifest: Manifest) -> dict[str, Endpoint]:
    """Return the endpoint of each document of a site by its path, those that laboratories share first."""
    once, each = endpoints_of(manifest)
    found: dict[str, Endpoint] = {one.path: one for one in once}
    for paged in PAGED:
        found |= dict.fromkeys((paged.path_for(1), *_below(f"{paged.path}{PAGE}/", manifest)), paged)
    for folder in _below(LABORATORIES, manifest):
        display_id = folder.removeprefix(LABORATORIES).rstrip("/")
        found |= {one.path_for(display_id): one for one in each}
    return found


def _below(path: str, manifest: Manifest) -> list[str]:
    """Return the paths of units that lie next below a path."""
    above = folder_of(path)
    return sorted(f"/{unit}/" for unit in manifest.units if unit.rpartition("/")[0] == above)


def endpoints_of(manifest: Manifest) -> tuple[list[PerSite], list[PerLaboratory]]:
    """Return the endpoints that a site has once, and for each laboratory.

    Those that not every site has are there if a document of theirs is listed.
    """
    own = set(manifest.units.get("", ()))
    listed = set(chain.from_iterable({names for unit, names in manifest.units.items() if unit}))
    once = [one for one in PER_SITE if not one.is_optional or file_of(one.path, JSON_FILE) in own]
    each = [one for one in PER_LABORATORY if not one.is_optional or file_of(one.segment, JSON_FILE) in listed]
    return once, each


def verify_bytes(out: Path, found: Written) -> Iterator[Check]:
    """Yield what differs from what the data makes; `found` is what a build would do."""
    for file in found.written:
        is_there = (out / file).is_file()
        what = "its bytes are not those that the data makes" if is_there else "it is not there"
        yield Check("bytes", Level.MUST, file, (what,), help="build and deploy again")
    for file in found.removed:
        yield Check("orphan", Level.MUST, file, ("the data no longer makes it",), help="build again")
    for file in found.foreign:
        is_served = file.endswith(f"/{HOST_INDEX}") or file.startswith("api/")
        level = Level.MUST if is_served else Level.SHOULD
        reason = "most hosts serve it instead of index.json" if file.endswith(HOST_INDEX) else ""
        yield Check("foreign", level, file, ("labgen did not write it",), help=reason or "remove it")
    yield Check("bytes", Level.MUST, f"{found.unchanged:,} files as the data makes them")


def verify_files(out: Path, manifest: Manifest) -> Iterator[Check]:
    """Yield the checks of each listed file, each document and each link."""
    listed = set(manifest.files())
    for file in sorted(listed):
        if not (out / file).is_file():
            yield Check("listed", Level.MUST, file, ("it is not there",), help="build and deploy again")
    links = _Links(listed, manifest.base_path)
    adapters: dict[str, TypeAdapter[Any]] = {one.name: TypeAdapter(one.document) for one in ENDPOINTS}
    for path, endpoint in documents_of(manifest).items():
        file, page = file_of(path, JSON_FILE), file_of(path, PAGE_FILE)
        if file in listed:
            find = partial(
                _of_document,
                adapter=adapters[endpoint.name],
                dead=links.of_document(link_fields(endpoint.document)),
            )
            yield _check(out, file, "document", find)
        if page in listed:
            yield _check(out, page, "links", partial(links.of_page, page=page))


def _check(out: Path, file: str, name: str, find: Callable[[bytes], list[str]]) -> Check:
    try:
        data = read_bytes(out / file)
    except OSError:
        return Check(name, Level.MUST, file, ("it cannot be read",), help="build and deploy again")
    return Check(name, Level.MUST, file, tuple(find(data)))


def _of_document(data: bytes, adapter: TypeAdapter[Any], dead: Callable[[Any], list[str]]) -> list[str]:
    """Return what is wrong with a document: its syntax, its fields, their order, its bytes, its links."""
    try:
        given = orjson.loads(data)
        value = adapter.validate_python(given, strict=True)
    except orjson.JSONDecodeError as error:
        return [f"it is no JSON: {error}"]
    except ValidationError as error:
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3]]
    if given != value:
        return ["it has a field that the contract does not know"]
    if render_json(value) != data:
        return ["its fields are not in the order of the contract, or its JSON is not compact"]
    return dead(given)


class _Links:
    """Finds addresses of the site that lead nowhere."""

    def __init__(self, listed: set[str], base_path: str) -> None:
        self.listed = listed
        self.base_path = base_path

    def of_document(self, names: frozenset[str]) -> Callable[[Any], list[str]]:
        """Return what finds them in a document with these fields for addresses."""

        def find(value: Any) -> list[str]:
            if isinstance(value, list):
                return [dead for one in value for dead in find(one)]
            if not isinstance(value, dict):
                return []
            own = [one for key, one in value.items() if key in names and isinstance(one, str)]
            inner = [dead for one in value.values() for dead in find(one)]
            return [f"{one} leads nowhere" for one in own if self.is_dead(one, "")] + inner

        return find

    def of_page(self, data: bytes, page: str) -> list[str]:
        """Return those of a page."""
        addresses = {unescape(found.decode(errors="replace")) for found in _ADDRESS.findall(data)}
        return [f"{one} leads nowhere" for one in sorted(addresses) if self.is_dead(one, page)]

    def is_dead(self, address: str, page: str) -> bool:
        """Say whether an address is of labgen's own, and no file is there; those of the keeper's are not."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            return False
        path = unquote(parts.path)
        if path.startswith("/"):
            inside = path.removeprefix(self.base_path)
            is_own = inside.startswith(("/api/", "/media/", "/static/"))
            return is_own and not self._is_there(inside.lstrip("/"))
        return not self._is_there(normpath(f"{page.rpartition('/')[0]}/{path}") + "/" * path.endswith("/"))

    def _is_there(self, file: str) -> bool:
        return file in self.listed or file_of(file, JSON_FILE) in self.listed or file in ("./", "/")
