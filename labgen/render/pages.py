"""Pages: what a browser gets for `format=api`. A page sees its document and the site's frame."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from labgen.directory import Directory, Laboratory, Neighbours
from labgen.paths import JSON_FILE, PAGE_FILE, climb
from labgen.registry import Endpoint, Listing, PerLaboratory, PerSite, row_fields
from labgen.render.frames import PageFrame, Slot, html, make_frame
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS
from labgen.sections import PER_LABORATORY, endpoints_of, per_laboratory

TEMPLATE = "page.html"
RESPONSE_HEADERS = (("Allow", "GET, HEAD, OPTIONS"), ("Content-Type", "application/json"), ("Vary", "Accept"))
"""What every answer carries (specification, section 4)."""


FRONT_PAGE = "index.html"
NOT_FOUND_PAGE = "404.html"


class NavigationLink(NamedTuple):
    """A link of the page's frame; without an address where there is no page, or for the page itself.

    `count` is the number of entries behind a link to a list, which `has_count`.
    """

    title: Any
    href: Any = None
    is_current: bool = False
    has_count: bool = False
    count: Any = None


class Beside(NamedTuple):
    """What the links to the pages before and after say before their titles, and of what they are."""

    label: str
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class SiteFrame:
    """The site's frame, as templates see it (`site`)."""

    name: str
    language: str
    base_url: str
    base_path: str
    root: str
    noindex: bool
    static_files: dict[str, str]
    texts: dict[str, str]

    def static(self, name: str) -> str:
        """Return the address of a static file, as seen from the page. Raises LookupError if there is none."""
        if name not in self.static_files:
            raise LookupError(f"there is no static file {name}")
        return self.root + quote(self.static_files[name])

    @property
    def front_page(self) -> str:
        """The address of the front page, as seen from the page."""
        return self.root + FRONT_PAGE


@dataclass(frozen=True, slots=True)
class Page:
    """What is particular to one page, as templates see it (`page`): texts, or slots for them."""

    endpoint: str
    title: Any
    about: str
    path: Any
    filename: Any
    breadcrumbs: tuple[NavigationLink, ...]
    beside: Beside
    sections: tuple[NavigationLink, ...] = ()
    previous: NavigationLink | None = None
    next: NavigationLink | None = None
    columns: tuple[str, ...] = ()
    has_view: bool = False
    has_entries: bool = True
    has_filter: bool = False
    method: str = "GET"
    status: str = "HTTP 200 OK"
    headers: tuple[tuple[str, str], ...] = RESPONSE_HEADERS
    json_href: str = JSON_FILE
    page_href: str = PAGE_FILE


class Body(NamedTuple):
    """What a page shows of its document, as HTML: its JSON, and a view for people (see `Page.has_view`)."""

    block: bytes
    view: bytes = b""


def site_frame(directory: Directory, templates: Templates, root: str) -> SiteFrame:
    """Return the site's frame; `root` is the address of the site's root as seen from the page."""
    site = directory.site
    return SiteFrame(
        name=site.name,
        language=site.language,
        base_url=site.base_url,
        base_path=site.base_path,
        root=root,
        noindex=site.noindex,
        static_files={name: file for name, (file, _) in templates.static.items()},
        texts=dict(TEXTS[site.language]),
    )


class Variant(NamedTuple):
    """In what the pages of an endpoint differ other than by texts: each variant has a frame of its own."""

    has_previous: bool
    has_next: bool
    has_entries: bool


