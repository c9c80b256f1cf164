"""Read designations, such as `DIN EN ISO 6892-1:2017`, `S235JR`, `AVV 17 04 02` or `Shore D`.

The grammar stands in labgen/search/README.md, "Designations". `terms` returns the keys under which a text is
found; `readings` returns what a query may mean, the most likely first. `client.js` has the same readings.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from labgen.search.foldings import STOP_WORDS, cut
from labgen.search.items import (
    DIGITS,
    EDITIONS,
    JOINTS,
    MOST_ATOMS,
    SPACE,
    SPACES,
    Item,
    canonical,
    group_at,
    is_glue,
    is_letter,
    items_of,
)

PUBLISHERS = frozenset(
    {
        "din", "en", "iso", "iec", "vde", "vdi", "cen", "cenelec", "etsi", "astm", "ansi", "asme", "api",
        "aws", "sae", "ieee", "bs", "nf", "uni", "une", "sn", "sia", "onorm", "oenorm", "gost", "jis", "gb",
        "mil", "un", "ece", "epa", "oecd", "cispr", "itu", "dvs", "dvgw", "dwa", "vdg", "vda", "iatf", "ul",
        "fda", "usp", "aatcc", "aoac", "nen", "csn", "pn", "sfs", "ss", "eu", "eg", "ewg", "asu", "lfgb",
        "avv", "eak", "us", "aa", "aw", "eur", "pheur", "cas", "dguv",
    }
)  # fmt: skip
"""Words that stand before the number of a designation, several in a row."""
KINDS = frozenset(
    {
        "ts", "tr", "pas", "spec", "std", "guide", "pwi", "np", "awi", "wd", "cd", "dis", "fdis", "prf",
        "dts", "dtr", "tg", "nr", "no", "nummer", "norm", "standard", "merkblatt", "richtlinie", "verordnung",
        "werkstoff", "werkstoffnummer", "wnr", "vo", "abfallschluessel", "abfallschlussel", "abfallcode",
        "abfallschluesselnummer", "abfallschlusselnummer",
        "asn", "method", "methode", "wst", "rl", "guideline", "arbeitsblatt", "information", "kapitel", "kap",
        "chapter", "pharm",
    }
)  # fmt: skip
"""Words that say what kind of designation follows."""
_ABBREVIATIONS = {
    "div": "division",
    "sec": "section",
    "gr": "grade",
    "cl": "class",
    "typ": "type",
    "kl": "klasse",
}
FULL = {**_ABBREVIATIONS, "pheur": "eur"}
"""What a word before a number or a letter is read as: `Div. 1`, `Gr. B`; `PhEur 2.6.1`: `Ph. Eur. 2.6.1`."""
OPTIONAL = KINDS.union(_ABBREVIATIONS, _ABBREVIATIONS.values())
"""Words that are ignored if no laboratory has them beside the others: `Section IX`, `Grade Sn63`."""
AND = frozenset({"und", "oder", "and", "or", "u", "o"})
_CHAINED = "din|en|iso|iec|vde|vdi|aw|us|epa|un|ece"
_CHAIN = re.compile(f"(?:f?pr)?(?:{_CHAINED})*({_CHAINED})")
"""Publishers that are written together: `DINENISO 9001`; before them, that of a draft: `prEN 17886`."""
LONGEST_TAIL = 8
"""Length of the longest word that may be in the middle of a grade written apart: `X 6 CrNiMoTi 17`."""
LONGEST_SYMBOL = 2
"""The same where several stand there, which are symbols of chemical elements: `16 Mn Cr 5`."""
SHORT_TAIL = 3
"""The same for the end of a grade: `S235 JR`."""
SHORT_HEAD = 2
"""Length of the shortest head."""
MATERIAL = (1, 4)
"""Lengths of the two numbers of a material: `1.4301`."""
LONGEST_PART = 3
"""Length of the longest part in a list with slashes: `14774-1/2`, but not `1045-2/2008`."""
SHORT_GROUP = 3
"""Length of a part of a designation from which it is found without what stands before it."""
RUNS, TYPED_RUNS, BEGUN_RUNS = range(1, 4), range(2, 4), range(1, 5)
"""Numbers of digits that are joined: in a text, in a query, and there only if nothing else is found."""

_SIGNS = frozenset('[]<>"„“”')
"""Joints between what may be two things: `U < 50 V`, `20 × 30 mm` (`×` is `x`)."""
_LIST = re.compile(f"{SPACES}[,;/+&]?{SPACES}-?")
_TIGHT = frozenset({"-", ".", ":", ","})
_APART = frozenset({"", "(", "/"})
_CHAINED_BY = frozenset({"-", ".", ""})
"""What stands between the parts of the number of a certificate."""
_TAILED = re.compile("(.*[0-9])([^0-9]{4,})")
"""A group and its tail, written together: `3MCPD`."""
_PART = re.compile("^t([0-9]+)$")
_SHORT_YEAR = re.compile("[0-9]{2}(?:[a-z][0-9]?)?")
_REVISED = re.compile("(.*[0-9]{3})[a-z]")
"""A number with the letter of a revision: `610H`."""
_LETTERED = re.compile("([0-9]{3,})[a-z]([0-9-]+)")
"""A number and a part with a letter before it: `38409-H6`."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MONTH = re.compile(r"0[1-9]|1[0-2]")
_OF_IEC = re.compile("6[0-9]{4}(?![0-9])")
"""The numbers of standards of IEC, which are EN standards with the same number."""
_OF_BOTH = frozenset({"en", "iec"})


