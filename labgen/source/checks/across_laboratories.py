"""Check laboratories against one another: duplicates, shared contacts, links between them."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labgen.memory.database import Memory
from labgen.memory.laboratories import known
from labgen.memory.named_by import Kind, numbers_naming
from labgen.memory.rebuild import Carried
from labgen.model.catalogues import COUNTRIES, Catalogue, SharedList, paths_to
from labgen.model.record_fields import last_key, places_at
from labgen.model.summaries import SiteLink, Summary
from labgen.problems.hints import nearest
from labgen.problems.problem import Cause, Place, Problem, shown
from labgen.source.checks.contacts import Secrets, check_other_contacts
from labgen.source.checks.site_links import SiteAddresses
from labgen.source.examine import Finding
from labgen.source.file_names import rename_hint
from labgen.source.pieces import Piece
from labgen.source.read_laboratory import SourceLaboratory
from labgen.source.read_lists import SourceList
from labgen.source.shared import Shared
from labgen.system.input_files import DATA, LABORATORIES

MAX_WIDTH = 10

ReadAgain = Callable[[Piece], SourceLaboratory | None]


def check_duplicates(findings: Sequence[Finding], carried: Carried) -> list[Problem]:
    """Report each laboratory that is not the first with its display_id; a file of that name comes first."""
    named = [one for one in findings if one.has_sound_id]
    again = carried.unread(one.display_id for one in named)
    named += [_unread(Piece(one.file, one.line), one.display_id) for one in again]
    first: dict[str, Finding] = {}
    problems = []
    for one in sorted(named, key=lambda finding: (not _is_called_so(finding), finding.piece)):
        other = first.setdefault(one.display_id, one)
        if other is not one:
            where = (
                "another laboratory of this file" if other.piece.file == one.piece.file else other.piece.file
            )
            message = f"`display_id` {one.display_id} is also that of {where}"
            place = _place(one, "display_id")
            problems.append(Problem("duplicate-id", message, place, "each laboratory has its own"))
    return problems


def _is_called_so(finding: Finding) -> bool:
    """Say whether a laboratory's file has its display_id as name."""
    return finding.piece.file.rpartition("/")[2].partition(".")[0] == finding.display_id


def _carried(some: Iterable[Summary]) -> list[Finding]:
    return [_unread(Piece(one.file, one.line), one.card.display_id)._replace(summary=one) for one in some]


def _unread(piece: Piece, display_id: str) -> Finding:
    return Finding(piece, None, [], display_id, has_sound_id=True, is_known=True)


def _place(finding: Finding, *steps: str | int) -> Place:
    return Place(finding.piece.file, (*finding.piece.pointer, *steps))


def check_similar_labs(findings: Sequence[Finding], carried: Carried) -> list[Problem]:
    """Report display_ids in `similar_labs` that no laboratory has; none if not all are known."""
    if any(not one.has_sound_id and not one.written_id.isdecimal() for one in findings):
        return []
    display_ids = _DisplayIds({one.written_id for one in findings}, carried)
    naming_lost = carried.naming(Kind.OWN_SIMILAR, carried.lost.keys() - display_ids.found)
    return [
        _unknown_laboratory(display_id, display_ids, _place(one, "similar_labs", position))
        for one, position, display_id in _shown([*findings, *_carried(naming_lost)])
        if display_id not in display_ids
    ]


@dataclass(frozen=True)
class _DisplayIds(Container[str]):
    """The display_ids of laboratories that were found, and of those that were not read."""

    found: set[str]
    carried: Carried

    def __contains__(self, display_id: object) -> bool:
        return display_id in self.found or display_id in self.carried


def _shown(findings: Iterable[Finding]) -> Iterator[tuple[Finding, int, str]]:
    """Yield the display_ids that laboratories name, each once, and where."""
    for one in findings:
        if one.summary and one.summary.own_similar:
            own_id = one.summary.card.display_id if one.has_sound_id else None
            named = one.summary.own_similar
            for position, display_id in enumerate(named):
                if display_id != own_id and named.index(display_id) == position:
                    yield one, position, display_id


def _unknown_laboratory(display_id: str, known: Container[str], place: Place) -> Problem:
    number = display_id.lstrip("0")
    padded = (number.zfill(width) for width in range(len(number), MAX_WIDTH))
    near = next((one for one in padded if one in known), None) or nearest(display_id, known)
    hint = f'did you mean "{near}"?' if near else ""
    message = f"`similar_labs` names {shown(display_id)}, which is no laboratory's display_id"
    cause = Cause(f"there is no laboratory {shown(display_id)}", f"{DATA}/{LABORATORIES}")
    return Problem("unknown-reference", message, place, hint, cause=cause)


def check_missing_lists(
    findings: Sequence[Finding], lists: Mapping[str, SourceList], read_again: ReadAgain, data: Path
) -> list[Problem]:
    """Report lists that laboratories name but that have no file: each once, at the first laboratory."""
    missing = [one.listed for one in lists.values() if one.file is None and one.is_sound]
    problems = []
    for listed in missing:
        first = next((one for one in findings if one.summary and _names(one.summary, listed)), None)
        if first and (source := read_again(first.piece)):
            problems.append(_missing_list(source, listed, rename_hint(data, listed.stem)))
    return problems


def _names(summary: Summary, listed: SharedList[Any]) -> bool:
    """Say whether a laboratory names an entry of a list."""
    if not isinstance(listed, Catalogue):
        return listed is COUNTRIES and summary.card.country != ""
    others = summary.further.facets if summary.further else ()
    return bool(listed.ids_among(summary.facets if listed.is_compared else others))


def _missing_list(source: SourceLaboratory, listed: SharedList[Any], hint: str) -> Problem:
    pointer, key = next(one for path in paths_to(listed) for one in places_at(source.record, path))
    message = f"`{last_key(pointer)}` names {shown(key)}, but there is no file {DATA}/{listed.stem}.*"
    place = source.place(*pointer)
    return Problem("missing-file", message, place, hint or "write one: csv, json, jsonl or yaml")


def check_links(shared: Shared, memory: Memory) -> list[Problem]:
    """Warn of links into the site that lead nowhere; the data must have no errors."""
    with_links = known(memory, "number", numbers_naming(memory, Kind.LINK, ("",)))
    addresses = SiteAddresses(shared, memory)
    return [
        _dead_link(one, link, hint)
        for one in _carried(laboratory.summary for laboratory in with_links.values())
        for link in (one.summary.further.links if one.summary and one.summary.further else ())
        if (hint := addresses.complaint(link.address)) is not None
    ]


def _dead_link(finding: Finding, link: SiteLink, hint: str) -> Problem:
    message = f"`{last_key(link.pointer)}` leads to {shown(link.address)}, which the site does not publish"
    place = _place(finding, *link.pointer)
    return Problem("dead-link", message, place, hint, severity="warning")


def check_contacts(
    findings: Sequence[Finding], carried: Carried, secrets: Secrets, read_again: ReadAgain
) -> list[Problem]:
    """Report texts that hold the address or number of another laboratory's contact."""
    problems: list[Problem] = []
    for one in [*findings, *_carried(carried.naming(Kind.MENTION, secrets.new))]:
        if one.summary is None or secrets.isdisjoint(one.summary.mentions):
            continue
        own = set(one.summary.secrets)
        if any(mention in secrets and mention not in own for mention in one.summary.mentions):
            source = read_again(one.piece)
            problems += check_other_contacts(source, secrets) if source else []
    return problems
