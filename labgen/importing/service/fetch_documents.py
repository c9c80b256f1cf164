"""Fetch all documents of a service: of the laboratories that it lists, or of given laboratories."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

from labgen.api.endpoint import PerLaboratory
from labgen.api.sections import PER_LABORATORY, PER_SITE, laboratories, new, similar_labs
from labgen.contract.http_contract import Request
from labgen.fetch.ask import PoliteClient, Politeness
from labgen.fetch.client import STRAIGHT, Client, Route
from labgen.fetch.urls import without_credentials
from labgen.importing.service.answer_cache import open_answers
from labgen.importing.service.deviations import Deviation
from labgen.importing.service.fetch_service import AGAIN, Failure, Service, prefix_of
from labgen.importing.service.find_laboratories import Found, find_laboratories
from labgen.importing.service.survey import sections_for
from labgen.model.site_paths import JSON_FILE, file_of
from labgen.output.errors import OutputError, temporary_folder
from labgen.problems.text import plural, say
from labgen.render.openapi import OPENAPI_FILE

PROBED = 5
"""The number of laboratories that are tested for sections that not every service has."""
SIMILAR, NEW, LIST = similar_labs.ENDPOINT, new.ENDPOINT, laboratories.ENDPOINT


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to fetch from a service, and which laboratories: `found`, or if None, those that it lists.

    `otherwise` are the laboratories to try if it lists none. `say` tells users that labgen waits for it.
    """

    found: Found | None = None
    otherwise: Found | None = None
    is_followed: bool = False
    are_failures_skipped: bool = False
    politeness: Politeness = field(default_factory=Politeness)
    route: Route = STRAIGHT
    progress: Callable[[str, int, int], None] = lambda _what, _done, _all: None
    say: Callable[[str], None] = lambda _: None


@contextmanager
def open_service(url: SplitResult, file: Path, fetching: FetchOptions) -> Iterator[Service]:
    """Open a service whose responses are cached in a file."""
    prefix, progress = prefix_of(url), fetching.progress
    address = without_credentials(url)._replace(path=prefix).geturl()
    client = Client(url, fetching.politeness.timeout, fetching.route, is_strict=False)
    try:
        with open_answers(file, address) as answers:
            known = Request("GET", f"{prefix}{LIST.path}")
            asker = PoliteClient(client, fetching.politeness, known, fetching.say)
            yield Service(url, prefix, asker, answers, lambda done, total: progress("fetched", done, total))
    finally:
        client.close()


@contextmanager
def fetched_folder(url: SplitResult, fetching: FetchOptions) -> Iterator[Path]:
    """Yield a temporary folder with all documents of a service, in labgen's layout."""
    with temporary_folder() as place:
        with open_service(url, place / "answers.sqlite", fetching) as service:
            for path, body in DocumentFetcher(service, fetching).bodies():
                file = place / "site" / file_of(path, JSON_FILE)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body)
        yield place / "site"


