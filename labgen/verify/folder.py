"""Verify a site's folder: its files, its documents against their schemas, its links."""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from html import unescape
from itertools import chain
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import unquote

import orjson

from labgen.api.endpoint import (
    LABORATORIES,
    PAGE,
    Endpoint,
    PerLaboratory,
    PerSite,
    keeper_links,
    link_fields,
)
from labgen.api.proposed import Whole, catalogues, changes, whole_laboratory
from labgen.api.sections import PAGED, PER_LABORATORY, PER_SITE
from labgen.contract.http_contract import Level
from labgen.fetch.urls import split_untrusted
from labgen.model.site_paths import FOLDERS, JSON_FILE, MARK, PAGE_FILE, file_of, folder_of
from labgen.output.errors import OutputError
from labgen.output.file_lists import BuiltSite, read_built_site
from labgen.output.published_manifest import (
    INDEX,
    InvalidManifestError,
    files_in,
    hex_digest,
    hex_digest_of,
    parse_index,
    parse_part,
)
from labgen.output.written import Written
from labgen.problems.problem import Pointer
from labgen.problems.text import say, text_of
from labgen.render.encode_json import render_json
from labgen.render.json_schema import Schemas, open_for_later_fields
from labgen.render.openapi import OPENAPI_FILE, plain_schema
from labgen.system.input_files import read_bytes
from labgen.verify.checks import Check, Fault
from labgen.verify.conform import Violation, violations

BUILD = say("build and deploy again; if that changes nothing, delete .labgen/ first")
LOST = Fault("lost-file", say("it is not there"), BUILD)
_ADDRESS = re.compile(rb'(?:href|src)="([^"]*)"')
HOST_INDEX = "index.html"


def built_site_of(out: Path) -> BuiltSite:
    """Return the site that labgen built in a folder. Raises `OutputError` if there is none."""
    built = read_built_site(out)
    if built is None:
        raise OutputError(
            say("{out} holds no site that labgen built", out=out), say("`labgen build` writes one")
        )
    return built


def documents_of(built: BuiltSite) -> dict[str, Endpoint]:
    """Return the endpoint of each document of a site by its path; documents of laboratories come last."""
    once, each = built_endpoints(built)
    found: dict[str, Endpoint] = {one.path: one for one in once}
    for paged in PAGED:
        found |= dict.fromkeys((paged.path_for(1), *_below(f"{paged.path}{PAGE}/", built)), paged)
    for folder in _below(LABORATORIES, built):
        display_id = folder.removeprefix(LABORATORIES).rstrip("/")
        found |= {one.path_for(display_id): one for one in each}
    return found | _catalogues_of(built) | _changes_of(built)


def _changes_of(built: BuiltSite) -> dict[str, Endpoint]:
    """Return the endpoints of the digests of laboratories."""
    if not built.directory_path:
        return {}
    index, parts = changes(built.directory_path)
    return {index.path: index} | dict.fromkeys(_below(parts.path, built), parts)


def _catalogues_of(built: BuiltSite) -> dict[str, Endpoint]:
    """Return the endpoint of each page of the catalogues of a site."""
    if not built.directory_path:
        return {}
    folders = _below(built.directory_path, built)
    one = catalogues(built.directory_path, [folder.split("/")[-2] for folder in folders])
    names = [(folder, name) for folder in folders for name in built.units[folder_of(folder)]]
    pages = [folder + name.removesuffix(JSON_FILE) for folder, name in names if name.endswith(JSON_FILE)]
    return dict.fromkeys(pages, one)


def _below(path: str, built: BuiltSite) -> list[str]:
    """Return the paths of the units directly below a path."""
    above = folder_of(path)
    return sorted(f"/{unit}/" for unit in built.units if unit.rpartition("/")[0] == above)


def built_endpoints(built: BuiltSite) -> tuple[list[PerSite], list[PerLaboratory]]:
    """Return the endpoints that a site has once, and those that it has for each laboratory.

    Optional endpoints are included if one of their documents is listed.
    """
    own = set(built.units.get("", ()))
    listed = set(chain.from_iterable({names for unit, names in built.units.items() if unit}))
    once = [one for one in PER_SITE if not one.is_optional or file_of(one.path, JSON_FILE) in own]
    each = [one for one in PER_LABORATORY if not one.is_optional or file_of(one.segment, JSON_FILE) in listed]
    if built.directory_path:
        each.append(whole_laboratory(built.directory_path, each))
    return once, each


