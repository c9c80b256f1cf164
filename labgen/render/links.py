"""Turn values of documents into links on pages, and decide where the links lead."""

from collections.abc import Mapping
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from labgen.api.document_parts import LeadsTo
from labgen.model.site_paths import FOLDERS, JSON_FILE, MEDIA_PATH, PAGE_FILE
from labgen.render.frames import escaped, html

SITE_PAGES = {
    "/": "/index.html",
    "/reference": "/reference/index.html",
    "/reference/": "/reference/index.html",
}
"""The files of paths that have a page but no document."""
DOCUMENTS = tuple(f"/{folder}/" for folder in FOLDERS)
SITE_FILES = frozenset({*SITE_PAGES.values(), "/openapi.json"})


class LinkContext(NamedTuple):
    """The site and the position of a page, on which the targets of its links depend.

    `website_url` is the scheme and host of the keeper's website, "" if there is none; `laboratories` is the
    URL of the folder of all laboratories, as seen from the page; `documents` are the paths below which
    documents lie, `public` those below which public pages do; `page_name` is the name of their file, if links
    need it.
    """

    base_path: str = ""
    website_url: str = ""
    laboratories: str = ""
    documents: tuple[str, ...] = DOCUMENTS
    public: tuple[str, ...] = ()
    page_name: str = ""

    def href(self, address: str) -> str:
        """Return the URL for a link, given a URL or path that a keeper wrote; "" if it leads nowhere.

        A path of a document leads to its page, with the name of the file, so that any host can serve it.
        """
        if not address.startswith("/"):
            return address
        path, query, fragment = urlsplit(address)[2:]
        inside = path.removeprefix(self.base_path) if path.startswith(f"{self.base_path}/") else ""
        file = self._file_of(inside, query)
        if file:
            return f"{self.base_path}{file}#{fragment}" if fragment else self.base_path + file
        return self.website_url + address if self.website_url else ""

    def _file_of(self, path: str, query: str) -> str:
        """Return the path of the file for a path of the site; "" if there is no file."""
        if path.startswith(self.documents) and not path.endswith((f"/{JSON_FILE}", f"/{PAGE_FILE}")):
            return f"{path.rstrip('/')}/{JSON_FILE if 'format=json' in query.split('&') else PAGE_FILE}"
        if path.startswith(self.public) and path.endswith("/"):
            return path + self.page_name
        is_file = path.startswith((*self.documents, *self.public, MEDIA_PATH)) or path in SITE_FILES
        return path if is_file else SITE_PAGES.get(path, "")


class Links:
    """The links in documents of one type, on one page or on pages at the same depth.

    `fields` are the fields whose values may be links; for those in `mixed`, each value must be examined.
    """

    def __init__(self, fields: Mapping[str, LeadsTo], around: LinkContext) -> None:
        self.around = around
        self.mixed = frozenset(name for name, leads_to in fields.items() if leads_to is LeadsTo.ANY)
        self._ends = {
            _key(name): ends for name, leads_to in fields.items() if (ends := _ends_of(leads_to, around))
        }
        self._mixed = frozenset(map(_key, self.mixed))

    def link(self, key: bytes, value: bytes) -> bytes:
        """Return a text of indented JSON as HTML, as a link if it is one; `key` is the key before it."""
        if key in self._mixed:
            address = escape(self.around.href(orjson.loads(unescape(value.decode())))).encode()
        elif key in self._ends and value != b'""':
            before, after = self._ends[key]
            address = b"%b%b%b" % (before, address_of(value[1:-1]), after)
        else:
            return value
        return b'<a href="%b">%b</a>' % (address, value) if address else value


def _key(name: str) -> bytes:
    return escaped(orjson.dumps(name))


def _ends_of(leads_to: LeadsTo, around: LinkContext) -> tuple[bytes, bytes] | None:
    """Return the parts of a link's URL before and after the value; None if there is no link."""
    match leads_to:
        case LeadsTo.ITSELF:
            return b"", b""
        case LeadsTo.DOCUMENT:
            return b"", PAGE_FILE.encode()
        case LeadsTo.LABORATORY:
            return html(around.laboratories), f"/{PAGE_FILE}".encode()
        case LeadsTo.WEBSITE if around.website_url or around.public:
            return html(around.website_url), html(around.page_name if around.public else "")
    return None


def address_of(text: bytes) -> bytes:
    """Convert JSON-encoded, HTML-escaped text to the value of an HTML attribute."""
    if b"\\" not in text:
        return text
    address: str = orjson.loads(unescape(f'"{text.decode()}"'))
    return escape(address).replace("\n", "&#10;").encode()


NO_LINKS = Links({}, LinkContext())
