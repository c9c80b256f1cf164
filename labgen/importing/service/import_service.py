"""Import a service: find its laboratories, fetch them, make a project of them, and prove it by a build."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult

from labgen.api.endpoint import PerLaboratory
from labgen.api.http_contract import Request
from labgen.api.sections import PER_LABORATORY, PER_SITE, laboratories, new, similar_labs, upgrade_options
from labgen.fetch.ask import Asker, Politeness
from labgen.fetch.client import STRAIGHT, Client, Route
from labgen.importing.service.answers import open_answers
from labgen.importing.service.fetch_service import AGAIN, Failure, Service, prefix_of
from labgen.importing.service.find_laboratories import Found, find_laboratories
from labgen.importing.service.pictures import How, Pictures
from labgen.importing.service.prove import Proof, prove
from labgen.importing.service.records import Shared, record_of
from labgen.importing.service.rests import Rest
from labgen.importing.service.settings import dates_of, limits_of, lists_of, settings_of, upgrade_options_of
from labgen.importing.service.survey import CATALOGUES, Survey, sections_for
from labgen.importing.write_project import Project, require_free, write_project
from labgen.model.catalogues import UPGRADE_OPTIONS
from labgen.model.records import LaboratoryRecord
from labgen.model.site_paths import JSON_FILE, STATE, file_of
from labgen.output.errors import OutputError
from labgen.pipeline.build import Options, build
from labgen.pipeline.result import Outcome
from labgen.problems.problem import plural
from labgen.render.openapi import FILE as OPENAPI_FILE
from labgen.system.input_files import DATA, LABORATORIES

NEEDED = frozenset(name for name, field in LaboratoryRecord.model_fields.items() if field.is_required())
PROBED = 5
"""Laboratories that are asked for sections which not every service has."""
SIMILAR, NEW, LIST = similar_labs.ENDPOINT, new.ENDPOINT, laboratories.ENDPOINT


@dataclass(frozen=True, slots=True)
class Wish:
    """What is imported, and how the service is asked. Without `found`, the service says what it has."""

    found: Found | None = None
    is_followed: bool = False
    are_failures_skipped: bool = False
    politeness: Politeness = field(default_factory=Politeness)
    route: Route = STRAIGHT
    progress: Callable[[str, int, int], None] = lambda _what, _done, _all: None
    jobs: int = 1
    pictures: How = "published"


class Imported(NamedTuple):
    """What came of an import: how many laboratories and files, the rests, and the proof.

    The proof is None where what was written has errors; `outcome` tells them.
    """

    laboratories: int
    source: str
    files: int
    rests: tuple[Rest, ...]
    outcome: Outcome
    proof: Proof | None


def import_service(url: SplitResult, root: Path, wish: Wish) -> Imported:
    """Make a project of a service. Raises `OutputError`; what was fetched is kept then."""
    require_free(root)
    state = root / STATE / "import"
    address = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{prefix_of(url)}"
    client = Client(url, wish.politeness.timeout, wish.route, is_strict=False)
    try:
        with open_answers(state / "answers.sqlite", address) as answers:
            first = Request("GET", f"{prefix_of(url)}{LIST.path}")
            asker = Asker(client, wish.politeness, first)
            service = Service(
                url, prefix_of(url), asker, answers, lambda done, total: wish.progress("fetched", done, total)
            )
            return _Import(service, root, state, wish).run()
    finally:
        client.close()


class _Import:
    """One import: the service, where the project is made, and what was noted on the way."""

    def __init__(self, service: Service, root: Path, state: Path, wish: Wish) -> None:
        self.service, self.root, self.wish = service, root, wish
        self.staging, self.state = state / "project", state
        self.rests: list[Rest] = []
        self.display_ids: tuple[str, ...] = ()
        self.endpoints: list[PerLaboratory] = []
        self.noted: dict[tuple[str, str], str] = {}
        self.pictures = Pictures(service, wish.pictures)

    def run(self) -> Imported:
        """Do all of it, and move the project into its place."""
        found = self.wish.found or find_laboratories(self.service)
        self.rests += found.rests
        self._fetch(found)
        outcome, proof = self._prove(*self._project())
        self.service.answers.complete()
        self._move()
        files = sum(1 for one in (self.root / DATA).rglob("*") if one.is_file())
        return Imported(len(self.display_ids), found.source, files, tuple(self.rests), outcome, proof)

    # What is fetched.

    def _fetch(self, found: Found) -> None:
        """Fetch all documents; those of sections that nobody of a few has are not asked for."""
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
            if self.wish.is_followed:
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
        """Return the endpoints of the specification, and those others that one of some laboratories has."""
        optional = [one for one in PER_LABORATORY if one.is_optional]
        paths = {one.name: [one.path_for(display_id) for display_id in display_ids] for one in optional}
        had = len(self.service.failures)
        self.service.fetch(self.service.prefix + path for path in chain.from_iterable(paths.values()))
        del self.service.failures[had:]  # whoever fails here is not there, or fails again
        there = {name for name, some in paths.items() if any(map(self.service.body, some))}
        return [one for one in PER_LABORATORY if not one.is_optional or one.name in there]

    def _similar_to(self, display_id: str) -> Iterator[str]:
        """Yield the laboratories that the list of a laboratory names."""
        document = self.service.document(SIMILAR.path_for(display_id))
        for card in document if isinstance(document, list) else ():
            other = card.get("display_id") if isinstance(card, dict) else None
            if isinstance(other, str) and other.isascii() and other.isdigit():
                yield other

    def _report_failures(self) -> None:
        failures: list[Failure] = self.service.failures
        if failures and not self.wish.are_failures_skipped:
            first = f"{failures[0].target}: {failures[0].reason}"
            count = plural(len(failures), "document")
            raise OutputError(
                f"{count} could not be fetched; the first is {first}",
                f"{AGAIN}; --skip-failed goes on without them",
            )
        self.rests += (
            Rest(one.target, f"a document could not be fetched: {one.reason}", "it is as if it were empty")
            for one in failures
        )

    def _keep_those_there(self, known: Iterable[str], found: Found) -> None:
        """Keep the laboratories that have a document; note those of which that was promised."""
        there = []
        for display_id in known:
            if self.service.body(PER_LABORATORY[0].path_for(display_id)) is not None:
                there.append(display_id)
            elif not found.is_tried:
                self.rests.append(
                    Rest(display_id, "a laboratory that is named is not there (404)", "it was left out")
                )
        if not there:
            raise OutputError(f"not one laboratory of {found.source} is there")
        self.display_ids = tuple(sorted(there))

    # What is made of it.

    def _documents(self, display_id: str) -> dict[str, Any]:
        found = {
            name: self.service.document(path)
            for name, path in sections_for(display_id, self.endpoints).items()
        }
        return {name: document for name, document in found.items() if document is not None}

    def _project(self) -> tuple[Project, list[dict[str, Any]]]:
        """Return the project, and its laboratories, which may still be changed."""
        survey, used, longest = Survey(), set(), 0
        missing: dict[str, int] = {}
        for display_id in self.display_ids:
            documents = self._documents(display_id)
            survey.add(documents)
            self.pictures.add(documents)
            similar = documents.get(SIMILAR.name)
            longest = max(longest, len(similar) if isinstance(similar, list) else 0)
            used |= {
                name
                for name, one in documents.items()
                if one and (not isinstance(one, dict) or one.get("items"))
            }
            for endpoint in self.endpoints:
                if endpoint.name not in documents:
                    missing[endpoint.name] = missing.get(endpoint.name, 0) + 1
        self.rests += survey.disputes()
        self.rests += (
            Rest(
                f"{name}: {count:,} laboratories",
                "a section is not there for some (404)",
                "it is empty for them now",
            )
            for name, count in missing.items()
        )
        lists, standards, rests = lists_of(survey)
        options, more = upgrade_options_of(self.service.document(upgrade_options.ENDPOINT.path))
        lists[UPGRADE_OPTIONS.stem] = options
        newest = self.service.document(NEW.path)
        self._add_cards(newest)
        limits = limits_of(self.service.document(LIST.path), newest, longest)
        settings, others = settings_of(survey, self.service.document(f"/{OPENAPI_FILE}"), limits)
        self.rests += [*rests, *more, *others]
        self.pictures.fetch(str(settings.get("base_path", "")))
        dates = dates_of(newest)
        if dates:
            self.rests.append(
                Rest(
                    "new",
                    "when laboratories came is not published",
                    "dates that keep their order were made up (`published_on`)",
                )
            )
        there = [one.name for one in self.endpoints if one.is_optional] + (
            [NEW.name] if newest is not None else []
        )
        empty = [name for name in there if name not in used and not (name == NEW.name and dates)]
        if empty:
            settings["publish"] = empty
        entries = {
            name: frozenset(one["id"] for one in lists.get(listed.stem, ()))
            for name, listed in CATALOGUES.items()
        }
        shared = Shared(survey, standards, entries, frozenset(self.display_ids), self.pictures, dates)
        records = list(self._records(shared))
        return Project(settings, lists, records, self.pictures), records

    def _add_cards(self, newest: Any) -> None:
        """Look at all lists of laboratories: they alone show the pictures of cards."""
        self.pictures.add_cards(newest)
        for path in self._pages():
            page = self.service.document(path)
            self.pictures.add_cards(page.get("results") if isinstance(page, dict) else page)

    def _records(self, shared: Shared) -> Iterator[dict[str, Any]]:
        for display_id in self.display_ids:
            record, rests = record_of(display_id, self._documents(display_id), shared)
            self._note(display_id, rests)
            if record:
                yield record

    def _note(self, display_id: str, rests: Iterable[Rest]) -> None:
        """Take note of what of a laboratory is not taken over as it was."""
        for one in rests:
            self.rests.append(one)
            if one.field:
                self.noted.setdefault((PER_LABORATORY[0].path_for(display_id), one.field), one.what)

    # What comes of it.

    def _prove(self, project: Project, records: list[dict[str, Any]]) -> tuple[Outcome, Proof | None]:
        """Write the project, build it, and compare; lists of similar laboratories are kept where they differ.

        A computed list goes on being right when laboratories change, so it is better than a written one.
        """
        there = {one["display_id"] for one in records}
        own = {one["display_id"]: one.pop("similar_labs", None) for one in records}
        out = self.staging / "out"
        outcome = self._build(project, out)
        if self._leave_out(records, outcome):
            outcome = self._build(project, out)
        if outcome.written:
            for record in records:
                path = SIMILAR.path_for(record["display_id"])
                named, body = own[record["display_id"]], self.service.body(path)
                if named is not None and body != (out / file_of(path, JSON_FILE)).read_bytes():
                    record["similar_labs"] = [one for one in named if one in there]
            outcome = self._build(project, out)
        return outcome, prove(out, self._fetched(), self.noted) if outcome.written else None

    def _leave_out(self, records: Iterable[dict[str, Any]], outcome: Outcome) -> bool:
        """Move what labgen refuses in a laboratory into its note, where the keeper finds it."""
        by_file = {f"{DATA}/{LABORATORIES}/{one['display_id']}.json": one for one in records}
        moved = False
        for problem in outcome.found if outcome.errors else ():
            record, pointer = by_file.get(problem.place.file), problem.place.pointer
            field = str(pointer[0]) if pointer else ""
            if record is None or problem.severity != "error" or field not in record or field in NEEDED:
                continue
            value = record.pop(field)
            record["_note"] = "; ".join(filter(None, [record.get("_note"), f"{field}: {value}"]))
            done = f"`{field}` is in the note `_note` now: decide what of it is to be published"
            rest = Rest(f"{record['display_id']} {field}", problem.message, done, field)
            self._note(record["display_id"], [rest])
            moved = True
        return moved

    def _build(self, project: Project, out: Path) -> Outcome:
        shutil.rmtree(self.staging / DATA, ignore_errors=True)
        write_project(self.staging, project)
        return build(
            self.staging,
            out,
            Options(
                jobs=self.wish.jobs,
                progress=self.wish.progress,
                are_limits_off=True,
                are_removals_allowed=True,
            ),
        )

    def _fetched(self) -> Iterator[tuple[str, bytes]]:
        """Yield all documents of the service that labgen has a path for."""
        paths = [*(one.path for one in PER_SITE)]
        paths += chain.from_iterable(sections_for(one, self.endpoints).values() for one in self.display_ids)
        if self.wish.found is None and isinstance(self.service.document(LIST.path), dict):
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

    def _move(self) -> None:
        """Move the project into its place, which is free; the build that proved it is not kept."""
        require_free(self.root)
        for name in (".gitignore", DATA):
            if (self.staging / name).exists() and not (self.root / name).exists():
                (self.staging / name).rename(self.root / name)
        with suppress(OSError):
            shutil.rmtree(self.staging)
