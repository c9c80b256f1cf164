"""Generate the files for crawlers: `robots.txt`, and sitemaps of the pages that they may show."""

from collections.abc import Iterator, Sequence

from labgen.api.endpoint import LABORATORIES, PerSite
from labgen.api.sections import PAGED, per_site
from labgen.model.directory import Directory
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import PAGE_FILE

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
    directory: Directory, display_ids: Sequence[str], list_pages: int, search_paths: Sequence[str] = ()
) -> dict[str, bytes]:
    """Return the sitemaps: all pages that may be found, except those of the sections of laboratories."""
    site = directory.site
    file = sitemap_file(site)
    if not file:
        return {}
    start = site.base_url + site.base_path
    addresses = [start + path for path in (*_paths(directory, display_ids, list_pages), *search_paths)]
    parts = [addresses[at : at + PART_SIZE] for at in range(0, len(addresses), PART_SIZE)]
    if len(parts) == 1:
        return {file: _sitemap(parts[0])}
    names = [f"{file.removesuffix('.xml')}-{number}.xml" for number in range(1, len(parts) + 1)]
    index = "".join(f"<sitemap><loc>{start}/{name}</loc></sitemap>\n" for name in names)
    text = f"{_HEAD}<sitemapindex {_NAMESPACE}>\n{index}</sitemapindex>\n"
    return {file: text.encode()} | {name: _sitemap(part) for name, part in zip(names, parts, strict=True)}


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _sitemap(addresses: Sequence[str]) -> bytes:
    urls = "".join(f"<url><loc>{one}</loc></url>\n" for one in addresses)
    return f"{_HEAD}<urlset {_NAMESPACE}>\n{urls}</urlset>\n".encode()


def _paths(directory: Directory, display_ids: Sequence[str], list_pages: int) -> Iterator[str]:
    """Yield the paths of pages, without the base path; none contains a character that XML must escape."""
    yield from ("/", "/reference/")
    once: tuple[PerSite, ...] = per_site(directory)
    yield from (one.path + PAGE_FILE for one in once)
    for paged in PAGED:
        yield from (paged.path_for(number) + PAGE_FILE for number in range(1, max(list_pages, 1) + 1))
    yield from (f"{LABORATORIES}{one}/{PAGE_FILE}" for one in display_ids)
