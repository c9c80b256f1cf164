"""Define the input of the search index: facets, terms and postings (which laboratories have each)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Slots = Sequence[int]
"""Laboratories as ascending slots (see `slots`)."""


class Value(NamedTuple):
    """A value of a facet: its title, and the text by which its laboratories are found, "" for none."""

    title: str
    text: str = ""


class Facet(NamedTuple):
    """A facet: its name, the search argument of its values, its title, and its values by `search_val`.

    Of a section, each laboratory has a document.
    """

    name: str
    search_arg: str
    title: str
    values: Mapping[str, Value]
    is_section: bool = False


class Terms(NamedTuple):
    """The search terms of a laboratory, besides the entries of catalogues.

    `values` are its values of other facets, by their names: its country, its statuses. `names` are the terms
    of its name and place, `texts` those of its free texts, `numbers` those of its certificates' numbers.
    """

    values: Mapping[str, str]
    names: Sequence[str]
    texts: Sequence[str]
    numbers: Sequence[str]


class Size(NamedTuple):
    """The number of laboratories, and the last slot of one."""

    total: int
    last: int


class Postings(NamedTuple):
    """The laboratories that have each facet value and each term.

    `holders` are the laboratories that have each value, by facet; `names`, `texts` and `numbers` those that
    have each term.
    """

    holders: Mapping[str, Mapping[str, Slots]]
    names: Mapping[str, Slots]
    texts: Mapping[str, Slots]
    numbers: Mapping[str, Slots]
    size: Size


class IndexSettings(NamedTuple):
    """What clients must know: the list's path, that of a section, the length of a page, and a message.

    `section` is a template of a section's file, with the display_id and the name of the section.
    """

    path: str
    section: str
    page_size: int
    invalid_page: str
    has_texts: bool = True
