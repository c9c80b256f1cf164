"""Answer requests to the preview server from a built site, as docs/reference/contract.md specifies.

This module does not use sockets: `Site.answer` accepts a request and returns a status, header fields, a body.
"""

import json
import mimetypes
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote_to_bytes

from labgen.api.endpoint import LABORATORIES
from labgen.contract import http_contract as contract
from labgen.contract.http_contract import (
    CORS_HEADERS,
    DIGEST_FOLDERS,
    IMMUTABLE,
    JSON_TYPE,
    MEDIA_TYPES,
    METHODS,
    REVALIDATED,
)
from labgen.model.language import built_in
from labgen.model.site_paths import FOLDERS, JSON_FILE, PAGE_FILE, folder_of
from labgen.output.pack_files import is_pack
from labgen.render.encode_json import render_json
from labgen.render.site_values import FRONT_PAGE
from labgen.search import Answer as SearchAnswer
from labgen.search import Search
from labgen.system.input_files import read_bytes

_LIST = f"{folder_of(LABORATORIES)}/"
_PUBLIC = re.compile(r"([^/]+)/([0-9]+)/[^/]+/?(?:index\.html)?")
"""The path of a public page: its word, and the number of a laboratory."""
OK = 200


class Answer(NamedTuple):
    """An HTTP response: the status, the header fields in order, and the body, which is also set for HEAD."""

    status: int
    fields: tuple[tuple[str, str], ...]
    body: bytes = b""


ANYWHERE = tuple((one.name, one.value) for one in contract.COMMON_FIELDS)
VARY = ("Vary", "Accept")
ALLOW = ("Allow", METHODS)
PREFLIGHT = (
    ("Access-Control-Allow-Methods", METHODS),
    ("Access-Control-Allow-Headers", CORS_HEADERS),
    ("Access-Control-Max-Age", "86400"),
)


class Target(NamedTuple):
    """The target of a request: a path without its first slash, and the query as it was sent."""

    path: str
    query: str


def parse_target(sent: str) -> Target | None:
    """Return a target with dots resolved and slashes merged; None if it is invalid or leaves the root."""
    path, _, query = sent.partition("#")[0].partition("?")
    try:
        decoded = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return Target("\ufffd", query)  # no file has such a name
    if not decoded.startswith("/") or "\0" in decoded:
        return None
    steps: list[str] = []
    for step in decoded.split("/"):
        if step == ".." and not steps:
            return None
        if step == "..":
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    ends_in_folder = decoded.endswith(("/", "/.", "/.."))
    return Target("/".join(steps) + ("/" if steps and ends_in_folder else ""), query)


def format_of(query: str) -> str | None:
    """Return the last `format` of a query; None if there is none, or it is empty.

    This is what Django REST framework does. Names and values are decoded: `%66ormat` is `format`.
    """
    return parse_qs(query, keep_blank_values=True).get("format", [""])[-1] or None


def file_wanted(query: str, accept: str) -> str | None:
    """Return the name of the file for the requested format of a document, or None for an unknown format."""
    asked = format_of(query)
    if asked is not None:
        return {"json": JSON_FILE, "api": PAGE_FILE}.get(asked)
    wanted = accept.lower()
    is_page = "text/html" in wanted and JSON_TYPE not in wanted
    return PAGE_FILE if is_page else JSON_FILE


