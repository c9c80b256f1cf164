"""All files of the site: the site's own, and each laboratory's."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from labgen.directory import Directory, Laboratory, Neighbours
from labgen.media import LOGO, LOGO_2X, placeholder, placeholder_path
from labgen.paths import JSON_FILE, PAGE_FILE, file_of, folder_of
from labgen.registry import LABORATORIES, Listing, PerLaboratory, link_fields, row_fields
from labgen.render.block import (
    around_rows,
    fill_list,
    fill_rows,
    render_block,
    render_item,
    render_row,
    render_rows,
)
from labgen.render.documents import render_json
from labgen.render.openapi import FILE as OPENAPI_FILE
from labgen.render.openapi import render_openapi
from labgen.render.pages import (
    FRONT_PAGE,
    NOT_FOUND_PAGE,
    Body,
    LaboratoryPages,
    LaboratoryValues,
    render_front_page,
    render_not_found_page,
    render_site_page,
    view_template,
)
from labgen.render.reference import FILE as REFERENCE_FILE
from labgen.render.reference import render_reference
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS
from labgen.sections import ENDPOINTS, PER_LABORATORY, PER_SITE

Files = dict[str, bytes]
"""The bytes of files, by their names below a folder."""


ALONE = Neighbours()


class Rendered(NamedTuple):
    """A document as JSON, and as the HTML of a page: its block, and its view for people if it has one."""

    json: bytes
    block: bytes
    view: bytes = b""


class LaboratoryRenderer:
    """Renders laboratories. What laboratories share, frames and what several list, is rendered once."""

    def __init__(self, directory: Directory, templates: Templates) -> None:
        self.directory = directory
        self.templates = templates
        self.pages = {
            endpoint.name: LaboratoryPages(endpoint, directory, templates) for endpoint in PER_LABORATORY
        }
        self.views = {endpoint.name: view_template(endpoint, templates) for endpoint in PER_LABORATORY}
        self.lists = {
            endpoint.name: ListRenderer(endpoint, directory, self._view_of_item(endpoint))
            for endpoint in PER_LABORATORY
            if isinstance(endpoint, Listing)
        }

    def files(self, laboratory: Laboratory, neighbours: Neighbours = ALONE) -> Files:
        """Return all files of a laboratory, by their names below its folder."""
        files: Files = {}
        shared = LaboratoryValues(laboratory, neighbours)
        for endpoint in PER_LABORATORY:
            rendered = self.document(endpoint, laboratory)
            body = Body(rendered.block, rendered.view)
            files[file_of(endpoint.segment, JSON_FILE)] = rendered.json
            files[file_of(endpoint.segment, PAGE_FILE)] = self.pages[endpoint.name].render(
                laboratory, body, shared
            )
        return files

    def document(self, endpoint: PerLaboratory, laboratory: Laboratory) -> Rendered:
        """Return a laboratory's document rendered."""
        path = endpoint.path_for(laboratory.display_id)
        if isinstance(endpoint, Listing) and (keys := endpoint.keys(laboratory, self.directory)):
            return self.lists[endpoint.name].render(keys, path)
        document = endpoint.make(laboratory, self.directory)
        rendered = render_document(document, endpoint.document)
        view = self.views[endpoint.name]
        if view is None or (endpoint.count and not endpoint.count(laboratory)):
            return rendered
        site = self.pages[endpoint.name].site
        return rendered._replace(view=self.templates.render(view, path, site=site, document=document))

    def _view_of_item(self, endpoint: PerLaboratory) -> "ItemView":
        """Return what makes an item of a list as people see it, for the page at a path."""
        view, site = self.views[endpoint.name], self.pages[endpoint.name].site
        if view is None:
            return lambda _item, _path: b""
        return lambda item, path: self.templates.render(view, path, site=site, item=item)


ItemView = Callable[[Any, str], bytes]
MAX_ITEMS = 50_000
"""Items of one endpoint that are kept: some tens of megabytes, however many laboratories there are."""


class Item(NamedTuple):
    """An item of a list: its JSON, what its block has after its place, and its view."""

    json: bytes
    block: bytes
    view: bytes


class ListRenderer:
    """Renders the documents of a listing, each of whose items is rendered once."""

    def __init__(self, endpoint: Listing, directory: Directory, view: ItemView) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.view = view
        self.items: dict[Hashable, Item] = {}
        self.has_rows = bool(row_fields(endpoint.document))
        empty = endpoint.enclose([], directory)
        before, _, after = render_json(empty).rpartition(b"[]")
        self.around = before + b"[", b"]" + after
        if self.has_rows:
            self.around_block = around_rows(empty)
        elif empty:
            raise TypeError(f"{endpoint.name}: only an Envelope may enclose a list")

    def render(self, keys: Sequence[Hashable], path: str) -> Rendered:
        """Return the document with the items of these keys, of which there is at least one."""
        try:
            items = [*map(self.items.__getitem__, keys)]
        except KeyError:
            self._add(keys, path)
            return self.render(keys, path)
        jsons, blocks, views = zip(*items, strict=True)
        before, after = self.around
        return Rendered(b"%b%b%b" % (before, b",".join(jsons), after), self._block(blocks), b"".join(views))

    def _block(self, items: Sequence[bytes]) -> bytes:
        if self.has_rows:
            before, after = self.around_block
            return fill_rows(before, items, after)
        return fill_list(items)

    def _add(self, keys: Sequence[Hashable], path: str) -> None:
        if len(self.items) > MAX_ITEMS:
            self.items.clear()
        links = link_fields(self.endpoint.document)
        for key in keys:
            if key not in self.items:
                item = self.endpoint.make_item(key, self.directory)
                block = render_row(item) if self.has_rows else render_item(item, links)
                self.items[key] = Item(render_json(item), block, self.view(item, path))


def render_document(document: Any, kind: Any) -> Rendered:
    """Return a document rendered; `kind` is its type, which says what it is and what in it is an address."""
    if row_fields(kind):
        rows = [render_row(item) for item in document["items"]]
        return Rendered(render_json(document), render_rows({**document, "items": []}, rows))
    return Rendered(render_json(document), render_block(document, link_fields(kind)))


def folder_for(display_id: str) -> str:
    """Return the folder under out/ that a laboratory's files lie in."""
    return folder_of(LABORATORIES + display_id)


def site_files(directory: Directory, templates: Templates, example: Laboratory | None = None) -> Files:
    """Return the files that the site has once: documents, front page, error documents, and static files.

    `example` is the laboratory that the front page links to, and whose documents are the examples of
    `openapi.json`.
    """
    files = {**dict(templates.static.values()), **error_documents(directory)}
    examples = {one.name: one.make(example, directory) for one in PER_LABORATORY} if example else {}
    for endpoint in PER_SITE:
        document = examples[endpoint.name] = endpoint.make(directory)
        rendered = render_document(document, endpoint.document)
        page = render_site_page(endpoint, document, rendered.block, directory, templates)
        files[file_of(endpoint.path, JSON_FILE)] = rendered.json
        files[file_of(endpoint.path, PAGE_FILE)] = page
    display_id = example.display_id if example else None
    files[OPENAPI_FILE] = render_openapi(ENDPOINTS, directory, examples, display_id)
    files[REFERENCE_FILE] = render_reference(ENDPOINTS, directory, templates, examples, display_id)
    files[FRONT_PAGE] = render_front_page(directory, templates, display_id, OPENAPI_FILE, REFERENCE_FILE)
    files[NOT_FOUND_PAGE] = render_not_found_page(directory, templates)
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
