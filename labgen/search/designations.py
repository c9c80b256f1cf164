"""Read the designations in texts, such as `DIN EN ISO 6892-1:2017`, `S235JR`, `AVV 17 04 02` or `Shore D`.

The grammar stands in labgen/search/README.md, "Designations". `terms` returns the keys under which a text is
found; `readings` in the module of this name says what a query may mean.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from labgen.search.foldings import STOP_WORDS, cut
from labgen.search.heads import PUBLISHERS, heads_before, is_publisher, joined_names
from labgen.search.items import (
    DIGITS,
    JOINTS,
    MOST_ATOMS,
    SPACE,
    SPACES,
    SUPPLEMENTS,
    Item,
    canonical,
    group_at,
    has_number,
    is_glue,
    is_letter,
    items_of,
)

RANGE = "bis"
AND = frozenset({"und", "oder", "and", "or", "u", "o", RANGE})
LONGEST_TAIL = 8
"""Length of the longest word that may be in the middle of a grade written apart: `X 6 CrNiMoTi 17`."""
LONGEST_SYMBOL = 2
"""The same where several stand there, which are symbols of chemical elements: `16 Mn Cr 5`."""
SHORT_TAIL = 3
"""The same for the end of a grade: `S235 JR`."""
_MATERIAL = (1, 4)
"""Lengths of the two numbers of a material: `1.4301`."""
LEAST_PADDED = 4
"""Length of the shortest number that is found without the zero it begins with: `VDE 0100` is `VDE 100`."""
LONGEST_PART = 3
"""Length of the longest part in a list with slashes: `14774-1/2`, but not `1045-2/2008`."""
MOST_PARTS = 32
"""Maximum number of parts in a range: `10993-1 bis -23`."""
SHORT_GROUP = 3
"""Length of a part of a designation from which it is found without what stands before it."""
RUNS = range(1, 4)
"""Numbers of digits that are joined in a text."""

_SIGNS = frozenset('[]<>"„“”')
"""Joints between what may be two things: `U < 50 V`, `20 × 30 mm` (`×` is `x`)."""
_LIST = re.compile(f"{SPACES}[,;/+&]?{SPACES}-?")
TIGHT = frozenset({"-", ".", ":", ","})
_APART = frozenset({"(", "/"})
_PART = re.compile("^t([0-9]+)$")
_WORD_IN_NUMBER = re.compile(f"(?<=[0-9])(?:{'|'.join(sorted(JOINTS))})(?=[0-9])")
"""A word such as `Teil` between numbers without spaces: `4102teil1`."""
YEAR = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])?")
LETTERED = re.compile("([0-9]{3,})[a-z]([0-9-]+)")
"""A number and a part with a letter before it: `38409-H6`."""
_GRADE = re.compile("[a-z]?[0-9]+[a-z]{2,}[0-9]+(?:-[0-9]+)+")
"""A grade with several numbers at its end: `X5CrNi18-10`, `X5CrNi18-10 (V2A)`."""
MONTH = re.compile(r"0[1-9]|1[0-2]")
_NUCLIDE = re.compile("[a-z]{1,2}-[0-9]{1,3}m?")
"""A symbol and a number that is also written before it: `Cs-137`, `137Cs`."""
_NUCLIDE_BEFORE = re.compile(
    "([0-9]{2,3}m?)"
    "(ac|ag|am|ba|bi|cd|ce|cf|cm|co|cr|cs|eu|fe|la|mn|na|nb|np|pa|pb|po|pu|ra|rn|ru|sb|se|sr|tc|te|th|tl|xe|zn|zr)"
)
"""The same the other way round, for what laboratories measure: `226Ra`, `Ra-226`."""
_OF_IEC = re.compile("6[0-9]{4}(?![0-9])")
"""The numbers of standards of IEC, which are EN standards with the same number."""
_OF_BOTH = frozenset({"en", "iec"})


def terms(text: str) -> frozenset[str]:
    """Return the terms of the designations in a text."""
    found: set[str] = set()
    items = items_of(text)
    heads: list[str] = []
    last: Sequence[int] = ()
    at = end = 0
    while at < len(items):
        if not items[at].is_atom:
            at += 1
            continue
        places = group_at(items, at)
        own = heads_before(items, places)
        found.update(joined_names(items, places))
        is_next = _continues(items, end, at) and (
            items[at - 1].text != RANGE or _ends_range(items, last, places)
        )
        heads = (heads if is_next else []) or own
        at = end = places[-1] + 1
        is_listed = any(map(is_publisher, heads))
        if is_next and is_listed and _is_further_part(items, last, places):
            found.update(_terms_of_group(items, places, ()))
            places = [*last[:-1], *places]
        groups: list[tuple[Sequence[Item], Sequence[int]]] = [(items, places)]
        if is_listed:
            groups += ((items, some) for some in _with_further_parts(items, places))
            groups += ((some, range(len(some))) for some in _in_range(items, last, places))
        for own_items, some in groups:
            is_of_both = not _OF_BOTH.isdisjoint(heads) and _OF_IEC.match(joined_digits(own_items, some))
            all_heads = [*heads, *_OF_BOTH] if is_of_both else heads
            found.update(_terms_of_group(own_items, some, all_heads))
        year = year_in([items[place].text for place in places])
        last = places[:year] if year else places
    return frozenset(map(cut, found))


def has_role(word: str) -> bool:
    """Return whether a word may stand between others that belong to a designation; others stand beside it."""
    is_short = len(word) <= LONGEST_SYMBOL
    return is_short or is_publisher(word) or word in AND or word in JOINTS or word in SUPPLEMENTS


@lru_cache(maxsize=1024)
def may_join(gap: str) -> bool:
    """Return whether a designation, or a list of them, may go over what stands between two words."""
    return is_glue(gap) or _LIST.fullmatch(gap) is not None


def _is_further_part(items: Sequence[Item], last: Sequence[int], places: Sequence[int]) -> bool:
    """Return whether a group is a further part of the number in the group before: `-11` in `71-10, -11`."""
    is_short = 1 < len(last) <= MOST_ATOMS - len(places)
    return is_short and items[last[-1]].gap.endswith("-") and items[places[0]].gap.endswith("-")


def _with_further_parts(items: Sequence[Item], places: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield a number with each part after a slash, in place of the part before it: `14774-1/2/3`."""
    first = 0
    for at, place in enumerate(places):
        if items[place].gap != "/":
            first = at if items[place].gap == "-" else 0
        elif first and all(_is_part_number(items[one].text) for one in (places[first], place)):
            yield [*places[:first], place]


