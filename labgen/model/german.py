"""Make URL slugs from German names, compare titles, and sort in German dictionary order."""

import re
import unicodedata
from functools import cache, lru_cache

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_UNHEARD = re.compile("['`´’\u00ad]")
"""Apostrophes, and soft hyphens: they divide no word."""


def slugify(name: str) -> str:
    """Convert a name to one segment of a URL: ä becomes ae, ß becomes ss, the rest ASCII and hyphens.

    It has at most `LONGEST_SEGMENT` characters. Return "" if no letter or digit of the name has an ASCII form
    (decisions, `url`).
    """
    german = unicodedata.normalize("NFC", name).lower().translate(_UMLAUTS)
    words = re.sub(r"[^\w]+", "-", _UNHEARD.sub("", "".join(map(_plain, german))))
    segment = re.sub(r"[^a-z0-9]+", "-", words.encode("ascii", "ignore").decode()).strip("-")
    return segment[:LONGEST_SEGMENT].rstrip("-")


LONGEST_SEGMENT = 200
"""The most characters of a segment; file systems take 255 bytes."""


def town_slug(locality: str) -> str:
    """Return the segment of a URL for a town; different spellings may share one, and so one page."""
    return slugify(locality) or "other"


@cache
def _plain(char: str) -> str:
    """Return a character in lower case and without accents; a Latin letter in ASCII."""
    parts = unicodedata.normalize("NFKD", char).lower()
    return "".join([_spelt(part) for part in parts if not unicodedata.combining(part)])


def _spelt(letter: str) -> str:
    """Return the base letter in the Unicode name of a Latin letter; any other character unchanged.

    The base letter of ł (L WITH STROKE) is l, that of ə (SCHWA) is e.
    """
    name = "" if letter.isascii() else unicodedata.name(letter, "")
    if not name.startswith("LATIN "):
        return letter
    words = name.partition(" WITH ")[0].split()
    spelt = [_NAMED.get(word, word.lower() if len(word) <= DIGRAPH else "") for word in words[1:]]
    return next((one for one in reversed(spelt) if one), letter)


DIGRAPH = 2
"""The longest spelling, in characters, that the Unicode name of a letter contains: AE for Æ."""
_NAMED = {
    "ALPHA": "a", "BETA": "b", "CHI": "x", "DELTA": "d", "ENG": "n", "ESH": "s", "ETH": "d", "EZH": "z",
    "GAMMA": "g", "HENG": "h", "IOTA": "i", "KRA": "q", "LAMBDA": "l", "LEZH": "l", "OMEGA": "o", "PHI": "f",
    "SCHWA": "e", "THORN": "th", "UPSILON": "u", "WYNN": "w", "YOGH": "y",
}  # fmt: skip


@lru_cache(maxsize=16_384)
def normalised_title(title: str) -> str:
    """Return a title for comparison: equal for titles that look the same but for capitals and spaces.

    Letters are composed (NFC), spaces single; soft hyphens and characters of zero width are left out.
    """
    return " ".join(unicodedata.normalize("NFC", title.casefold()).translate(_UNSEEN).split())


_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def collation_key(text: str) -> tuple[str, str, str]:
    """Return the sort key of DIN 5007-1: ä as a, ß as ss; accents, then case, only break ties.

    Signs sort before digits, and digits before letters, in the order of Unicode's German collation (CLDR).
    """
    lower = unicodedata.normalize("NFC", text).lower()
    return (
        "".join(map(_weight, lower)),
        unicodedata.normalize("NFD", lower).translate(_ACCENTS),
        text.swapcase(),
    )


@cache
def _weight(char: str) -> str:
    """Return the primary weight of a character: without accents and case."""
    if char in _SIGNS:
        return "\x01" + chr(FIRST_SIGN + _SIGNS.index(char))
    return "".join(map(_part_weight, unicodedata.normalize("NFKD", char).lower()))


def _part_weight(char: str) -> str:
    """Return the primary weight of a character without a decomposition."""
    if "a" <= char <= "z" or char.isdigit():
        return char
    kind = unicodedata.category(char)
    if char in _VARIANTS:
        return "".join(map(_weight, _VARIANTS[char]))
    if char in _SIGNS:
        return _weight(char)
    if kind in ("Mn", "Cc", "Cf"):
        return ""
    if kind[0] in "PSZ":
        return f"\x02{char}"
    spelt = "z" if char == "þ" else _spelt(char)
    return char if spelt == char else f"{spelt[0]}{AFTER_ALL}{char}"


FIRST_SIGN = 0x4E00
"""The code point that encodes the rank of the first sign in `_SIGNS`."""
AFTER_ALL = "\U0010ffff"
"""Sorts a letter such as ŋ as a separate letter, after n."""

_SIGNS = (
    "\t\n\x0b\x0c\r\x85\u2028\u2029 ‾_-‐‒–—―,;:!¡?¿.·'‹›\"«»()[]{}§¶@*/\\&#%‰†‡•‧′`´˜^¯˘˙¨˚˝¸˛ˇ°©®←→↑↓∂∅∆∏∑"
    "+±÷×<=>¬|¦~−⁄√∞∫≈≤≥⌀■□▪▫◊○●★☆✓✗¤¢$£¥€₽"
)
"""Punctuation and symbols in collation order (CLDR, root collation); all others follow."""

_VARIANTS = {
    **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"'),
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h",
}  # fmt: skip
"""Characters with the primary weight of another character."""

_ACCENTS = {
    ord(accent): 0xE000 + place
    for place, accent in enumerate(
        "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
    )
}
"""Accents in collation order (CLDR), after all letters."""
