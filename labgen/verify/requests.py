"""List the requests that verify a host: all files or a sample, the contract, and what must be absent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from os.path import splitext
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from labgen.api.endpoint import LABORATORIES, Endpoint, Paged, PerLaboratory, PerSite
from labgen.api.proposed import Catalogues
from labgen.api.sections import PAGED, PER_LABORATORY
from labgen.contract.content_codings import can_decode
from labgen.contract.contract_asks import Ask, asks_of, browser_asks_of, plain_asks_of
from labgen.contract.contract_rows import REFUSED, all_rows, rows_for, rows_for_file, rows_for_page
from labgen.contract.http_contract import (
    OK,
    REDIRECTS,
    Expected,
    Level,
    Request,
    Row,
)
from labgen.hosts.profile import Profile
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of
from labgen.output.file_lists import BuiltSite
from labgen.output.file_system import parents_of
from labgen.output.published_manifest import INDEX
from labgen.render.site_values import FRONT_PAGE, REFERENCE_PAGE
from labgen.verify.checks import Share
from labgen.verify.folder import built_endpoints, documents_of
from labgen.verify.listed_files import (
    SiteFiles,
    asked_again,
    is_front,
    pick_evenly,
    sort_files,
    take_sample,
    unused_numbers,
)

FILE_ROWS = {JSON_FILE: "json-file", PAGE_FILE: "page-file"}
"""The rows of the contract that request a file by its name; the row for other files is `file`."""
CODINGS = {
    ".gz": ("gzip", "gzip", Level.SHOULD),
    ".br": ("brotli", "br", Level.OPTIONAL),
    ".zst": ("zstd", "zstd", Level.OPTIONAL),
}
"""For each suffix of a compressed copy: the row that requests it, its content coding, the row's level."""
BY_PATH = frozenset({"json", "page-by-query"})
"""The rows of the contract that are tried with every path."""
MOST_FOLDERS = 20
"""The maximum number of folders in one folder that are asked for, beside those of the contract."""
MOST_NUMBERS = 10_000
"""The maximum number of requests for laboratories that do not exist."""


class RequestSample(NamedTuple):
    """The sample size: laboratories to test the HTTP contract with, and files of each kind (None: all)."""

    laboratories: int | None = 3
    files: int | None = 1_000


class Stage(NamedTuple):
    """Requests of one kind, and the share of the site that they cover; None if they are never a sample."""

    asks: Sequence[Ask]
    share: Share | None = None


class Site(NamedTuple):
    """A built site, and what to request of it from a host. `paths` are tried with the whole contract."""

    out: Path
    built: BuiltSite
    files: SiteFiles
    documents: Mapping[str, Endpoint]
    paths: Sequence[str]
    sample: RequestSample

    @property
    def laboratories(self) -> list[str]:
        """The display_ids of all laboratories, in order."""
        return laboratories_of(self.documents)


def read_site(out: Path, built: BuiltSite, sample: RequestSample) -> Site:
    """Return the built site, with its documents and the paths to request."""
    documents = documents_of(built)
    paths = sample_paths(built, documents, sample.laboratories)
    return Site(out, built, sort_files(built), documents, paths, sample)


def make_stages(site: Site, profile: Profile | None, removed: Sequence[str]) -> list[Stage]:
    """Return all requests to a host, by kind; `removed` are documents that builds have removed."""
    rows = _file_rows(site)
    return [
        _files(site, rows),
        _copies(site, profile),
        _embedded(site, rows),
        _paths(site),
        _contract(site),
        Stage(plain_asks_of(_hidden(site))),
        Stage(asks_of(_listable(site))),
        Stage(_gone_asks(site, removed)),
        _unused(site),
    ]


def watch_stages(site: Site) -> list[Stage]:
    """Return the requests of a watch: a sample of the files, and of the paths of documents."""
    return [_files(site, _file_rows(site)), _paths(site)]


def sample_paths(built: BuiltSite, documents: Mapping[str, Endpoint], most: int | None) -> list[str]:
    """Return the paths of documents that a site has once, and of a sample of list pages and laboratories."""
    _, each = built_endpoints(built)
    once = [path for path, one in documents.items() if isinstance(one, PerSite)]
    lists = pick_evenly(
        [path for path, one in documents.items() if isinstance(one, Paged | Catalogues)], most
    )
    some = pick_evenly(laboratories_of(documents), most)
    return [*once, *lists, *(one.path_for(display_id) for display_id in some for one in each)]