class Reading(NamedTuple):
    """What a query may mean from an item on: any of `keys`; `end` is the next item.

    `meant` is what was dropped or changed for this reading: the text that is searched for instead, or "".
    """

    keys: tuple[str, ...]
    end: int
    meant: str = ""


def terms(text: str) -> set[str]:
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
        own = _heads(items, places)
        is_next = _continues(items, end, at)
        heads = own or (heads if is_next else [])
        at = end = places[-1] + 1
        is_listed = any(map(is_publisher, heads))
        if is_next and is_listed and _is_further_part(items, last, places):
            found.update(map(cut, _terms_of_group(items, places, ())))
            places = [*last[:-1], *places]
        for some in (places, *(_with_further_parts(items, places) if is_listed else ())):
            is_of_both = not _OF_BOTH.isdisjoint(heads) and _OF_IEC.match(_joined_digits(items, some))
            all_heads = [*heads, *_OF_BOTH] if is_of_both else heads
            found.update(map(cut, _terms_of_group(items, some, all_heads)))
        year = _year_in([items[place].text for place in places])
        last = places[:year] if year else places
    return found


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


def _is_part_number(atom: str) -> bool:
    return len(atom) <= LONGEST_PART and DIGITS.issuperset(atom)


def _terms_of_group(items: Sequence[Item], places: Sequence[int], heads: Sequence[str]) -> Iterator[str]:
    atoms = [items[place].text for place in places]
    yield from (f"{canonical(atoms)} {word}" for word in _tails(items, places[-1] + 1))
    if all(map(is_letter, atoms)):
        yield from (f"{head} {one}" for head in heads for one in atoms)
        if len(atoms) == 1:
            return
    for start, is_first in _beginnings(items, places, atoms):
        for key in _spellings(items, places[start:], is_all=start == 0):
            yield key
            if is_first:
                yield from (f"{head} {key}" for head in heads)
            if start == 0 and is_letter(key[0]) and key[1:2] in DIGITS:
                yield from (f"{head} {key[1:]}" for head in heads)


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
    """Return whether a number in parts, after a space or a parenthesis, begins here: `718 (2.4668)`."""
    gap = items[places[0]].gap
    return gap.strip(SPACE) in _APART and gap != "" and len(places) > 1 and items[places[1]].gap in _TIGHT


def _spellings(items: Sequence[Item], places: Sequence[int], *, is_all: bool) -> Iterator[str]:
    """Yield a group, with groups of digits joined, and with the short words after it: `s235jr`, `42crmo4`."""
    atoms = [items[place].text for place in places]
    own = canonical(atoms)
    yield own
    if len(atoms) > 1:
        yield from _other_spellings(items, places, atoms, own)
    if is_all:
        yield from (text for text, _ in islice(_grades(items, own, places[-1] + 1), 1))


def _other_spellings(
    items: Sequence[Item], places: Sequence[int], atoms: Sequence[str], own: str
) -> Iterator[str]:
    """Yield a group of several atoms as it may be written otherwise; `own` is how it is written."""
    if (joined := _joined_digits(items, places)) != own:
        yield joined
    if tuple(map(len, atoms[:2])) == MATERIAL and items[places[1]].gap == ".":
        yield own.replace("-", "", 1)
    if (parts := _with_parts(atoms)) != own:
        yield parts
    if undated := _without_inner_year(atoms):
        yield canonical(undated)


def _with_parts(atoms: Sequence[str]) -> str:
    """Return a group in which `T3` after a number is part 3."""
    first, *others = atoms
    return canonical([first, *(_PART.sub(r"\1", one) for one in others)])


def _without_inner_year(atoms: Sequence[str]) -> Sequence[str]:
    """Return a group without the year, or year and month, that a supplement follows; () if there is none.

    `17294-2:2017-01 (E 29)`, `1090-2:2018+A1`.
    """
    year = _year_in(atoms)
    after = year + 1 + (_MONTH.fullmatch("".join(atoms[year + 1 : year + 2])) is not None)
    is_followed = year > 0 and after < len(atoms) and atoms[after][0] not in DIGITS
    return [*atoms[:year], *atoms[after:]] if is_followed else ()


