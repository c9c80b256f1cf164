"""Load a project's data: read, validate, check references, and collect all problems in one run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from labgen.checks.accreditation import check_shared_numbers
from labgen.checks.across_laboratories import (
    check_contacts,
    check_duplicates,
    check_links,
    check_missing_lists,
    check_similar_labs,
)
from labgen.checks.contacts import check_shared_texts, shared_mentions
from labgen.checks.examine import Examiner, Finding
from labgen.checks.namesakes import check_namesakes
from labgen.formats.budget import MOST_PROBLEMS, too_many
from labgen.formats.read_files import check_file
from labgen.memory.database import Memory
from labgen.memory.digest_index import note_shared_mentions
from labgen.memory.inverted_index import ReferenceKind, keys_of
from labgen.memory.remembered_laboratories import (
    Changes,
    StoredPlace,
    newest,
    places,
    update,
    update_locations,
)
from labgen.memory.search_terms import TermChanges, update_terms
from labgen.memory.sources import Digests, shared_digests
from labgen.memory.warnings import is_of_laboratory, source_line_of, warnings
from labgen.model.directory import Laboratory
from labgen.model.summaries import Card, Summary
from labgen.pipeline.rebuild import (
    FileChanges,
    ReadPlan,
    SharedChanges,
    compare_shared,
    laboratories_to_read,
    shared_digests_now,
)
from labgen.problems.problem import Place, Problem, count_errors
from labgen.problems.text import say
from labgen.source.laboratory_locations import (
    Location,
    ReadLocation,
    check_alone,
    find_locations,
    parse_laboratory,
    read_location,
)
from labgen.source.laboratory_rows import locations_in_tables
from labgen.source.read_laboratory import SourceLaboratory, read_laboratory, read_sound
from labgen.source.shared import SharedData, load_shared
from labgen.source.tables.cells import key_lookup
from labgen.source.tables.find import Tables, files_in, find_tables
from labgen.system.input_files import DATA, DIGEST_SIZE, LABORATORIES, MEDIA, digest_of, digests_of
from labgen.system.progress import Progress, silent
from labgen.system.workers import spread


class SourceChangedError(Exception):
    """A source file changed during the build; `problem` reports it."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        message = say("`{file}` was changed while the site was built", file=file)
        self.problem = Problem("source-changed", message, Place(file), say("build again"))


@dataclass(frozen=True, slots=True)
class Source:
    """A project's data: what laboratories share, what changed since the last build, and the problems.

    The laboratories are in the memory. `lines` are their locations if they share a file; `read` reads one
    laboratory. `digests` are those of the files that laboratories share. The site can be built if none of the
    problems is an error.
    """

    shared: SharedData
    lines: Mapping[int | None, Location]
    edits: SharedChanges
    changes: Changes
    terms: TermChanges
    digests: Digests
    problems: list[Problem]
    read: ReadLocation

    def laboratories(
        self, places: Sequence[StoredPlace], similar: Sequence[tuple[Card, ...]]
    ) -> list[Laboratory]:
        """Read the laboratories at these places; `similar` are the cards that each of them shows.

        Raises `SourceChangedError` if a laboratory changed since it was examined.
        """
        written = [self._read(one) for one in places]
        records = [read_sound(location, data) for location, data in written]
        slugs = [one.slug for one in places]
        return [Laboratory(*one) for one in zip(records, slugs, similar, strict=True)]

    def _read(self, place: StoredPlace) -> tuple[Location, bytes]:
        location = self.lines.get(place.line) or Location(place.file)
        data, _ = self.read(location)
        if data is None or digest_of(data) != place.digest:
            raise SourceChangedError(location.file)
        return location, data