def laboratories_of(documents: Mapping[str, Endpoint]) -> list[str]:
    """Return the display_ids of laboratories among the paths of documents, in order."""
    found = (
        path.removeprefix(LABORATORIES)
        for path, one in documents.items()
        if isinstance(one, PerLaboratory) and path.startswith(LABORATORIES)
    )
    return sorted({rest.partition("/")[0] for rest in found})


def _file_rows(site: Site) -> Mapping[str, Row]:
    """Return the rows for files by name, including those of all paths in the sample."""
    files, most, salt = site.files, site.sample.files, site.built.made_from
    kinds = (files.documents, files.pages, files.digests, files.others)
    tried = {file_of(path, name) for path in site.paths for name in FILE_ROWS}
    tried &= {*files.documents, *files.pages}
    index = {INDEX} & {*files.documents}
    names = sorted(tried.union(index, *(take_sample(kind, most, salt) for kind in kinds)))
    return {name: _file_row(site, name) for name in names}


def _files(site: Site, rows: Mapping[str, Row]) -> Stage:
    files = site.files
    whole = sum(map(len, (files.documents, files.pages, files.digests, files.others)))
    return Stage(plain_asks_of(rows.values()), Share(len(rows), whole, "files"))


def _embedded(site: Site, rows: Mapping[str, Row]) -> Stage:
    """Return the requests of browsers for files, those of folders by the path of the folder.

    Documents and their pages are requested by path anyway, and so are the front page and the reference.
    """
    asked = {name: row for name, row in rows.items() if name.rpartition("/")[2] not in FILE_ROWS}
    pages = search_pages(asked)
    by_path = (next(rows_for_page(page, site.built.base_path)) for page in pages)
    return Stage(browser_asks_of([*(row for name, row in asked.items() if not is_front(name)), *by_path]))


def _file_row(site: Site, name: str) -> Row:
    base = site.built.base_path
    if is_front(name):
        return Row("file", Level.MUST, _get(base, name), Expected(OK | REDIRECTS, file=name))
    row = next(rows_for_file(name, base))
    return row if row.name != "file" else replace(row, name=FILE_ROWS.get(name.rpartition("/")[2], "file"))


def _get(base_path: str, name: str) -> Request:
    return Request("GET", f"{base_path}/{quote(name)}")


def _copies(site: Site, profile: Profile | None) -> Stage:
    """Return the requests for compressed copies that the host uses, by the names of their originals."""
    used = {suffix for suffix, (_, coding, _) in CODINGS.items() if can_decode(coding)}
    used &= profile.copies if profile else used
    names = [name for name in site.files.copies if splitext(name)[1] in used]  # noqa: PTH122 - no Path each
    some = take_sample(names, site.sample.files, site.built.made_from)
    asks = plain_asks_of(row for name in some for row in _copy_rows(site, name))
    return Stage(asks, Share(len(some), len(names), "compressed copies"))


def _copy_rows(site: Site, name: str) -> Iterator[Row]:
    """Yield the row of a file for a request that accepts a copy of it, and the row about compression."""
    original, suffix = splitext(name)  # noqa: PTH122 - no Path each
    row, coding, level = CODINGS[suffix]
    whole = _file_row(site, original)
    request = whole.request._replace(headers=(("Accept-Encoding", coding),))
    expected = replace(whole.expected, codings=(coding,))
    yield replace(whole, request=request, expected=expected)
    yield Row(row, level, request, Expected(OK, codings=(coding,), is_compressed=True))


def _paths(site: Site) -> Stage:
    """Return the requests for document and page of paths that are not tried with the whole contract."""
    some = take_sample(sorted(site.documents), site.sample.files, site.built.made_from)
    rows = [
        row
        for path in sorted({*some} - {*site.paths})
        for row in rows_for(path, site.built.base_path)
        if row.name in BY_PATH
    ]
    seen = len({*some, *site.paths})
    return Stage(asks_of(rows), Share(seen, len(site.documents), "paths"))


