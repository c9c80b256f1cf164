"""Generate the files for crawlers: `robots.txt`, and sitemaps of the pages that they may show."""

from collections.abc import Iterator, Sequence

from labgen.api.endpoint import LABORATORIES, PerSite
from labgen.api.sections import PAGED, per_site
from labgen.model.directory import Directory
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import PAGE_FILE
from labgen.model.summaries import Address

ROBOTS = "robots.txt"
SITEMAP = "sitemap.xml"
BESIDE = "reference/"
"""The folder of the sitemap if the root of the host belongs to a website: only labgen writes there."""
PART_SIZE = 20_000
"""The number of URLs in a sitemap. The protocol allows 50,000 URLs and 50 MB, and a URL may have 2 KB."""
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def owns_root(site: SiteRecord) -> bool:
    """Return whether the site has the root of its host to itself."""
    return not site.base_path and (not site.website_url or site.website_url != site.base_url)


def sitemap_file(site: SiteRecord) -> str:
    """Return the name of the first sitemap; "" with `noindex`, or if URLs would not be absolute."""
    if site.noindex or not site.base_url:
        return ""
    return SITEMAP if owns_root(site) or site.base_path else BESIDE + SITEMAP


def robots_files(site: SiteRecord) -> dict[str, bytes]:
    """Return `robots.txt`, if the site has one.

    A site with `noindex` has none: a crawler must read a page to see that the page must not be indexed.
    Crawlers read only the file at the root of a host, so a site below a base path has none either.
    """
    if site.noindex or not owns_root(site):
        return {}
    lines = ["User-agent: *", "Disallow:"]
    if file := sitemap_file(site):
        lines += ["", f"Sitemap: {site.base_url}/{file}"]
    return {ROBOTS: ("\n".join(lines) + "\n").encode()}


def sitemap_files(
    directory: Directory, laboratories: Sequence[Address], list_pages: int, others: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return the sitemaps: public pages, or the main pages of the API where there are none; and `others`."""
    site = directory.site
    file = sitemap_file(site)
    if not file:
        return {}
    start = site.base_url + site.base_path
    some = (
        _public(site, laboratories) if site.has_public_pages else _of_api(directory, laboratories, list_pages)
    )
    urls = [_url(start + path) for path in ("/", "/reference/", *others)]
    urls += [_url(start + path, date) for path, date in some]
    parts = [urls[at : at + PART_SIZE] for at in range(0, len(urls), PART_SIZE)]
    if len(parts) == 1:
        return {file: _sitemap(parts[0])}
    names = [f"{file.removesuffix('.xml')}-{number}.xml" for number in range(1, len(parts) + 1)]
    index = "".join(f"<sitemap><loc>{start}/{name}</loc></sitemap>\n" for name in names)
    text = f"{_HEAD}<sitemapindex {_NAMESPACE}>\n{index}</sitemapindex>\n"
    return {file: text.encode()} | {name: _sitemap(part) for name, part in zip(names, parts, strict=True)}


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _sitemap(urls: Sequence[str]) -> bytes:
    return f"{_HEAD}<urlset {_NAMESPACE}>\n{''.join(urls)}</urlset>\n".encode()


def _url(address: str, date: str = "") -> str:
    """Return the element of a page; no address contains a character that XML must escape."""
    changed = f"<lastmod>{date}</lastmod>" if date else ""
    return f"<url><loc>{address}</loc>{changed}</url>\n"


def _public(site: SiteRecord, laboratories: Sequence[Address]) -> Iterator[tuple[str, str]]:
    """Yield the paths of the public pages of laboratories, with dates."""
    yield from (
        (f"{site.laboratory_path}{one.display_id}/{one.slug}/", one.published_on) for one in laboratories
    )


def _of_api(
    directory: Directory, laboratories: Sequence[Address], list_pages: int
) -> Iterator[tuple[str, str]]:
    """Yield the paths of pages of the API, with dates."""
    once: tuple[PerSite, ...] = per_site(directory)
    yield from ((one.path + PAGE_FILE, "") for one in once)
    for paged in PAGED:
        yield from ((paged.path_for(number) + PAGE_FILE, "") for number in range(1, max(list_pages, 1) + 1))
    yield from ((f"{LABORATORIES}{one.display_id}/{PAGE_FILE}", one.published_on) for one in laboratories)
