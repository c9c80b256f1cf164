"""Show texts in the language of the reader: by a catalogue such as `de.po`, in English without one."""

import gettext
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from labgen.problems.text import Text
from labgen.report.language import ENGLISH

FOLDER = Path(__file__).parent
"""The folder with a catalogue for each language but English: `de.po`."""
LANGUAGES = ("de",)
"""The languages with a catalogue."""
_STRING = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr)(?:\[\d\])? (".*"(?:\n".*")*)', re.MULTILINE)
_PLACE = re.compile(r"\{(\w+)")
_COMMAND = re.compile(r"(?:labgen|pip|cd) ")
"""Matches the beginning of a text that is a command."""
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
    _in_use.clear()
    if language in LANGUAGES:
        catalogue = _in_use[language] = load_words(FOLDER / f"{language}.po")
        gettext.gettext, gettext.ngettext = catalogue.gettext, catalogue.ngettext


def language_in_use() -> str:
    """Return the code of the language in which texts are shown."""
    return next(iter(_in_use), ENGLISH)


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


def sentence(text: str) -> str:
    """Return a text in the language in use, as a sentence begins: German ones begin with a capital."""
    translated = translate(text)
    return translated[:1].upper() + translated[1:] if _in_use and _opens_with_word(text) else translated


def _opens_with_word(text: str) -> bool:
    """Return whether a translation begins with words, and not with a value such as a name."""
    if not isinstance(text, Text):
        return False
    template = translate(Text(text.template, {})) if not text.many else "{count}"
    if template[:1] == "{" and (name := _PLACE.match(template)):
        first = text.values.get(name[1])
        return isinstance(first, str) and _opens_with_word(first)
    return template[:1].islower() and not _COMMAND.match(template)


def load_words(file: Path) -> Catalogue:
    """Return the catalogue in a file of gettext (`.po`); entries that are marked as fuzzy count, too."""
    return Catalogue({(context, message): texts for context, message, texts in entries(file) if all(texts)})


def entries(file: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the context, the English text and its translations of each entry of a catalogue."""
    context, message, texts = "", "", list[str]()
    for keyword, quoted in _STRING.findall(file.read_text("utf-8")):
        text = quoted[1:-1].replace('"\n"', "")
        text = _ESCAPED.sub(_unescaped, text) if "\\" in text else text
        if keyword == "msgstr":
            texts.append(text)
        elif keyword != "msgid_plural":
            if texts:
                if message:
                    yield context, message, texts
                context, texts = "", []
            if keyword == "msgctxt":
                context = text
            else:
                message = text
    if message:
        yield context, message, texts


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(found[1], found[1])
