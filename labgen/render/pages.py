"""Render the HTML page of a document (`api.html`), the front page and the 404 page."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from markupsafe import Markup

from labgen.api.endpoint import LABORATORIES, Listing, PerLaboratory, PerSite
from labgen.api.sections import per_laboratory
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory, Laboratory, Neighbours
from labgen.model.site_paths import JSON_FILE, PAGE_FILE
from labgen.render.formats import number
from labgen.render.frames import Frame, Slot, html, make_frame
from labgen.render.metadata import metadata_of
from labgen.render.site_values import FRONT_PAGE, SiteValues, site_values
from labgen.render.templates import Templates

TEMPLATE = "page.html"
NOT_FOUND_PAGE = "404.html"


class NavigationLink(NamedTuple):
    """A link for navigation; `href` is None if there is no page, and in breadcrumbs for the page itself.

    If `has_count`, the link leads to a list, and `count` is the number of its entries.
    """

    title: Any
    href: Any = None
    is_current: bool = False
    has_count: bool = False
    count: Any = None


class Beside(NamedTuple):
    """The texts of the previous and next links: a label for both, and one for each."""

    label: str
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class Page:
    """The values that are specific to one page, as templates see them (`page`): texts, or slots for them."""

    endpoint: str
    title: Any
    about: str
    path: Any
    filename: Any
    breadcrumbs: tuple[NavigationLink, ...]
    beside: Beside
    headers: tuple[tuple[str, str], ...]
    sections: tuple[NavigationLink, ...] = ()
    previous: NavigationLink | None = None
    next: NavigationLink | None = None
    has_entries: bool = True
    has_filter: bool = False
    is_joined: bool = False
    method: str = "GET"
    status: str = "HTTP 200 OK"
    json_href: str = JSON_FILE
    page_href: str = PAGE_FILE


def page_frame(templates: Templates, site: SiteValues, page: Page) -> Frame | None:
    """Return the frame of a page with slots; None if its template needs their values or the document."""
    slots = {name: Slot(name) for name in ("document", "block")}
    variables = {"site": site, "page": page, "meta": metadata_of(page), **slots}
    frame = make_frame(templates.frames, TEMPLATE, variables)
    return None if frame and "document" in frame.names else frame


class Variant(NamedTuple):
    """The differences between pages of an endpoint other than texts: each variant has its own frame."""

    has_previous: bool
    has_next: bool
    has_entries: bool


class LaboratoryPages:
    """Renders the pages of one endpoint for any laboratory: from frames, if the template allows it."""

    def __init__(
        self, endpoint: PerLaboratory, directory: Directory, templates: Templates, hosts: HostAbilities
    ) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.templates = templates
        self.has_frames = True
        self.title = endpoint.title_in(directory)
        self.texts = directory.language.words
        self.up = "../" if endpoint.segment else ""
        self.segment = f"{endpoint.segment}/" if endpoint.segment else ""
        self.siblings = [(one, one.title_in(directory)) for one in per_laboratory(directory)]
        self.site = site_values(directory, templates, hosts, endpoint.path_for("1"))
        self.frame = cache(self._frame)

    def page(self, put: "Put", variant: Variant) -> Page:
        """Return a page as the template sees it; `put` makes its texts or slots."""
        name = put("name", "", "")
        trail = [
            NavigationLink(self.texts["api"], self.site.reference),
            NavigationLink(self.texts["laboratories"], f"{self.up}../{PAGE_FILE}"),
            NavigationLink(name, self.up + PAGE_FILE if self.up else None, is_current=not self.up),
        ]
        if self.up:
            trail.append(NavigationLink(self.title, is_current=True))
        begin, end = f"{self.up}../", f"/{self.segment}{PAGE_FILE}"
        previous = NavigationLink(put("previous", "", ""), put("previous", begin, end))
        following = NavigationLink(put("next", "", ""), put("next", begin, end))
        return Page(
            self.endpoint.name,
            put("name", f"{self.title} – ", "") if self.up else name,
            self.endpoint.about_in(self.directory),
            put("display_id", LABORATORIES, f"/{self.segment}"),
            put("display_id", f"{self.endpoint.name}-", ".json"),
            tuple(trail),
            Beside(self.texts["beside"], self.texts["previous"], self.texts["next"]),
            self.site.hosts.document_headers,
            tuple(self._sections(put)),
            previous if variant.has_previous else None,
            following if variant.has_next else None,
            variant.has_entries,
            isinstance(self.endpoint, Listing) or self.endpoint.search_arg is not None,
        )

    def _sections(self, put: "Put") -> "list[NavigationLink]":
        return [
            NavigationLink(
                title,
                self.href(one, put),
                is_current=one is self.endpoint,
                has_count=one.count is not None,
                count=put(_count_of(one.name), "", "") if one.count else None,
            )
            for one, title in self.siblings
        ]

    def href(self, sibling: PerLaboratory, _put: "Put") -> Any:
        """Return the URL of the page of another section of the same laboratory."""
        return f"{self.up}{sibling.segment}/{PAGE_FILE}" if sibling.segment else self.up + PAGE_FILE

    def _frame(self, variant: Variant) -> Frame | None:
        return page_frame(self.templates, self.site, self.page(Slot, variant))

    def render(self, lab: Laboratory, block: bytes, shared: "LaboratoryValues") -> bytes:
        """Return the page of a document with this block; `shared` has what all pages of a laboratory show."""
        has_entries = shared.counts.get(self.endpoint.name) != 0
        variant = Variant(shared.has_previous, shared.has_next, has_entries)
        frame = self.frame(variant) if self.has_frames else None
        if frame:
            return frame.fill(shared.as_html | {"block": block})
        document = self.endpoint.make(lab, self.directory)
        texts = shared.as_texts()

        def put(name: str, before: str, after: str) -> str:
            return before + texts[name] + after

        return render_page(self.templates, self.site, self.page(put, variant), document, block)


Put = Callable[[str, str, str], Any]
"""Returns the value of a name, or a slot for it, with a text before and a text after it."""


class LaboratoryValues:
    """The values that all pages of a laboratory show, by name; `endpoints` are all of its endpoints.

    `counts` are the lengths of its lists, by the endpoint's name; `as_html` has all values as HTML.
    """

    def __init__(
        self,
        lab: Laboratory,
        neighbours: Neighbours,
        endpoints: Iterable[PerLaboratory],
        texts: Mapping[str, str],
    ) -> None:
        self.name = lab.record.name
        self.has_previous = neighbours.previous is not None
        self.has_next = neighbours.next is not None
        self.counts = {one.name: one.count(lab) for one in endpoints if one.count}
        self.as_html = {_count_of(name): html(number(count, texts)) for name, count in self.counts.items()}
        self.as_html["name"] = html(self.name)
        self.as_html["display_id"] = lab.display_id.encode()
        self.as_html["previous"] = (neighbours.previous or "").encode()
        self.as_html["next"] = (neighbours.next or "").encode()

    def as_texts(self) -> dict[str, str]:
        """Return all values as texts."""
        return {name: value.decode() for name, value in self.as_html.items()} | {"name": self.name}


@cache
def _count_of(name: str) -> str:
    """Return the name of the slot for the count of an endpoint's entries."""
    return f"count {name}"


