"""Render all files of the site: those of each laboratory, and those that exist once."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import ceil
from typing import Any, NamedTuple

from typing_extensions import is_typeddict

from labgen.api.endpoint import LABORATORIES, Endpoint, Listing, PerLaboratory, PerSite
from labgen.api.proposed import (
    CHANGES,
    CHANGES_PART,
    WHOLE,
    CatalogueItem,
    Catalogues,
    Changes,
    ChangesPart,
    LaboratoryDigest,
    PartDigest,
    Parts,
    Whole,
    proposed,
)
from labgen.api.sections import PAGED, per_laboratory, per_site
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory, Laboratory, Neighbours, PagePosition
from labgen.model.renditions import placeholder, placeholder_path, sizes_of_placeholder
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, SEARCH_FOLDER, file_of, folder_of
from labgen.model.summaries import Card, Facet
from labgen.render.block import render_block
from labgen.render.catalogue_pages import PAGE_SIZE
from labgen.render.client_files import client_files
from labgen.render.crawlers import owns_root, robots_files
from labgen.render.encode_json import render_json
from labgen.render.feed import FEED_FILE, render_feed
from labgen.render.items import Document, ItemRenderer, Rendered, View
from labgen.render.links import Links
from labgen.render.looks import looks_file
from labgen.render.openapi import OPENAPI_FILE, render_openapi
from labgen.render.pages import (
    NOT_FOUND_PAGE,
    LaboratoryPages,
    LaboratoryValues,
    render_not_found_page,
    render_site_page,
)
from labgen.render.public_pages import PublicPages
from labgen.render.reference import render_reference
from labgen.render.shared_items import MAX_ITEMS, ListRenderer
from labgen.render.site_values import REFERENCE_PAGE, site_values
from labgen.render.templates import ICON, Templates
from labgen.render.whole_laboratory import WholeRenderer
from labgen.system.workers import spread

Files = dict[str, bytes]
"""The bytes of files, by their names below a folder."""


ALONE = Neighbours()


class LaboratoryRenderer:
    """Renders the files of laboratories; frames and shared items are rendered only once."""

    def __init__(self, directory: Directory, templates: Templates, hosts: HostAbilities) -> None:
        self.directory = directory
        self.templates = templates
        self.endpoints = per_laboratory(directory)
        self.pages = {
            endpoint.name: LaboratoryPages(endpoint, directory, templates, hosts)
            for endpoint in self.endpoints
        }
        self.links = {
            endpoint.name: self.pages[endpoint.name].site.links_in(endpoint) for endpoint in self.endpoints
        }
        self.public = PublicPages(directory, templates, hosts) if directory.site.has_public_pages else None
        self.views = {endpoint.name: self._view(endpoint) for endpoint in self.endpoints}
        self.outputs = [
            (one, file_of(one.segment, JSON_FILE), file_of(one.segment, PAGE_FILE)) for one in self.endpoints
        ]
        self.lists = {
            endpoint.name: ListRenderer(endpoint, directory, self._item_renderer(endpoint))
            for endpoint in self.endpoints
            if _has_items(endpoint)
        }
        self.objects = {
            endpoint.name: ItemRenderer(
                self.links[endpoint.name], self.views[endpoint.name], depth=0, is_deep=True
            )
            for endpoint in self.endpoints
            if is_typeddict(endpoint.document)
        }

        self.whole = next(
            (
                WholeRenderer(one, directory, templates, hosts)
                for one in proposed(directory)
                if isinstance(one, Whole)
            ),
            None,
        )

    def share(self, facets: Iterable[Facet], jobs: int) -> None:
        """Render these catalogue entries now, so that processes forked later need not all render them."""
        named = sorted(facets)
        tasks: list[tuple[str, int]] = []
        for name, one in self.lists.items():
            if isinstance(one.endpoint, Listing) and one.endpoint.catalogue:
                new = [
                    number for number in one.endpoint.catalogue.ids_among(named) if number not in one.items
                ]
                tasks += [(name, number) for number in new if len(one.items) + len(new) <= MAX_ITEMS]

        def work(some: Sequence[tuple[str, int]]) -> list[tuple[str, int, Rendered]]:
            return [(name, number, self.lists[name].item(number, "")) for name, number in some]

        for name, number, rendered in spread(work, tasks, jobs, few=FEW_ENTRIES, batch=200):
            self.lists[name].items[number] = rendered

    def files(self, laboratories: Sequence[tuple[Laboratory, Neighbours]]) -> list[tuple[Files, Files]]:
        """Return all files of each laboratory, by their names below its folder: of the API, and public ones.

        One document is rendered for all of them, then the next document (see `workers`).
        """
        files: list[Files] = [{} for _ in laboratories]
        views: list[dict[str, Sequence[bytes]]] = [{} for _ in laboratories]
        texts = self.directory.language.words
        values = [LaboratoryValues(*one, self.endpoints, texts) for one in laboratories]
        labs = [laboratory for laboratory, _ in laboratories]
        for endpoint, json_file, page_file in self.outputs:
            documents = [self.document(endpoint, lab) for lab in labs]
            pages = self.pages[endpoint.name]
            for own, seen, lab, shared, rendered in zip(files, views, labs, values, documents, strict=True):
                own[json_file] = rendered.json
                own[page_file] = pages.render(lab, rendered.block, shared)
                if rendered.views:
                    seen[endpoint.name] = rendered.views
        if self.public is None:
            return [(own, {}) for own in files]
        return [
            (own, self.public.files(lab, seen)) for own, lab, seen in zip(files, labs, views, strict=True)
        ]

    def document(self, endpoint: PerLaboratory, laboratory: Laboratory) -> Document:
        """Render a laboratory's document."""
        path = endpoint.path_for(laboratory.display_id)
        if isinstance(endpoint, Listing) and (keys := endpoint.keys(laboratory, self.directory)):
            return self.lists[endpoint.name].render(keys, path)
        document = endpoint.make(laboratory, self.directory)
        if endpoint.name in self.objects:
            one = self.objects[endpoint.name].render(document, path)
            return Document(one.json, one.block, (one.view,))
        if endpoint.search_arg and document["items"]:
            items = self.lists[endpoint.name]
            return items.joined([items.renderer.render(one, path) for one in document["items"]])
        rendered = render_document(document, self.links[endpoint.name])
        view = None if _has_items(endpoint) else self.views[endpoint.name]
        return rendered._replace(views=(view.render(document, path),)) if view and document else rendered

    def _view(self, endpoint: PerLaboratory) -> View | None:
        """Return the view of an endpoint's document, or of its items, if public pages show it."""
        return (
            self.public.view(endpoint, "item" if _has_items(endpoint) else "document")
            if self.public
            else None
        )

    def _item_renderer(self, endpoint: PerLaboratory) -> ItemRenderer:
        """Return the renderer for items of a list; those of facet sections are in an envelope."""
        depth = 2 if endpoint.search_arg else 1
        return ItemRenderer(self.links[endpoint.name], self.views[endpoint.name], depth=depth)


