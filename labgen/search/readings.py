"""Read what a query may mean by a designation (labgen/search/README.md, "Designations").

`client.js` has the same readings. The grammar is that of `designations`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from labgen.search.designations import (
    LETTERED,
    LONGEST_TAIL,
    MONTH,
    SHORT_GROUP,
    SHORT_TAIL,
    TIGHT,
    YEAR,
    grades_of,
    joined_digits,
    with_parts,
    with_tail,
)
from labgen.search.foldings import cut
from labgen.search.heads import CHAIN, FULL, KINDS, is_publisher, is_stop
from labgen.search.items import (
    DIGITS,
    EDITIONS,
    JOINTS,
    SPACE,
    Item,
    canonical,
    group_at,
    has_number,
    is_glue,
    is_letter,
)

_CHAINED_BY = frozenset({"-", ".", ""})
"""What stands between the parts of the number of a certificate."""
_CERTIFICATE = re.compile("[a-z]-[a-z]+-[0-9]", re.IGNORECASE | re.ASCII)
"""The beginning of a certificate's number, of which the letter belongs to no word before it: `D-PL-1`."""
_TAILED = re.compile("(.*[0-9]|.*(?=-))-?([^0-9-]+)")
"""A group and its tail, or the beginning of one, written together: `3MCPD`, `2,4-D`."""
_SHORT_YEAR = re.compile("[0-9]{1,2}(?:[a-z][0-9]?)?")
_BEGUN_YEAR = re.compile("[:(_][0-9]+|-(?:19|20)[0-9]?|/0[0-9]?")
"""The beginning of a year, with its joint; a part may stand there, too: `9227:2`, `A370-20`, `391/07`."""
_WITH_SHORT_YEARS = ("astm", "ece")
_SHORT_DATED = re.compile("[a-g][0-9]{3,4}m?|r[0-9]{1,3}")
"""A number of ASTM or ECE, of which the publisher may be left out: `A370-21`, `R118.03`."""
_ADDING = frozenset("+/")
"""What stands before a supplement, but not before the letter of a part."""
_REVISED = re.compile("(.*[0-9]{3})[a-z]")
"""A number with the letter of a revision: `610H`."""
_MATERIAL = re.compile("[0-9]-[0-9]{2,4}")
"""The number of a material, or its beginning."""
_WASTE_CODE = re.compile("[^0-9]?[0-9]{2} [0-9]{2} [0-9]{2}")
"""Three numbers of two digits, with what stands before them."""
LEAST_ALONE = 5
"""Length of a designation that needs no head, and of the word before it: `Edelstahl 1.4301`."""
SHORT_HEAD = 2
"""Length of the shortest head."""
TYPED_RUNS, BEGUN_RUNS = range(2, 4), range(1, 5)
"""Numbers of digits that are joined in a query, and there only if nothing else is found."""


class Reading(NamedTuple):
    """What a query may mean from an item on: any of `keys`; `end` is the next item.

    `meant` is what was dropped or changed for this reading: the text that is searched for instead, or "".
    `is_last`: what was dropped may be a designation of its own, so other readings are tried before.
    """

    keys: tuple[str, ...]
    end: int
    meant: str = ""
    is_last: bool = False


def readings(text: str, items: Sequence[Item], at: int) -> list[Reading]:
    """Return what a query may mean by a designation that begins at an item, the most likely first."""
    return sorted([*_chain(items, at), *_designation(text, items, at)], key=lambda one: -one.end)


def _designation(text: str, items: Sequence[Item], at: int) -> Iterator[Reading]:
    """Yield the readings of a group, with what stands before it, and without publishers."""
    first = at
    while at < len(items) and not items[at].is_atom:
        is_next = at + 1 < len(items) and is_glue(items[at + 1].gap)
        is_last = is_next and items[at + 1].is_atom and not _stands_alone(items, at + 1)
        if not is_next or is_stop(items, at) or not (is_last or is_publisher(items[at].text)):
            return
        at += 1
    if at >= len(items) or (at > first and _CERTIFICATE.match(text, items[at].start)):
        return
    heads = _origins(items, first, at)
    yield from _read(text, items, first, at, heads)
    if heads and any(map(is_publisher, (one.text for one in items[first:at]))):
        for one in _read(text, items, at, at, ()):
            if len(one.keys[0]) >= SHORT_GROUP:
                meant = one.meant or text[items[at].start : items[one.end - 1].end]
                yield one._replace(meant=meant)


