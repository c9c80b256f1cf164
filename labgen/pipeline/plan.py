"""What an edit reaches: which laboratories' lists move, and which laboratories' files may differ."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from labgen.memory.columns import Memory, in_order
from labgen.model.summaries import Facet, Shown, Summary
from labgen.similar.similarity import (
    EditedIndex,
    Postings,
    Similarity,
    Traits,
    TraitsOf,
    compare,
    postings_of,
    touched,
)
from labgen.source.load import ListEdits
from labgen.system.workers import spread

ShownLists = Mapping[str, Shown]


class Stale(NamedTuple):
    """What may not be what it should be: laboratories' files, cards, and whether the list is another."""

    laboratories: AbstractSet[str]
    cards: AbstractSet[str]
    is_list_new: bool


class Lists(NamedTuple):
    """What each laboratory's list shows, by display_id in order; how many have each facet, and who had."""

    shown: ShownLists
    counts: Mapping[Facet, int]
    postings: Postings


def changed_summaries(before: Memory, summaries: Mapping[str, Summary]) -> set[str]:
    """Return the laboratories that are not what they were, and those that have gone."""
    had = before.summaries
    return {one for one, summary in summaries.items() if had.get(one) is not summary} | (
        had.keys() - summaries.keys()
    )


def all_lists(summaries: Mapping[str, Summary], limit: int, jobs: int) -> Lists:
    """Return what each laboratory shows: its own list, or the computed one, at most `limit`."""
    traits = {one: Traits(summary.facets, summary.card.country) for one, summary in summaries.items()}
    postings = postings_of(traits)
    counts = {facet: len(places) for facet, places in postings.places.items()}
    own = {
        one: Shown(summary.own_similar)
        for one, summary in summaries.items()
        if summary.own_similar is not None
    }
    wanted = [one for one in summaries if one not in own]
    similarity = Similarity(traits, counts, postings)
    computed = own | dict(_computed(wanted, similarity, limit, jobs))
    return Lists({one: computed[one] for one in summaries}, counts, postings)


def changed_lists(
    summaries: Mapping[str, Summary], changed: Collection[str], before: Memory, limit: int, jobs: int
) -> Lists:
    """Return what each laboratory shows, where only some changed; what cannot have moved is kept."""
    was, counts = before.summaries, before.shared.counts
    gone = [one for one in changed if one not in summaries]
    own = {one: summaries[one].own_similar for one in changed if one in summaries}
    lists = {one: Shown(own_list) for one, own_list in own.items() if own_list is not None}
    released = {
        one for one in own if own[one] is None and (one not in was or was[one].own_similar is not None)
    }
    traits = TraitsOf(summaries)
    moves = compare(TraitsOf(was), traits, changed)
    if not moves.edited and not released:
        return Lists(in_order(before.shown, lists, gone), counts, before.postings)
    index = EditedIndex(before.postings, before.since.union(changed), traits)
    now = Counter(counts)
    now.update(moves.gains)
    moved = touched(moves, index, before.shown, counts, now) | released
    now = +now
    wanted = sorted(one for one in moved if one in summaries and summaries[one].own_similar is None)
    similarity = Similarity(traits, now, index)
    lists |= dict(_computed(wanted, similarity, limit, jobs))
    had = before.shown
    new = {one: shown for one, shown in lists.items() if had.get(one) != shown}
    return Lists(in_order(had, new, gone), now, before.postings)


def _computed(
    wanted: list[str], similarity: Similarity, limit: int, jobs: int
) -> Iterator[tuple[str, Shown]]:
    def work(display_ids: Sequence[str]) -> list[tuple[str, Shown]]:
        return [(one, similarity.similar_to(one, limit)) for one in display_ids]

    yield from spread(work, wanted, jobs)


def find_stale(
    before: Memory,
    summaries: Mapping[str, Summary],
    shown: ShownLists,
    changed: Collection[str],
    edits: ListEdits,
) -> Stale:
    """Return what may not be what it should be.

    A laboratory's files hold its record, the entries and the country that it names, the addresses of its
    pictures, which follow their contents, the cards of the laboratories that it shows, and links to those
    before and after it.
    """
    had = before.summaries
    stale = {
        one
        for one in changed
        if one in summaries and (one not in had or had[one].digest != summaries[one].digest)
    }
    new_cards = {one for one in stale if one not in had or had[one].card != summaries[one].card}
    if edits.countries:
        stale.update(one for one, summary in summaries.items() if summary.names_country(edits.countries))
        new_cards.update(one for one, summary in summaries.items() if summary.card.country in edits.countries)
    if edits.facets:
        stale.update(one for one, summary in summaries.items() if summary.names_facet(edits.facets))
    if edits.originals:
        shows = {
            one for one, summary in summaries.items() if not edits.originals.isdisjoint(summary.originals)
        }
        stale |= shows
        new_cards |= {one for one in shows if _image_of(summaries[one]) in edits.originals}
    was = before.shown
    for display_id, one in shown.items():
        old = was.get(display_id)
        if old is not one and (old is None or old.display_ids != one.display_ids):
            stale.add(display_id)
        if new_cards and not new_cards.isdisjoint(one.display_ids):
            stale.add(display_id)
    moved = had.keys() ^ summaries.keys()
    return Stale(stale | _beside(moved, summaries), new_cards, bool(moved))


def parts_of(display_ids: Sequence[str], size: int) -> list[Sequence[str]]:
    """Return the laboratories of each page of their list."""
    return [display_ids[start : start + size] for start in range(0, len(display_ids), size)]


def _beside(moved: Collection[str], summaries: Mapping[str, Summary]) -> set[str]:
    """Return the laboratories between which one came or went."""
    ordered = list(summaries) if moved else []
    beside = set()
    for one in moved:
        place = bisect_left(ordered, one)
        after = place + 1 if one in summaries else place
        beside.update(ordered[max(place - 1, 0) : place] + ordered[after : after + 1])
    return beside


def _image_of(summary: Summary) -> str | None:
    return summary.card.image.name if summary.card.image else None