class DocumentFetcher:
    """The fetched documents of a service, its laboratories and endpoints, and the deviations found."""

    def __init__(self, service: Service, fetching: FetchOptions) -> None:
        self.service = service
        self.fetching = fetching
        self.deviations: list[Deviation] = []
        self.display_ids: tuple[str, ...] = ()
        self.endpoints: list[PerLaboratory] = []
        found = fetching.found or find_laboratories(service, fetching.otherwise)
        self.source = found.source
        self.deviations += found.deviations
        self._fetch(found)

    def documents(self, display_id: str) -> dict[str, Any]:
        """Return the existing documents of a laboratory by section."""
        paths = sections_for(display_id, self.endpoints)
        found = {name: self.service.document(path) for name, path in paths.items()}
        return {name: document for name, document in found.items() if document is not None}

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        """Yield the paths and the bytes of all fetched documents that have paths in labgen's API."""
        paths = [one.path for one in PER_SITE]
        paths += chain.from_iterable(sections_for(one, self.endpoints).values() for one in self.display_ids)
        if self.fetching.found is None and isinstance(self.service.document(LIST.path), dict):
            paths += self._pages()
        for path in paths:
            body = self.service.body(path)
            if body is not None:
                yield path, body

    def _pages(self) -> Iterator[str]:
        number = 1
        while self.service.body(LIST.path_for(number)) is not None:
            yield LIST.path_for(number)
            number += 1

    def cards(self) -> Iterator[Any]:
        """Yield the service's lists of laboratories, whose cards show pictures."""
        yield self.service.document(NEW.path)
        for target in self.service.pages:
            page = self.service.document(target.removeprefix(self.service.prefix))
            yield page.get("results") if isinstance(page, dict) else page

    def _fetch(self, found: Found) -> None:
        """Fetch all documents, except of optional sections that none of a few sampled laboratories has."""
        service, prefix = self.service, self.service.prefix
        self._fetch_once()
        ids = found.display_ids
        if found.is_tried:
            service.fetch(prefix + PER_LABORATORY[0].path_for(one) for one in ids)
        self.endpoints = self._there(ids[:: max(1, len(ids) // PROBED)][:PROBED])
        known, asked = dict.fromkeys(ids), set()
        while waiting := [one for one in known if one not in asked]:
            asked.update(waiting)
            total = service.asked + len(waiting) * len(self.endpoints)
            paths = (prefix + path for one in waiting for path in sections_for(one, self.endpoints).values())
            service.fetch(paths, total=total)
            if self.fetching.is_followed:
                known |= dict.fromkeys(chain.from_iterable(map(self._similar_to, waiting)))
        self._report_failures()
        self._keep_those_there(known, found)

    def _fetch_once(self) -> None:
        paths = [*(one.path for one in PER_SITE), f"/{OPENAPI_FILE}"]
        self.service.fetch(self.service.prefix + path for path in paths)
        optional = {f"{self.service.prefix}/{OPENAPI_FILE}", self.service.prefix + NEW.path}
        failures = [one for one in self.service.failures if one.target not in optional]
        self.service.failures[:] = failures

    def _there(self, display_ids: Iterable[str]) -> list[PerLaboratory]:
        """Return the required endpoints, and the optional ones that any of these laboratories has."""
        optional = [one for one in PER_LABORATORY if one.is_optional]
        paths = {one.name: [one.path_for(display_id) for display_id in display_ids] for one in optional}
        had = len(self.service.failures)
        self.service.fetch(self.service.prefix + path for path in chain.from_iterable(paths.values()))
        del self.service.failures[had:]  # these do not exist, or fail again later
        there = {name for name, some in paths.items() if any(map(self.service.body, some))}
        return [one for one in PER_LABORATORY if not one.is_optional or one.name in there]

    def _similar_to(self, display_id: str) -> Iterator[str]:
        """Yield the display_ids in a laboratory's list of similar laboratories."""
        document = self.service.document(SIMILAR.path_for(display_id))
        for card in document if isinstance(document, list) else ():
            other = card.get("display_id") if isinstance(card, dict) else None
            if isinstance(other, str) and other.isascii() and other.isdigit():
                yield other

    def _report_failures(self) -> None:
        failures: list[Failure] = self.service.failures
        if failures and not self.fetching.are_failures_skipped:
            first = say("{target}: {reason}", target=failures[0].target, reason=failures[0].reason)
            count = plural(len(failures), "document")
            raise OutputError(
                say("{count} could not be fetched; the first is {first}", count=count, first=first),
                say("{again}; --skip-failed goes on without them", again=AGAIN),
            )
        self.deviations += (
            Deviation(
                one.target,
                say("a document could not be fetched: {reason}", reason=one.reason),
                say("it is as if it were empty"),
            )
            for one in failures
        )

    def _keep_those_there(self, known: Iterable[str], found: Found) -> None:
        """Keep the laboratories that have a document; note the missing ones, unless they were only tried."""
        there = []
        for display_id in known:
            if self.service.body(PER_LABORATORY[0].path_for(display_id)) is not None:
                there.append(display_id)
            elif not found.is_tried:
                self.deviations.append(
                    Deviation(
                        display_id,
                        say("a laboratory that is named is not there (404)"),
                        say("it was left out"),
                    )
                )
        if not there:
            raise OutputError(say("not one laboratory of {source} is there", source=found.source))
        self.display_ids = tuple(sorted(there))
