"""Read what stands before a designation: its publishers, such as `DIN EN ISO`, and the word for its kind.

The grammar stands in labgen/search/README.md, "Designations".
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from labgen.search.foldings import MOST_LETTERS, STOP_WORDS
from labgen.search.items import JOINTS, Item, has_number, is_glue, is_letter

PUBLISHERS = frozenset(
    {
        "din", "en", "iso", "iec", "vde", "vdi", "cen", "cenelec", "etsi", "astm", "ansi", "asme", "api",
        "aws", "sae", "ieee", "bs", "nf", "uni", "une", "sn", "sia", "onorm", "oenorm", "gost", "jis", "gb",
        "mil", "un", "ece", "epa", "oecd", "cispr", "itu", "dvs", "dvgw", "dwa", "vdg", "vda", "iatf", "ul",
        "fda", "usp", "aatcc", "aoac", "nen", "csn", "pn", "sfs", "ss", "eu", "eg", "ec", "ewg", "eec", "asu",
        "lfgb", "avv", "eak", "ewc", "us", "aa", "aw", "eur", "pheur", "cas", "dguv", "afnor", "nace",
        "aisi", "laga", "cie", "hd", "jedec", "gbt", "bvl", "vw", "bmw", "mercedes", "daimler", "ford",
        "volvo", "renault",
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
        "chapter", "pharm", "band", "regelung", "regulation", "mitteilung", "official", "gem", "laut", "acc",
        "according", "accordance", "isp", "dpas", "dguide", "pruefblatt", "prufblatt", "vorschrift",
        "werkstoffnr", "wkst", "entwurf", "normen", "vgl", "lt", "entspr", "entsprechend", "siehe",
        "bd", "regel", "mb", "tm", "test", "directive",
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
FULL = {**_ABBREVIATIONS, "pheur": "eur", "gbt": "gb", "ec": "eg", "eec": "ewg"}
"""What a word before a number or a letter is read as: `Div. 1`, `Gr. B`; `PhEur 2.6.1`: `Ph. Eur. 2.6.1`."""
_MONTHS = (
    "januar", "februar", "marz", "maerz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "okt", "nov", "dez",
)  # fmt: skip
_BESIDE = ("na", "ac", "stand", "mat", "material", "materialnummer", "materialnr")
OPTIONAL = KINDS.union(_ABBREVIATIONS, _ABBREVIATIONS.values(), JOINTS, _MONTHS, _BESIDE)
"""Words that are ignored if no laboratory has them beside the others: `Section IX`, `Stand Mai 2015`."""
_CHAINED = "din|en|iso|iec|vde|vdi|aw|us|epa|un|ece|mil|std"
CHAIN = re.compile(f"(?:f?pr)?(?:{_CHAINED})*({_CHAINED})(?:ts|tr|pas|f?dis|cd|spec)?")
"""Publishers that are written together, with a kind after them or before: `DINENISO`, `ISOTS`, `prEN`."""
_SHORT_WORD = re.compile("[^0-9]{1,2}")


def heads_before(items: Sequence[Item], places: Sequence[int]) -> list[str]:
    """Return the words before a group that belong to it: the next one, and before numbers publishers, too."""
    found: list[str] = []
    place = places[0] - 1
    has_number = not all(is_letter(items[one].text) for one in places)
    while place >= 0 and not items[place].is_atom and is_glue(items[place + 1].gap):
        word = items[place]
        is_own = is_publisher(word.text)
        if is_stop(items, place) or (found and not is_own):
            break
        found += (*(FULL.get(one, one) for one in word.forms), *_publishers_in(word.text))
        if not is_own or not has_number:
            break
        place -= 1
    return found


def joined_names(items: Sequence[Item], places: Sequence[int]) -> Iterator[str]:
    """Yield publishers and short words before a number, with its letter, as one word: `usepa`, `gbt`.

    Kinds are not among them. Each end of it is a word, too: `eniso` of `dineniso`.
    """
    at = next((place for place in places if has_number(items[place].text)), 0)
    name = items[at].text[0].strip("0123456789")
    while at > 0 and is_glue(items[at].gap) and len(name) < MOST_LETTERS:
        at -= 1
        word = items[at].text
        if word in STOP_WORDS or not (is_publisher(word) or _SHORT_WORD.fullmatch(word)):
            return
        name = "" if word in KINDS else word + name
        if len(name) > 1:
            yield name


@lru_cache(maxsize=4096)
def _publishers_in(word: str) -> Sequence[str]:
    """Return the publishers that a word has, if they are written together."""
    return re.findall(_CHAINED, word) if CHAIN.fullmatch(word) else []


def is_stop(items: Sequence[Item], at: int) -> bool:
    """Return whether a word is in most texts, and nothing ties it to what follows: `TO-15`, `Am241`."""
    return items[at].text in STOP_WORDS and items[at + 1].gap not in ("-", "")


@lru_cache(maxsize=4096)
def is_publisher(word: str) -> bool:
    """Return whether a word may stand before others that stand before a number."""
    return word in PUBLISHERS or word in KINDS or CHAIN.fullmatch(word) is not None
