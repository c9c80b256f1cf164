"""Read and check each laboratory by itself, and summarise it for the rest of the build."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labgen.api.sections import ENDPOINTS
from labgen.checks.accreditation import certificates_of, check_numbers
from labgen.checks.contacts import (
    APART,
    check_own_contact,
    contact_digests,
    mentions_in,
    published_texts,
)
from labgen.checks.extract_terms import terms_of
from labgen.checks.own_lists import check_own_lists
from labgen.checks.postal_codes import check_postal_code
from labgen.checks.references import ReferenceChecker
from labgen.checks.site_links import site_links
from labgen.checks.titles import Titles
from labgen.checks.unlikely_values import check_unlikely_values
from labgen.formats.budget import DEFAULT, budget_from
from labgen.formats.format import ParsedValue
from labgen.memory.search_terms import packed_terms
from labgen.memory.sources import UNKNOWN_DIGEST, ContentKey, suffix_of
from labgen.model.catalogues import CATALOGUES, COUNTRIES, LINKS, Catalogue, facet_paths, paths_to
from labgen.model.fingerprints import fingerprint
from labgen.model.german import slugify
from labgen.model.picture_fields import pictures_in
from labgen.model.record_fields import values_at
from labgen.model.records import LaboratoryRecord
from labgen.model.renditions import placeholders_in
from labgen.model.settings import LimitsRecord
from labgen.model.summaries import Card, Extras, Facet, Summary, compact
from labgen.problems.problem import Problem
from labgen.source.checks.texts import check_texts, may_be_suspicious
from labgen.source.laboratory_locations import Location, ReadLocation, parse_laboratory
from labgen.source.read_laboratory import SourceLaboratory, check_written_numbers, read_laboratory, written_id
from labgen.source.shared import SharedData
from labgen.system.input_files import digest_of


class Finding(NamedTuple):
    """The result of examining the laboratory at a location.

    `summary` is None if the laboratory is unreadable, and if it `is_known`: remembered, and unchanged.
    `written_id` is the display_id in the source, or ""; `has_sound_id` says whether it is valid. `terms` are
    the laboratory's search terms, packed for the database, if they are wanted and the site has a search.
    """

    location: Location
    summary: Summary | None
    problems: list[Problem]
    written_id: str
    has_sound_id: bool
    digest: bytes = UNKNOWN_DIGEST
    is_known: bool = False
    terms: bytes = b""

    @property
    def display_id(self) -> str:
        """The laboratory's display_id, which may be a stand-in for an invalid display_id."""
        return self.summary.card.display_id if self.summary else self.written_id


class Examiner:
    """Examines laboratories; `known` are the display_ids of unchanged ones, by file suffix and digest."""

    def __init__(
        self, shared: SharedData, read: ReadLocation, known: Mapping[ContentKey, str], *, has_terms: bool
    ) -> None:
        self.read = read
        self.known = known
        self.budget = budget_from(shared.site.limits) if shared.site else DEFAULT
        self.highest_rating = (shared.site.limits if shared.site else LimitsRecord()).highest_rating
        search = shared.site.search if has_terms and shared.site else None
        self.search = search if search and search.enabled else None
        self.references = ReferenceChecker(shared)
        self.titles = Titles(shared)

    def examine(self, locations: Sequence[Location]) -> list[Finding]:
        """Read and check a batch of laboratories: each step for all of them, then the next step."""
        cases = [_Case(location) for location in locations]
        for step in (self._read, self._parse, self._validate, self._check, self._summarise):
            for case in cases:
                if case.finding is None:
                    step(case)
        findings = [case.finding for case in cases if case.finding]
        assert len(findings) == len(locations)  # noqa: S101 - the last step leaves none without
        return findings

    def _read(self, case: "_Case") -> None:
        data, case.problems = self.read(case.location)
        if data is None:
            case.lose()
            return
        case.data, case.digest = data, digest_of(data)
        if known := self.known.get((suffix_of(case.location.file), case.digest)):
            case.finding = Finding(case.location, None, [], known, True, case.digest, is_known=True)

    def _parse(self, case: "_Case") -> None:
        entry, case.problems = parse_laboratory(case.location, case.data, self.budget)
        if entry is None:
            case.lose()
        else:
            case.entry = entry

    def _validate(self, case: "_Case") -> None:
        written = case.entry.value
        source, found = read_laboratory(case.entry, case.location.file)
        found += check_written_numbers(case.entry, case.location.file)
        if found:
            depth = len(case.entry.pointer)
            found = self.titles.offer(found, written, depth, is_row=case.location.is_row)
            found = self.references.offer_images(found, written, depth)
        case.problems += found
        if source is None:
            case.lose(written_id(written))
        else:
            case.source = source

    def _check(self, case: "_Case") -> None:
        source = case.source
        texts = list(published_texts(source.record))
        joined = APART.join(texts)
        case.mentions = mentions_in(joined)
        case.secrets = array("q", contact_digests(source.record.contact_person))
        case.problems += self.references.check(source)
        case.problems += check_own_contact(source, joined, case.mentions, case.secrets)
        case.problems += check_own_lists(source)
        case.problems += check_numbers(source)
        case.problems += check_postal_code(source)
        case.problems += check_unlikely_values(source, self.highest_rating)
        contact = source.record.contact_person
        texts += (contact.phone, contact.email.replace("@", "", 1))
        if may_be_suspicious(source.record, texts):
            case.problems += check_texts(source.record, source.file, source.pointer)

    def _summarise(self, case: "_Case") -> None:
        source, problems = case.source, case.problems
        summary = summarise(source, case.location, case.digest, case.secrets, case.mentions)
        written, has_sound_id = written_id(case.entry.value), "display_id" not in source.unsound
        terms = packed_terms(terms_of(source.record, self.search)) if self.search else b""
        case.finding = Finding(
            case.location, summary, problems, written, has_sound_id, case.digest, terms=terms
        )


