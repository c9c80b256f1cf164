"""Load the texts of pages and messages in a language: the built-in files, and those that replace them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from labgen.model.records import Record
from labgen.model.values import FilledText
from labgen.system.input_files import built_in_templates

FOLDER = "languages"
"""The folder below templates/ that has a file for each language."""
SUFFIX = ".toml"


class LanguageRecord(Record):
    """A file of texts in a language: words of pages, titles and descriptions of sections and fields."""

    words: dict[str, FilledText] = Field({})
    titles: dict[str, FilledText] = Field({})
    about: dict[str, FilledText] = Field({})
    descriptions: dict[str, FilledText] = Field({})


@dataclass(frozen=True, slots=True)
class Language:
    """The texts of pages and messages in one language.

    `titles` and `about` describe endpoints, by name; `descriptions` translate the English descriptions of
    fields. Missing texts are shown in English.
    """

    code: str
    words: Mapping[str, str]
    titles: Mapping[str, str]
    about: Mapping[str, str]
    descriptions: Mapping[str, str]

    def over(self, record: LanguageRecord) -> "Language":
        """Return the language with its texts replaced by those of a file."""
        return Language(
            self.code,
            {**self.words, **record.words},
            {**self.titles, **record.titles},
            {**self.about, **record.about},
            {**self.descriptions, **record.descriptions},
        )


def built_in_languages() -> tuple[str, ...]:
    """Return the codes of the built-in languages."""
    return tuple(sorted(path.stem for path in (built_in_templates() / FOLDER).glob(f"*{SUFFIX}")))


@cache
def built_in(code: str) -> Language:
    """Return a built-in language, by its code."""
    return english(code).over(_read(code))


def english(code: str = "en") -> Language:
    """Return a language with the English words, for a language code without own texts yet."""
    return Language(code, _read("en").words, {}, {}, {})


@cache
def _read(code: str) -> LanguageRecord:
    path: Path = built_in_templates() / FOLDER / f"{code}{SUFFIX}"
    return LanguageRecord.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