def load(
    root: Path,
    files: FileChanges,
    memory: Memory,
    jobs: int = 1,
    progress: Progress = silent,
    *,
    has_terms: bool = False,
) -> Source:
    """Return the data of a project, and update its laboratories in the memory.

    Only laboratories that may have changed are examined. With `has_terms`, their search terms are stored,
    which only a build needs.
    """
    root = root.resolve()
    now = shared_digests_now(memory, root, files)
    changed = {name for name, _ in now.items() ^ shared_digests(memory).items()}
    had = warnings(memory)
    sound = {name: now[name] for name in now.keys() - changed - {one.place.file for one in had}}
    tables, problems = find_tables(root, files_in(root / DATA))
    shared, found = load_shared(root, files.inputs.shared, tables, sound)
    problems += found
    memory.require_sound()  # nothing is changed before; its checksum was computed meanwhile
    edits = compare_shared(memory, changed, shared.lists, shared.entry_digests, shared.entry_fingerprints)
    if edits.are_lists_new:
        note_shared_mentions(memory, shared_mentions(shared.site, shared.lists))
    reading = laboratories_to_read(memory, files, edits, had)
    locations, found, read = _find_locations(shared, tables, files, reading)
    lines: dict[int | None, Location] = {
        location.line: location for location in locations if location.line is not None
    }
    wanted = [one for one in locations if reading.has_line(one.line)]
    examiner = Examiner(shared, read, reading.known, has_terms=has_terms)
    findings = _examine(examiner, wanted, jobs, progress)
    problems += found + [problem for one in findings for problem in one.problems]
    problems += _still_warned_of(had, reading)
    unread = _unread(memory, reading, findings)
    changes = _remember(memory, reading, findings, {one.display_id for one in unread})
    read_again = partial(_read_again, read, lines)
    problems += check_duplicates(findings, unread)
    problems += check_missing_lists(findings, shared.lists, read_again, root / DATA)
    are_all_known = not count_errors(found) and len(findings) == len(wanted)
    problems += check_similar_labs(memory, findings) if are_all_known else []
    problems += check_contacts(memory, changes, read_again)
    problems += check_shared_numbers(memory)
    problems += check_namesakes(memory)
    problems += check_shared_texts(memory, shared.site, shared.lists)
    shared = _with_laboratories(shared, memory, now)
    problems += [] if count_errors(problems) else check_links(shared, memory)
    found_terms = {one.display_id: one.terms for one in reversed(findings) if one.terms}
    terms = update_terms(memory, changes, found_terms)
    return Source(shared, lines, edits, changes, terms, now, _without_repeats(problems), read)


def _unread(memory: Memory, reading: ReadPlan, findings: Sequence[Finding]) -> list[StoredPlace]:
    """Return the places of laboratories that were not read, but have the display_id of a finding."""
    if memory.is_new:
        return []
    others = places(memory, "display_id", [one.display_id for one in findings if one.has_sound_id])
    return [place for one, place in others.items() if one not in reading.doubtful]


def _remember(
    memory: Memory, reading: ReadPlan, findings: Sequence[Finding], taken: Collection[str]
) -> Changes:
    """Update the laboratories in the memory.

    A duplicate display_id is replaced by a stand-in, so that the laboratory's other problems are found, too.
    """
    again = {one.display_id: one.location for one in findings if one.is_known}
    update_locations(
        memory, ((display_id, location.file, location.line) for display_id, location in again.items())
    )
    found: dict[str, Summary] = {}
    for summary in [one.summary for one in findings if one.summary]:
        card = summary.card
        if card.display_id in found or card.display_id in again or card.display_id in taken:
            card = card._replace(display_id=f"{card.display_id} {len(found)}")
        found[card.display_id] = summary._replace(card=card)
    lost = {place.number for one, place in reading.doubtful.items() if one not in found and one not in again}
    return update(memory, found, lost)


