"""Import a service: find its laboratories, fetch them, write a project, and verify it with a build."""

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult

from labgen.api.sections import PER_LABORATORY, upgrade_options
from labgen.importing.service.convert_records import Shared, record_of
from labgen.importing.service.deviations import Deviation
from labgen.importing.service.fetch_documents import (
    LIST,
    NEW,
    SIMILAR,
    DocumentFetcher,
    FetchOptions,
    open_service,
)
from labgen.importing.service.fetch_service import Service
from labgen.importing.service.infer_settings import (
    invented_dates,
    limits_of,
    lists_of,
    settings_of,
    upgrade_options_of,
)
from labgen.importing.service.pictures import How, Pictures
from labgen.importing.service.prove import Proof, prove
from labgen.importing.service.survey import CATALOGUES, Survey, items_of
from labgen.importing.write_project import Project, require_free, write_project
from labgen.model.catalogues import UPGRADE_OPTIONS
from labgen.model.records import LaboratoryRecord
from labgen.model.site_paths import JSON_FILE, STATE, file_of
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.result import Outcome
from labgen.problems.text import say
from labgen.render.openapi import OPENAPI_FILE
from labgen.system.input_files import DATA, LABORATORIES

NEEDED = frozenset(name for name, field in LaboratoryRecord.model_fields.items() if field.is_required())


PLANS = upgrade_options.ENDPOINT
"""The document with the paid plans."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of an import: how to fetch, how to import pictures, and the processes to build with."""

    fetching: FetchOptions
    pictures: How = "published"
    jobs: int = 1


class Imported(NamedTuple):
    """The result of an import: numbers of laboratories and files, the deviations, and the proof.

    The proof is None if the project that was written has errors; they are in `outcome`.
    """

    laboratories: int
    source: str
    files: int
    deviations: tuple[Deviation, ...]
    outcome: Outcome
    proof: Proof | None


def import_service(url: SplitResult, root: Path, options: ImportOptions) -> Imported:
    """Make a project from a service. Raises `OutputError`; the fetched documents then remain cached."""
    require_free(root)
    state = root / STATE / "import"
    with open_service(url, state / "answers.sqlite", options.fetching) as service:
        imported = _Import(service, state / "project", options).run()
        service.answers.complete()
    _move(state / "project", root)
    files = sum(1 for one in (root / DATA).rglob("*") if one.is_file())
    return imported._replace(files=files)


def _move(staging: Path, root: Path) -> None:
    """Move a project into its place, which must be free; delete the build that verified it."""
    require_free(root)
    for name in (".gitignore", DATA):
        if (staging / name).exists() and not (root / name).exists():
            (staging / name).rename(root / name)
    shutil.rmtree(staging, ignore_errors=True)


