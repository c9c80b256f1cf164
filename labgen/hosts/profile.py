"""Define the profile of a host: its abilities, the files that it needs, and its limits."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from labgen.api.endpoint import LABORATORIES
from labgen.contract.http_contract import (
    CORS_HEADERS,
    DIGEST_FOLDERS,
    EXPOSED,
    IMMUTABLE,
    JSON_TYPE,
    MEDIA_TYPES,
    METHODS,
    PAGE_TYPE,
    REVALIDATED,
)
from labgen.model.site_paths import API_FOLDER, FOLDERS, folder_of
from labgen.output.pack_files import PACK_FOLDER
from labgen.output.packs import FOLDER_DIGITS, Packs
from labgen.render.encode_json import render_json

Files = Mapping[str, bytes]
"""The bytes of files, by their names under out/."""

HOSTS = ".hosts"
"""The folder under out/ with the files for the operator of a server; no host publishes it."""

TO_SERVER = "labgen publish deploy@example.org:/srv/labs"
"""The command that publishes to the operator's own server."""


class HostClass(StrEnum):
    """How much of the HTTP contract a host can fulfil."""

    FULL = "full"
    JSON_ONLY = "JSON only"
    EXPLICIT = "explicit files only"


class Limit(NamedTuple):
    """A limit of a host: its measure, the maximum, and a remedy; `paid` is the maximum of a paid plan."""

    of: "Measure"
    most: int
    help: str
    paid: int = 0


class Measure(StrEnum):
    """What a limit measures: a number of files, or bytes."""

    FILES = "files"
    FILE_SIZE = "bytes in one file"
    SITE_SIZE = "bytes in all files"
    FOLDER_FILES = "files and folders in one folder"


class HostSite(NamedTuple):
    """The properties of a site that configurations depend on: base path, error documents, kinds of copies.

    `refusal` is the message for a refused method; `{method}` stands for its name.
    `search_path` is the path of the search page, "" if there is none. `packs` are the kinds and numbers
    of packs. `search_names` are the parameters of a search of the list, but `page`. `folders` are those
    under out/ below which all paths are those of documents, `public` those of public pages.
    """

    base_path: str
    refusal: str
    not_found: bytes
    not_allowed: bytes
    copies: tuple[str, ...] = ()
    search_path: str = ""
    packs: Packs = ()
    search_names: tuple[str, ...] = ()
    folders: tuple[str, ...] = FOLDERS
    public: tuple[str, ...] = ()

    @property
    def documents(self) -> str:
        """A regular expression for the folders of documents."""
        first, *others = self.folders
        return f"(?:{'|'.join(self.folders)})" if others else first

    @property
    def document_paths(self) -> list[str]:
        """The paths below which documents lie, with the base path."""
        return [f"{self.base_path}/{folder}/" for folder in self.folders]

    @property
    def own_paths_pattern(self) -> str:
        """A regular expression for the paths of a site without a base path, on a server that has a website.

        Websites rarely use these paths, except that of the search page, which is a setting.
        """
        own = rf"|{_INDEX}|{self.search_path.strip('/')}(?:/|$)" if self.has_search else ""
        folders = [one for one in (*self.folders, *self.public) if one != API_FOLDER]
        added = "".join(f"|{folder}(?:/|$)" for folder in folders)
        return (
            r"^/(?:api/v1/laboratory(?:/|$)|media/[0-9a-f]+/|static/[^/]+\.[0-9a-f]{12}(?:\.|$)"
            r"|manifest/(?:index|[0-9a-f]{4,})\.json|laboratories-export/"
            rf"{own}{added}|reference(?:/|$)|(?:openapi\.json|laboratories\.atom|labgen\.js|labgen\.d\.ts)(?:\.(?:gz|br|zst))?$)"
        )

    @property
    def has_search(self) -> bool:
        """Whether there is a search index."""
        return bool(self.search_path)


_INDEX = (
    r"search/(?:(?:index\.json|client\.js|client\.d\.ts)(?:\.(?:gz|br|zst))?$"
    r"|files/)"
)
"""A regular expression for the files of a search index."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A host that a site can be built for: its configuration files, abilities, limits and commands.

    `does` says in a line what is written for it, and `cannot` in a sentence what it cannot do. `copies` are
    the suffixes of compressed copies that it uses. `alias` is a second file name for each JSON document.
    `deploy` are the commands of each deployment, after `labgen build`. With `has_search_function`, it has an
    edge function that answers searches of the list of laboratories. With `has_pack_function`, it has an edge
    function that cuts files out of packs; `deploy_packs` are the commands of a deployment with packs, if they
    differ.
    """

    name: str
    title: str
    host_class: HostClass
    does: str
    files: Callable[[HostSite], Files]
    cannot: str = ""
    copies: frozenset[str] = frozenset()
    limits: tuple[Limit, ...] = ()
    alias: str | None = None
    deploy: tuple[str, ...] = ()
    has_search_function: bool = False
    has_pack_function: bool = False
    deploy_packs: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that build the site and deploy it."""
        return (f"labgen build --host {self.name}", *self.deploy)

    @property
    def failed_rows(self) -> frozenset[str]:
        """The names of the contract's rows that the host failed when it was last tested."""
        return frozenset(results()[self.name].failed) if self.name in results() else frozenset()


