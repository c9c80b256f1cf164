"""Define the input of the search index: facets, terms and postings (which laboratories have each)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Slots = Sequence[int]
"""Laboratories as ascending slots (see `slots`)."""


class Value(NamedTuple):
    """A value of a facet: its title, and the text by which its laboratories are found, which may be empty.

    `number` is that of the entry of a catalogue, 0 if the value is none. `code` numbers a value that has a
    text, but is no entry: a country.
    """

    title: str
    text: str = ""
    number: int = 0
    code: int = 0

    @property
    def id(self) -> int:
        """The number by which words refer to a value with a text."""
        return self.number or self.code


class Facet(NamedTuple):
    """A facet: its name, the query parameter that takes its values, its title, its values by `search_val`.

    `is_closed`: another value can never be valid.
    """

    name: str
    search_arg: str
    title: str
    values: Mapping[str, Value]
    is_closed: bool = False


class Terms(NamedTuple):
    """The search terms of a laboratory, without those of catalogue entries.

    `values` are its values of other facets, by facet: its country, its statuses. `names` are the terms
    of its name and place, `texts` those of its free texts, `numbers` those of its certificates' numbers.
    """

    values: Mapping[str, str]
    names: Sequence[str]
    texts: Sequence[str]
    numbers: Sequence[str]


class Size(NamedTuple):
    """The number of laboratories, and the highest slot of a laboratory."""

    total: int
    last: int


class Postings(NamedTuple):
    """The laboratories that have each facet value and each term.

    `holders` are the laboratories with each value, by facet; `names`, `texts` and `numbers` those with each
    term of that kind (see `Terms`).
    """

    holders: Mapping[str, Mapping[str, Slots]]
    names: Mapping[str, Slots]
    texts: Mapping[str, Slots]
    numbers: Mapping[str, Slots]
    size: Size


class IndexSettings(NamedTuple):
    """The settings of the search index that clients need: paths, size of a page, messages.

    `path` is that of the list of laboratories. `invalid_value` has `{value}` for the value. `synonyms` are
    groups of words that mean the same.
    """

    path: str
    page_size: int
    invalid_page: str
    has_texts: bool = True
    invalid_value: str = "{value}"
    synonyms: Sequence[Sequence[str]] = ()