def _stands_alone(items: Sequence[Item], at: int) -> bool:
    """Return whether a group needs no head, as it follows a word and a space: `Edelstahl 1.4301`."""
    own = canonical([items[place].text for place in group_at(items, at)])
    is_long = at > 0 and min(len(own), len(items[at - 1].text)) >= LEAST_ALONE
    return is_long and items[at].gap == " " and not DIGITS.issuperset(own)


def _chain(items: Sequence[Item], at: int) -> Iterator[Reading]:
    """Yield what begins with a short sign and has hyphens or points, as a certificate: `d-pl-17043`."""
    end = at + 1
    while end < len(items) and items[end].gap in _CHAINED_BY:
        end += 1
    if end > at + 1 and len(items[at].text) <= SHORT_TAIL:
        signs = [one.text for one in items[at:end]]
        yield Reading((cut("-".join(signs)),), end)


def _origins(items: Sequence[Item], first: int, at: int) -> tuple[str, ...]:
    """Return the last publisher before a number, or the last ones if a slash is between them."""
    own = [place for place in range(first, at) if items[place].text not in KINDS] or [*range(first, at)]
    if not own:
        return ()
    found = list(items[own[-1]].forms)
    while len(own) > 1 and items[own[-1]].gap.strip(SPACE) == "/":
        own.pop()
        found += items[own[-1]].forms
    return tuple(CHAIN.sub(r"\1", one) if CHAIN.fullmatch(one) else FULL.get(one, one) for one in found)


def _read(text: str, items: Sequence[Item], first: int, at: int, heads: Sequence[str]) -> Iterator[Reading]:
    """Yield the readings of the group at `at`: whole, with what follows, without its year, its beginning."""
    places: Sequence[int] = group_at(items, at)
    end = places[-1] + 1
    own = canonical([items[place].text for place in places])

    def keys(*some: str) -> tuple[str, ...]:
        is_kind = items[at].gap == "/"  # the letter after a slash: `GB/T 228`
        pairs = [
            pair for one in some for head in heads or ("",) for pair in _cuts(head, one, is_kind=is_kind)
        ]
        return tuple(dict.fromkeys(cut(f"{head} {one}".strip()) for head, one in pairs))

    for grade, after in _grades(items, own, end):
        yield Reading(keys(grade), after)
    if not heads and (tails := dict.fromkeys(map(cut, with_tail(items, places)))):
        yield Reading((*tails,), end + 1)
    if end < len(items) and "+" in items[end].gap:
        yield Reading(keys(*_spelt(items, places)), end + 1, text[items[first].start : items[end - 1].end])
    while places:
        atoms, end = [items[place].text for place in places], places[-1] + 1
        if end == len(items) - 1 and _begins_part(items[end]):
            end += 1
        if heads or not all(map(is_letter, atoms)) or len(atoms) > 1:
            yield Reading(keys(*_spelt(items, places)), end)
            yield Reading(keys(joined_digits(items, places, BEGUN_RUNS)), end)
        if tailed := _TAILED.fullmatch(canonical(atoms)):
            yield Reading(keys(tailed[1] if is_publisher(tailed[2]) else " ".join(tailed.groups())), end)
        for numbers, count, stays, added in _instead(items, places, heads):
            is_last = any(_begins_own(items, places[at:]) for at in range(count, len(places)))
            yield Reading(keys(*numbers), end, f"{text[items[first].start : stays]}{added}", is_last)
        places = _shorter(items, places)


def _grades(items: Sequence[Item], own: str, end: int) -> Iterator[tuple[str, int]]:
    """Yield a group with the words and groups after it, the longest first, each with its end."""
    for grade, after in grades_of(items, own, end, LONGEST_TAIL):
        if grade[-1] in DIGITS:
            yield from _grades(items, grade, after)
        yield grade, after


def _cuts(head: str, group: str, *, is_kind: bool) -> Iterator[tuple[str, str]]:
    """Yield a head and a group, also with the letter between them at the other: `IP X4`, `IPX4`.

    After a publisher, the letter stays where it is, or is left out if it is a kind.
    """
    yield head, group
    has_letter = is_letter(group[0]) and group[1:2] in DIGITS
    if is_publisher(head):
        if has_letter and is_kind:
            yield head, group[1:]
    elif head and has_letter:
        yield head + group[0], group[1:]
    elif len(head) > SHORT_HEAD and group[0] in DIGITS:
        yield head[:-1], head[-1] + group


def _spelt(items: Sequence[Item], places: Sequence[int]) -> tuple[str, ...]:
    """Return a group as it is typed, with its groups of digits joined, and with `T3` as part 3."""
    atoms = [items[place].text for place in places]
    return canonical(atoms), joined_digits(items, places, TYPED_RUNS), with_parts(atoms)


