"""Pages: what a browser gets for `format=api`. A page sees its document and the site's frame."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from labgen.directory import Directory, Laboratory
from labgen.paths import JSON_FILE, PAGE_FILE, climb
from labgen.registry import Endpoint, PerLaboratory, PerSite, link_fields
from labgen.render.block import render_block
from labgen.render.templates import Templates
from labgen.render.texts import TEXTS

RESPONSE_HEADERS = (("Allow", "GET, HEAD, OPTIONS"), ("Content-Type", "application/json"), ("Vary", "Accept"))
"""What every answer carries (specification, section 4)."""


class NavigationLink(NamedTuple):
    """A link of the page's frame; without an address where there is no page, or for the page itself."""

    title: str
    href: str | None = None
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
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
        return self.root + self.static_files[name]


@dataclass(frozen=True, slots=True)
class Page:
    """What is particular to one page, as templates see it (`page`)."""

    endpoint: str
    title: str
    path: str
    breadcrumbs: tuple[NavigationLink, ...]
    sections: tuple[NavigationLink, ...]
    method: str = "GET"
    status: str = "HTTP 200 OK"
    headers: tuple[tuple[str, str], ...] = RESPONSE_HEADERS
    json_href: str = JSON_FILE


def frame(directory: Directory, templates: Templates, root: str) -> Frame:
    """Return the site's frame; `root` is the address of the site's root as seen from the page."""
    site = directory.site
    return Frame(
        name=site.name,
        language=site.language,
        base_url=site.base_url,
        base_path=site.base_path,
        root=root,
        static_files={name: file for name, (file, _) in templates.static.items()},
        texts=dict(TEXTS[site.language]),
    )


def render_laboratory_page(
    endpoint: PerLaboratory,
    lab: Laboratory,
    document: Any,
    siblings: Iterable[PerLaboratory],
    directory: Directory,
    templates: Templates,
) -> bytes:
    """Return the page of one of a laboratory's documents."""
    texts = TEXTS[directory.site.language]
    title = endpoint.title(directory)
    up = "../" if endpoint.segment else ""
    trail = [NavigationLink(texts["api"]), NavigationLink(texts["laboratories"])]
    trail.append(NavigationLink(lab.record.name, up + PAGE_FILE if up else None, is_current=not up))
    if up:
        trail.append(NavigationLink(title, is_current=True))
    page = Page(
        endpoint=endpoint.name,
        title=f"{title} – {lab.record.name}" if up else lab.record.name,
        path=endpoint.path_for(lab.display_id),
        breadcrumbs=tuple(trail),
        sections=tuple(
            NavigationLink(one.title(directory), _sibling_href(one, up), is_current=one is endpoint)
            for one in siblings
        ),
    )
    return _render(endpoint, page, document, directory, templates)


def _sibling_href(sibling: PerLaboratory, up: str) -> str:
    return f"{up}{sibling.segment}/{PAGE_FILE}" if sibling.segment else up + PAGE_FILE


def render_site_page(endpoint: PerSite, document: Any, directory: Directory, templates: Templates) -> bytes:
    """Return the page of a document that the site has once."""
    title = endpoint.title(directory)
    trail = (NavigationLink(TEXTS[directory.site.language]["api"]), NavigationLink(title, is_current=True))
    return _render(
        endpoint, Page(endpoint.name, title, endpoint.path, trail, ()), document, directory, templates
    )


def _render(
    endpoint: Endpoint, page: Page, document: Any, directory: Directory, templates: Templates
) -> bytes:
    block = Markup(render_block(document, link_fields(endpoint.document)))  # noqa: S704 - render_block escapes
    site = frame(directory, templates, climb(page.path))
    return templates.render("page.html", page.path, site=site, page=page, document=document, block=block)


def render_not_found_page(directory: Directory, templates: Templates) -> bytes:
    """Return 404.html; a host shows it at any path, so its addresses begin at the site's root."""
    site = frame(directory, templates, directory.site.base_path + "/")
    return templates.render("404.html", "/404.html", site=site)
