"""Decide which laboratories must be rebuilt: compare the last build with the project now.

All decisions of this kind are here, in the order in which a build makes them: whether anything changed, which
laboratories must be read again, for which the list of similar laboratories must be computed again, and which
laboratories and list pages must be rendered again. Everything else stays in out/ as it is.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from labgen.memory.database import Memory
from labgen.memory.inverted_index import ReferenceKind, numbers_naming
from labgen.memory.remembered_laboratories import (
    Changes,
    StoredPlace,
    all_pages,
    cards,
    display_ids,
    display_ids_of,
    listings,
    neighbours,
    places,
)
from labgen.memory.row_conversion import Listing, StoredLaboratory
from labgen.memory.similar_index import index_of, last_facets
from labgen.memory.sources import (
    ContentKey,
    Digests,
    Fingerprints,
    entry_digests,
    entry_fingerprints,
    remembered_digests,
    shared_digests,
    suffix_of,
    update_entries,
)
from labgen.memory.warnings import source_line_of
from labgen.model.summaries import Facet
from labgen.problems.problem import Problem
from labgen.similar.similarity import Traits, compare_traits, touched
from labgen.system.input_files import (
    BOOKS,
    DATA,
    LINES,
    MEDIA,
    TEMPLATES,
    Inputs,
    Stamps,
    changed_files,
    digests_of,
    is_bulk,
)

Entries = Mapping[str, str]
"""The digests of a list's entries, by their keys."""


class FileChanges(NamedTuple):
    """The source files of a project, those that are new or may have changed, and those that were removed.

    The laboratories in `again` (display_ids) are read again, although they did not change.
    """

    inputs: Inputs
    changed: Collection[str]
    gone: Collection[str]
    again: Collection[str] = ()


def compare_files(inputs: Inputs, before: Stamps) -> FileChanges:
    """Return the source files that may have changed or were removed; `before` are the former stamps."""
    now = inputs.everything
    return FileChanges(inputs, changed_files(now, before), before.keys() - now.keys())


def is_same(memory: Memory, root: Path, files: FileChanges) -> bool:
    """Return whether no source file changed, so that there is nothing to build."""
    if files.gone:
        return False
    before = remembered_digests(memory, files.changed)
    now = digests_of(root, files.changed, files.inputs.everything)
    return all(before.get(name) == digest for name, digest in now)


def shared_digests_now(memory: Memory, root: Path, files: FileChanges) -> Digests:
    """Return the digests of the files that laboratories share; those of unchanged files are remembered."""
    shared, had = files.inputs.shared, shared_digests(memory)
    changed = shared.keys() - had.keys() | shared.keys() & set(files.changed)
    known = {name: digest for name, digest in had.items() if name in shared}
    return known | dict(digests_of(root, changed, shared))


class SharedChanges(NamedTuple):
    """The changes in data that laboratories share.

    Changed entries of catalogues as facets, countries by iso_code, and originals of pictures by name.
    `had_entries` has the former fingerprints of the entries of lists that may have changed.
    """

    facets: frozenset[Facet]
    countries: frozenset[str]
    originals: frozenset[str]
    are_lists_new: bool
    are_templates_new: bool
    had_entries: Mapping[str, Fingerprints]


def compare_shared(
    memory: Memory,
    changed: Collection[str],
    lists: Collection[str],
    entries_of: Callable[[str], Entries],
    fingerprints_of: Callable[[str], Fingerprints],
) -> SharedChanges:
    """Return the changes in data that laboratories share, and store the digests of the lists' entries.

    `changed` are names of files, `lists` the names of all lists; `entries_of` returns the entries of a list,
    `fingerprints_of` their fingerprints.
    """
    from labgen.model.catalogues import CATALOGUES, COUNTRIES  # slow, and not needed if nothing changed

    stems = {name.removeprefix(f"{DATA}/").rpartition(".")[0] for name in changed}
    has_any = memory.is_new or any(name.endswith(BOOKS) for name in changed)
    new = {name: entries_of(name) for name in lists if has_any or name in stems}
    keys = {name: {key for key, _ in entry_digests(memory, name).items() ^ new[name].items()} for name in new}
    had = {name: entry_fingerprints(memory, name) for name in new if not memory.is_new}
    for name, now in new.items():
        update_entries(memory, name, now, fingerprints_of(name))
    facets = [one.facets(map(int, keys.get(one.stem, ()))) for one in CATALOGUES]
    media = f"{DATA}/{MEDIA}/"
    return SharedChanges(
        frozenset(chain.from_iterable(facets)),
        frozenset(keys.get(COUNTRIES.stem, ())),
        frozenset(name.removeprefix(media) for name in changed if name.startswith(media)),
        bool(new),
        any(name.startswith(TEMPLATES) for name in changed),
        had,
    )


class ReadPlan(NamedTuple):
    """The laboratories that must be read again: in `files`, and at `lines` of the bulk file (None: all).

    `doubtful` are remembered laboratories, by display_id, that may have changed or been removed. A laboratory
    in `known` is unchanged if its source text is still found somewhere.
    """

    files: Collection[str]
    lines: Collection[int | None] | None
    doubtful: Mapping[str, StoredPlace]
    known: Mapping[ContentKey, str]

    def has_line(self, line: int | None) -> bool:
        """Return whether a laboratory at a line must be read; None is a laboratory with its own file."""
        return line is None or self.lines is None or line in self.lines


