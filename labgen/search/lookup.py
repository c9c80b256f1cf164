"""Look up the words and designations of a query in the search index: the laboratories that have each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from labgen.search.entry_weights import unpack_entries
from labgen.search.foldings import STOP_WORDS, cut, readable
from labgen.search.heads import OPTIONAL, PUBLISHERS
from labgen.search.index_files import BEGIN, NAME_LISTS, PART, Files, facet_key
from labgen.search.items import SUPPLEMENTS, Item, is_letter, items_of, joined_symbols
from labgen.search.lists import intersection, union, unpack
from labgen.search.readings import Reading, readings
from labgen.search.slips import with_end, words_near
from labgen.search.synonyms import Synonyms
from labgen.search.words import LEAST_PART, stems

MOST_ITEMS = 32
"""Maximum number of words and signs of a query that are looked up."""
MOST_WORDS = 32
"""Maximum number of words to look up for a part that is not a word itself."""


EntryKey = tuple[str, int]
"""The name of a facet, and the id of an entry."""
NO_ENTRIES: Mapping[EntryKey, int] = MappingProxyType({})


class Found(NamedTuple):
    """The result for a word: laboratories, those with it in name or place, and what was searched for instead.

    `begun` are those where it begins a word there, `whole` those where it is one.
    `is_common`: so many laboratories have the word that it narrows no search. `entries` are the weights
    of its entries, `having` the laboratories that have one, `in_texts` those with the word in free texts.
    """

    slots: list[int]
    named: list[int]
    is_common: bool = False
    instead: tuple[str, ...] = ()
    entries: Mapping[EntryKey, int] = NO_ENTRIES
    having: Sequence[int] = ()
    in_texts: Sequence[int] = ()
    begun: Sequence[int] = ()
    whole: Sequence[int] = ()


class Sought(NamedTuple):
    """A word or designation of a query as typed, what it finds, and the folded texts by which it is found.

    `meaning` are the texts that mean the same, with itself, if there are others.
    """

    text: str
    found: Found
    forms: tuple[str, ...] = ()
    meaning: tuple[str, ...] = ()


class Reach(NamedTuple):
    """How far words are looked up: whether in free texts, too, and whether similar words are.

    Of designations, whether one that follows another may be dropped, and whether digits at the end go on.
    """

    has_texts: bool
    has_slips: bool = True
    has_drops: bool = True
    is_begun: bool = False


def look_up(files: Files, query: str, *, has_texts: bool) -> Iterator[list[Sought]]:
    """Yield what the words and designations of a query find, in their order, each once.

    If no laboratory has all of them, a designation may have too much at its end, and the last one may be on
    the way to another: the next ones that are yielded drop what is not found, and read a number at the end as
    the beginning of a longer one, then the last word as no part of a designation. Then symbols of
    elements are read as one word, and the beginning of a common word is ignored, words that say what kind of
    designation follows, or both; without these words, a number at the end may be a beginning again.
    """
    text, reach, synonyms = readable(query), Reach(has_texts), Synonyms(files.index().get("synonyms", ()))
    items = items_of(text)[:MOST_ITEMS]
    yield _sought(files, text, items, reach._replace(has_drops=False), synonyms)
    if len(items) > 1 and any(one.is_atom for one in items):
        yield _sought(files, text, items, reach._replace(is_begun=True), synonyms)
    if len(items) > 1 and not items[-1].is_atom:
        parts = (_sought(files, text, some, reach, synonyms) for some in (items[:-1], items[-1:]))
        yield [one for part in parts for one in part]
    if (closed := joined_symbols(text)) != text:
        yield _sought(files, closed, items_of(closed)[:MOST_ITEMS], reach, synonyms)
    begun = [one for one in items[-1:] if _is_short_half(one) or _begins_ignored(one.text)]
    kinds = [one for one in items if one.text in OPTIONAL]  # without them, common words alone find too much
    both = [*begun, *kinds] if begun and kinds else []
    for some, is_begun in ((begun, False), (kinds, False), (both, False), (kinds, True)):
        others = [one for one in items if one not in some]
        kept = _sought(files, text, others, reach._replace(is_begun=is_begun), synonyms) if some else []
        if (kept and some is begun) or not all(one.found.is_common for one in kept):
            yield [*kept, *(_ignored(one) for one in {one.text: one for one in some}.values())]


def _ignored(item: Item) -> Sought:
    return Sought(item.text, Found([], [], is_common=True))


def _is_short_half(item: Item) -> bool:
    """Return whether an item is a letter alone, or the beginning of a word after a hyphen: `Trink-Wa`."""
    return is_letter(item.text) or (item.gap == "-" and len(item.text) < LEAST_PART and not item.is_atom)


def _begins_ignored(text: str) -> bool:
    return any(word.startswith(text) for word in chain(STOP_WORDS, OPTIONAL, PUBLISHERS, SUPPLEMENTS))


def _sought(
    files: Files,
    text: str,
    items: Sequence[Item],
    reach: Reach,
    synonyms: Synonyms | None = None,
) -> list[Sought]:
    sought: dict[str, Sought] = {}
    at = 0
    while at < len(items):
        one: Sought | None
        if synonyms and (meant := synonyms.at(items, at)):
            one, at = _synonymous(files, text, items[at : meant[1]], meant[0], reach), meant[1]
        else:
            one, at = _next(files, text, items, at, reach)
        if one:
            sought.setdefault(one.text, one)
    return list(sought.values())


def _synonymous(files: Files, text: str, items: Sequence[Item], group: Iterable[str], reach: Reach) -> Sought:
    """Look up a word or phrase, and what means the same; similar words only if nothing else is found."""
    typed = text[items[0].start : items[-1].end]
    phrases = [(one, items_of(one)[:MOST_ITEMS]) for one in map(readable, dict.fromkeys([typed, *group]))]
    reach = Reach(reach.has_texts)  # each phrase is looked up as if it were the whole query
    sought = [_sought(files, *one, reach._replace(has_slips=False)) for one in phrases]
    found = [one for one in _each_together(sought) if not one.instead]
    if not any(one.slots for one in found):
        sought = [_sought(files, *one, reach) for one in phrases]
        found = _each_together(sought)
    forms = tuple(dict.fromkeys(form for some in sought for one in some for form in one.forms))
    own = cut(items[0].text) if len(items) == 1 else typed
    return Sought(own, _any(found), forms, tuple(one for one, _ in phrases))


def _each_together(sought: Iterable[Sequence[Sought]]) -> list[Found]:
    """Return the result for each phrase, of which all words are wanted."""
    return [_together([one.found for one in some]) for some in sought if some]


def _together(found: Sequence[Found]) -> Found:
    """Return the result for words that are all wanted.

    That a laboratory has them in several entries says little: an entry with the phrase is found by what means
    the same, too.
    """
    narrow = [one for one in found if not one.is_common] or found[:1]
    if len(narrow) == 1:
        return narrow[0]
    first, *others = narrow
    return Found(
        intersection([one.slots for one in narrow]),
        intersection([one.named for one in narrow]),
        instead=tuple(word for one in narrow for word in one.instead),
        entries={key: weight for key, weight in first.entries.items()
                 if all(key in one.entries for one in others)},
        in_texts=intersection([one.in_texts for one in narrow]),
        begun=intersection([one.begun for one in narrow]),
        whole=intersection([one.whole for one in narrow]),
    )  # fmt: skip


def _any(found: Sequence[Found], instead: tuple[str, ...] = ()) -> Found:
    """Return the result for words of which one is enough; `instead` are those that replaced another."""
    return Found(
        union([one.slots for one in found]),
        union([one.named for one in found]),
        any(one.is_common for one in found),
        instead or tuple(dict.fromkeys(word for one in found for word in one.instead)),
        dict(chain.from_iterable(one.entries.items() for one in found)),
        union([one.having for one in found]),
        union([one.in_texts for one in found]),
        union([one.begun for one in found]),
        union([one.whole for one in found]),
    )


def _next(files: Files, text: str, items: Sequence[Item], at: int, reach: Reach) -> tuple[Sought | None, int]:
    """Return what is looked up from an item on, and the next item."""
    for one in readings(text, items, at):
        is_begun = reach.is_begun and one.end == len(items) and not one.meant
        if (reach.has_drops or not one.is_last) and (found := _designated(files, one, reach, is_begun)):
            return Sought(text[items[at].start : items[one.end - 1].end], found, one.keys), one.end
    item = items[at]
    if item.is_atom:
        return Sought(item.text, Found([], [], is_common=is_letter(item.text))), at + 1
    if not STOP_WORDS.isdisjoint(item.forms):
        return None, at + 1
    forms = tuple(map(cut, item.forms))
    found = _word(files, forms, reach)
    stemmed = [stem for form in forms for stem in stems(form)]
    return Sought(cut(item.text), found, (*forms, *stemmed, *found.instead)), at + 1


def _designated(files: Files, reading: Reading, reach: Reach, is_begun: bool) -> Found | None:
    """Return the laboratories that have a designation: what continues it, but not a number with digits.

    If there is none, or if `is_begun`, also what begins with it.
    """
    maps = ("designations", "numbers", "texts") if reach.has_texts else ("designations", "numbers")
    values: list[dict[str, Any]] = []
    for continuing in (_continued, _begun):
        if not values or is_begun:
            values += [one for name in maps for key in reading.keys for one in continuing(files, name, key)]
    if not values:
        return None
    found = _merge(files, values)
    return found._replace(instead=(reading.meant,)) if reading.meant else found


def _continued(files: Files, index_map: str, key: str) -> list[dict[str, Any]]:
    if index_map == "designations":
        value = files.find(index_map, key) or files.find(index_map, PART + key)
        if value:
            return [value]
    if key[-1] not in "0123456789":
        return _between(files, index_map, key, key + "\uffff")
    return [
        *_between(files, index_map, key, key + "0"),
        *_between(files, index_map, key + ":", key + "\uffff"),
    ]


def _begun(files: Files, index_map: str, key: str) -> list[dict[str, Any]]:
    if key[-1] not in "0123456789":
        return []
    value = files.find(index_map, PART + key + BEGIN) if index_map == "designations" else None
    return [value] if value else _between(files, index_map, key + "0", key + ":")


def _between(files: Files, index_map: str, low: str, high: str) -> list[dict[str, Any]]:
    """Return the values of the keys from `low` to before `high`."""
    return [
        _as_value(index_map, files.find(index_map, key)) for key in files.keys_between(index_map, low, high)
    ]


def _as_value(index_map: str, value: Any) -> dict[str, Any]:
    """Return a value; of texts and numbers, a list alone is published, or `true` for a common word."""
    if value is True:
        return {"is_common": True}
    return value if isinstance(value, dict) else {index_map: value}


def _word(files: Files, forms: Sequence[str], reach: Reach) -> Found:
    """Look up a word, given in its one or two foldings."""
    stemmed = {stem: value for form in forms for stem in stems(form) if (value := files.find("words", stem))}
    values = [_value(files, form) for form in forms]
    begins = (*forms, *stemmed) if reach.has_texts else ()
    more = [one for begin in begins for one in _between(files, "texts", begin, begin + "\uffff")]
    if any(values) or stemmed:
        return _merge(files, [*values, *stemmed.values(), *more])
    for form in forms:
        if words := _containing(files, form):
            parts = [_of_part(_merge(files, [files.find("words", one)]), one, form) for one in words]
            return _any([*parts, _merge(files, more)])
    if more or not reach.has_slips:
        return _merge(files, more)
    for stem in [stem for form in forms for stem in stems(form)]:
        if (found := _word(files, [stem], reach._replace(has_slips=False))).slots:
            return found
    near = (_near(files, form, reach) for form in forms)
    return next((one for one in near if one.instead), Found([], []))


def _of_part(found: Found, word: str, part: str) -> Found:
    """Return what a word finds as the result for a part of it."""
    return found._replace(whole=[], begun=found.begun if word.startswith(part) else [])


def _value(files: Files, form: str) -> dict[str, Any] | None:
    """Return the value of a word in the index, or of a marked part of words."""
    value: dict[str, Any] | None = files.find("words", form)
    return files.find("words", PART + form) if value is None else value


def _merge(files: Files, values: Iterable[dict[str, Any] | None]) -> Found:
    found = [one for one in values if one]
    entries, listed = dict[EntryKey, int](), [unpack(one.get("labs")) for one in found]
    for one in found:
        own = {(facet, number): weight for place, facet in enumerate(files.facets)
               for number, weight in unpack_entries(one.get(facet_key(place), "")).items()}  # fmt: skip
        entries |= own
        if "labs" not in one and "labs" not in one.get("counts", {}):
            listed += [unpack(files.entry(*key).get("labs")) for key in own]
    whole, more, inner = (union([unpack(one.get(name)) for one in found]) for name in NAME_LISTS)
    begun = union([whole, more])
    named = union([begun, inner])
    having, in_texts = union(listed), union([unpack(one.get("texts")) for one in found])
    slots = union([named, having, in_texts, *[unpack(one.get("numbers")) for one in found]])
    is_common = any(one.get("is_common", False) for one in found)
    return Found(slots, named, is_common, (), entries, having, in_texts, begun, whole)


def _containing(files: Files, part: str) -> list[str]:
    """Return the words that contain a part; if one of them contains another, only the shorter word."""
    if len(part) < LEAST_PART:
        return []
    begun = files.keys_between("words", part, part + "\uffff")
    keys = [*begun, *with_end(files, files.keys_between("ends", part, part + "\uffff"))]
    least: list[str] = []
    for key in sorted(dict.fromkeys(keys), key=len):
        if len(least) == MOST_WORDS:
            break
        if not any(len(one) >= LEAST_PART and one in key for one in least):
            least.append(key)
    return least


def _near(files: Files, form: str, reach: Reach) -> Found:
    """Return the result for words with one typing error, or two if the word is long."""
    words = words_near(files, form)
    return _any([_word(files, [one], reach) for one in words], tuple(words)) if words else Found([], [])