class LaboratoryPages:
    """Renders the pages of one endpoint for any laboratory: from frames, where the template allows it."""

    def __init__(self, endpoint: PerLaboratory, directory: Directory, templates: Templates) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.templates = templates
        self.has_frames = True
        self.title = endpoint.title(directory)
        self.texts = TEXTS[directory.site.language]
        self.up = "../" if endpoint.segment else ""
        self.begin = f"{self.title} – " if endpoint.segment else ""
        self.begin_as_html = html(self.begin)
        self.siblings = [(one, one.title(directory)) for one in per_laboratory(directory)]
        self.site = site_frame(directory, templates, climb(endpoint.path_for("1")))
        self.columns = column_titles(endpoint, self.texts)
        self.has_view = view_template(endpoint, templates) is not None
        self.frame = cache(self._frame)

    def page(self, values: "Values", variant: Variant) -> Page:
        """Return a page as the template sees it."""
        trail = [
            NavigationLink(self.texts["api"], self.site.front_page),
            NavigationLink(self.texts["laboratories"], f"{self.up}../{PAGE_FILE}"),
            NavigationLink(values["name"], self.up + PAGE_FILE if self.up else None, is_current=not self.up),
        ]
        if self.up:
            trail.append(NavigationLink(self.title, is_current=True))
        previous = NavigationLink(values["previous"], values["previous_href"])
        following = NavigationLink(values["next"], values["next_href"])
        return Page(
            self.endpoint.name,
            values["title"],
            self.endpoint.about[self.directory.site.language],
            values["path"],
            values["filename"],
            tuple(trail),
            Beside(self.texts["beside"], self.texts["previous"], self.texts["next"]),
            tuple(self._sections(values)),
            previous if variant.has_previous else None,
            following if variant.has_next else None,
            self.columns,
            self.has_view,
            variant.has_entries,
            isinstance(self.endpoint, Listing) or bool(self.columns),
        )

    def _sections(self, values: "Values") -> "list[NavigationLink]":
        return [
            NavigationLink(
                title,
                _sibling_href(one, self.up),
                is_current=one is self.endpoint,
                has_count=one.count is not None,
                count=values[_count_of(one)] if one.count else None,
            )
            for one, title in self.siblings
        ]

    def _frame(self, variant: Variant) -> PageFrame | None:
        page = self.page(_SLOTS, variant)
        slots = {name: Slot(name) for name in ("document", "block", "view")}
        frame = make_frame(self.templates.environment, TEMPLATE, {"site": self.site, "page": page, **slots})
        return None if frame and "document" in frame.names else frame

    def render(self, lab: Laboratory, body: Body, shared: "LaboratoryValues") -> bytes:
        """Return the page of a laboratory's document; `shared` are the values that all its pages show."""
        count = self.endpoint.count
        variant = Variant(shared.has_previous, shared.has_next, count is None or count(lab) > 0)
        frame = self.frame(variant) if self.has_frames else None
        if frame:
            values = shared.as_html | self._own(lab, shared)
            values["title"] = self.begin_as_html + shared.as_html["name"]
            values["block"], values["view"] = body
            return frame.fill(values)
        texts = {one: value.decode() for one, value in (shared.as_html | self._own(lab, shared)).items()}
        texts |= {"name": lab.record.name, "title": self.begin + lab.record.name}
        document = self.endpoint.make(lab, self.directory)
        return render_page(self.templates, self.site, self.page(texts, variant), document, body)

    def _own(self, lab: Laboratory, shared: "LaboratoryValues") -> dict[str, bytes]:
        """Return what is particular to this page and needs no escaping."""
        endpoint, neighbours = self.endpoint, shared.neighbours
        return {
            "path": endpoint.path_for(lab.display_id).encode(),
            "filename": f"{endpoint.name}-{lab.display_id}.json".encode(),
            "previous_href": self._beside(neighbours.previous),
            "next_href": self._beside(neighbours.next),
        }

    def _beside(self, display_id: str | None) -> bytes:
        segment = f"{self.endpoint.segment}/" if self.endpoint.segment else ""
        return f"{self.up}../{display_id}/{segment}{PAGE_FILE}".encode()


Values = dict[str, Any]


class LaboratoryValues:
    """What all pages of a laboratory show, as HTML, by the names of the slots; `endpoints` are all it has."""

    def __init__(self, lab: Laboratory, neighbours: Neighbours, endpoints: Iterable[PerLaboratory]) -> None:
        self.neighbours = neighbours
        self.has_previous = neighbours.previous is not None
        self.has_next = neighbours.next is not None
        self.as_html = {
            "name": html(lab.record.name),
            "previous": (neighbours.previous or "").encode(),
            "next": (neighbours.next or "").encode(),
        }
        for endpoint in endpoints:
            if endpoint.count:
                self.as_html[_count_of(endpoint)] = b"%d" % endpoint.count(lab)