def laboratories_to_read(
    memory: Memory, files: FileChanges, edits: SharedChanges, had: Iterable[Problem]
) -> ReadPlan:
    """Return which laboratories must be read: those whose file changed, and those that refer to changed data.

    A laboratory of which the last build warned (in `had`) is read even if its text only moved, so that the
    warnings give the new place.
    """
    laboratories = files.inputs.laboratories.keys()
    if memory.is_new:
        return ReadPlan(laboratories, None, {}, {})
    unsound = places(memory, "number", _naming(memory, edits)) | places(memory, "display_id", files.again)
    bulk = _changed_bulk(files)
    names = [name.encode(errors="ignore").decode() for name in (*files.changed, *files.gone, *bulk)]
    moved = places(memory, "file", names)
    to_read = {one.file for one in unsound.values()}.union(files.changed)
    lines = None if bulk else {one.line for one in unsound.values()}
    warned = set(map(source_line_of, had))
    sound = [
        one
        for display_id, one in moved.items()
        if display_id not in unsound and (one.file, one.line) not in warned
    ]
    known = {(suffix_of(one.file), one.digest): one.display_id for one in sound}
    return ReadPlan(to_read & laboratories, lines, moved | unsound, known)


def _changed_bulk(files: FileChanges) -> list[str]:
    """Return the bulk files (several laboratories in one file) whose contents may have changed.

    A table also depends on other files directly in data/: on other tables, and on titles that stand for ids.
    """
    touched = {*files.changed, *files.gone}
    has_data = any(name.startswith(f"{DATA}/") and name.count("/") == 1 for name in touched)
    bulk = filter(is_bulk, files.inputs.shared)
    return [name for name in bulk if name in touched or (has_data and not name.endswith(LINES))]


def _naming(memory: Memory, edits: SharedChanges) -> set[int]:
    """Return the numbers of the laboratories that refer to changed data."""
    named = (
        (ReferenceKind.FACET, edits.facets),
        (ReferenceKind.ENTRY, edits.facets),
        (ReferenceKind.REFERENCE, edits.facets),
        (ReferenceKind.COUNTRY, edits.countries),
        (ReferenceKind.ORIGINAL, edits.originals),
    )
    return set[int]().union(*(numbers_naming(memory, *one) for one in named))


def lists_to_compute(memory: Memory, changes: Changes, again: Collection[str]) -> dict[str, Listing]:
    """Return the laboratories whose list of similar laboratories may have changed, and those in `again`."""
    if memory.is_new:
        return listings(memory, "display_id", display_ids(memory))
    before, now = changes.before, changes.now
    moves = compare_traits(_traits(before), _traits(now))
    numbers = touched(moves, index_of(memory), last_facets(memory)) if moves.edited else set()
    edited = {
        one
        for one, laboratory in now.items()
        if one in moves.edited or before[one].summary.own_similar != laboratory.summary.own_similar
    }
    return listings(memory, "number", numbers) | listings(memory, "display_id", edited.union(again))


def _traits(some: Mapping[str, StoredLaboratory]) -> dict[str, Traits]:
    return {one: Traits(stored.summary.facets, stored.summary.card.country) for one, stored in some.items()}


class RenderPlan(NamedTuple):
    """What must be rendered again: laboratories by display_id in order, and pages of their list by number.

    `cards` are the laboratories whose cards changed; None if any card may have changed. In the `resized` of
    the other pages, only the number of all laboratories changed.
    """

    laboratories: list[str]
    pages: Collection[int]
    cards: Collection[str] | None = None
    resized: Collection[int] = ()


def full_plan(memory: Memory, page_size: int) -> RenderPlan:
    """Return the rendering of all laboratories and list pages."""
    return RenderPlan(display_ids(memory), all_pages(memory, page_size))


def to_render(
    memory: Memory, changes: Changes, new_lists: Collection[str], edits: SharedChanges, page_size: int
) -> RenderPlan:
    """Return the laboratories and list pages whose files in out/ may be out of date.

    `new_lists` are the laboratories whose lists of similar laboratories changed. A laboratory's files contain
    its record, the entries and the country that it refers to, the URLs of its pictures (which depend on their
    contents), the cards of similar laboratories, and links to the previous and the next laboratory. A list
    page contains cards and the number of laboratories, and the last one no link to another. Optional sections
    and templates affect all files.
    """
    if changes.are_sections_new or edits.are_templates_new:
        return full_plan(memory, page_size)
    edited = {one for one in changes.now if one in changes.came or _summaries_differ(changes, one, "digest")}
    new_cards = {one for one in edited if one in changes.came or _summaries_differ(changes, one, "card")}
    naming = display_ids_of(memory, _naming(memory, edits))
    new_cards |= {
        one
        for one, card in cards(memory, naming).items()
        if card.country in edits.countries or (card.image and card.image.name in edits.originals)
    }
    moved = changes.came | changes.gone
    beside = {one for both in neighbours(memory, moved).values() for one in both if one}
    showing = display_ids_of(memory, numbers_naming(memory, ReferenceKind.SHOWN, new_cards))
    laboratories = sorted(edited.union(naming, new_lists, beside, showing))
    ordered = display_ids(memory) if new_cards or moved else []
    pages = {bisect_left(ordered, one) // page_size + 1 for one in new_cards}
    if not moved:
        return RenderPlan(laboratories, pages, new_cards)
    fewest = min(len(ordered), len(ordered) - len(changes.came) + len(changes.gone))
    same = range(1, min(bisect_left(ordered, min(moved)), fewest - 1) // page_size + 1)
    pages.update(range(same.stop, all_pages(memory, page_size).stop))
    return RenderPlan(laboratories, pages, new_cards, same)


def _summaries_differ(changes: Changes, display_id: str, field: str) -> bool:
    before, now = changes.before[display_id].summary, changes.now[display_id].summary
    return bool(getattr(before, field) != getattr(now, field))