def _ends_range(items: Sequence[Item], last: Sequence[int], places: Sequence[int]) -> bool:
    """Return whether what stands after `bis` is a part, or has as many as what stands before: `-5`."""
    return items[places[0]].gap.endswith("-") or 1 < len(last) == len(places)


def _in_range(items: Sequence[Item], last: Sequence[int], places: Sequence[int]) -> Iterator[Sequence[Item]]:
    """Yield the items of each group between two, as `16750-2` of `16750-1 bis -5`."""
    if not 1 < len(last) == len(places) or items[last[-1] + 1].text != RANGE:
        return
    *own, first = (items[place].text for place in last)
    *others, end = (items[place].text for place in places)
    if own == others and "0" not in (first[0], end[0]) and _is_part_number(first) and _is_part_number(end):
        numbers = range(int(first) + 1, min(int(end), int(first) + MOST_PARTS))
        group = [items[place] for place in places]
        yield from ([*group[:-1], group[-1]._replace(text=str(number))] for number in numbers)


def _is_part_number(atom: str) -> bool:
    return len(atom) <= LONGEST_PART and DIGITS.issuperset(atom)


def _terms_of_group(items: Sequence[Item], places: Sequence[int], heads: Sequence[str]) -> Iterator[str]:
    atoms = [items[place].text for place in places]
    for tail in with_tail(items, places):
        yield tail
        if tail[1] == " ":
            yield tail.replace(" ", "")
    signs = atoms if len(atoms) > 1 else [*heads[:1], *atoms]
    yield from _nuclides(signs)
    if all(map(is_letter, atoms)):
        yield from (f"{head}{gap}{one}" for head in heads for one in atoms for gap in (" ", ""))
        if len(atoms) == 1:
            return
    yield from (f"{head} {key}" for key in _beginnings_joined(items, places) for head in heads)
    is_padded = atoms[0][0] == "0" and len(atoms[0]) >= LEAST_PADDED
    for start, is_first in _beginnings(items, places, atoms):
        for key in _spellings(items, places[start:], is_all=start == 0):
            yield key
            if is_first:
                yield from (f"{head} {key}" for head in heads)
            if start == 0 and key[1:2] in DIGITS and (is_letter(key[0]) or is_padded):
                yield from (f"{head} {key[1:]}" for head in heads)