def _has_items(endpoint: PerLaboratory) -> bool:
    """Return whether the items of an endpoint's documents are rendered one by one."""
    return isinstance(endpoint, Listing) or endpoint.search_arg is not None


FEW_ENTRIES = 2000
"""The number of catalogue entries that one process renders faster than several processes start."""


def render_document(document: Any, links: Links) -> Document:
    """Render a document as JSON, and as the JSON block of its page."""
    return Document(render_json(document), render_block(document, links))


def folder_for(display_id: str) -> str:
    """Return the folder of a laboratory's files under out/."""
    return _LABORATORIES + display_id


def laboratory_in(folder: str) -> str:
    """Return the display_id of the laboratory whose files are in a folder, "" for other folders."""
    display_id = folder.removeprefix(_LABORATORIES)
    return display_id if display_id.isdecimal() and folder == folder_for(display_id) else ""


_LABORATORIES = LABORATORIES.removeprefix("/")


class Example(NamedTuple):
    """The content of examples: a laboratory, the first of all laboratories as cards, in their list.

    `catalogue` are the first items of the first catalogue, which has `catalogue_size`.
    """

    laboratory: Laboratory
    cards: Sequence[Card]
    part: PagePosition
    catalogue: Sequence[CatalogueItem] = ()
    catalogue_size: int = 0


