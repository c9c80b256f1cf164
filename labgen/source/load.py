"""From data/ to all that is known of it: read, validate, look up, and say all that is wrong in one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from labgen.memory.columns import Memory, in_order
from labgen.memory.state_files import Digests, Sources
from labgen.model.catalogues import CATALOGUES, COUNTRIES
from labgen.model.directory import Laboratory
from labgen.model.optional_sections import appearing, newest
from labgen.model.summaries import Card, Facet, Summary
from labgen.problems.problem import Place, Problem, count_errors
from labgen.source.checks.across_laboratories import (
    check_contacts,
    check_duplicates,
    check_links,
    check_missing_lists,
    check_similar_labs,
)
from labgen.source.checks.contacts import check_shared_texts, shared_mentions
from labgen.source.examine import Examiner, Finding, Writing, suffix_of
from labgen.source.layout import SETTINGS
from labgen.source.pieces import Piece, find_pieces, parse_piece, read_piece
from labgen.source.read_files import check_file
from labgen.source.read_laboratory import SourceLaboratory, read_laboratory, read_sound
from labgen.source.shared import Shared, load_shared
from labgen.system.input_files import (
    DATA,
    DIGEST_SIZE,
    MEDIA,
    Inputs,
    changed_files,
    digest_of,
    digests_of,
)
from labgen.system.progress import Progress, silent
from labgen.system.workers import spread


class SourceChangedError(Exception):
    """A file that is no longer what it was a moment ago; `problem` says which."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        message = f"`{file}` was changed while the site was built"
        self.problem = Problem("source-changed", message, Place(file), "build again")


@dataclass(frozen=True, slots=True)
class ListEdits:
    """What changed since the last build in what laboratories name.

    Entries of catalogues as facets, countries by iso_code, and originals of pictures by name.
    """

    facets: frozenset[Facet] = frozenset()
    countries: frozenset[str] = frozenset()
    originals: frozenset[str] = frozenset()
    are_settings_new: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """A project's data: what laboratories share, a summary of each by display_id in order, and the problems.

    `lines` are the places of laboratories in a file of all of them. `entries` are the digests of the lists'
    entries, `edits` what changed in them, `mentions` what in their texts looks like a contact's address or
    number; `secrets` what must not be published plainly. It can be built if none of the problems is an
    error.
    """

    shared: Shared
    summaries: Mapping[str, Summary]
    lines: Mapping[int | None, Piece]
    entries: Mapping[str, Mapping[str, str]]
    edits: ListEdits
    mentions: Sequence[int]
    secrets: set[int]
    problems: list[Problem]

    def laboratories(
        self, display_ids: Sequence[str], similar: Sequence[tuple[Card, ...]]
    ) -> list[Laboratory]:
        """Read laboratories, with the cards that each shows.

        Raises `SourceChangedError` where one is not what was examined.
        """
        summaries = [self.summaries[one] for one in display_ids]
        written = [self._read(one) for one in summaries]
        records = [read_sound(piece, data) for piece, data in written]
        slugs = [one.card.slug for one in summaries]
        return [Laboratory(*one) for one in zip(records, slugs, similar, strict=True)]

    def _read(self, summary: Summary) -> tuple[Piece, bytes]:
        piece = self.lines.get(summary.line) or Piece(summary.file)
        data, _ = read_piece(self.shared.root, piece)
        if data is None or digest_of(data) != summary.digest:
            raise SourceChangedError(piece.file)
        return piece, data


@dataclass(frozen=True, slots=True)
class Known:
    """What was known of a project when its site was built last, and the digests of its files now."""

    sources: Sources
    memory: Memory
    digests: Mapping[str, bytes]


def load(
    root: Path,
    inputs: Inputs,
    known: Known | None = None,
    jobs: int = 1,
    progress: Progress = silent,
    digests: Digests | None = None,
) -> Source:
    """Return what a project holds; `inputs` are its files, `digests` what is known of their contents.

    With what was known, a laboratory is read only where its file, or what it names, is not what it was.
    """
    root = root.resolve()
    shared, problems = load_shared(root, inputs.shared, _sound_files(known) if known else {})
    entries = shared.entries()
    edits = _edits(known, entries) if known else ListEdits()
    sound = _sound(known, edits, inputs)
    pieces, found = find_pieces(root, inputs.laboratories, {one.file for one in sound.carried.values()})
    carried = {} if pieces is None else sound.carried
    pieces = pieces or []
    lines: dict[int | None, Piece] = {piece.line: piece for piece in pieces if piece.line is not None}
    carried_lines = {one.line for one in carried.values()} if lines else set()
    new = [piece for piece in pieces if piece.line is None or piece.line not in carried_lines]
    findings = _examine(shared, new, sound.by_digest, jobs, progress)
    problems += found + [problem for one in findings for problem in one.problems]
    summaries = _merged(known, carried, findings)
    everyone = [*carried.values(), *(one.summary for one in findings if one.summary)]
    secrets = set(chain.from_iterable([one.secrets for one in everyone]))
    problems += check_duplicates(findings, carried)
    problems += check_missing_lists(
        findings, shared.lists, lambda piece: _read_again(root, piece, lines), root / DATA
    )
    problems += [] if count_errors(found) else check_similar_labs(findings, carried)
    problems += check_contacts(findings, carried, secrets, lambda piece: _read_again(root, piece, lines))
    if known and known.memory.shared.entries == entries:
        mentions = known.memory.shared.mentions
    else:
        mentions = shared_mentions(shared.site, shared.lists)
    if not secrets.isdisjoint(mentions):
        problems += check_shared_texts(shared.site, shared.lists, secrets)
    shared = _with_laboratories(shared, summaries, digests or {})
    if not count_errors(problems):
        problems += check_links(findings, carried, shared, summaries)
    problems = _without_repeats(problems)
    return Source(shared, summaries, lines, entries, edits, mentions, secrets, problems)


