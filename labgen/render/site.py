"""All files of the site, a unit at a time: the site's own, its images, then each laboratory's."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from labgen.directory import Directory, Laboratory
from labgen.media import LOGO, LOGO_2X, original_file, placeholder, placeholder_path
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.registry import LABORATORIES, Facet, PerLaboratory, link_fields
from labgen.render.block import render_block
from labgen.render.documents import render_json
from labgen.render.pages import LaboratoryPages, render_not_found_page, render_site_page
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS
from labgen.sections import PER_LABORATORY, PER_SITE


class Unit(NamedTuple):
    """Files that are made and replaced together: a folder under out/, and the bytes of each file below it."""

    folder: str
    files: dict[str, bytes]


class Rendered(NamedTuple):
    """A document as JSON, and as the HTML of a page's block."""

    json: bytes
    block: bytes


class LaboratoryRenderer:
    """Renders laboratories. What laboratories share, frames and entries of catalogues, is rendered once."""

    def __init__(self, directory: Directory, templates: Templates) -> None:
        self.directory = directory
        self.pages = {
            endpoint.name: LaboratoryPages(endpoint, directory, templates) for endpoint in PER_LABORATORY
        }
        self.entries: dict[str, dict[int, Rendered]] = {endpoint.name: {} for endpoint in PER_LABORATORY}

    def unit(self, laboratory: Laboratory) -> Unit:
        """Return all files of a laboratory."""
        files: dict[str, bytes] = {}
        for endpoint in PER_LABORATORY:
            document = endpoint.make(laboratory, self.directory)
            rendered = self.document(endpoint, laboratory, document)
            page = self.pages[endpoint.name].render(laboratory, document, rendered.block)
            files[file_of(endpoint.segment, JSON_FILE)] = rendered.json
            files[file_of(endpoint.segment, PAGE_FILE)] = page
        return Unit(folder_of(LABORATORIES + laboratory.display_id), files)

    def document(self, endpoint: PerLaboratory, laboratory: Laboratory, document: Any) -> Rendered:
        """Return a document rendered, a facet section from its entries' parts."""
        if not isinstance(endpoint, Facet) or not endpoint.is_shared or not document["items"]:
            return render_document(document, endpoint.document)
        return self.facet(endpoint, laboratory, document)

    def facet(self, endpoint: Facet, laboratory: Laboratory, document: Any) -> Rendered:
        """Return a section whose entries stand in a catalogue: each of them is rendered once."""
        known = self.entries[endpoint.name]
        links = link_fields(endpoint.document)
        parts = []
        for entry, item in zip(endpoint.entries(laboratory), document["items"], strict=True):
            rendered = known.get(entry.id)
            if rendered is None:
                rendered = Rendered(render_json(item), render_block(item, links, depth=ITEM_DEPTH).encode())
                known[entry.id] = rendered
            parts.append(rendered)
        around = render_document(document | {"items": []}, endpoint.document)
        json_head, block_head = around.json.removesuffix(b"[]}"), around.block.removesuffix(b"[]\n}")
        return Rendered(
            b"".join((json_head, b"[", b",".join([part.json for part in parts]), b"]}")),
            b"".join((block_head, b"[\n    ", b",\n    ".join([part.block for part in parts]), b"\n  ]\n}")),
        )


ITEM_DEPTH = 2
"""The containers around an entry of a section: the document, and its list `items`."""


def render_document(document: Any, kind: Any) -> Rendered:
    """Return a document rendered; `kind` is its type, which says what in it is an address."""
    return Rendered(render_json(document), render_block(document, link_fields(kind)).encode())


def site_unit(directory: Directory, templates: Templates) -> Unit:
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
    return Unit("", files)


def placeholder_units(directory: Directory) -> Iterator[Unit]:
    """Yield the placeholders of the laboratories that have no logo."""
    names = {lab.record.name for lab in directory.laboratories.values() if lab.record.logo is None}
    drawn = {
        placeholder_path(name, size): placeholder(name, size) for name in names for size in (LOGO, LOGO_2X)
    }
    for address, data in sorted(drawn.items()):
        folder, _, last = address.strip("/").rpartition("/")
        yield Unit(folder, {last: data})


def image_place(name: str) -> tuple[str, str]:
    """Return the folder under out/, and the name in it, of an original."""
    folder, _, last = original_file(name).rpartition("/")
    return folder, last
