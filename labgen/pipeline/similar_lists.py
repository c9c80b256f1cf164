"""Update the computed lists of similar laboratories."""

from collections.abc import Collection, Sequence

from labgen.memory.database import Memory
from labgen.memory.remembered_laboratories import Changes, count, update_lists
from labgen.memory.similar_index import index_of
from labgen.model.summaries import SimilarList
from labgen.pipeline.rebuild import lists_to_compute
from labgen.similar.similarity import similar_to
from labgen.system.workers import spread

READ_MEANWHILE = 500
"""The whole index is read if one list in so many laboratories, or more, is computed."""
RANKED_MEANWHILE = 5
"""The rarest facets of all laboratories are found at once if one list in so many is computed."""


def update_similar_lists(
    memory: Memory, changes: Changes, again: Collection[str], limit: int, jobs: int
) -> set[str]:
    """Update the lists of at most `limit` laboratories each; return the laboratories whose list changed.

    A laboratory shows the list in its record, if there is one, and a computed list otherwise. Those in
    `again` are computed although nothing changed.
    """
    some = lists_to_compute(memory, changes, again)
    tasks = [one for one, listing in some.items() if listing.own is None]
    is_whole = len(tasks) * READ_MEANWHILE >= count(memory)
    index = index_of(memory, is_whole=is_whole)
    if len(tasks) * RANKED_MEANWHILE >= count(memory):
        index.find_all_rarest()

    def work(display_ids: Sequence[str]) -> list[tuple[str, SimilarList]]:
        listings = [some[one] for one in display_ids]
        lists = [similar_to(one.number, one.traits, index, limit) for one in listings]
        return list(zip(display_ids, lists, strict=True))

    shown = {one: SimilarList(listing.own) for one, listing in some.items() if listing.own is not None}
    shown |= spread(work, tasks, jobs if is_whole else 1)  # others may not use the database
    now = {one: had._replace(shown=shown[one]) for one, had in some.items() if had.shown != shown[one]}
    before = {one: some[one] for one in now}
    update_lists(memory, before, now)
    published = {one: had.shown.display_ids if had.shown else None for one, had in before.items()}
    return {one for one in now if published[one] != shown[one].display_ids}
