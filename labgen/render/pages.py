"""Pages: what a browser gets for `format=api`. A page sees its document and the site's frame."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from labgen.directory import Directory, Laboratory
from labgen.paths import JSON_FILE, PAGE_FILE, climb
from labgen.registry import PerLaboratory, PerSite
from labgen.render.frames import PageFrame, Slot, html, make_frame
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS
from labgen.sections import PER_LABORATORY

TEMPLATE = "page.html"
RESPONSE_HEADERS = (("Allow", "GET, HEAD, OPTIONS"), ("Content-Type", "application/json"), ("Vary", "Accept"))
"""What every answer carries (specification, section 4)."""


class NavigationLink(NamedTuple):
    """A link of the page's frame; without an address where there is no page, or for the page itself."""

    title: Any
    href: str | None = None
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class SiteFrame:
    """The site's frame, as templates see it (`site`)."""

    name: str
    language: str
    base_url: str
    base_path: str
    root: str
    static_files: dict[str, str]
    texts: dict[str, str]

    def static(self, name: str) -> str:
        """Return the address of a static file, as seen from the page. Raises LookupError if there is none."""
        if name not in self.static_files:
            raise LookupError(f"there is no static file {name}")
        return self.root + quote(self.static_files[name])


@dataclass(frozen=True, slots=True)
class Page:
    """What is particular to one page, as templates see it (`page`): texts, or slots for them."""

    endpoint: str
    title: Any
    path: Any
    breadcrumbs: tuple[NavigationLink, ...]
    sections: tuple[NavigationLink, ...] = ()
    method: str = "GET"
    status: str = "HTTP 200 OK"
    headers: tuple[tuple[str, str], ...] = RESPONSE_HEADERS
    json_href: str = JSON_FILE


def site_frame(directory: Directory, templates: Templates, root: str) -> SiteFrame:
    """Return the site's frame; `root` is the address of the site's root as seen from the page."""
    site = directory.site
    return SiteFrame(
        name=site.name,
        language=site.language,
        base_url=site.base_url,
        base_path=site.base_path,
        root=root,
        static_files={name: file for name, (file, _) in templates.static.items()},
        texts=dict(TEXTS[site.language]),
    )


class LaboratoryPages:
    """Renders the pages of one endpoint for any laboratory: from a frame, where the template allows it."""

    def __init__(self, endpoint: PerLaboratory, directory: Directory, templates: Templates) -> None:
        self.endpoint = endpoint
        self.directory = directory
        self.templates = templates
        self.title = endpoint.title(directory)
        self.texts = TEXTS[directory.site.language]
        up = "../" if endpoint.segment else ""
        self.up = up
        self.begin = f"{self.title} – " if up else ""
        self.begin_as_html = html(self.begin)
        self.sections = tuple(
            NavigationLink(one.title(directory), _sibling_href(one, up), is_current=one is endpoint)
            for one in PER_LABORATORY
        )
        self.site = site_frame(directory, templates, climb(endpoint.path_for("1")))
        slots = {"document": Slot("document"), "block": Slot("block")}
        page = self.page(Slot("title"), Slot("path"), Slot("name"))
        variables = {"site": self.site, "page": page, **slots}
        frame = make_frame(templates.environment, TEMPLATE, variables)
        self.frame: PageFrame | None = None if frame and "document" in frame.names else frame

    def page(self, title: Any, path: Any, name: Any) -> Page:
        """Return a page of a laboratory with this name."""
        trail = [NavigationLink(self.texts["api"]), NavigationLink(self.texts["laboratories"])]
        trail.append(NavigationLink(name, self.up + PAGE_FILE if self.up else None, is_current=not self.up))
        if self.up:
            trail.append(NavigationLink(self.title, is_current=True))
        return Page(self.endpoint.name, title, path, tuple(trail), self.sections)

    def render(self, lab: Laboratory, block: bytes, name_as_html: bytes) -> bytes:
        """Return the page of a laboratory's document; `block` is the document as HTML."""
        path = self.endpoint.path_for(lab.display_id)
        if self.frame:
            title_as_html = self.begin_as_html + name_as_html
            values = {"title": title_as_html, "path": path.encode(), "name": name_as_html, "block": block}
            return self.frame.fill(values)
        name = lab.record.name
        title = self.begin + name
        document = self.endpoint.make(lab, self.directory)
        return _render(self.templates, self.site, self.page(title, path, name), document, block)


def _sibling_href(sibling: PerLaboratory, up: str) -> str:
    return f"{up}{sibling.segment}/{PAGE_FILE}" if sibling.segment else up + PAGE_FILE


def render_site_page(
    endpoint: PerSite, document: Any, block: bytes, directory: Directory, templates: Templates
) -> bytes:
    """Return the page of a document that the site has once."""
    title = endpoint.title(directory)
    trail = (NavigationLink(TEXTS[directory.site.language]["api"]), NavigationLink(title, is_current=True))
    page = Page(endpoint.name, title, endpoint.path, trail)
    return _render(templates, site_frame(directory, templates, climb(page.path)), page, document, block)


def _render(templates: Templates, site: SiteFrame, page: Page, document: Any, block: bytes) -> bytes:
    markup = Markup(block.decode())  # noqa: S704 - render_block escapes
    return templates.render(TEMPLATE, page.path, site=site, page=page, document=document, block=markup)


def render_not_found_page(directory: Directory, templates: Templates) -> bytes:
    """Return 404.html; a host shows it at any path, so its addresses begin at the site's root."""
    site = site_frame(directory, templates, directory.site.base_path + "/")
    return templates.render("404.html", "/404.html", site=site)
