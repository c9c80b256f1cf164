"""Hold the words of pages and messages in one language."""

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
    """A file of words: those of the interface, and what sections and fields are called and are."""

    words: dict[str, FilledText] = Field({})
    titles: dict[str, FilledText] = Field({})
    about: dict[str, FilledText] = Field({})
    descriptions: dict[str, FilledText] = Field({})


@dataclass(frozen=True, slots=True)
class Language:
    """A language of pages and messages.

    `titles` and `about` belong to endpoints, by name; `descriptions` to fields, by the English ones. What is
    not there is shown in English.
    """

    code: str
    words: Mapping[str, str]
    titles: Mapping[str, str]
    about: Mapping[str, str]
    descriptions: Mapping[str, str]

    def over(self, record: LanguageRecord) -> "Language":
        """Return the language with the texts of a file in place of its own."""
        return Language(
            self.code,
            {**self.words, **record.words},
            {**self.titles, **record.titles},
            {**self.about, **record.about},
            {**self.descriptions, **record.descriptions},
        )


def built_in_languages() -> tuple[str, ...]:
    """Return the codes of the languages that labgen has words in."""
    return tuple(sorted(path.stem for path in (built_in_templates() / FOLDER).glob(f"*{SUFFIX}")))


@cache
def built_in(code: str) -> Language:
    """Return a language that labgen has words in."""
    return english(code).over(_read(code))


def english(code: str = "en") -> Language:
    """Return the English words, as those of a language that has none of its own yet."""
    return Language(code, _read("en").words, {}, {}, {})


@cache
def _read(code: str) -> LanguageRecord:
    path: Path = built_in_templates() / FOLDER / f"{code}{SUFFIX}"
    return LanguageRecord.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