def _without_repeats(problems: list[Problem]) -> list[Problem]:
    """Leave out warnings of a text that holds a contact's address, which is an error there."""
    told = {one.place for one in problems if one.code == "contact-in-text"}
    return [one for one in problems if one.code not in ("email-in-text", "entity") or one.place not in told]


def _sound_files(known: Known) -> Digests:
    """Return the digests of the files that are what they were when the site was built without a problem.

    What is a problem depends on the settings, which may accept warnings.
    """
    was, settings = known.sources, f"{DATA}/{SETTINGS}"
    if was.has_warnings or known.digests.get(settings) != was.digests.get(settings):
        return {}
    return {name: digest for name, digest in known.digests.items() if was.digests.get(name) == digest}


def _with_laboratories(shared: Shared, summaries: Mapping[str, Summary], had: Digests) -> Shared:
    """Return what laboratories share, with what can be said of it when they are known."""
    originals = _originals(shared, had, summaries)
    if shared.site is None:
        return replace(shared, originals=originals)
    everyone = summaries.values()
    new = newest(everyone, shared.site.limits.new_limit)
    return replace(shared, originals=originals, appearing=appearing(shared.site, everyone), newest=new)


def _originals(shared: Shared, had: Digests, summaries: Mapping[str, Summary]) -> dict[str, bytes]:
    """Return the digests of the originals that laboratories name, by name; zeros for what is not read."""
    named = sorted({one.name for summary in summaries.values() for one in summary.pictures})
    files = {name: f"{DATA}/{MEDIA}/{name}" for name in named}
    unknown = [file for file in files.values() if file not in had]
    fence = shared.root / DATA / MEDIA
    sound = [
        file for file in unknown if file in shared.files or not check_file(shared.root / file, file, fence)
    ]
    digests = dict.fromkeys(unknown, bytes(DIGEST_SIZE)) | dict(digests_of(shared.root, sound, shared.files))
    return {name: had[file] if file in had else digests[file] for name, file in files.items()}


def _edits(known: Known, now: Mapping[str, Mapping[str, str]]) -> ListEdits:
    before = known.memory.shared.entries
    changed = {
        stem: {key for key, _ in before.get(stem, {}).items() ^ entries.items()}
        for stem, entries in now.items()
    }
    facets = (one.facets(map(int, changed[one.stem])) for one in CATALOGUES)
    media = f"{DATA}/{MEDIA}/"
    originals = frozenset(
        name.removeprefix(media)
        for name, digest in known.sources.digests.items()
        if name.startswith(media) and known.digests.get(name) != digest
    )
    countries = frozenset(changed[COUNTRIES.stem])
    return ListEdits(
        frozenset(chain.from_iterable(facets)), countries, originals, are_settings_new=bool(changed[SETTINGS])
    )


class Sound(NamedTuple):
    """Laboratories of which nothing can be wrong that was not wrong before.

    `carried` are those, by display_id, whose files are what they were; `by_digest` the others, which are
    the same if they are still written somewhere.
    """

    carried: Mapping[str, Summary]
    by_digest: Mapping[Writing, Summary]


def _sound(known: Known | None, edits: ListEdits, inputs: Inputs) -> Sound:
    if known is None or edits.are_settings_new:
        return Sound({}, {})
    was, summaries = known.sources, known.memory.summaries
    changed = set(changed_files(inputs.everything, was.inputs.everything))
    same_files = inputs.everything.keys() - changed
    sound = {
        display_id: one
        for display_id, one in summaries.items()
        if not one.has_warnings
        and not (edits.countries and one.names_country(edits.countries))
        and not (edits.facets and one.names_facet(edits.facets))
        and not (edits.originals and not edits.originals.isdisjoint(one.originals))
    }
    carried = {display_id: one for display_id, one in sound.items() if one.file in same_files}
    if len(carried) == len(sound):
        return Sound(carried, {})
    others = (one for one in sound.values() if one.file not in same_files)
    return Sound(carried, {(suffix_of(one.file), one.digest): one for one in others})


def _examine(
    shared: Shared, pieces: Sequence[Piece], known: Mapping[Writing, Summary], jobs: int, progress: Progress
) -> list[Finding]:
    """Return what is found in each place, in the order of the places."""
    findings = []
    for finding in spread(Examiner(shared, known).examine, pieces, jobs):
        findings.append(finding)
        progress("read", len(findings), len(pieces))
    findings.sort(key=lambda finding: finding.piece)
    return findings


def _merged(
    known: Known | None, carried: Mapping[str, Summary], findings: Sequence[Finding]
) -> Mapping[str, Summary]:
    """Return all summaries in order; those that were known are the very values that they were."""
    before = known.memory.summaries if known else {}
    found = {one.summary.card.display_id: one.summary for one in reversed(findings) if one.summary}
    same = {
        display_id: before[display_id] for display_id, one in found.items() if before.get(display_id) == one
    }
    gone = before.keys() - carried.keys() - found.keys()
    return in_order(before, found | same, gone)


def _read_again(root: Path, piece: Piece, lines: Mapping[int | None, Piece]) -> SourceLaboratory | None:
    piece = lines.get(piece.line, piece)
    data, _ = read_piece(root, piece)
    return _parsed(piece, data) if data else None


def _parsed(piece: Piece, data: bytes) -> SourceLaboratory | None:
    entry, _ = parse_piece(piece, data)
    return read_laboratory(entry, piece.file)[0] if entry else None
