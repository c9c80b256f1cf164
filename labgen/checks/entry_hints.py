"""Suggest the entry of a list, or the status, that was meant by a key that is not there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from labgen.model.countries import OTHER_CODES
from labgen.model.german import normalised_title
from labgen.model.records import CountryRecord
from labgen.problems.hints import LETTERS, closest, nearest
from labgen.problems.problem import shown
from labgen.problems.text import alternatives, say
from labgen.source.read_lists import SourceList


def several(title: str, keys: Iterable[str]) -> str:
    """Return a hint for a title that several entries have."""
    return say("write {keys}: each of them is called {title}", keys=alternatives(keys), title=title)


def hint_for(source_list: SourceList, key: object) -> str:
    """Return which entry of a list was probably meant by a key that it lacks, or ""."""
    if key == "":
        return say('write its iso_code, such as "{records}"', records=next(iter(source_list.records), "de"))
    if isinstance(key, int):
        near = nearest(str(key), _Texts(source_list.records)) if len(str(key)) > SHORT_ID else None
        if near is None:
            return ""
        title = source_list.records[int(near)].title  # type: ignore[attr-defined]
        return say("did you mean {near} ({title})?", near=near, title=title)
    countries = cast("Mapping[str, CountryRecord]", source_list.records)
    names = {code: record.name for code, record in countries.items()}
    exact = _keys_called(str(key), names)
    if len(exact) > 1:
        return several(shown(key), map(shown, exact))
    near = exact[0] if exact else _code_near(str(key).casefold(), names)
    return say('did you mean "{near}" ({names})?', near=near, names=names[near]) if near else ""


SHORT_ID = 2
"""Up to this length, an id or a code is near to so many others that its neighbours say nothing."""


def _code_near(given: str, names: Mapping[str, str]) -> str | None:
    """Return the code that is a slip away or has a name like it; of a short one, its letters exchanged."""
    if code := OTHER_CODES.get(given):
        return code if code in names else None
    if len(given) <= SHORT_ID:
        return given[::-1] if given[::-1] in names else None
    return nearest(given, names, LETTERS) or _key_with_title_like(given, names)


def _keys_called(given: str, titles: Mapping[str, str]) -> list[str]:
    """Return the keys of the entries that have this key or title; see `normalised_title`."""
    wanted = normalised_title(given)
    return [key for key, title in titles.items() if wanted in map(normalised_title, (key, title))]


def _key_with_title_like(given: str, titles: Mapping[str, str]) -> str | None:
    """Return the key of the entry whose title is most similar, or None."""
    keys = {normalised_title(title): key for key, title in titles.items()}
    near = closest(normalised_title(given), tuple(keys))
    return keys[near] if near else None


@dataclass(frozen=True, slots=True)
class _Texts:
    """A container of ids as texts, except short ones, without a copy of the ids."""

    ids: Mapping[int, object]

    def __contains__(self, text: object) -> bool:
        if not isinstance(text, str) or len(text) <= SHORT_ID or not text.isdecimal():
            return False
        return str(int(text)) == text and int(text) in self.ids


def hint_for_status(given: str, known: Mapping[str, str]) -> str:
    """Return which status was probably meant, or ""; `known` are their titles by their keys."""
    exact = _keys_called(given, known)
    if len(exact) > 1:
        return several(shown(given), (f"`{key}`" for key in exact))
    near = exact[0] if exact else _key_with_title_like(given, known) or closest(given, tuple(known))
    return say("did you mean `{near}` ({title})?", near=near, title=known[near]) if near else ""