def _nuclides(signs: Sequence[str]) -> Iterator[str]:
    """Yield a nuclide with its number before the symbol, or after it, as it is not written."""
    if _NUCLIDE.fullmatch("-".join(signs)):
        yield signs[1] + signs[0]
    if nuclide := _NUCLIDE_BEFORE.fullmatch(signs[-1]):
        yield f"{nuclide[2]} {nuclide[1]}"


def _beginnings(
    items: Sequence[Item], places: Sequence[int], atoms: Sequence[str]
) -> Iterator[tuple[int, bool]]:
    """Yield where a group may be read from, and whether what stands before the group belongs to it there."""
    yield 0, True
    for start, one in enumerate(atoms[1:], start=1):
        is_mixed = one[0] not in DIGITS and "".join(atoms[start : start + 2])[1:2] in DIGITS
        is_long = len(one) >= SHORT_GROUP or (len(one) > 1 and not DIGITS.issuperset(one))
        is_after_sign = atoms[start - 1] == "x" or not _SIGNS.isdisjoint(items[places[start]].gap)
        if is_long or is_mixed or is_after_sign or _is_apart(items, places[start:]):
            yield start, all(map(is_letter, atoms[:start]))


def _is_apart(items: Sequence[Item], places: Sequence[int]) -> bool:
    """Return whether a number in parts, after a space, `(` or `/`, begins here: `718 (2.4668)`."""
    if len(places) == 1 or items[places[1]].gap not in TIGHT:
        return False
    gap = items[places[0]].gap
    return gap in _APART or gap != gap.strip(SPACE)


def _spellings(items: Sequence[Item], places: Sequence[int], *, is_all: bool) -> Iterator[str]:
    """Yield a group, with groups of digits joined, and with the short words after it: `s235jr`, `42crmo4`."""
    atoms = [items[place].text for place in places]
    own = canonical(atoms)
    yield own
    if own.islower():  # it has letters
        yield with_parts(atoms)
    if len(atoms) > 1:
        yield from _other_spellings(items, places, atoms, own)
    if is_all:
        yield from (text for text, _ in islice(grades_of(items, own, places[-1] + 1), 1))


def _other_spellings(
    items: Sequence[Item], places: Sequence[int], atoms: Sequence[str], own: str
) -> Iterator[str]:
    """Yield a group of several atoms as it may be written otherwise; `own` is how it is written."""
    if (joined := joined_digits(items, places)) != own:
        yield joined
    if tuple(map(len, atoms[:2])) == _MATERIAL and items[places[1]].gap == ".":
        yield own.replace("-", "", 1)
    if undated := _without_inner_year(atoms):
        yield canonical(undated)
    if items[places[1]].gap == "-" and (lettered := LETTERED.fullmatch(own)):
        yield "-".join(lettered.groups())
    if grade := _GRADE.match(own):
        yield grade[0].replace("-", "")


def _beginnings_joined(items: Sequence[Item], places: Sequence[int]) -> Iterator[str]:
    """Yield a group with its first groups of digits joined: `1704-02` of `17 04 02`."""
    for count in range(2, len(places)):
        if items[places[count - 1]].gap.strip(SPACE) == "":
            rest = [items[place].text for place in places[count:]]
            yield canonical([joined_digits(items, places[:count]), *rest])


def with_parts(atoms: Sequence[str]) -> str:
    """Return a group in which `T3` after a number, and `Teil3` without spaces, is part 3."""
    first, *others = atoms
    return _WORD_IN_NUMBER.sub("-", canonical([first, *(_PART.sub(r"\1", one) for one in others)]))