def _joined_digits(items: Sequence[Item], places: Sequence[int], lengths: range = RUNS) -> str:
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


def _grades(items: Sequence[Item], own: str, end: int, most: int = SHORT_TAIL) -> Iterator[tuple[str, int]]:
    """Yield a group with the short words after it, and with the group after those; each with its end."""
    is_treated = end < len(items) and "+" in items[end].gap and not DIGITS.isdisjoint(own)
    is_whole = own[-1] in DIGITS or is_treated
    if not is_whole and own[-2:-1] not in DIGITS:
        return
    words = _grade_words(items, end)
    for count in range(len(words), 0, -1):
        grade, after = own + "".join(words[:count]), end + count
        if count == len(words) and _is_grade_end(items, after):
            places = group_at(items, after)
            yield grade + canonical([items[place].text for place in places]), places[-1] + 1
        if len(words[count - 1]) <= most and is_whole:
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


def _tails(items: Sequence[Item], end: int) -> tuple[str, ...]:
    """Return the word after a group that belongs to it: `e coli`, `2-4 dichlorphenol`."""
    if end >= len(items) or items[end].is_atom:
        return ()
    if items[end].text in STOP_WORDS or items[end].text in PUBLISHERS:
        return ()
    gap = items[end].gap
    is_near = bool(gap) and is_glue(gap) and is_letter(items[end - 1].text)
    return items[end].forms if gap == "-" or is_near else ()


def _heads(items: Sequence[Item], places: Sequence[int]) -> list[str]:
    """Return the words before a group that belong to it: the next one, and before numbers publishers, too."""
    found: list[str] = []
    place = places[0] - 1
    has_number = not all(is_letter(items[one].text) for one in places)
    while place >= 0 and not items[place].is_atom and is_glue(items[place + 1].gap):
        word = items[place]
        if word.text in STOP_WORDS or (found and not (has_number and is_publisher(word.text))):
            break
        found += (*map(_full, word.forms), *_publishers_in(word.text))
        place -= 1
    return found


def _full(word: str) -> str:
    return FULL.get(word, word)


def _publishers_in(word: str) -> list[str]:
    """Return the publishers that a word has, if they are written together."""
    return re.findall(_CHAINED, word) if _CHAIN.fullmatch(word) else []


def is_publisher(word: str) -> bool:
    """Return whether a word may stand before others that stand before a number."""
    return word in PUBLISHERS or word in KINDS or _CHAIN.fullmatch(word) is not None


def _continues(items: Sequence[Item], end: int, at: int) -> bool:
    """Return whether a group continues a list: only commas, or `und`, stand since the last one."""
    between = items[end : at + 1]
    are_joined = end > 0 and all(_LIST.fullmatch(one.gap) for one in between)
    return are_joined and all(one.text in AND for one in between[:-1])


def readings(text: str, items: Sequence[Item], at: int) -> list[Reading]:
    """Return what a query may mean by a designation that begins at an item, the most likely first."""
    return sorted([*_chain(items, at), *_designation(text, items, at)], key=lambda one: -one.end)


def _designation(text: str, items: Sequence[Item], at: int) -> Iterator[Reading]:
    """Yield the readings of a group, with what stands before it, and without publishers."""
    first = at
    while at < len(items) and not items[at].is_atom:
        is_next = at + 1 < len(items) and is_glue(items[at + 1].gap)
        is_last = is_next and items[at + 1].is_atom
        if not is_next or items[at].text in STOP_WORDS or not (is_last or is_publisher(items[at].text)):
            return
        at += 1
    if at >= len(items):
        return
    heads = _origins(items, first, at)
    yield from _read(text, items, first, at, heads)
    if heads and any(map(is_publisher, (one.text for one in items[first:at]))):
        for one in _read(text, items, at, at, ()):
            if len(one.keys[0]) >= SHORT_GROUP:
                meant = one.meant or text[items[at].start : items[one.end - 1].end]
                yield one._replace(meant=meant)


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
    return tuple(_CHAIN.sub(r"\1", one) if _CHAIN.fullmatch(one) else _full(one) for one in found)


