"""Show texts in the language of the reader: by a catalogue such as `de.po`, in English without one."""

import gettext
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labgen.problems.text import Text

FOLDER = Path(__file__).parent
"""The folder with a catalogue for each language but English: `de.po`."""
LANGUAGES = ("de",)
"""The languages with a catalogue."""
_STRING = re.compile(r'^(?:(msgctxt|msgid|msgid_plural|msgstr)(?:\[\d\])? )?"(.*)"$')
_ESCAPED = re.compile(r"\\(.)")
_SWAPPED = str.maketrans(",.", ".,")


class Catalogue(gettext.NullTranslations):
    """The texts of a language, by their English templates.

    A text can have other words in a context, such as a case: a template names it as the format of a place, as
    in `in {laboratories:Dativ}`. All languages here have one form for 1, and one for all other numbers.
    """

    def __init__(self, texts: Mapping[tuple[str, str], Sequence[str]]) -> None:
        super().__init__()
        self.texts = texts

    def gettext(self, message: str) -> str:
        """Return a text in this language, or the English one."""
        return self.pgettext("", message)

    def pgettext(self, context: str, message: str) -> str:
        """Return a text in this language for a context, or that without one, or the English one."""
        found = self.texts.get((context, message)) or self.texts.get(("", message))
        return found[0] if found else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return a noun in this language, singular or plural, or the English one."""
        return self.npgettext("", msgid1, msgid2, n)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        """Return a noun in this language for a context, singular or plural, or the English one."""
        found = self.texts.get((context, msgid1)) or self.texts.get(("", msgid1))
        if not found:
            return msgid1 if n == 1 else msgid2
        return found[n != 1] if len(found) > 1 else found[0]


class _Places(string.Formatter):
    """Fills the places of a template: numbers as the language writes them, and texts translated."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, str):
            return translate(value, format_spec)
        found = format(value, format_spec)
        return found.translate(_SWAPPED) if "," in format_spec or isinstance(value, float) else found


_PLACES = _Places()
_in_use: dict[str, Catalogue] = {}
"""The catalogue of the language in use, by its code; none for English."""


def use(language: str) -> None:
    """Show texts in a language from now on, also click's own; in English if there is no catalogue of it."""
    file = FOLDER / f"{language}.po"
    _in_use.clear()
    if language in LANGUAGES:
        catalogue = _in_use[language] = load(file)
        gettext.gettext, gettext.ngettext = catalogue.gettext, catalogue.ngettext


def language_in_use() -> str:
    """Return the code of the language in which texts are shown."""
    return next(iter(_in_use), "en")


def translate(text: str, context: str = "") -> str:
    """Return a text in the language in use; what is no `Text` is returned as it is."""
    if not _in_use or not isinstance(text, Text):
        return str(text)
    catalogue = next(iter(_in_use.values()))
    if text.many:
        count = text.values["count"]
        noun = catalogue.npgettext(context, text.template, text.many, int(count or 0))
        return f"{_PLACES.format_field(count, ',')} {noun}"
    template = catalogue.pgettext(context, text.template)
    return _PLACES.vformat(template, (), text.values) if text.values else template


def load(file: Path) -> Catalogue:
    """Return the catalogue in a file of gettext (`.po`); entries that are marked as fuzzy count, too."""
    return Catalogue({(context, message): texts for context, message, texts in entries(file) if texts[0]})


def entries(file: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the context, the English text and its translations of each entry of a catalogue."""
    for block in file.read_text("utf-8").split("\n\n"):
        parts: dict[str, list[str]] = {}
        keyword = ""
        for line in block.splitlines():
            if found := _STRING.match(line):
                if found[1]:
                    keyword = found[1]
                    parts.setdefault(keyword, []).append("")
                parts[keyword][-1] += _ESCAPED.sub(_unescaped, found[2])
        if parts.get("msgid", [""])[0]:
            yield parts.get("msgctxt", [""])[0], parts["msgid"][0], parts["msgstr"]


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(found[1], found[1])