def _instead(
    items: Sequence[Item], places: Sequence[int], heads: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], int, int, str]]:
    """Yield a group without its year, without the letter of its revision, of its part, and its supplement.

    Each has the number of atoms that stay as they are, and what is meant: where the text that stays ends, and
    what follows there.
    """
    atoms, last = [items[place].text for place in places], items[places[-1]]
    is_short = any(one.startswith(_WITH_SHORT_YEARS) for one in heads)
    is_short = is_short or (not heads and _SHORT_DATED.fullmatch(atoms[0]) is not None)
    for count in _before_years(items, places, is_short=is_short):
        yield _spelt(items, places[:count]), count, items[places[count - 1]].end, ""
    if not (heads or _stands_alone(items, places[0]) or _is_tied(items, places[0])):
        return
    for one in _spelt(items, places):
        found = LETTERED.fullmatch(one)
        if found and _ADDING.isdisjoint("".join(items[place].gap for place in places[1:])):
            number = "-".join(found.groups())
            yield (number,), 1, items[places[0]].start, number
    for count in _before_supplements(items, places):
        yield _spelt(items, places[:count]), count, items[places[count - 1]].end, ""
    if found := _REVISED.fullmatch(canonical(atoms)):
        yield (found[1],), 1, last.end - 1, ""


def _is_tied(items: Sequence[Item], at: int) -> bool:
    """Return whether a group stands at a word without a space, or after a publisher: `J-STD-020D`."""
    before = items[at - 1 : at]
    return any(is_publisher(one.text) or (not one.is_atom and items[at].gap in ("", "-")) for one in before)


def _begins_own(items: Sequence[Item], places: Sequence[int]) -> bool:
    """Return whether these atoms stand after a space, and say something alone.

    They begin the number of a material, or have letters: `EN 10088-3 1.4301`, `EN 10025-2:2019 S235JR`.
    """
    first, own = items[places[0]], canonical([items[place].text for place in places])
    is_material = _MATERIAL.fullmatch(own) is not None and items[places[1]].gap == "."
    is_bare = is_letter(own) or DIGITS.issuperset(own.replace("-", "")) or bool(YEAR.fullmatch(first.text))
    return first.gap == " " and (is_material or not is_bare)


def _before_supplements(items: Sequence[Item], places: Sequence[int]) -> Iterator[int]:
    """Yield how many atoms stand before a supplement of a number (`+A1`, `Rev. H`), the last one first.

    So stands a grade after a space: ` 100Cr6`.
    """
    for count in reversed(range(1, len(places))):
        one, before = items[places[count]], items[places[count] - 1].text
        is_letter_after = before[-1] in DIGITS and one.text[0] not in DIGITS
        if before in EDITIONS or is_letter_after or _begins_own(items, places[count:]):
            yield count


def _begins_part(item: Item) -> bool:
    """Return whether a word is, or begins, a word such as `Teil`."""
    return not item.is_atom and any(one.startswith(item.text) for one in JOINTS) and is_glue(item.gap)


def _shorter(items: Sequence[Item], places: Sequence[int]) -> Sequence[int]:
    """Return the beginning of a group, up to the last gap at which two designations may meet.

    A hyphen is one before a number with a point: `EN 10204-3.1`. A waste code is one designation: `17 04 99`.
    """
    if _WASTE_CODE.fullmatch("".join(f"{items[place].gap}{items[place].text}" for place in places)):
        return ()
    for count in range(len(places) - 1, 0, -1):
        after = items[places[count]]
        has_point = [items[one].gap for one in places[count + 1 : count + 2]] == ["."]
        if has_point and after.gap.strip(SPACE) == "-":
            return places[:count]
        is_tight = after.gap == "" or after.gap.strip(SPACE) in TIGHT or places[count] > places[count - 1] + 1
        if not is_tight:
            return places[:count]
    return ()


def _before_years(items: Sequence[Item], places: Sequence[int], *, is_short: bool) -> Iterator[int]:
    """Yield how many atoms stand before a year, or at the end before its beginning; the last year first.

    A month may stand before the year: `6892-1 06/2020`.
    """
    atoms = [items[place].text for place in places]
    for count in reversed(range(1, len(atoms))):
        one, gap = atoms[count], items[places[count]].gap.strip(SPACE)
        is_begun = places[count] == len(items) - 1 and _BEGUN_YEAR.fullmatch(gap + one)
        is_year = is_begun or YEAR.fullmatch(one) or (is_short and gap and _SHORT_YEAR.fullmatch(one))
        if is_year and has_number(atoms[:count]):
            yield count
            if MONTH.fullmatch(atoms[count - 1]) and has_number(atoms[: count - 1]):
                yield count - 1