class _Import:
    """One import: the fetched documents, the folder in which the project is made, and the deviations."""

    def __init__(self, service: Service, staging: Path, options: ImportOptions) -> None:
        self.service, self.staging, self.options = service, staging, options
        self.fetched = DocumentFetcher(service, options.fetching)
        self.deviations = [*self.fetched.deviations]
        self.noted: dict[tuple[str, str], str] = {}
        self.pictures = Pictures(service, options.pictures)

    def run(self) -> Imported:
        """Make the project, and verify it."""
        outcome, proof = self._prove(*self._project())
        count = len(self.fetched.display_ids)
        return Imported(count, self.fetched.source, 0, tuple(self.deviations), outcome, proof)

    # Making the project.

    def _project(self) -> tuple[Project, list[dict[str, Any]]]:
        """Return the project, and its laboratories, which may still be changed."""
        survey, used, longest = self._survey()
        newest = self.service.document(NEW.path)
        for cards in self.fetched.cards():
            self.pictures.add_cards(cards)
        limits = limits_of(self.service.document(LIST.path), newest, longest)
        settings, deviations = settings_of(survey, self.service.document(f"/{OPENAPI_FILE}"), limits)
        lists, standards, more = lists_of(survey)
        lists[UPGRADE_OPTIONS.stem], others = upgrade_options_of(self.service.document(PLANS.path))
        self.deviations += [*survey.disputes(), *deviations, *more, *others]
        self.pictures.fetch(str(settings.get("base_path", "")))
        dates = invented_dates(newest)
        if dates:
            done = say("dates that keep their order were made up (`published_on`)")
            self.deviations.append(Deviation(NEW.name, say("when laboratories came is not published"), done))
        if empty := self._empty(used | ({NEW.name} if dates else set())):
            settings["publish"] = empty
        entries = {
            name: frozenset(one["id"] for one in lists.get(listed.stem, ()))
            for name, listed in CATALOGUES.items()
        }
        shared = Shared(survey, standards, entries, frozenset(self.fetched.display_ids), self.pictures, dates)
        records = list(self._records(shared))
        return Project(settings, lists, records, self.pictures), records

    def _survey(self) -> tuple[Survey, set[str], int]:
        """Return the shared data, the sections with entries, and the length of the longest similar list."""
        survey, used, longest = Survey(), set(), 0
        missing: Counter[str] = Counter()
        names = {one.name for one in self.fetched.endpoints}
        for display_id in self.fetched.display_ids:
            documents = self.fetched.documents(display_id)
            survey.add(documents)
            self.pictures.add(documents)
            similar = documents.get(SIMILAR.name)
            longest = max(longest, len(similar) if isinstance(similar, list) else 0)
            used |= {
                name for name, one in documents.items() if one and (isinstance(one, list) or items_of(one))
            }
            missing.update(names - documents.keys())
        what, done = say("a section is not there for some (404)"), say("it is empty for them now")
        self.deviations += (
            Deviation(say("{name}: {count:,} laboratories", name=name, count=count), what, done)
            for name, count in sorted(missing.items())
        )
        return survey, used, longest

    def _empty(self, used: Collection[str]) -> list[str]:
        """Return the optional sections that the service has, but without any entries."""
        there = [one.name for one in self.fetched.endpoints if one.is_optional]
        there += [NEW.name] if self.service.document(NEW.path) is not None else []
        return [name for name in there if name not in used]

    def _records(self, shared: Shared) -> Iterator[dict[str, Any]]:
        for display_id in self.fetched.display_ids:
            record, deviations = record_of(display_id, self.fetched.documents(display_id), shared)
            self._note(display_id, deviations)
            if record:
                yield record

    def _note(self, display_id: str, deviations: Iterable[Deviation]) -> None:
        """Record the deviations of a laboratory."""
        for one in deviations:
            self.deviations.append(one)
            if one.field:
                self.noted.setdefault((PER_LABORATORY[0].path_for(display_id), one.field), one.what)

    # Verifying the project.

    def _prove(self, project: Project, records: list[dict[str, Any]]) -> tuple[Outcome, Proof | None]:
        """Write, build and compare the project; keep a list of similar laboratories only if it differs.

        A computed list remains correct when laboratories change, so it is better than a stored one.
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
        return outcome, prove(out, self.fetched.bodies(), self.noted) if outcome.written else None

    def _leave_out(self, records: Iterable[dict[str, Any]], outcome: Outcome) -> bool:
        """Move invalid fields of laboratories to their `_note`, for the keeper; return whether any moved."""
        by_file = {f"{DATA}/{LABORATORIES}/{one['display_id']}.json": one for one in records}
        moved = False
        for problem in outcome.found if outcome.errors else ():
            record, pointer = by_file.get(problem.place.file), problem.place.pointer
            field = str(pointer[0]) if pointer else ""
            if record is None or problem.severity != "error" or field not in record or field in NEEDED:
                continue
            value = record.pop(field)
            record["_note"] = "; ".join(
                filter(None, [record.get("_note"), say("{field}: {value}", field=field, value=value)])
            )
            done = say(
                "`{field}` is in the note `_note` now: decide what of it is to be published", field=field
            )
            found = Deviation(
                say("{record} {field}", record=record["display_id"], field=field),
                problem.message,
                done,
                field,
            )
            self._note(record["display_id"], [found])
            moved = True
        return moved

    def _build(self, project: Project, out: Path) -> Outcome:
        shutil.rmtree(self.staging / DATA, ignore_errors=True)
        write_project(self.staging, project)
        return build(
            self.staging,
            out,
            Options(
                jobs=self.options.jobs,
                progress=self.options.fetching.progress,
                are_limits_off=True,
                are_removals_allowed=True,
                are_changes_allowed=True,
            ),
        )
