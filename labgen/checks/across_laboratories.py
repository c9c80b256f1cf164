"""Check laboratories against one another: duplicates, shared contacts, links between them."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from labgen.checks.contacts import ContactDigests, check_other_contacts
from labgen.checks.examine import Finding
from labgen.checks.site_links import SiteAddresses
from labgen.memory.database import Memory
from labgen.memory.digest_index import Digested, holders_in_both
from labgen.memory.inverted_index import ReferenceKind, keys_of, numbers_naming
from labgen.memory.remembered_laboratories import Changes, DisplayIds, StoredPlace, known
from labgen.memory.search_terms import numbers_of
from labgen.model.catalogues import COUNTRIES, Catalogue, SharedList, paths_to
from labgen.model.record_fields import last_key, values_with_pointers
from labgen.model.summaries import SiteLink, Summary
from labgen.problems.hints import nearest
from labgen.problems.problem import Cause, Place, Problem, shown
from labgen.problems.text import say
from labgen.source.file_names import rename_hint
from labgen.source.laboratory_locations import Location
from labgen.source.read_laboratory import SourceLaboratory
from labgen.source.read_lists import SourceList
from labgen.source.shared import SharedData
from labgen.system.input_files import DATA, LABORATORIES

MAX_WIDTH = 10

ReadAgain = Callable[[Location], SourceLaboratory | None]


def check_duplicates(findings: Sequence[Finding], others: Iterable[StoredPlace]) -> list[Problem]:
    """Report duplicate display_ids, except on the first laboratory; a file named after the id comes first.

    `others` are the places of laboratories that were not read.
    """
    named = [(one.location, one.display_id) for one in findings if one.has_sound_id]
    named += [(Location(one.file, one.line), one.display_id) for one in others]
    first: dict[str, Location] = {}
    problems = []
    for location, display_id in sorted(named, key=lambda one: (not _is_called(*one), one)):
        other = first.setdefault(display_id, location)
        if other is not location:
            where = say("another laboratory of this file") if other.file == location.file else other.file
            message = say(
                "`display_id` {display_id} is also that of {where}", display_id=display_id, where=where
            )
            place = _place(location, "display_id")
            problems.append(Problem("duplicate-id", message, place, say("each laboratory has its own")))
    return problems


def _is_called(location: Location, display_id: str) -> bool:
    """Return whether a laboratory's file is named after its display_id."""
    return location.file.rpartition("/")[2].partition(".")[0] == display_id


def _place(location: Location, *steps: str | int) -> Place:
    return Place(location.file, (*location.pointer, *steps))


def _location(one: Summary) -> Location:
    return Location(one.file, one.line)


def check_similar_labs(memory: Memory, findings: Sequence[Finding]) -> list[Problem]:
    """Report unknown display_ids in `similar_labs`, unless the display_id of a laboratory is unreadable."""
    if any(not one.has_sound_id and not one.written_id.isdecimal() for one in findings):
        return []
    display_ids = _DisplayIds({one.written_id for one in findings}, DisplayIds(memory))
    unknown = {*keys_of(memory, ReferenceKind.OWN_SIMILAR)} - display_ids.found
    unknown.difference_update(numbers_of(memory, "display_id", unknown))
    naming = known(memory, "number", numbers_naming(memory, ReferenceKind.OWN_SIMILAR, unknown))
    return [
        _unknown_laboratory(display_id, display_ids, _place(_location(one), "similar_labs", position), one)
        for one, position, display_id in _shown(laboratory.summary for laboratory in naming.values())
        if display_id in unknown
    ]


@dataclass(frozen=True)
class _DisplayIds(Container[str]):
    """The display_ids of the findings, also of those with mistakes, and of all other laboratories."""

    found: set[str]
    others: DisplayIds

    def __contains__(self, display_id: object) -> bool:
        return display_id in self.found or display_id in self.others


def _shown(some: Iterable[Summary]) -> Iterator[tuple[Summary, int, str]]:
    """Yield the display_ids in the `similar_labs` of each laboratory, each once, with their positions."""
    for one in some:
        named = one.own_similar or ()
        for position, display_id in enumerate(named):
            if display_id != one.card.display_id and named.index(display_id) == position:
                yield one, position, display_id


