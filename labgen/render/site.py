"""All files of the site: the site's own, and each laboratory's."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from labgen.directory import Directory, Laboratory
from labgen.media import LOGO, LOGO_2X, placeholder, placeholder_path
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.registry import LABORATORIES, Listing, PerLaboratory, link_fields
from labgen.render.block import INDENT, render_block
from labgen.render.documents import render_json
from labgen.render.frames import html
from labgen.render.pages import LaboratoryPages, render_not_found_page, render_site_page
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS
from labgen.sections import PER_LABORATORY, PER_SITE

Files = dict[str, bytes]
"""The bytes of files, by their names below a folder."""


class Rendered(NamedTuple):
    """A document as JSON, and as the HTML of a page's block."""

    json: bytes
    block: bytes


class LaboratoryRenderer:
    """Renders laboratories. What laboratories share, frames and what several list, is rendered once."""

    def __init__(self, directory: Directory, templates: Templates) -> None:
        self.directory = directory
        self.pages = {
            endpoint.name: LaboratoryPages(endpoint, directory, templates) for endpoint in PER_LABORATORY
        }
        self.lists = {
            endpoint.name: ListRenderer(endpoint, directory)
            for endpoint in PER_LABORATORY
            if isinstance(endpoint, Listing)
        }

    def files(self, laboratory: Laboratory) -> Files:
        """Return all files of a laboratory, by their names below its folder."""
        files: Files = {}
        name = html(laboratory.record.name)
        for endpoint in PER_LABORATORY:
            rendered = self.document(endpoint, laboratory)
            page = self.pages[endpoint.name].render(laboratory, rendered.block, name)
            files[file_of(endpoint.segment, JSON_FILE)] = rendered.json
            files[file_of(endpoint.segment, PAGE_FILE)] = page
        return files

    def document(self, endpoint: PerLaboratory, laboratory: Laboratory) -> Rendered:
        """Return a laboratory's document rendered."""
        if isinstance(endpoint, Listing) and (keys := endpoint.keys(laboratory, self.directory)):
            return self.lists[endpoint.name].render(keys)
        return render_document(endpoint.make(laboratory, self.directory), endpoint.document)


MAX_ITEMS = 50_000
"""Items of one endpoint that are kept: some tens of megabytes, however many laboratories there are."""


class ListRenderer:
    """Renders the documents of a listing, each of whose items is rendered once."""

    def __init__(self, endpoint: Listing, directory: Directory) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.json: dict[Hashable, bytes] = {}
        self.block: dict[Hashable, bytes] = {}
        empty = render_document(endpoint.enclose([], directory), endpoint.document)
        before, _, after = empty.json.rpartition(b"[]")
        self.json_around = before + b"[", b"]" + after
        before, _, end = empty.block.rpartition(b"[]")
        self.depth = 1 + len(after)
        self.between = b",\n" + INDENT * self.depth
        self.block_around = before + b"[" + self.between[1:], b"\n" + INDENT * len(after) + b"]" + end

    def render(self, keys: Sequence[Hashable]) -> Rendered:
        """Return the document with the items of these keys, of which there is at least one."""
        try:
            items, lines = [*map(self.json.__getitem__, keys)], [*map(self.block.__getitem__, keys)]
        except KeyError:
            self._add(keys)
            return self.render(keys)
        (before, after), (above, below) = self.json_around, self.block_around
        return Rendered(
            b"%b%b%b" % (before, b",".join(items), after),
            b"%b%b%b" % (above, self.between.join(lines), below),
        )

    def _add(self, keys: Sequence[Hashable]) -> None:
        if len(self.json) > MAX_ITEMS:
            self.json.clear()
            self.block.clear()
        links = link_fields(self.endpoint.document)
        for key in keys:
            if key not in self.json:
                item = self.endpoint.make_item(key, self.directory)
                self.block[key] = render_block(item, links, self.depth)
                self.json[key] = render_json(item)


def render_document(document: Any, kind: Any) -> Rendered:
    """Return a document rendered; `kind` is its type, which says what in it is an address."""
    return Rendered(render_json(document), render_block(document, link_fields(kind)))


def folder_for(display_id: str) -> str:
    """Return the folder under out/ that a laboratory's files lie in."""
    return folder_of(LABORATORIES + display_id)


def site_files(directory: Directory, templates: Templates) -> Files:
    """Return the files that the site has once: documents, error documents, and static files."""
    files = {**dict(templates.static.values()), **error_documents(directory)}
    files["404.html"] = render_not_found_page(directory, templates)
    for endpoint in PER_SITE:
        document = endpoint.make(directory)
        rendered = render_document(document, endpoint.document)
        page = render_site_page(endpoint, document, rendered.block, directory, templates)
        files[file_of(endpoint.path, JSON_FILE)] = rendered.json
        files[file_of(endpoint.path, PAGE_FILE)] = page
    return files


def error_documents(directory: Directory) -> Files:
    """Return what is said where there is no document, or none for a method (decisions, "HTTP")."""
    texts = TEXTS[directory.site.language]
    return {
        "404.json": render_json({"detail": texts["not_found"]}),
        "405.json": render_json({"detail": texts["method_not_allowed"]}),
    }


def placeholder_files(initials: Iterable[str]) -> Files:
    """Return the placeholders with these initials."""
    wanted = [(letters, size) for letters in initials for size in (LOGO, LOGO_2X)]
    return {folder_of(placeholder_path(*one)): placeholder(*one) for one in wanted}