def site_files(
    directory: Directory, templates: Templates, hosts: HostAbilities, example: Example | None = None
) -> Files:
    """Return the files that the site has once: documents, pages, error documents, and static files.

    `example` is shown in the examples of `openapi.json`. The front page is rendered by `front_page`.
    """
    files = {**dict(templates.static.values()), **looks_file(directory.site.looks, templates.static)}
    files |= error_documents(directory) | robots_files(directory.site)
    if owns_root(directory.site):
        files[ICON] = templates.icon
    examples: dict[str, Any] = {}
    if example:
        examples = {one.name: one.make(example.laboratory, directory) for one in per_laboratory(directory)}
        examples |= {one.name: one.make(example.part, example.cards, directory) for one in PAGED}
        for one in sorted(proposed(directory), key=lambda one: one.name == CHANGES):  # it needs its parts
            examples[one.name] = _example_of(one, examples, example, directory)
    for endpoint in per_site(directory):
        document = examples[endpoint.name] = endpoint.make(directory)
        site = site_values(directory, templates, hosts, endpoint.path)
        rendered = render_document(document, site.links_in(endpoint))
        own = endpoint.make(directory)  # a template may change it
        page = render_site_page(endpoint, own, rendered.block, directory, templates, site)
        files[file_of(endpoint.path, JSON_FILE)] = rendered.json
        files[file_of(endpoint.path, PAGE_FILE)] = page
    display_id = example.laboratory.display_id if example else None
    if directory.newest:
        files[FEED_FILE] = render_feed(directory)
    files |= client_files(directory, hosts)
    files[OPENAPI_FILE] = render_openapi(directory, hosts, examples, display_id)
    files[REFERENCE_PAGE] = render_reference(directory, templates, hosts, examples, display_id)
    files[NOT_FOUND_PAGE] = render_not_found_page(directory, templates, hosts)
    return files


def _example_of(
    endpoint: Endpoint, examples: Mapping[str, Any], example: Example, directory: Directory
) -> Any:
    """Return an example of a document that labgen proposes."""
    match endpoint:
        case Whole():
            return {one.name: examples[one.name] for one in endpoint.sections}
        case Catalogues():
            paths, total = endpoint.of(endpoint.names[0], ""), example.catalogue_size
            return paths.enclose(
                [*example.catalogue], PagePosition(1, ceil(total / PAGE_SIZE), total), directory
            )
        case Parts():
            return ChangesPart(laboratories=[_digest_of(example.laboratory.display_id, examples[WHOLE])])
        case PerSite():
            part, path = examples[CHANGES_PART], f"{directory.site.base_path}{endpoint.path}part/0/"
            return Changes(count=example.part.total, parts=[PartDigest(path=path, digest=_digest(part))])
    raise TypeError(endpoint)


def _digest_of(display_id: str, whole: Any) -> LaboratoryDigest:
    return LaboratoryDigest(display_id=display_id, digest=_digest(whole))


def _digest(document: Any) -> str:
    """Return the digest of a document, as the manifest has it."""
    return sha256(render_json(document)).hexdigest()[:32]


def error_documents(directory: Directory) -> Files:
    """Return the error documents for missing documents and refused requests (docs/reference/decisions.md)."""
    texts = directory.language.words
    return _refused_search(directory) | {
        "404.json": render_json({"detail": texts["not_found"]}),
        "405.json": render_json({"detail": texts["method_not_allowed"]}),
    }


def _refused_search(directory: Directory) -> Files:
    """Return the error document of hosts that answer no search, if there is one in files."""
    site = directory.site
    path = f"{site.base_path}/{SEARCH_FOLDER}/"
    detail = directory.language.words["searched_elsewhere"].format(path=path)
    return (
        {"400.json": render_json({"detail": detail, "search": path + JSON_FILE})}
        if site.search.enabled
        else {}
    )


def placeholder_files(keys: Iterable[str]) -> Files:
    """Return these placeholders, each in its sizes."""
    wanted = [(letters, size) for letters, sizes in map(sizes_of_placeholder, keys) for size in sizes]
    return {folder_of(placeholder_path(*one)): placeholder(*one) for one in wanted}