def render_site_page(
    endpoint: PerSite,
    document: Any,
    block: bytes,
    directory: Directory,
    templates: Templates,
    site: SiteValues,
) -> bytes:
    """Return the page of a document that the site has once; `site` has the values that all pages share."""
    title = endpoint.title_in(directory)
    trail = (NavigationLink(site.texts["api"], site.reference), NavigationLink(title, is_current=True))
    page = Page(
        endpoint.name,
        title,
        endpoint.about_in(directory),
        endpoint.path,
        f"{endpoint.name}.json",
        trail,
        Beside("", "", ""),
        site.hosts.document_headers,
        has_entries=bool(document),
    )
    return render_page(templates, site, page, document, block)


def render_page(templates: Templates, site: SiteValues, page: Page, document: Any, block: bytes) -> bytes:
    """Render a page in full, without a frame."""
    shown = Markup(block.decode())  # noqa: S704 - already escaped
    meta = metadata_of(page)
    return templates.render(
        TEMPLATE, page.path, site=site, page=page, meta=meta, document=document, block=shown
    )


def render_not_found_page(directory: Directory, templates: Templates, hosts: HostAbilities) -> bytes:
    """Return 404.html; a host shows it at any path, so its URLs begin at the site's root.

    Search engines are asked to leave it out, because some hosts serve it as a page.
    """
    base = directory.site.base_path
    site = site_values(directory, templates, hosts)
    search = f"{base}{directory.site.search_path}{FRONT_PAGE}" if site.search else ""
    site = replace(site, root=f"{base}/", laboratories=base + LABORATORIES, search=search, noindex=True)
    return templates.render(NOT_FOUND_PAGE, "/404.html", site=site)
