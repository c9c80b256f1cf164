"""Compute the files of the search index that an edit changes, from the database and the published index."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import orjson

from labgen.memory.search_terms import (
    NUMBERS,
    TEXTS,
    SearchEntry,
    search_entries,
    update_search_entries,
    update_weight,
)
from labgen.model.german import collation_key
from labgen.pipeline.indexed_laboratories import (
    IndexChanges,
    NotPossibleError,
    Pair,
    differing,
    moved_in_orders,
    pairs_of,
    touched_values,
)
from labgen.pipeline.search_source import SearchSource
from labgen.search.index_files import (
    CARDS,
    COUNTS,
    ENTRIES,
    FILES_FOLDER,
    INDEX,
    ORDERS,
    OWNED,
    VERSION,
    entry_key,
    slot_key,
)
from labgen.search.lists import pack
from labgen.search_index import contents
from labgen.search_index.index_input import Slots
from labgen.search_index.leaves import FACET_LEAF, listed_files, listed_in, without_short_list
from labgen.search_index.map_update import MapUpdate
from labgen.search_index.slots import slots_per_card_file
from labgen.search_index.vocabulary import SPLITS
from labgen.search_index.word_update import Change, Reweighed, Used, WordUpdate

Read = Callable[[str], bytes]
"""Returns the bytes of a published file, by its name below out/."""
NAME = "name"
"""The field of the order of names."""
FilesByFolder = dict[str, dict[str, bytes | None]]
"""The files of each folder that may have changed; None for a file that must be removed."""


class ChangedIndex(NamedTuple):
    """The files of the index that may have changed, and the lists of the files in its folders (`roots`)."""

    files: FilesByFolder
    roots: dict[str, Any]


def changed_files(source: SearchSource, read: Read, edit: IndexChanges) -> ChangedIndex:
    """Return the files of each folder that may have changed.

    Raises `NotPossibleError`, or an OSError, LookupError or ValueError if the published index is broken.
    """
    before = orjson.loads(read(INDEX))
    most = contents.most_narrow(source.size.total)
    if not _is_alike(before, source):
        raise NotPossibleError
    pairs = pairs_of(source, edit)
    used, edited = _update_entries(source, pairs, edit)
    folders = [
        contents.WORDS,
        contents.DESIGNATIONS,
        *SPLITS,
        contents.NUMBERS,
        ENTRIES,
        *([contents.TEXTS] if source.settings.has_texts else []),
    ]
    roots: dict[str, Any] = before["roots"]
    maps = {one: MapUpdate(partial(_read_in, read, one), roots[one]) for one in folders}
    for one in map(contents.facet_folder, source.facets):
        maps[one] = MapUpdate(partial(_read_in, read, one), roots[one], FACET_LEAF)
    maps[OWNED] = MapUpdate(partial(_read_in, read, OWNED), roots[OWNED], FACET_LEAF)
    changes = [Change(*(one.side() if one else None for one in pair)) for pair in pairs.values()]
    for name in (contents.WORDS, contents.DESIGNATIONS):
        words = WordUpdate(maps[name], source, changes, used, most, are_words=name == contents.WORDS)
        words.put_words()
        for pieces, split in SPLITS.items() if words.are_words else ():
            words.update_pieces(maps[pieces], split)
    _put_terms(source, maps[contents.NUMBERS], NUMBERS, pairs, lambda slots: contents.dump(pack(slots)))
    if source.settings.has_texts:
        _put_terms(
            source,
            maps[contents.TEXTS],
            TEXTS,
            pairs,
            lambda slots: contents.text_value(slots, most),
        )
    edited |= {("country", one) for one in edit.shared.countries}
    touched = touched_values(pairs) | edited
    for name, value in touched:
        _put_value(source, maps[contents.facet_folder(name)], name, value)
    for name, number in _touched_entries(source, pairs, edited):
        _put_entry(source, maps[ENTRIES], name, number)
    _put_owned(source, maps[OWNED], pairs.values())
    is_size_new = bool(edit.changes.came or edit.changes.gone)
    counted = source.facets if is_size_new else {name for name, _ in touched}
    files: FilesByFolder = {name: one.changed_files() for name, one in maps.items()}
    for name, some in (
        (COUNTS, {name: source.counts_file(name) for name in counted}),
        (CARDS, _card_files(source, pairs, edit)),
        (ORDERS, _order_files(source, pairs, partial(_read_in, read, ORDERS), roots[ORDERS])),
    ):
        files[name] = _relisted(partial(_read_in, read, name), roots[name], some)
    listed = ((name, some.items()) for name, some in files.items() if some)
    files = {name: dict(without_short_list(name, some, roots)) for name, some in listed}
    return ChangedIndex(files, roots)


def _is_alike(before: Mapping[str, Any], source: SearchSource) -> bool:
    """Return whether the published index, given its `index.json`, has the form of the new one."""
    size, synonyms = source.size, source.settings.synonyms
    had = (
        before["version"],
        contents.most_narrow(before["count"]),
        before["slots_per_card_file"],
        before.get("synonyms", []),
    )
    return had == (
        VERSION,
        contents.most_narrow(size.total),
        slots_per_card_file(size.last, size.total),
        synonyms,
    )


def _relisted(read: Read, root: Any, contents: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """Return the files of a folder that may have changed, by new contents of some, and their list.

    The published list is read in any case, so that no name of a missing one is kept.
    """
    had = {key: f"{name}.json" for key, name in listed_in(root, read).items()}
    if not contents:
        return {}
    kept = {key: name for key, name in had.items() if key not in contents}
    gone = [had[key] for key in contents if key in had]
    if isinstance(root, str):
        gone.append(f"{root}.json")
    new = {key: data for key, data in contents.items() if data is not None}
    return {**dict.fromkeys(gone), **listed_files(new, kept)}


def _order_files(source: SearchSource, pairs: Mapping[int, Pair], read: Read, root: Any) -> dict[str, bytes]:
    """Return the files of the orders that have changed."""
    moved = moved_in_orders(pairs)
    files = {field: source.order_file(field) for field in moved if field != NAME}
    if NAME in moved:
        files[NAME] = _order_of_names(source, moved[NAME], read, root)
    return files


def _order_of_names(source: SearchSource, moved: Collection[Pair], read: Read, root: Any) -> bytes:
    """Return the order of names: the published one with some laboratories moved, if no two have one name."""
    gone, new = ([one.slot for one in side if one] for side in zip(*moved, strict=True))
    names = source.names_by_slot()
    with suppress(ValueError):
        published = read(f"{listed_in(root, read)[NAME]}.json")
        return contents.moved_order_file(published, gone, new, lambda slot: collation_key(names[slot]))
    return source.order_file(NAME)


def _read_in(read: Read, folder: str, name: str) -> bytes:
    return read(f"{FILES_FOLDER}/{folder}/{name}")


def _update_entries(
    source: SearchSource, pairs: Mapping[int, Pair], edit: IndexChanges
) -> tuple[Used, set[tuple[str, str]]]:
    """Store the entries that laboratories have now; return their changed terms, and the edited entries."""
    memory = source.memory
    ids: defaultdict[str, set[int]] = defaultdict(set)
    for pair in pairs.values():
        before, now = (set(one.entries) if one else set() for one in pair)
        for name, number in before ^ now:
            ids[name].add(number)
    edited: set[tuple[str, str]] = set()
    used, reworded = set[str](), set[str]()
    reweighed: list[tuple[Reweighed, frozenset[str]]] = []
    gone: list[SearchEntry] = []
    new: list[SearchEntry] = []
    for name, facet in source.facets.items():
        countries = {facet.ids[one] for one in edit.shared.countries if one in facet.ids}
        changed = set(facet.catalogue.ids_among(edit.shared.facets)) if facet.catalogue else countries
        had = search_entries(memory, name, ids[name] | changed)
        numbers = {one.value: one.id for one in had.values()}
        for number in sorted(ids[name] | changed):
            was, is_now = had.get(number), source.entry_in_use(name, number)
            has_other_value = was and is_now and was.value != is_now.value
            if has_other_value or (is_now and numbers.get(is_now.value, number) != number):
                raise NotPossibleError
            if was and is_now and number in changed:
                edited.add((name, is_now.value))
            if was == is_now:
                continue
            is_same = was and is_now and was == is_now._replace(weight=was.weight)
            if is_same or not (was and is_now):
                reweighed.append(_reweighed(was, is_now))
            if is_now and is_same:
                update_weight(memory, is_now)
                continue
            gone += [was] if was else []
            new += [is_now] if is_now else []
            touched = reworded if was and is_now else used
            touched.update(was.terms if was else (), is_now.terms if is_now else ())
    update_search_entries(memory, gone, {one: one.terms for one in new})
    return Used(used, reworded, reweighed), edited


def _reweighed(was: SearchEntry | None, is_now: SearchEntry | None) -> tuple[Reweighed, frozenset[str]]:
    """Return an entry that came, went, or has another weight; with its terms."""
    one = is_now or was
    if one is None:
        raise ValueError("an entry that neither was nor is")
    return Reweighed(one.facet, one.id, is_now.weight if is_now else None), one.terms


def _touched_entries(
    source: SearchSource, pairs: Mapping[int, Pair], edited: Iterable[tuple[str, str]]
) -> set[tuple[str, int]]:
    """Return the edited entries, and those whose laboratories changed, or moved; each by its facet and id."""
    moved = (differing(pair, lambda one: one.entries) for pair in pairs.values())
    own = {
        (name, source.facets[name].ids[value]) for name, value in edited if value in source.facets[name].ids
    }
    return own.union(*moved)


def _put_terms(
    source: SearchSource,
    index_map: MapUpdate,
    kind: str,
    pairs: Mapping[int, Pair],
    value: Callable[[Slots], bytes],
) -> None:
    """Update a map of terms."""
    for pair in pairs.values():
        for term in differing(pair, lambda one: getattr(one.terms, kind)):
            slots = source.found_by(kind, term)
            index_map.put(term, value(slots) if slots else None)


def _put_value(source: SearchSource, index_map: MapUpdate, name: str, value: str) -> None:
    """Update a value in the map of a facet."""
    slots = source.holders(name, value)
    if slots:
        facet = source.facets[name].facet
        index_map.put(value, contents.facet_value(facet, value, slots))
    else:
        index_map.put(value, None)


def _put_entry(source: SearchSource, index_map: MapUpdate, name: str, number: int) -> None:
    """Update an entry in the map of those that words refer to."""
    value, key = source.values[name].get(number, ""), entry_key(name, number)
    slots = source.holders(name, value)
    if slots:
        index_map.put(key, contents.entry_value(source.facets[name].facet, value, slots))
    else:
        index_map.put(key, None)


def _put_owned(source: SearchSource, index_map: MapUpdate, pairs: Iterable[Pair]) -> None:
    """Update the values that laboratories have."""
    sides = ([one and (one.slot, one.owned(source.facets)) for one in pair] for pair in pairs)
    changed = [(before, now) for before, now in sides if before != now]
    for before, _ in changed:
        if before:
            index_map.put(slot_key(before[0]), None)
    for _, now in changed:
        if now:
            index_map.put(slot_key(now[0]), contents.dump(now[1]))


def _card_files(
    source: SearchSource, pairs: Mapping[int, Pair], edit: IndexChanges
) -> dict[str, bytes | None]:
    """Return the contents of the files with changed cards, by number; None where there are no cards left."""
    per_file = slots_per_card_file(source.size.last, source.size.total)
    moved = (pair for pair in pairs.values() if len({one.slot if one else None for one in pair}) > 1)
    slots = {one.slot for pair in moved for one in pair if one}
    slots.update(source.slots_by_display_id(edit.cards).values())
    files: dict[str, bytes | None] = {}
    for number in {slot // per_file for slot in slots}:
        some = source.slots_between(number * per_file, (number + 1) * per_file)
        made = contents.card_files(source.cards(some), source.size)
        files[str(number)] = made.get(str(number))
    return files