def verify_bytes(
    out: Path, found: Written, listed: AbstractSet[str], folders: Sequence[str] = FOLDERS
) -> Iterator[Check]:
    """Yield a failed check for each file that differs from a build (`found`), and one check for the rest.

    `verify_files` reports the `listed` files that do not exist. Documents lie below `folders`.
    """
    starts = tuple(f"{folder}/" for folder in folders)
    for file in found.written:
        if (out / file).is_file():
            stale = Fault("stale-file", say("its bytes are not those that the data makes"), BUILD)
            yield Check("bytes", Level.MUST, file, (stale,))
        elif file not in listed:
            yield Check("bytes", Level.MUST, file, (LOST,))
    for file in found.removed:
        fault = Fault("left-over", say("the data no longer makes it"), BUILD)
        yield Check("orphan", Level.MUST, file, (fault,))
    for file in found.foreign:
        if file.startswith(MARK):  # the folder is one that is published to
            continue
        is_served = file.endswith(f"/{HOST_INDEX}") or file.startswith(starts)
        level = Level.MUST if is_served else Level.SHOULD
        reason = say(": most hosts serve it instead of index.json") if file.endswith(HOST_INDEX) else ""
        fault = Fault("foreign-file", say("labgen did not write it"), say("remove it{reason}", reason=reason))
        yield Check("foreign", level, file, (fault,))
    yield Check(
        "bytes", Level.MUST, say("{unchanged:,} files as the data makes them", unchanged=found.unchanged)
    )


def verify_digests(out: Path) -> Iterator[Check]:
    """Yield a failed check for each file whose digest differs from the folder's manifest, if it has one."""
    try:
        index = parse_index(read_bytes(out / INDEX))
        parts = {part: read_bytes(out / part) for part in index.parts}
        listed = files_in(map(parse_part, parts.values()))
    except FileNotFoundError:
        return
    except (OSError, InvalidManifestError) as error:
        yield Check("bytes", Level.MUST, INDEX, (Fault("stale-file", text_of(error), BUILD),))
        return
    found = {part: hex_digest(data) for part, data in parts.items()}
    for file, digest in (index.parts | listed).items():
        with suppress(OSError):  # missing files are reported anyway
            if (found.get(file) or hex_digest_of(out / file)) != digest:
                stale = Fault("stale-file", say("its bytes are not those that the manifest says"), BUILD)
                yield Check("bytes", Level.MUST, file, (stale,))


def verify_files(out: Path, built: BuiltSite) -> Iterator[Check]:
    """Yield the checks of each listed file, each document and each link."""
    listed = set(built.files())
    lost = {file for file in listed if not (out / file).is_file()}
    yield from (Check("listed", Level.MUST, file, (LOST,)) for file in sorted(lost))
    there = listed - lost
    links = _Links(listed, built)
    schemas, documents = Schemas(), documents_of(built)
    for path, endpoint in documents.items():
        file, page = file_of(path, JSON_FILE), file_of(path, PAGE_FILE)
        kind = None if isinstance(endpoint, Whole) else endpoint.document  # its sections are checked alone
        level = Level.SHOULD if keeper_links(kind) else Level.MUST
        if file in there:
            find = partial(_of_document, kind=endpoint.document, schemas=schemas)
            yield from _checks(out, file, "document", find)
            dead = partial(links.of_file, names=link_fields(kind))
            yield from _checks(out, file, "links", dead, level)
        if page in there:
            yield from _checks(out, page, "links", partial(links.of_page, page=page), level)
    if OPENAPI_FILE in there:
        templates = {template for one in documents.values() for template in one.path_templates}
        find = partial(_of_openapi, schemas=schemas, templates=templates)
        yield from _checks(out, OPENAPI_FILE, "schema", find)


def _checks(
    out: Path, file: str, name: str, find: Callable[[bytes], list[Violation]], level: Level = Level.MUST
) -> Iterator[Check]:
    """Yield a failed check for each violation in a file, with its JSON Pointer, or else a passed check."""
    code, help_ = CODES[name], BUILD if level is Level.MUST else say("mend the link in data/")
    try:
        found = find(read_bytes(out / file))
    except OSError:
        yield Check(name, Level.MUST, file, (Fault("lost-file", say("it cannot be read"), BUILD),))
        return
    for one in found[:MOST_FAULTS]:
        where = f"{file}#{one.json_pointer}" if one.pointer else file
        yield Check(name, level, where, (Fault(code, one.message, help_),))
    if len(found) > MOST_FAULTS:
        rest = say("{count} more of that kind", count=len(found) - MOST_FAULTS)
        yield Check(name, level, file, (Fault(code, rest, help_),))
    if not found:
        yield Check(name, level, file)


