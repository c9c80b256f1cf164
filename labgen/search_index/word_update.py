"""Update the maps of words, of their pieces and of designations, only for the terms that changed.

In the published list of a word's laboratories, those that changed are removed or added. The list is collected
anew only if that is not enough, as for a new word, or for a word whose entries changed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol

from labgen.search.entry_weights import entry_count, pack_entries, signs_of_weight, unpack_entries
from labgen.search.foldings import is_word
from labgen.search.index_files import NAME_LISTS, PART
from labgen.search.words import LEAST_PART
from labgen.search_index.contents import (
    FEW_ENTRIES,
    Entry,
    dump,
    list_of_names,
    names_of,
    narrow_value,
    word_value,
)
from labgen.search_index.index_input import Slots
from labgen.search_index.map_update import MapUpdate
from labgen.search_index.slot_sets import SlotSet, moved, unpacked
from labgen.search_index.term_text import TermText
from labgen.search_index.vocabulary import MOST_WORDS, Split, marked, parts_of

EntryTerms = Mapping[Entry, Collection[str]]
"""Entries of catalogues, with the terms by which they are found."""
Moves = Mapping[str, tuple[set[int], set[int]]]
"""The slots that go from a list, and those that come to it, by the name of the list."""
EntryWeights = Mapping[str, Mapping[int, int]]
"""The weights of entries by the key of their facet, and id."""


@dataclass(frozen=True)
class Side:
    """A laboratory as it was, or as it is: its slot, the terms of its name and place, and its entries."""

    slot: int
    names: Collection[str]
    entries: EntryTerms

    @cached_property
    def texts(self) -> tuple[TermText, TermText]:
        """The terms of its name and place, and those of its entries."""
        terms = self.names, chain.from_iterable(self.entries.values())
        names, entries = (TermText("\n".join(some)) for some in terms)
        return names, entries

    def lists_of(self, part: str) -> list[str]:
        """Return the names of the lists, in the value of a part of words, that it is in."""
        names, entries = self.texts
        own = list_of_names(part, names.containing(part))
        return [own, "labs"] if entries.has(part) else [own]

    def only(self, *, words: bool) -> "Side":
        """Return it with its words alone, or with its designations alone."""
        entries = {entry: _only(some, words=words) for entry, some in self.entries.items()}
        return Side(self.slot, _only(self.names, words=words), entries)


class Change(NamedTuple):
    """A laboratory that changed, was added or removed."""

    before: Side | None
    now: Side | None


class Facts(Protocol):
    """The current search terms of all laboratories."""

    @property
    def text(self) -> TermText:
        """All terms of names and entries, to be searched by substring."""

    def has_term(self, term: str) -> bool:
        """Return whether a name or an entry has a term."""

    def named_by(self, term: str) -> Slots:
        """Return the laboratories that have a term in name or place."""

    def entries_with(self, term: str) -> Collection[Entry]:
        """Return the entries that have a term."""

    def weight_of(self, entry: Entry) -> tuple[int, int]:
        """Return the id and the weight of an entry that a laboratory has."""

    def facet_key_of(self, facet: str) -> str:
        """Return the key of a facet in the value of a word (see `facet_key`)."""

    def labs_of(self, entries: Iterable[Entry]) -> SlotSet:
        """Return the laboratories that have any of these entries."""


class Reweighed(NamedTuple):
    """An entry of a facet that came into use, or has another weight; None if it went out of use."""

    facet: str
    id: int
    weight: int | None


class Used(NamedTuple):
    """The terms of entries that became used or unused, and of reworded entries, before and now.

    `reweighed` are the entries with other weights, which are not reworded, each with its terms.
    """

    terms: Collection[str]
    reworded: Collection[str]
    reweighed: Sequence[tuple[Reweighed, Collection[str]]]


def _only(terms: Iterable[str], *, words: bool) -> list[str]:
    return [one for one in terms if is_word(one) == words]


class WordUpdate:
    """Applies changes to the map of words and those of their pieces, or to the map of designations."""

    def __init__(
        self,
        index_map: MapUpdate,
        facts: Facts,
        changes: Sequence[Change],
        used: Used,
        most: int,
        *,
        are_words: bool,
    ) -> None:
        self.words, self.facts, self.most, self.are_words = index_map, facts, most, are_words
        words = index_map
        self.used = used = Used(
            _only(used.terms, words=are_words),
            _only(used.reworded, words=are_words),
            [(one, _only(some, words=are_words)) for one, some in used.reweighed],
        )
        self.changes = changes = [
            Change(*(side and side.only(words=are_words) for side in one)) for one in changes
        ]
        touched = set(chain(_changed_names(changes), used.terms, used.reworded))
        self.come = {one for one in touched if facts.has_term(one) and not words.had(one)}
        self.went = {one for one in touched if words.had(one) and not facts.has_term(one)}
        parts = {one: self._is_part(one) for one in self._doubtful_parts()}
        now = {marked(one) for one, is_part in parts.items() if is_part}
        before = {key for key in map(marked, parts) if words.had(key)}
        self.new = self.come | (now - before)
        self.gone = self.went | (before - now)

    def put_words(self) -> None:
        """Update the map of words."""
        for key in self.gone:
            self.words.put(key, None)
        whole = self.new | self._keys_of(self.used.reworded)
        terms = chain(self.used.terms, *(some for _, some in self.used.reweighed))
        other = self._keys_of({*terms, *_changed_names(self.changes), *_changed_terms(self.changes)})
        reweighed = self._reweighed_under({key.removeprefix(PART) for key in other - whole})
        for key in whole | other:
            part = key.removeprefix(PART)
            if key in whole or not self._put_differing(key, part, reweighed.get(part, ())):
                self.words.put(key, self._whole(key))

    def update_pieces(self, pieces: MapUpdate, split: Split) -> None:
        """Update a map from pieces of words to the rests of the words with them."""
        come, went = (_rests(terms, split) for terms in (self.come, self.went))
        for piece in come.keys() | went.keys():
            now = (set(pieces.get(piece) or ()) - went[piece]) | come[piece]
            pieces.put(piece, dump(sorted(now)) if now else None)

    def _doubtful_parts(self) -> set[str]:
        """Return the parts of words that may have become keys, or stopped being keys."""
        return {part for term in self.come | self.went for part in parts_of(term)}

    def _is_part(self, part: str) -> bool:
        """Return whether a part is now a key: not a term, and of many words, or short."""
        if self.facts.has_term(part):
            return False
        is_short = self.are_words and len(part) < LEAST_PART
        return self.facts.text.has_more_than(0 if is_short else MOST_WORDS, part)

    def _keys_of(self, terms: Iterable[str]) -> set[str]:
        """Return the keys under which terms are found now."""
        parts = set(chain.from_iterable(map(parts_of, terms)))
        return {key for part in parts for key in (part, marked(part)) if self._is_key(key)}

    def _is_key(self, key: str) -> bool:
        return key in self.new or (key not in self.gone and self.words.had(key))

    def _whole(self, key: str) -> bytes:
        """Return the value of a key, collected from all laboratories."""
        part = key.removeprefix(PART)
        terms = self.facts.text.containing(part)
        names = names_of(part, {term: some for term in terms if (some := self.facts.named_by(term))})
        entries = {entry for term in terms for entry in self.facts.entries_with(term)}
        weights: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for entry in entries:
            weights[self.facts.facet_key_of(entry[0])].update([self.facts.weight_of(entry)])
        labs = self.facts.labs_of(entries) if len(entries) > FEW_ENTRIES else ()
        return word_value(names, labs, _packed(weights), self.most)

    def _reweighed_under(self, parts: Collection[str]) -> Mapping[str, Sequence[Reweighed]]:
        """Return the entries with other weights that are found under parts of terms, by these parts."""
        found = defaultdict[str, list[Reweighed]](list)
        for one, terms in self.used.reweighed:
            for part in set(chain.from_iterable(map(parts_of, terms))).intersection(parts):
                found[part].append(one)
        return found

    def _put_differing(self, key: str, part: str, reweighed: Sequence[Reweighed]) -> bool:
        """Apply the changes to the published value of a key; return whether that is enough."""
        old = self.words.get(key)
        counts = old.get("counts", {})
        names = (*NAME_LISTS, "labs") if "labs" in old or "labs" in counts else NAME_LISTS
        moves = self._moves(names, part)
        if not reweighed and not any(chain.from_iterable(moves.values())):
            return True
        changed = [(self.facts.facet_key_of(one.facet), one) for one in reweighed]
        had = {key: some for key, some in old.items() if key.isdigit()}  # others are names
        entries = _reweighed(had, changed)
        if (sum(map(entry_count, entries.values())) > FEW_ENTRIES) != ("labs" in names):
            return False
        lists: dict[str, SlotSet | int] = {}
        for name, (gone, new) in moves.items():
            if name not in counts:
                lists[name] = moved(unpacked(old.get(name)), gone, new)
            elif (count := counts[name] - len(gone) + len(new)) > self.most:
                lists[name] = count
            else:
                return False
        self.words.put(key, dump(narrow_value(lists, self.most) | dict(sorted(entries.items()))))
        return True

    def _moves(self, names: Iterable[str], part: str) -> Moves:
        """Return the slots that go from each of these lists of a part, and those that come to it."""
        before, now = (
            [(name, side.slot) for one in self.changes if (side := one[at]) for name in side.lists_of(part)]
            for at in (0, 1)
        )
        gone, new = set(before) - set(now), set(now) - set(before)
        return {
            one: ({slot for name, slot in gone if name == one}, {slot for name, slot in new if name == one})
            for one in names
        }


def _reweighed(old: Mapping[str, str], changes: Iterable[tuple[str, Reweighed]]) -> Mapping[str, str]:
    """Return the published entries of a part of words, packed by the key of their facet, with changes."""
    found: dict[str, dict[int, int]] = {}
    for key, one in changes:
        if key not in found:
            found[key] = unpack_entries(old[key]) if key in old else {}
        found[key].pop(one.id, None)
        if one.weight is not None:
            found[key][one.id] = one.weight
    return {facet: some for facet, some in old.items() if facet not in found} | _packed(found)


def _packed(entries: EntryWeights) -> dict[str, str]:
    """Return the packed entries by facet, given as weights by id."""
    return {
        facet: pack_entries(ids, [signs_of_weight(weights[one]) for one in ids])
        for facet, weights in entries.items()
        if (ids := sorted(weights))
    }


def _rests(terms: Iterable[str], split: Split) -> defaultdict[str, set[str]]:
    rests: defaultdict[str, set[str]] = defaultdict(set)
    for term in terms:
        for piece, rest in split(term):
            rests[piece].add(rest)
    return rests


def _changed_names(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the terms of names that laboratories gained or lost; all terms if the slot changed."""
    for before, now in changes:
        had, has = (set(side.names) if side else set() for side in (before, now))
        is_moved = before and now and before.slot != now.slot
        yield from had | has if is_moved else had ^ has


def _changed_terms(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the terms of entries that laboratories gained or lost; of all entries if the slot changed."""
    for before, now in changes:
        had, has = (side.entries if side else {} for side in (before, now))
        is_moved = before and now and before.slot != now.slot
        for entry in had.keys() | has.keys():
            if is_moved or entry not in had or entry not in has:
                yield from had.get(entry, ())
                yield from has.get(entry, ())