def _without_inner_year(atoms: Sequence[str]) -> Sequence[str]:
    """Return a group without the year, or year and month, that a supplement follows; () if there is none.

    `17294-2:2017-01 (E 29)`, `1090-2:2018+A1`.
    """
    year = year_in(atoms)
    after = year + 1 + (MONTH.fullmatch("".join(atoms[year + 1 : year + 2])) is not None)
    is_followed = year > 0 and after < len(atoms) and atoms[after][0] not in DIGITS
    return [*atoms[:year], *atoms[after:]] if is_followed else ()


def joined_digits(items: Sequence[Item], places: Sequence[int], lengths: range = RUNS) -> str:
    """Return a group with short runs of digits joined that have spaces between them: `170402`."""
    parts: list[str] = []
    after_run = -1
    for place in places:
        one = items[place].text
        is_run = DIGITS.issuperset(one) and len(one) in lengths
        if is_run and place == after_run and items[place].gap.strip(SPACE) == "":
            parts[-1] += one
        else:
            parts.append(one)
        after_run = place + 1 if is_run else -1
    return canonical(parts)


def grades_of(items: Sequence[Item], own: str, end: int, most: int = SHORT_TAIL) -> Iterator[tuple[str, int]]:
    """Yield a group with the short words after it, and with the group after those; each with its end."""
    is_treated = end < len(items) and "+" in items[end].gap and not DIGITS.isdisjoint(own)
    may_end = own[-1] in DIGITS or is_treated
    if not may_end and own[-2:-1] not in DIGITS:  # of `11 S Mn 30`: a letter, if a number follows the words
        return
    words = _grade_words(items, end)
    for count in range(len(words), 0, -1):
        grade, after = own + "".join(words[:count]), end + count
        is_part = after < len(items) and items[after].text in JOINTS and is_glue(items[after].gap)
        if count == len(words) and _is_grade_end(items, after + is_part):
            places = group_at(items, after + is_part)
            yield grade + canonical([items[place].text for place in places]), places[-1] + 1
        if len(words[count - 1]) <= most and may_end:
            yield grade, after


def _grade_words(items: Sequence[Item], at: int) -> list[str]:
    """Return the words from `at` on that may be in a grade: a short one, or symbols of elements."""
    words: list[str] = []
    for one in items[at : at + MOST_ATOMS]:
        is_other = one.is_atom or not is_glue(one.gap) or len(one.text) > LONGEST_TAIL
        if is_other or one.text in STOP_WORDS or one.text in JOINTS or one.text in PUBLISHERS:
            break
        if words and max(len(words[-1]), len(one.text)) > LONGEST_SYMBOL:
            break
        words.append(one.text)
    return words


def _is_grade_end(items: Sequence[Item], at: int) -> bool:
    """Return whether a group continues a grade after a word: `Cr 5`, and after a short one `JR G2`."""
    if at >= len(items) or not items[at].is_atom or not is_glue(items[at].gap):
        return False
    is_after_short = len(items[at - 1].text) <= LONGEST_SYMBOL
    is_alone = is_letter(items[at].text) and len(group_at(items, at)) == 1
    return items[at].text[0] in DIGITS or (is_after_short and not is_alone)


def with_tail(items: Sequence[Item], places: Sequence[int]) -> Iterator[str]:
    """Yield a group with the word after it that belongs to it: `e coli`, `2-3-7-8 tcdd` and `2378 tcdd`."""
    atoms = [items[place].text for place in places]
    for tail in items[places[-1] + 1 : places[-1] + 2]:
        is_near = tail.gap == "-" or (is_letter(atoms[-1]) and tail.gap != "" and is_glue(tail.gap))
        if is_near and not tail.is_atom and tail.text not in STOP_WORDS | PUBLISHERS:
            yield from (f"{one} {word}" for one in (canonical(atoms), "".join(atoms)) for word in tail.forms)


def _continues(items: Sequence[Item], end: int, at: int) -> bool:
    """Return whether a group continues a list: only commas, or `und`, stand since the last one."""
    between = items[end : at + 1]
    are_joined = end > 0 and all(_LIST.fullmatch(one.gap) for one in between)
    return are_joined and all(one.text in AND for one in between[:-1])


def year_in(atoms: Sequence[str]) -> int:
    """Return the place of the first year after a number; 0 if there is none."""
    for at in range(1, len(atoms)):
        if YEAR.fullmatch(atoms[at]) and has_number(atoms[:at]):
            return at
    return 0
