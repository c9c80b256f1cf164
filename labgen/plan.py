"""What an edit reaches: which laboratories' lists move, and which laboratories' files may differ."""

from collections.abc import Callable, Iterator, Mapping

from labgen.similarity import Similarity, Traits, compare
from labgen.source.load import Edits
from labgen.state import Memory
from labgen.summaries import Summary
from labgen.workers import spread

Lists = dict[str, tuple[str, ...]]


def traits_of(summaries: Mapping[str, Summary]) -> dict[str, Traits]:
    """Return what laboratories are compared by."""
    return {display_id: Traits(one.facets, one.card.country) for display_id, one in summaries.items()}


def similar_lists(summaries: Mapping[str, Summary], before: Memory | None, limit: int, jobs: int) -> Lists:
    """Return the display_ids that each laboratory shows: its own, or the computed ones, at most `limit`.

    What was computed before is computed again only where the rule says that it may have moved.
    """
    lists: Lists = {
        display_id: one.own_similar for display_id, one in summaries.items() if one.own_similar is not None
    }
    traits = traits_of(summaries)
    touched: set[str] = set(summaries)
    if before:
        was = before.summaries
        computed = {one for one in summaries if one in was and was[one].own_similar is None}
        lists = {one: before.similar[one] for one in computed if one not in lists} | lists
        edits = compare(traits_of(was), traits)
        if not edits.moved and len(lists) == len(summaries):
            return lists
        similarity = Similarity(traits)
        touched = similarity.touched(edits) | (summaries.keys() - computed)
    else:
        similarity = Similarity(traits)
    wanted = [one for one in summaries if one in touched and summaries[one].own_similar is None]
    similarity.gather(wanted)
    return lists | dict(_computed(wanted, similarity, limit, jobs))


def _computed(
    wanted: list[str], similarity: Similarity, limit: int, jobs: int
) -> Iterator[tuple[str, tuple[str, ...]]]:
    def work(display_id: str) -> tuple[str, tuple[str, ...]]:
        return display_id, similarity.similar_to(display_id, limit)

    yield from spread(work, wanted, jobs)


def find_stale(before: Memory, now: Memory, edits: Edits, is_there: Callable[[str], bool]) -> set[str]:
    """Return the laboratories whose files may not be what they should be; `is_there` asks for their folders.

    A laboratory's files hold its record, the entries and the country that it names, and the cards of the
    laboratories that it shows.
    """
    stale: set[str] = set()
    new_cards: set[str] = set()
    for display_id, one in now.summaries.items():
        had = before.summaries.get(display_id)
        is_abroad = one.card.country in edits.countries
        if had is None or had.card != one.card or is_abroad:
            new_cards.add(display_id)
        if (
            had is None
            or had.digest != one.digest
            or is_abroad
            or not edits.facets.isdisjoint(one.facets)
            or before.similar.get(display_id) != now.similar[display_id]
            or not is_there(display_id)
        ):
            stale.add(display_id)
    if new_cards:
        stale.update(one for one, shown in now.similar.items() if not new_cards.isdisjoint(shown))
    return stale
