"""The German ways with words: addresses made from names, and dictionary order."""

import re
import unicodedata

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_LETTERS = str.maketrans(
    {
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
        "ı": "i", "ŋ": "n", "ŧ": "t",
    }
)  # fmt: skip
_APOSTROPHES = re.compile("['`´’]")


def slugify(name: str) -> str:
    """Return a name as one segment of an address: ä becomes ae, ß becomes ss, the rest ASCII and hyphens.

    "" where the name holds no letter or digit that has an ASCII form (docs/reference/decisions.md).
    """
    german = unicodedata.normalize("NFC", name).lower().translate(_UMLAUTS)
    words = re.sub(r"[^\w]+", "-", _APOSTROPHES.sub("", _fold(german)))
    return re.sub(r"[^a-z0-9]+", "-", words.encode("ascii", "ignore").decode()).strip("-")


def dictionary_key(text: str) -> tuple[str, str, str]:
    """Return the sort key of DIN 5007-1: ä as a, ß as ss; accents, then case, only break ties."""
    lower = unicodedata.normalize("NFC", text).lower()
    return (
        _fold(lower),
        unicodedata.normalize("NFD", lower),
        text.swapcase(),
    )


def _fold(lower: str) -> str:
    if lower.isascii():
        return lower
    decomposed = unicodedata.normalize("NFKD", lower.translate(_LETTERS))
    return "".join(char for char in decomposed if not unicodedata.combining(char)).lower()