CODES = {"document": "invalid-document", "links": "dead-link", "schema": "openapi-mismatch"}
"""The code of a fault, by the name of the check."""
MOST_FAULTS = 20
"""The maximum number of faults of one file that are reported one by one."""


def _of_document(data: bytes, kind: Any, schemas: Schemas) -> list[Violation]:
    """Return the violations in a document: invalid JSON, schema violations, JSON that is not compact."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return [Violation((), say("it is no JSON: {error}", error=error))]
    if found := violations(value, schemas.of(kind), schemas.named):
        return found
    if render_json(value) != data:
        return [Violation((), say("its JSON is not compact"))]
    return []


def _of_openapi(data: bytes, schemas: Schemas, templates: AbstractSet[str]) -> list[Violation]:
    """Return the violations in openapi.json: paths and schemas that differ from those of the documents."""
    try:
        content = orjson.loads(data)
        paths, published = dict(content["paths"]), dict(content["components"]["schemas"])
        plain = {name: plain_schema(schema) for name, schema in published.items()}
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        return [Violation((), say("it is no OpenAPI document with paths and schemas"))]
    other = sorted(templates ^ paths.keys())
    return [
        Violation(("paths",), say("`{path}` is missing, or is no path of the site", path=path))
        for path in other
    ] + [
        Violation(
            ("components", "schemas", name), say("`{name}` is not the schema that documents have", name=name)
        )
        for name, schema in schemas.named.items()
        if orjson.dumps(plain.get(name)) != orjson.dumps(open_for_later_fields(schema))
    ]


class _Links:
    """Finds dead links within the site."""

    def __init__(self, listed: set[str], built: BuiltSite) -> None:
        self.listed = listed
        self.base_path = built.base_path
        self.own = (*(f"/{folder}/" for folder in built.folders), "/media/", "/static/")

    def of_file(self, data: bytes, names: frozenset[str]) -> list[Violation]:
        """Return the dead links in the bytes of a document, none if they are not JSON."""
        try:
            return self.of_document(orjson.loads(data), names)
        except orjson.JSONDecodeError:
            return []

    def of_document(self, value: Any, names: frozenset[str], at: Pointer = ()) -> list[Violation]:
        """Return the dead links in a parsed document; `names` are the fields that hold links."""
        if not isinstance(value, list | dict):
            return []
        steps = enumerate(value) if isinstance(value, list) else value.items()
        found = []
        for step, one in steps:
            if step in names and isinstance(one, str) and self.is_dead(one, ""):
                found.append(Violation((*at, step), say("{one} leads nowhere", one=one)))
            found += self.of_document(one, names, (*at, step))
        return found

    def of_page(self, data: bytes, page: str) -> list[Violation]:
        """Return the dead links in a page."""
        addresses = {unescape(found.decode(errors="replace")) for found in _ADDRESS.findall(data)}
        return [
            Violation((), say("{one} leads nowhere", one=one))
            for one in sorted(addresses)
            if self.is_dead(one, page)
        ]

    def is_dead(self, address: str, page: str) -> bool:
        """Return whether a URL leads into the site, but to no file; other links are not checked."""
        parts = split_untrusted(address)
        if parts.scheme or parts.netloc or not parts.path:
            return False
        path = unquote(parts.path)
        if path.startswith("/"):
            path = normpath(path) + "/" * path.endswith("/")
            is_inside = path.startswith(f"{self.base_path}/")
            inside = path.removeprefix(self.base_path) if is_inside else path
            is_own = inside.startswith(self.own)
            return is_own and not (is_inside and self._is_there(inside.lstrip("/")))
        return not self._is_there(normpath(f"{page.rpartition('/')[0]}/{path}") + "/" * path.endswith("/"))

    def _is_there(self, file: str) -> bool:
        return file in self.listed or file_of(file, JSON_FILE) in self.listed or file in ("./", "/")