def _contract(site: Site) -> Stage:
    """Return the contract's requests, except those of files by name alone, which are requested anyway."""
    kinds = groupby(sorted(search_pages(site.files.others)), lambda page: page.split("/")[1])
    pages = [page for _, some in kinds for page in pick_evenly(list(some), site.sample.laboratories)]
    base, files = site.built.base_path, asked_again(site.files, site.out)
    rows = all_rows(site.paths, base, files, pages, site.built.directory_path)
    laboratories = site.laboratories
    seen = len(pick_evenly(laboratories, site.sample.laboratories))
    share = Share(seen, len(laboratories), "laboratories by the whole contract")
    return Stage(asks_of(rows), share)


def search_pages(others: Iterable[str]) -> list[str]:
    """Return the paths of pages without a document, except those that every site has."""
    known = {FRONT_PAGE, REFERENCE_PAGE}
    return [f"/{name.removesuffix(FRONT_PAGE)}" for name in others if is_front(name) and name not in known]


def _hidden(site: Site) -> Iterator[Row]:
    """Yield the requests for files that no host may serve; an empty file has nothing to hide."""
    for name in site.files.hidden:
        file = site.out / name
        if file.is_file() and file.stat().st_size:
            yield Row("hidden", Level.MUST, _get(site.built.base_path, name), Expected(REFUSED))


def _listable(site: Site) -> Iterator[Row]:
    """Yield the requests for folders without a document or a page: some of those in each folder."""
    names = [name for name in site.built.files() if not name.startswith(".")]
    starts = tuple(f"{folder}/" for folder in site.built.folders)
    answered = {_parent(name) for name in names if is_front(name) or name.startswith(starts)}
    folders = {one for folder in set(map(_parent, names)) - {""} for one in (folder, *parents_of(folder))}
    for _, siblings in groupby(sorted(folders - answered, key=_parent), _parent):
        for folder in pick_evenly(sorted(siblings), MOST_FOLDERS):
            yield Row("folder", Level.MUST, _get(site.built.base_path, f"{folder}/"), Expected(REFUSED))


def _parent(folder: str) -> str:
    return folder.rpartition("/")[0]


def _gone(site: Site, removed: Sequence[str]) -> Iterator[str]:
    """Yield documents that the site may have had: removed, of absent sections, after the last list page."""
    listed = set(site.files.documents)
    _, each = built_endpoints(site.built)
    absent = [one for one in PER_LABORATORY if one not in each]
    some = pick_evenly(site.laboratories, site.sample.laboratories)
    candidates = [
        *removed,
        *(file_of(one.path_for(display_id), JSON_FILE) for display_id in some for one in absent),
        *(file_of(one.path_for(_pages_of(site, one) + 1), JSON_FILE) for one in PAGED),
    ]
    yield from (one for one in dict.fromkeys(candidates) if one not in listed)


def _pages_of(site: Site, endpoint: Paged) -> int:
    return sum(one is endpoint for one in site.documents.values())


def _gone_asks(site: Site, removed: Sequence[str]) -> list[Ask]:
    """Return the requests for documents that the site may have had: by name, and as a browser by path."""
    names = [*_gone(site, removed)]
    paths = [name.removesuffix(JSON_FILE) for name in names if name.endswith(f"/{JSON_FILE}")]
    return [
        *plain_asks_of(_gone_row(site, name) for name in names),
        *browser_asks_of(_gone_row(site, path) for path in paths),
    ]


def _gone_row(site: Site, name: str) -> Row:
    return Row("gone", Level.MUST, _get(site.built.base_path, name), Expected(REFUSED))


def _unused(site: Site) -> Stage:
    """Return the requests for laboratories that the site does not have."""
    most = MOST_NUMBERS if site.sample.files is None else min(site.sample.files // 2, MOST_NUMBERS)
    numbers, whole = unused_numbers(site.laboratories, most)
    rows = (_gone_row(site, file_of(f"{LABORATORIES}{one}/", JSON_FILE)) for one in numbers)
    return Stage(plain_asks_of(rows), Share(len(numbers), whole, "unused numbers"))