class Site:
    """A built site in a folder, below a base path such as `/verzeichnis` or at the root ("").

    Documents lie below `folders`.
    """

    def __init__(
        self, out: Path, base_path: str = "", refusal: str = "", folders: Sequence[str] = FOLDERS
    ) -> None:
        self.out = out
        self.starts = tuple(f"{folder}/" for folder in folders)
        self.refusal = refusal or built_in("de").words["this_method_not_allowed"]
        self.base_path = base_path

    def answer(self, method: str, sent: str, fields: Mapping[str, str]) -> Answer:
        """Return the response of a full host; `fields` are the request's header fields by lower-case name."""
        target = parse_target(sent)
        if target is None:
            return self._error(400, "404.json")
        if method == "OPTIONS":
            return Answer(204, (*ANYWHERE, ALLOW, *PREFLIGHT))
        if method not in ("GET", "HEAD"):
            return self._not_allowed(method)
        prefix = self.base_path.lstrip("/") + "/" if self.base_path else ""
        if f"{target.path}/" == prefix:
            return _moved(target)
        if not target.path.startswith(prefix):
            return self._error(404, "404.json")
        path = target.path.removeprefix(prefix)
        is_document = f"{path}/".startswith(self.starts)
        if is_document and path.endswith("/"):
            return self._document(path, target.query, fields)
        file = f"{path}{FRONT_PAGE}" if path == "" or path.endswith("/") else path
        if (body := self.read(file)) is not None:
            return _file(file, body, fields)
        if self.read(f"{path}/{JSON_FILE if is_document else FRONT_PAGE}") is not None:
            return _moved(target)
        return self._renamed(path) or self._missing(path, target.query, fields)

    def read(self, file: str) -> bytes | None:
        """Return the bytes of a file of the site, None if it is missing, hidden, a pack or behind a link."""
        if is_pack(file) or any(part.startswith(".") for part in file.split("/")):
            return None
        path = str(self.out)
        for part in file.split("/"):
            path += f"/{part}"
            if os.path.islink(path):  # noqa: PTH114 - each step of a Path costs more than the file
                return None
        try:
            return read_bytes(path)
        except (OSError, ValueError):
            return None

    def _document(self, folder: str, query: str, fields: Mapping[str, str]) -> Answer:
        name = file_wanted(query, fields.get("accept", ""))
        if query and folder == _LIST and name == JSON_FILE:
            search = Search(self.read)
            if search.is_asked(query):
                return self._found(search(query), fields)
        body = None if name is None else self.read(folder + name)
        if body is None or name is None:
            return self._missing(folder, query, fields)
        return _file(folder + name, body, fields, (VARY, ALLOW))

    def _found(self, answer: SearchAnswer, fields: Mapping[str, str]) -> Answer:
        """Return the response to a search of laboratories, or a 404 if there is no such page of it."""
        if answer.status == OK:
            return _file(_LIST + JSON_FILE, answer.body(), fields, (VARY, ALLOW))
        return Answer(answer.status, (*ANYWHERE, VARY, ("Content-Type", JSON_TYPE)), answer.body())

    def _renamed(self, path: str) -> Answer | None:
        """Return the way to a laboratory's public page from an address with another name, by its number."""
        found = _PUBLIC.fullmatch(path)
        document = self.read(f"{_LIST}{found[2]}/{JSON_FILE}") if found else None
        if document is None or found is None:
            return None
        url: str = json.loads(document)["url"]
        is_page = self.read(url.removeprefix(f"{self.base_path}/") + FRONT_PAGE) is not None
        is_here = url.startswith(f"{self.base_path}/{found[1]}/{found[2]}/")
        return Answer(301, (*ANYWHERE, ("Location", url))) if is_here and is_page else None

    def _missing(self, path: str, query: str, fields: Mapping[str, str]) -> Answer:
        """Return a 404: among documents in JSON, unless the query requests HTML; elsewhere by `Accept`."""
        is_document = f"{path}/".startswith(self.starts)
        is_page = file_wanted(query, "" if is_document else fields.get("accept", "")) == PAGE_FILE
        return self._error(404, "404.html" if is_page else "404.json", (VARY,))

    def _error(self, status: int, file: str, own: tuple[tuple[str, str], ...] = ()) -> Answer:
        body = self.read(file) or b""
        return Answer(status, (*ANYWHERE, *own, ("Content-Type", _type_of(file))), body)

    def _not_allowed(self, method: str) -> Answer:
        body = self.read("405.json") or b""
        if method.isascii() and method.isalpha():
            detail = self.refusal.format(method=method)
            body = render_json({"detail": detail})
        return Answer(405, (*ANYWHERE, ("Content-Type", JSON_TYPE), ALLOW), body)


def _moved(target: Target) -> Answer:
    query = f"?{target.query}" if target.query else ""
    return Answer(301, (*ANYWHERE, ("Location", f"/{target.path}/{query}")))


def _file(file: str, body: bytes, fields: Mapping[str, str], own: tuple[tuple[str, str], ...] = ()) -> Answer:
    etag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    keep = IMMUTABLE if file.startswith(DIGEST_FOLDERS) else REVALIDATED
    common = (*ANYWHERE, *own, ("ETag", etag), ("Cache-Control", keep))
    known = [one.strip().removeprefix("W/") for one in fields.get("if-none-match", "").split(",")]
    if etag in known or known == ["*"]:
        return Answer(304, common)
    return Answer(200, (("Content-Type", _type_of(file)), *common), body)


def _type_of(file: str) -> str:
    suffix = os.path.splitext(file)[1].lower()  # noqa: PTH122 - a name under out/, not a path of this machine
    return MEDIA_TYPES.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")