def _find_locations(
    shared: SharedData, tables: Tables, files: FileChanges, reading: ReadPlan
) -> tuple[list[Location], list[Problem], ReadLocation]:
    """Return the locations of laboratories, problems, and the function that reads a laboratory."""
    root = shared.root
    if LABORATORIES in tables.unreadable:
        return [], [], partial(read_location, root, tables.budget)
    if main := tables.sheets.get(LABORATORIES):
        if others := check_alone(root, main.file):
            return [], others, partial(read_location, root, tables.budget)
        keys = key_lookup(shared.site, {stem: one.records for stem, one in shared.lists.items()})
        return locations_in_tables(tables, keys)
    locations, problems = find_locations(root, files.inputs.laboratories, reading.files, tables.budget)
    return locations, problems, partial(read_location, root, tables.budget)


EACH_TIME = ("dead-link", "lost-zeros", "shared-certificate")
"""The codes of laboratories' warnings that depend on other data, and are found again in each build."""


def _still_warned_of(had: Iterable[Problem], reading: ReadPlan) -> list[Problem]:
    """Return the warnings of the last build for laboratories that are not read again."""
    read = {(place.file, place.line) for place in reading.doubtful.values()}
    own = (one for one in had if is_of_laboratory(one))
    return [one for one in own if one.code not in EACH_TIME and source_line_of(one) not in read]


def _without_repeats(problems: list[Problem]) -> list[Problem]:
    """Leave out warnings of e-mail addresses and entities in texts that have the error `contact-in-text`.

    Leave out, too, what is said of the text of a cell whose kind was told already.
    """
    told = {one.place for one in problems if one.code == "contact-in-text"}
    cells = {one.place for one in problems if one.code == "cell-type" and one.severity == "error"}
    return [
        one
        for one in problems
        if not (one.code in ("email-in-text", "entity") and one.place in told)
        and not (one.code == "cell-type" and one.severity == "warning" and one.place in cells)
    ]


def _with_laboratories(shared: SharedData, memory: Memory, had: Digests) -> SharedData:
    """Return the shared data with the values that depend on the laboratories."""
    originals = _originals(shared, had, memory)
    if shared.site is None:
        return replace(shared, originals=originals)
    appearing = frozenset(shared.site.publish).union(map(str, keys_of(memory, ReferenceKind.SECTION)))
    new = newest(memory, shared.site.limits.new_limit)
    return replace(shared, originals=originals, appearing=appearing, newest=tuple(new))


def _originals(shared: SharedData, had: Digests, memory: Memory) -> dict[str, bytes]:
    """Return the digests of the pictures that laboratories refer to, by name; zeros for unreadable files."""
    files = {name: f"{DATA}/{MEDIA}/{name}" for name in keys_of(memory, ReferenceKind.ORIGINAL)}
    unknown = [file for file in files.values() if file not in had]
    fence = shared.root / DATA / MEDIA
    sound = [
        file for file in unknown if file in shared.files or not check_file(shared.root / file, file, fence)
    ]
    digests = dict.fromkeys(unknown, bytes(DIGEST_SIZE)) | dict(digests_of(shared.root, sound, shared.files))
    return {name: had[file] if file in had else digests[file] for name, file in files.items()}


def _examine(
    examiner: Examiner, locations: Sequence[Location], jobs: int, progress: Progress
) -> list[Finding]:
    """Return the findings of laboratories in the order of their locations; too many errors end it."""
    findings: list[Finding] = []
    errors = 0
    for finding in spread(examiner.examine, locations, jobs):
        findings.append(finding)
        errors += count_errors(finding.problems)
        if errors > MOST_PROBLEMS:
            finding.problems.append(too_many(Place(finding.location.file, finding.location.pointer)))
            break
        progress("read", len(findings), len(locations))
    findings.sort(key=lambda finding: finding.location)
    return findings


def _read_again(
    read: ReadLocation, lines: Mapping[int | None, Location], location: Location
) -> SourceLaboratory | None:
    location = lines.get(location.line, location)
    data, _ = read(location)
    return _parsed(location, data) if data else None


def _parsed(location: Location, data: bytes) -> SourceLaboratory | None:
    entry, _ = parse_laboratory(location, data)
    return read_laboratory(entry, location.file)[0] if entry else None