@dataclass(slots=True)
class _Case:
    """A laboratory that is being examined: the results of the steps so far, until there is a finding."""

    location: Location
    problems: list[Problem] = field(default_factory=list)
    data: bytes = field(init=False)
    digest: bytes = field(init=False)
    entry: ParsedValue = field(init=False)
    source: SourceLaboratory = field(init=False)
    mentions: list[int] = field(init=False)
    secrets: "array[int]" = field(init=False)
    finding: Finding | None = None

    def lose(self, written: str = "") -> None:
        """End the examination with problems, and without a summary."""
        self.finding = Finding(self.location, None, self.problems, written, has_sound_id=False)


def summarise(
    source: SourceLaboratory,
    location: Location,
    digest: bytes,
    secrets: "array[int]",
    mentions: list[int],
) -> Summary:
    """Return the summary of a laboratory, which is stored in the memory's database."""
    record = source.record
    pictures = tuple(pictures_in(record))
    return Summary(
        file=location.file,
        line=location.line,
        digest=digest,
        card=Card(
            display_id=record.display_id,
            name=record.name,
            slug=record.slug or slugify(record.name) or record.display_id,
            image=next((one for one in pictures if one.use == "image"), None),
            locality=record.locality,
            country=record.country,
        ),
        rating=record.rating,
        own_similar=None if record.similar_labs is None else tuple(record.similar_labs),
        facets=compact(_facets(record, COMPARED)),
        pictures=pictures,
        placeholders=placeholders_in(record),
        secrets=secrets,
        mentions=array("q", mentions),
        fingerprint=fingerprint(source.written or record),
        extras=_extras(record),
    )


COMPARED = tuple(one for one in CATALOGUES if one.is_compared)
_NOT_COMPARED = tuple(one for one in CATALOGUES if not one.is_compared)


def _facets(record: LaboratoryRecord, catalogues: Sequence[Catalogue[Any]]) -> list[Facet]:
    """Return the entries of these catalogues that a laboratory refers to, as facets, in source order."""
    facets: list[Facet] = []
    for catalogue in catalogues:
        facets += catalogue.facets(catalogue.ids_in(record))
    return facets


_OPTIONAL = [(one.name, one.appears_with) for one in ENDPOINTS if one.appears_with]
_OTHER_COUNTRIES = [path for path in paths_to(COUNTRIES) if path != ("country",)]
_ONLY_NAMED = [one for one in CATALOGUES if len(facet_paths(one)) < len(paths_to(one))]
"""The catalogues to which some field refers that is no facet."""
_PATHS = [
    *_OTHER_COUNTRIES,
    *LINKS,
    *(path for one in (*_NOT_COMPARED, *_ONLY_NAMED) for path in paths_to(one)),
]
_EXTRAS = frozenset([field for _, field in _OPTIONAL]).union([path[0] for path in _PATHS])
"""The fields whose values are in a summary's `extras`, except accreditations; most records have none."""


def _extras(record: LaboratoryRecord) -> Extras | None:
    """Return the part of a summary that only few laboratories have, or None."""
    certificates = certificates_of(record)
    if _EXTRAS.isdisjoint(record.model_fields_set):
        return Extras((), certificates=certificates) if certificates else None
    extras = Extras(
        sections=tuple([name for name, field in _OPTIONAL if getattr(record, field)]),
        published_on=record.published_on or "",
        facets=tuple(_facets(record, _NOT_COMPARED)),
        references=tuple([facet for one in _ONLY_NAMED for facet in one.facets(one.ids_only_named(record))]),
        countries=tuple(
            dict.fromkeys([code for path in _OTHER_COUNTRIES for code in values_at(record, path)])
        ),
        links=tuple(site_links(record)),
        certificates=certificates,
    )
    return extras if any(extras) else None