class Result(NamedTuple):
    """The result of a host's last test: what it ran on, and the rows that failed or were not tried."""

    proof: str
    failed: tuple[str, ...]
    untried: tuple[str, ...]


RESULTS = Path(__file__).resolve().with_name("results.json")
"""The file with the results of all hosts: `make hosts` writes it, and a test requires the same results."""


@cache
def results() -> dict[str, Result]:
    """Return the result of each host's last test, by the host's name."""
    if not RESULTS.exists():
        return {}
    read = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {
        name: Result(one["proof"], tuple(one["failed"]), tuple(one["untried"])) for name, one in read.items()
    }


FOLDER = Path(__file__).resolve().parent / "texts"
ADDRESSED = tuple(folder.rstrip("/") for folder in DIGEST_FOLDERS)
"""The folders of files that may be kept for ever, because their addresses have digests."""


def fill(name: str, site: HostSite, **more: str) -> bytes:
    """Return the text file `name`, with the site's values, or those in `more`, for each `@NAME@`.

    Raises KeyError for an unknown `@NAME@`.
    """
    values = {
        "BASE": site.base_path,
        "BASE_REGEX": re.escape(site.base_path),
        "ID": site_id(site.base_path),
        "NOT_FOUND": site.not_found.decode(),
        "NOT_ALLOWED": site.not_allowed.decode(),
        "DOCUMENTS": site.documents,
        "DOCUMENT_PATHS": json.dumps(site.document_paths),
        "METHODS": METHODS,
        "JSON_TYPE": JSON_TYPE,
        "JSONL_TYPE": MEDIA_TYPES[".jsonl"],
        "PAGE_TYPE": PAGE_TYPE,
        "CORS_HEADERS": CORS_HEADERS,
        "EXPOSED": EXPOSED,
        "IMMUTABLE": IMMUTABLE,
        "REVALIDATED": REVALIDATED,
        "ADDRESSED": "|".join(ADDRESSED),
        "ADDRESSED_PATHS": json.dumps([f"/{folder}/" for folder in ADDRESSED]),
        "ADDRESSED_FIELDS": "".join(
            f"{site.base_path}/{folder}/*\n  Cache-Control: {IMMUTABLE}\n" for folder in ADDRESSED
        ),
        "PUBLIC": site.public[0] if site.public else "",
        "LABORATORIES": LABORATORIES.lstrip("/"),
        "PACKS": _packs(site),
        "PACK_FOLDER": PACK_FOLDER,
        "PACK_FOLDER_DIGITS": str(FOLDER_DIGITS),
        "MEDIA_TYPES": json.dumps(MEDIA_TYPES),
        "FORMAT_WORD": encoded_word("format"),
        "LAST_FORMAT": f"^(?>(?:.*&)?{encoded_word('format')}(?![^=&]))",
        "JSON_WORD": encoded_word("json"),
        "API_WORD": encoded_word("api"),
        "LIST": site.base_path + LABORATORIES,
        "LIST_IN_SITE": folder_of(LABORATORIES) + "/",
        "LIST_REGEX": re.escape(site.base_path + LABORATORIES),
        "SEARCHED": f"(?:.*&)?(?:{'|'.join(site.search_names) or NOTHING})=[^&]",
        "LAST_PAGE": "(?>(?:.*&)?page(?![^=&]))=",
    } | more
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z_]+)@", lambda found: values[found[1]], text).encode()


def fill_each(name: str, site: HostSite, folders: Sequence[str] = ()) -> str:
    """Return the text file `name` once for each folder, or each of documents, for hosts without patterns."""
    return "".join(fill(name, site, FOLDER=folder).decode() for folder in folders or site.folders)


def _packs(site: HostSite) -> str:
    """Return the kinds of packs of a site as JSON, for the edge function."""
    packs = [
        {"name": kind.name, "path": site.base_path + kind.path, "key": f"^{kind.key}", "count": count}
        for kind, count in site.packs
    ]
    return json.dumps(packs)


def site_id(base_path: str) -> str:
    """Return an identifier of the site for variables: unique to its base path, and short enough for PCRE."""
    name = "labgen" + re.sub(r"[^A-Za-z0-9]", "_", base_path)
    is_plain = re.fullmatch(r"(/[A-Za-z0-9]+)*", base_path) and len(name) <= LONGEST_ID
    return name if is_plain else f"labgen_{blake2b(base_path.encode(), digest_size=6).hexdigest()}"


NOTHING = r"\b\B"
"""A regular expression that matches nothing."""
LONGEST_ID = 20
"""The maximum length of an identifier: names of groups in patterns continue it, up to 32 characters."""


def encoded_word(word: str) -> str:
    """Return a regular expression for a word in a query, each letter of which may be percent-encoded."""
    return "".join(f"(?:{letter}|%{_either_case(f'{ord(letter):02x}')})" for letter in word)


def _either_case(digits: str) -> str:
    return "".join(f"[{one}{one.upper()}]" if one.isalpha() else one for one in digits)


def refusal_body(site: HostSite, method: str) -> str:
    """Return the JSON body that refuses a method; `method` is the host's variable for its name."""
    detail = site.refusal.format(method=method)
    return render_json({"detail": detail}).decode()