def _read(text: str, items: Sequence[Item], first: int, at: int, heads: Sequence[str]) -> Iterator[Reading]:
    """Yield the readings of the group at `at`: whole, with what follows, without its year, its beginning."""
    places: Sequence[int] = group_at(items, at)
    end = places[-1] + 1
    own = canonical([items[place].text for place in places])

    def keys(*some: str) -> tuple[str, ...]:
        pairs = [pair for one in some for head in heads or ("",) for pair in _cuts(head, one)]
        return tuple(dict.fromkeys(cut(f"{head} {one}".strip()) for head, one in pairs))

    for grade, after in _grades(items, own, end, LONGEST_TAIL):
        yield Reading(keys(grade), after)
    if not heads and (tails := _tails(items, end)):
        yield Reading(tuple(cut(f"{own} {word}") for word in tails), end + 1)
    if not heads and (tailed := _TAILED.fullmatch(own)):
        yield Reading((cut(" ".join(tailed.groups())),), end)
    while places:
        atoms, end = [items[place].text for place in places], places[-1] + 1
        if end == len(items) - 1 and _begins_part(items[end]):
            end += 1
        if heads or not all(map(is_letter, atoms)) or len(atoms) > 1:
            yield Reading(keys(*_spelt(items, places)), end)
            yield Reading(keys(_joined_digits(items, places, BEGUN_RUNS)), end)
            yield Reading(keys(_with_parts(atoms)), end)
        if len(atoms) > 1 and is_letter(atoms[-1]) and items[places[-1]].gap == "-":
            yield Reading(keys(f"{canonical(atoms[:-1])} {atoms[-1]}"), end)
        for numbers, meant in _instead(items, places, heads):
            yield Reading(keys(*numbers), end, f"{text[items[first].start : meant[0]]}{meant[1]}")
        places = _shorter(items, places)


def _cuts(head: str, group: str) -> Iterator[tuple[str, str]]:
    """Yield a head and a group, also with the letter between them at the other: `IP X4`, `IPX4`."""
    yield head, group
    if not head or is_publisher(head):
        return
    if is_letter(group[0]) and group[1:2] in DIGITS:
        yield head + group[0], group[1:]
    elif len(head) > SHORT_HEAD and group[0] in DIGITS:
        yield head[:-1], head[-1] + group


def _spelt(items: Sequence[Item], places: Sequence[int]) -> tuple[str, ...]:
    """Return a group as it is typed, and with its groups of digits joined."""
    return canonical([items[place].text for place in places]), _joined_digits(items, places, TYPED_RUNS)


def _instead(
    items: Sequence[Item], places: Sequence[int], heads: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], tuple[int, str]]]:
    """Yield a group without its year, without the letter of its revision, of its part, and its supplement.

    Each has what is meant: where the text that stays ends, and what follows there.
    """
    atoms, last = [items[place].text for place in places], items[places[-1]]
    kept = [_year_at(atoms, is_short="astm" in heads)]
    if heads:
        for one in _spelt(items, places):
            if found := _LETTERED.fullmatch(one):
                number = "-".join(found.groups())
                yield (number,), (items[places[0]].start, number)
        kept.append(_supplement_at(items, places))
    for count in filter(None, kept):
        yield _spelt(items, places[:count]), (items[places[count - 1]].end, "")
    if heads and (found := _REVISED.fullmatch(canonical(atoms))):
        yield (found[1],), (last.end - 1, "")


def _supplement_at(items: Sequence[Item], places: Sequence[int]) -> int:
    """Return how many atoms stand before a supplement of a number: `+A1`, `(E 29)`, `Rev. H`; 0: none."""
    for count in range(1, len(places)):
        one, before = items[places[count]], items[places[count] - 1].text
        is_letter_after = before[-1] in DIGITS and one.text[0] not in DIGITS
        if before in EDITIONS or is_letter_after:
            return count
    return 0


def _begins_part(item: Item) -> bool:
    """Return whether a word is, or begins, a word such as `Teil`."""
    return not item.is_atom and any(one.startswith(item.text) for one in JOINTS) and is_glue(item.gap)


def _shorter(items: Sequence[Item], places: Sequence[int]) -> Sequence[int]:
    """Return the beginning of a group, up to the last gap at which two designations may meet."""
    for count in range(len(places) - 1, 0, -1):
        after = items[places[count]]
        is_tight = (
            after.gap == "" or after.gap.strip(SPACE) in _TIGHT or places[count] > places[count - 1] + 1
        )
        if not is_tight:
            return places[:count]
    return ()


def _year_at(atoms: Sequence[str], *, is_short: bool) -> int:
    """Return how many atoms stand before the year; 0 if there is none."""
    if is_short and len(atoms) > 1 and _SHORT_YEAR.fullmatch(atoms[-1]):
        return len(atoms) - 1
    return _year_in(atoms)


def _year_in(atoms: Sequence[str]) -> int:
    """Return the place of the first year after a number; 0 if there is none."""
    return next((place for place, one in enumerate(atoms) if place and _YEAR.fullmatch(one)), 0)
