"""From data/ to all that is known of it: read, validate, look up, and say all that is wrong in one run."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labgen.directory import Laboratory
from labgen.inputs import DATA, MEDIA, Inputs, digest_of
from labgen.problems import Place, Problem, count_errors
from labgen.progress import Progress, silent
from labgen.source.across import check_contacts, check_duplicates, check_missing_lists, check_similar_labs
from labgen.source.contacts import check_shared_texts
from labgen.source.examine import Examiner, Finding, found_again
from labgen.source.laboratories import SourceLaboratory, read_laboratory
from labgen.source.layout import SETTINGS
from labgen.source.pieces import Piece, find_pieces, parse_piece, read_piece
from labgen.source.resolve import resolve
from labgen.source.shared import Shared, load_shared
from labgen.state import Memory, Sources
from labgen.summaries import SECTIONS, Card, Facet, Summary, facet
from labgen.workers import spread


class SourceChangedError(Exception):
    """A file that is no longer what it was a moment ago; `problem` says which."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        message = f"`{file}` was changed while the site was built"
        self.problem = Problem("source-changed", message, Place(file), "build again")


@dataclass(frozen=True, slots=True)
class Edits:
    """What changed in the lists since the last build: entries as facets, and countries by iso_code."""

    facets: frozenset[Facet] = frozenset()
    countries: frozenset[str] = frozenset()
    are_settings_new: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """A project's data: what laboratories share, a summary of each by display_id, and the problems.

    `entries` are the digests of the lists' entries, `pieces` where each laboratory is written; `secrets` what
    must not be published plainly. It can be built if none of the problems is an error.
    """

    shared: Shared
    summaries: Mapping[str, Summary]
    pieces: Mapping[str, Piece]
    entries: Mapping[str, Mapping[str, str]]
    edits: Edits
    secrets: set[int]
    problems: list[Problem]

    def laboratory(self, display_id: str, similar: tuple[Card, ...]) -> Laboratory:
        """Read a laboratory. Raises `SourceChangedError` where it is not what was examined."""
        piece = self.pieces[display_id]
        data, _ = read_piece(self.shared.root, piece)
        if data is None or digest_of(data) != self.summaries[display_id].digest:
            raise SourceChangedError(piece.file)
        source = _parsed(piece, data)
        assert source  # noqa: S101 - it was sound when it was examined
        return resolve(source.record, self.shared, similar)


@dataclass(frozen=True, slots=True)
class Known:
    """What was known of a project when its site was built last, and the digests of its files now."""

    sources: Sources
    memory: Memory
    digests: Mapping[str, bytes]


def load(
    root: Path, inputs: Inputs, known: Known | None = None, jobs: int = 1, progress: Progress = silent
) -> Source:
    """Return what a project holds; `inputs` are its files.

    With what was known, a laboratory is read only where its file, or what it names, is not what it was.
    """
    root = root.resolve()
    shared, problems = load_shared(root, inputs.shared)
    entries = shared.entries()
    pieces, found = find_pieces(root, inputs.laboratories)
    problems += found
    edits = _edits(known.memory.entries, entries) if known else Edits()
    findings = list(_examine(shared, pieces, _sound(known, edits, inputs), jobs, progress))
    for one in findings:
        problems += one.problems
    secrets = {secret for one in findings if one.summary for secret in one.summary.secrets}
    problems += check_duplicates(findings) + check_missing_lists(findings, shared.lists)
    problems += [] if count_errors(found) else check_similar_labs(findings)
    problems += check_contacts(findings, secrets, lambda piece: _read_again(root, piece))
    problems += check_shared_texts(shared.site, shared.lists, secrets)
    in_order = sorted(
        (one.summary.card.display_id, one.piece, one.summary) for one in findings if one.summary
    )
    return Source(
        shared,
        {display_id: summary for display_id, _, summary in in_order},
        {display_id: piece for display_id, piece, _ in in_order},
        entries,
        edits,
        secrets,
        problems,
    )


def _edits(before: Mapping[str, Mapping[str, str]], now: Mapping[str, Mapping[str, str]]) -> Edits:
    changed = {
        stem: {key for key, _ in before.get(stem, {}).items() ^ entries.items()}
        for stem, entries in now.items()
    }
    facets = (facet(section, int(key)) for section, stem in enumerate(SECTIONS) for key in changed[stem])
    return Edits(frozenset(facets), frozenset(changed["countries"]), bool(changed[SETTINGS]))


Sound = Mapping[Hashable, Summary]
"""Summaries by file and line where the file is what it was, and all by the digest of what is written."""


def _sound(known: Known | None, edits: Edits, inputs: Inputs) -> Sound:
    """Return the laboratories of which nothing can be wrong that was not wrong before."""
    if known is None or edits.are_settings_new:
        return {}
    was = known.sources
    stamps, had = inputs.shared | inputs.laboratories, was.inputs.shared | was.inputs.laboratories
    same_files = {name for name, stamp in stamps.items() if had.get(name) == stamp}
    media = f"{DATA}/{MEDIA}/"
    changed = {
        name.removeprefix(media)
        for name in was.inputs.shared
        if name.startswith(media) and known.digests.get(name) != was.digests[name]
    }
    sound: dict[Hashable, Summary] = {}
    for one in known.memory.summaries.values():
        is_touched = one.card.country in edits.countries or not edits.facets.isdisjoint(one.facets)
        if one.has_warnings or is_touched or not changed.isdisjoint(one.images):
            continue
        sound[one.digest] = one
        if one.file in same_files:
            sound[one.file, one.line] = one
    return sound


def _examine(
    shared: Shared, pieces: Sequence[Piece], sound: Sound, jobs: int, progress: Progress
) -> Iterator[Finding]:
    """Yield what is found in each place, in the order of the places."""
    examine = Examiner(shared, sound).examine
    new = [piece for piece in pieces if piece[:2] not in sound]
    found: dict[Piece, Finding] = {}
    for finding in spread(examine, new, jobs):
        found[finding.piece] = finding
        progress("read", len(found), len(new))
    for piece in pieces:
        yield found.get(piece) or found_again(piece, sound[piece[:2]])


def _read_again(root: Path, piece: Piece) -> SourceLaboratory | None:
    data, _ = read_piece(root, piece)
    return _parsed(piece, data) if data else None


def _parsed(piece: Piece, data: bytes) -> SourceLaboratory | None:
    entry, _ = parse_piece(piece, data)
    return read_laboratory(entry, piece.file)[0] if entry else None
