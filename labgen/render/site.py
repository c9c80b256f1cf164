"""All files of the site: the site's own, and each laboratory's."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from labgen.directory import Directory, Laboratory
from labgen.media import LOGO, LOGO_2X, placeholder, placeholder_path
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.registry import LABORATORIES, Facet, PerLaboratory, link_fields
from labgen.render.block import render_block
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


class Entries(NamedTuple):
    """The entries of a catalogue, rendered, by their ids."""

    json: dict[int, bytes]
    block: dict[int, bytes]


class LaboratoryRenderer:
    """Renders laboratories. What laboratories share, frames and entries of catalogues, is rendered once."""

    def __init__(self, directory: Directory, templates: Templates) -> None:
        self.directory = directory
        self.pages = {
            endpoint.name: LaboratoryPages(endpoint, directory, templates) for endpoint in PER_LABORATORY
        }
        self.entries: dict[str, Entries] = {endpoint.name: Entries({}, {}) for endpoint in PER_LABORATORY}
        self.around: dict[str, Rendered] = {}

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
        """Return a laboratory's document rendered; a section of shared entries is joined from theirs."""
        if isinstance(endpoint, Facet) and endpoint.is_shared and (entries := endpoint.entries(laboratory)):
            return self.facet(endpoint, entries)
        return render_document(endpoint.make(laboratory, self.directory), endpoint.document)

    def facet(self, endpoint: Facet, entries: Sequence[Any]) -> Rendered:
        """Return a section whose entries stand in a catalogue: each of them is rendered once."""
        known = self.entries[endpoint.name]
        ids = [entry.id for entry in entries]
        if not known.json.keys() >= set(ids):
            self._render_entries(endpoint, entries, known)
        around = self.around.get(endpoint.name)
        if around is None:
            empty = render_document(endpoint.envelope([], self.directory), endpoint.document)
            around = Rendered(empty.json.removesuffix(b"[]}"), empty.block.removesuffix(b"[]\n}"))
            self.around[endpoint.name] = around
        items, lines = b",".join(map(known.json.__getitem__, ids)), map(known.block.__getitem__, ids)
        return Rendered(
            b"%b[%b]}" % (around.json, items),
            b"%b[\n    %b\n  ]\n}" % (around.block, b",\n    ".join(lines)),
        )

    def _render_entries(self, endpoint: Facet, entries: Sequence[Any], known: Entries) -> None:
        links = link_fields(endpoint.document)
        for entry in entries:
            if entry.id not in known.json:
                item = endpoint.make_item(entry)
                known.block[entry.id] = render_block(item, links, ITEM_DEPTH)
                known.json[entry.id] = render_json(item)


ITEM_DEPTH = 2
"""The containers around an entry of a section: the document, and its list `items`."""


def render_document(document: Any, kind: Any) -> Rendered:
    """Return a document rendered; `kind` is its type, which says what in it is an address."""
    return Rendered(render_json(document), render_block(document, link_fields(kind)))


def folder_for(display_id: str) -> str:
    """Return the folder under out/ that a laboratory's files lie in."""
    return folder_of(LABORATORIES + display_id)


def site_files(directory: Directory, templates: Templates) -> Files:
    """Return the files that the site has once: documents, error documents, and static files."""
    texts = TEXTS[directory.site.language]
    files = dict(templates.static.values())
    files["404.json"] = render_json({"detail": texts["not_found"]})
    files["405.json"] = render_json({"detail": texts["method_not_allowed"]})
    files["404.html"] = render_not_found_page(directory, templates)
    for endpoint in PER_SITE:
        document = endpoint.make(directory)
        rendered = render_document(document, endpoint.document)
        page = render_site_page(endpoint, document, rendered.block, directory, templates)
        files[file_of(endpoint.path, JSON_FILE)] = rendered.json
        files[file_of(endpoint.path, PAGE_FILE)] = page
    return files


def placeholder_files(initials: Iterable[str]) -> Files:
    """Return the placeholders with these initials."""
    wanted = [(letters, size) for letters in initials for size in (LOGO, LOGO_2X)]
    return {folder_of(placeholder_path(*one)): placeholder(*one) for one in wanted}