def _count_of(endpoint: PerLaboratory) -> str:
    return f"count {endpoint.name}"


_SLOTS: Values = {
    name: Slot(name)
    for name in ("name", "title", "path", "filename", "previous", "previous_href", "next", "next_href")
} | {_count_of(one): Slot(_count_of(one)) for one in PER_LABORATORY}


def _sibling_href(sibling: PerLaboratory, up: str) -> str:
    return f"{up}{sibling.segment}/{PAGE_FILE}" if sibling.segment else up + PAGE_FILE


def column_titles(endpoint: Endpoint, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the titles of the columns of a facet section; () for a document of another type."""
    return tuple(texts.get(f"field_{name}", name) for name in row_fields(endpoint.document))


def view_template(endpoint: Endpoint, templates: Templates) -> str | None:
    """Return the name of the template that shows an endpoint's documents to people, if there is one."""
    name = f"view-{endpoint.name}.html"
    return name if templates.has(name) and not row_fields(endpoint.document) else None


def render_site_page(
    endpoint: PerSite, document: Any, block: bytes, directory: Directory, templates: Templates
) -> bytes:
    """Return the page of a document that the site has once."""
    title, texts = endpoint.title(directory), TEXTS[directory.site.language]
    site = site_frame(directory, templates, climb(endpoint.path))
    trail = (NavigationLink(texts["api"], site.front_page), NavigationLink(title, is_current=True))
    view = view_template(endpoint, templates)
    page = Page(
        endpoint.name,
        title,
        endpoint.about[directory.site.language],
        endpoint.path,
        f"{endpoint.name}.json",
        trail,
        Beside("", "", ""),
        has_view=view is not None,
        has_entries=bool(document),
    )
    shown = templates.render(view, endpoint.path, site=site, document=document) if view else b""
    return render_page(templates, site, page, document, Body(block, shown))


def render_page(templates: Templates, site: SiteFrame, page: Page, document: Any, body: Body) -> bytes:
    """Return a page rendered in full."""
    block, view = (Markup(part.decode()) for part in body)  # noqa: S704 - what made them escapes
    return templates.render(
        TEMPLATE, page.path, site=site, page=page, document=document, block=block, view=view
    )


def render_not_found_page(directory: Directory, templates: Templates) -> bytes:
    """Return 404.html; a host shows it at any path, so its addresses begin at the site's root."""
    site = site_frame(directory, templates, directory.site.base_path + "/")
    return templates.render(NOT_FOUND_PAGE, "/404.html", site=site)


class FrontLink(NamedTuple):
    """An endpoint as the front page shows it; without examples where there is no laboratory."""

    title: str
    about: str
    path: str
    example_path: str | None
    example_href: str | None
    json_href: str | None


def render_front_page(
    directory: Directory, templates: Templates, example: str | None, openapi: str, reference: str
) -> bytes:
    """Return the front page; `example` is a laboratory to link to, the others are files of the site."""
    site = site_frame(directory, templates, "")
    endpoints = [_front_link(one, directory, example) for one in endpoints_of(directory)]
    return templates.render(
        FRONT_PAGE, "/", site=site, endpoints=endpoints, openapi_href=openapi, reference_href=reference
    )


def _front_link(endpoint: Endpoint, directory: Directory, example: str | None) -> FrontLink:
    shown, *_ = endpoint.shown_paths
    path: str | None = shown
    if isinstance(endpoint, PerLaboratory):
        path = endpoint.path_for(example) if example else None
    folder = path.lstrip("/") if path else None
    return FrontLink(
        endpoint.title(directory),
        endpoint.about[directory.site.language],
        shown,
        path,
        f"{folder}{PAGE_FILE}" if folder else None,
        f"{folder}{JSON_FILE}" if folder else None,
    )
