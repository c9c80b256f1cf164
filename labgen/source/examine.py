"""All that can be said of one laboratory without the others, and what the others need to know of it."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from labgen.model.german import slugify
from labgen.model.records import LaboratoryRecord
from labgen.model.renditions import initials
from labgen.model.summaries import COMPARED, SECTIONS, USES, Card, Facet, Further, Summary, compact, facets_of
from labgen.problems.problem import Problem
from labgen.source.checks.contacts import check_own_contact, joined_texts, mentions_in, secrets_of
from labgen.source.checks.own_lists import check_own_lists
from labgen.source.checks.references import References
from labgen.source.checks.site_links import site_links
from labgen.source.formats.format import Entry
from labgen.source.pieces import Piece, parse_piece, read_piece
from labgen.source.read_laboratory import OWN_LISTS, SourceLaboratory, read_laboratory, written_id
from labgen.source.shared import Shared
from labgen.system.input_files import digest_of


class Finding(NamedTuple):
    """What was found in one place.

    `summary` is None where nothing could be made of it. `written_id` is the display_id as it is written, or
    ""; `has_sound_id` says that it is one.
    """

    piece: Piece
    summary: Summary | None
    problems: list[Problem]
    written_id: str
    has_sound_id: bool


Writing = tuple[str, bytes]
"""What is written: the file's suffix and the digest. The same bytes may be sound YAML and no JSON."""


def suffix_of(file: str) -> str:
    """Return what tells the format of a file."""
    return file.rpartition(".")[2]


class Examiner:
    """Examines laboratories. `known` are those that need no examination, by what is written."""

    def __init__(self, shared: Shared, known: Mapping[Writing, Summary]) -> None:
        self.root = shared.root
        self.known = known
        self.references = References(shared)

    def examine(self, pieces: Sequence[Piece]) -> list[Finding]:
        """Read and check some laboratories: one step with all of them, then the next."""
        cases = [_Case(piece) for piece in pieces]
        for step in (self._read, _parse, _validate, self._check, _summarise):
            for case in cases:
                if case.finding is None:
                    step(case)
        findings = [case.finding for case in cases if case.finding]
        assert len(findings) == len(pieces)  # noqa: S101 - the last step leaves none without
        return findings

    def _read(self, case: "_Case") -> None:
        data, case.problems = read_piece(self.root, case.piece)
        if data is None:
            case.lose()
            return
        case.data, case.digest = data, digest_of(data)
        if known := self.known.get((suffix_of(case.piece.file), case.digest)):
            case.finding = found_again(case.piece, known)

    def _check(self, case: "_Case") -> None:
        source = case.source
        joined = joined_texts(source.record)
        case.mentions = mentions_in(joined)
        case.secrets = array("Q", secrets_of(source.record.contact_person))
        case.problems += self.references.check(source)
        case.problems += check_own_contact(source, joined, case.mentions, case.secrets)
        case.problems += check_own_lists(source)


@dataclass(slots=True)
class _Case:
    """A laboratory that is being examined: what one step leaves for the next, until there is a finding."""

    piece: Piece
    problems: list[Problem] = field(default_factory=list)
    data: bytes = field(init=False)
    digest: bytes = field(init=False)
    entry: Entry = field(init=False)
    source: SourceLaboratory = field(init=False)
    mentions: list[int] = field(init=False)
    secrets: "array[int]" = field(init=False)
    finding: Finding | None = None

    def lose(self, written: str = "") -> None:
        """End with nothing but problems."""
        self.finding = Finding(self.piece, None, self.problems, written, has_sound_id=False)


def _parse(case: _Case) -> None:
    entry, case.problems = parse_piece(case.piece, case.data)
    if entry is None:
        case.lose()
    else:
        case.entry = entry


def _validate(case: _Case) -> None:
    source, found = read_laboratory(case.entry, case.piece.file)
    case.problems += found
    if source is None:
        case.lose(written_id(case.entry.value))
    else:
        case.source = source


def _summarise(case: _Case) -> None:
    source, problems = case.source, case.problems
    summary = summarise(
        source, case.piece, case.digest, case.secrets, case.mentions, has_warnings=bool(problems)
    )
    written, has_sound_id = written_id(case.entry.value), "display_id" not in source.unsound
    case.finding = Finding(case.piece, summary, problems, written, has_sound_id)


def found_again(piece: Piece, known: Summary) -> Finding:
    """Return a laboratory that was found to be sound before, in the place where it is now."""
    summary = (
        known if (known.file, known.line) == piece[:2] else known._replace(file=piece.file, line=piece.line)
    )
    return Finding(piece, summary, [], known.card.display_id, has_sound_id=True)


def summarise(
    source: SourceLaboratory,
    piece: Piece,
    digest: bytes,
    secrets: "array[int]",
    mentions: list[int],
    *,
    has_warnings: bool,
) -> Summary:
    """Return a laboratory without its contents."""
    record = source.record
    return Summary(
        file=piece.file,
        line=piece.line,
        digest=digest,
        card=Card(
            display_id=record.display_id,
            name=record.name,
            slug=record.slug or slugify(record.name) or record.display_id,
            image=next(iter(record.pictures("image")), None),
            locality=record.locality,
            country=record.country,
        ),
        own_similar=None if record.similar_labs is None else tuple(record.similar_labs),
        facets=compact(_facets(record)),
        pictures=tuple(dict.fromkeys(one for use in USES for one in record.pictures(use))),
        initials=None if record.logo else initials(record.name),
        secrets=secrets,
        mentions=array("Q", mentions),
        has_warnings=has_warnings,
        further=_further(record),
    )


def _facets(record: LaboratoryRecord) -> list[Facet]:
    """Return what a laboratory is compared by, section by section, in the order of the record."""
    numbers: dict[str, Iterable[int]] = {
        "materials": record.materials,
        "test_methods": record.test_methods,
        "accreditation_standards": dict.fromkeys(
            [one.accreditation_standard for one in record.accreditations]
        ),
        "certifications": record.certifications,
        "standards": record.standards,
    }
    facets: list[Facet] = []
    for section, stem in enumerate(COMPARED):
        facets += facets_of(section, numbers[stem])
    return facets


_CATALOGUES = [(section, stem) for section, stem in enumerate(SECTIONS) if stem not in COMPARED]
_LISTS = (*(stem for _, stem in _CATALOGUES), *OWN_LISTS)
_FURTHER = frozenset({"published_on", *_LISTS})


def _further(record: LaboratoryRecord) -> Further | None:
    """Return what there is to know of the sections that not every directory has; most records have none."""
    if _FURTHER.isdisjoint(record.model_fields_set):
        return None
    sections = tuple([name for name in _LISTS if getattr(record, name)])
    published_on = record.published_on or ""
    if not sections and not published_on:
        return None
    facets = [one for section, stem in _CATALOGUES for one in facets_of(section, getattr(record, stem))]
    countries = dict.fromkeys([one.country for one in record.job_listings if one.country])
    return Further(
        (*sections, "new") if published_on else sections,
        published_on,
        tuple(facets),
        tuple(countries),
        tuple(site_links(record)),
    )