def _unknown_laboratory(display_id: str, known: Container[str], place: Place, naming: Summary) -> Problem:
    number = display_id.lstrip("0")
    padded = (number.zfill(width) for width in range(len(number), MAX_WIDTH))
    near = next((one for one in padded if one in known), None) or nearest(display_id, known)
    hint = say("remove it if the laboratory is gone")
    if near and near not in (naming.card.display_id, *(naming.own_similar or ())):
        hint = say('did you mean "{near}"?', near=near)
    message = say(
        "`similar_labs` names {display_id}, which is no laboratory's display_id", display_id=shown(display_id)
    )
    cause = Cause(
        say("there is no laboratory {display_id}", display_id=shown(display_id)), f"{DATA}/{LABORATORIES}"
    )
    return Problem("unknown-reference", message, place, hint, cause=cause)


def check_missing_lists(
    findings: Sequence[Finding], lists: Mapping[str, SourceList], read_again: ReadAgain, data: Path
) -> list[Problem]:
    """Report lists without a file that laboratories refer to: each list once, at the first laboratory."""
    missing = [one.listed for one in lists.values() if one.file is None and one.is_complete]
    problems = []
    for listed in missing:
        first = next((one for one in findings if one.summary and _has_entry_of(one.summary, listed)), None)
        if first and (source := read_again(first.location)):
            problems.append(_missing_list(source, listed, rename_hint(data, listed.stem)))
    return problems


def _has_entry_of(summary: Summary, listed: SharedList[Any]) -> bool:
    """Return whether a laboratory refers to an entry of a list."""
    if not isinstance(listed, Catalogue):
        return listed is COUNTRIES and summary.card.country != ""
    others = (*summary.extras.facets, *summary.extras.references) if summary.extras else ()
    return bool(listed.ids_among([*summary.facets, *others]))


def _missing_list(source: SourceLaboratory, listed: SharedList[Any], hint: str) -> Problem:
    pointer, key = next(one for path in paths_to(listed) for one in values_with_pointers(source.record, path))
    message = say(
        "`{pointer}` names {key}, but there is no file {data}/{stem}.*",
        pointer=last_key(pointer),
        key=shown(key),
        data=DATA,
        stem=listed.stem,
    )
    place = source.place(*pointer)
    return Problem("missing-file", message, place, hint or say("write one: csv, json, jsonl or yaml"))


def check_links(shared: SharedData, memory: Memory) -> list[Problem]:
    """Warn of dead links into the site; the data must have no errors."""
    with_links = known(memory, "number", numbers_naming(memory, ReferenceKind.LINK, ("",)))
    addresses = SiteAddresses(shared, memory)
    return [
        _dead_link(summary, link, hint)
        for _, summary, _ in with_links.values()
        for link in (summary.extras.links if summary.extras else ())
        if (hint := addresses.dead_link_hint(link.address)) is not None
    ]


def _dead_link(summary: Summary, link: SiteLink, hint: str) -> Problem:
    message = say(
        "`{pointer}` leads to {address}, which the site does not publish",
        pointer=last_key(link.pointer),
        address=shown(link.address),
    )
    place = _place(_location(summary), *link.pointer)
    return Problem("dead-link", message, place, hint, severity="warning")


def check_contacts(memory: Memory, changes: Changes, read_again: ReadAgain) -> list[Problem]:
    """Report texts that hold the e-mail address or telephone number of another laboratory's contact."""
    new = (one.summary for one in changes.now.values())
    digests = None if memory.is_new else {key for one in new for key in (*one.secrets, *one.mentions)}
    found = holders_in_both(memory, Digested.SECRET, Digested.MENTION, digests)
    leaking = set(chain.from_iterable(mentioning - owners for owners, mentioning in found))
    secrets = ContactDigests(memory)
    sources = [read_again(_location(one.summary)) for one in known(memory, "number", leaking).values()]
    return [problem for one in sources if one for problem in check_other_contacts(one, secrets)]
