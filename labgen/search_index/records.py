"""What the search index is made of: facets with their values, and what of each laboratory is found."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Value(NamedTuple):
    """A value of a facet: its title, and the text by which its laboratories are found, "" for none."""

    title: str
    text: str = ""


class Facet(NamedTuple):
    """A facet: its name, the search argument of its values, its title, and its values by `search_val`."""

    name: str
    search_arg: str
    title: str
    values: Mapping[str, Value]


class SearchRecord(NamedTuple):
    """What of a laboratory is found, and what is shown of it.

    `values` are its values by the name of the facet, `name` its name and place, `texts` its free texts,
    `numbers` those of its certificates, `card` its Similar-lab item.
    """

    display_id: str
    values: Mapping[str, Sequence[str]]
    name: str
    texts: str
    numbers: Sequence[str]
    card: Any


class IndexSettings(NamedTuple):
    """What clients must know: the list's path, that of a section, the length of a page, and a message.

    `section` is a template of a section's file, with the display_id and the name of the section.
    """

    path: str
    section: str
    page_size: int
    invalid_page: str
    has_texts: bool = True
