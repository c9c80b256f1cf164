"""Render the Atom feed of the newest laboratories (RFC 4287).

Its dates are those of the data. URLs are absolute if the settings have `base_url`, else relative; then
identifiers (`atom:id`) are URNs made from the name of the site and the path.
"""

from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from labgen.api.document_parts import website_path
from labgen.api.endpoint import LABORATORIES
from labgen.model.directory import Directory
from labgen.model.site_paths import PAGE_FILE
from labgen.model.summaries import Dated

FEED_FILE = "laboratories.atom"
NAMESPACE = "http://www.w3.org/2005/Atom"


def render_feed(directory: Directory) -> bytes:
    """Return the feed of a directory with laboratories that have dates."""
    site = directory.site
    base = site.base_url + site.base_path
    head = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="{NAMESPACE}" xml:lang="{site.language}">',
        f"<id>{_id(directory, f'/{FEED_FILE}')}</id>",
        f"<title>{_text(site.name)}</title>",
        f"<updated>{_time(directory.newest[0].published_on)}</updated>",
        f"<author><name>{_text(site.name)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(f"{base}/{FEED_FILE}")}/>',
        f'<link rel="alternate" type="text/html" href={quoteattr(f"{base}/")}/>',
    ]
    entries = (line for one in directory.newest for line in _entry(one, directory))
    return "\n".join([*head, *entries, "</feed>", ""]).encode()


def _entry(one: Dated, directory: Directory) -> Iterator[str]:
    """Yield the lines of a laboratory; its page is the public one, if there is one."""
    site, card = directory.site, one.card
    path = f"{LABORATORIES}{card.display_id}/"
    document = site.base_url + site.base_path + path
    public = (site.website_url or site.base_url) + website_path(card, directory)
    page = public if site.website_url or site.has_public_pages else document + PAGE_FILE
    where = ", ".join(filter(None, (card.locality, directory.countries[card.country].name)))
    yield "<entry>"
    yield f"<id>{_id(directory, path)}</id>"
    yield f"<title>{_text(card.name)}</title>"
    yield f"<published>{_time(one.published_on)}</published>"
    yield f"<updated>{_time(one.published_on)}</updated>"
    yield f'<link rel="alternate" type="text/html" href={quoteattr(page)}/>'
    yield f'<link rel="alternate" type="application/json" href={quoteattr(document)}/>'
    yield f"<summary>{_text(where)}</summary>"
    yield "</entry>"


def _id(directory: Directory, path: str) -> str:
    """Return a stable, absolute identifier (RFC 4287, 4.2.6): a URL, or a URN without `base_url`."""
    site = directory.site
    if site.base_url:
        return _text(site.base_url + site.base_path + path)
    return uuid5(NAMESPACE_URL, f"labgen:{site.name}{site.base_path}{path}").urn


def _time(date: str) -> str:
    return f"{date}T00:00:00Z"


def _text(text: str) -> str:
    """Escape text for XML, without two characters of the data that XML does not allow (XML 1.0, 2.2)."""
    return escape(text.translate(_NO_CHARACTERS))


_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF))
