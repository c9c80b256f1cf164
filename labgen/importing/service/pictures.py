"""Import the pictures of laboratories: in the published sizes, or only the largest size as originals."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from labgen.api.copied_documents import ShownPicture
from labgen.api.endpoint import ROOT
from labgen.api.sections import PER_LABORATORY, pictures_of, similar_labs
from labgen.fetch.urls import joined, split_untrusted
from labgen.importing.service.fetch_service import Service
from labgen.importing.service.survey import Documents
from labgen.model.catalogues import OWN_LISTS
from labgen.model.pictures import files_of
from labgen.model.renditions import initials, placeholder_path
from labgen.model.values import IMAGE_SUFFIXES, OWN_PICTURE
from labgen.problems.problem import shown
from labgen.problems.text import say
from labgen.system.input_files import DATA, MEDIA

How = Literal["published", "originals", "none"]
ANY_KIND = "image/*"
_ANYWHERE = r"(/(?!\.{1,2}/)[!-.0-~]+)+"
"""A pattern for the path of a picture anywhere on the service."""

Note = Callable[..., None]
Addresses = tuple[str, ...]
"""The URLs of one picture: the smallest size, then the largest size, if there are several."""

SHOWN: Mapping[str, Sequence[ShownPicture]] = {
    one.name: sorted(pictures_of(one), key=lambda shown: (shown.name, shown.size))
    for one in PER_LABORATORY
    if one is not similar_labs.ENDPOINT
}
"""The paths of pictures in each document of a laboratory, those of a picture from small to large."""


class Pictures:
    """The pictures of a service: collects their URLs, fetches them, and gives records the values for them.

    `cards` are the URLs of the pictures that lists of laboratories show, by display_id.
    """

    def __init__(self, service: Service, how: How) -> None:
        self.service = service
        self.how = how
        self.cards: dict[str, str] = {}
        self.named: dict[str, None] = {}
        self.failed: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.base_path = ""

    def add_cards(self, cards: Any) -> None:
        """Add the pictures in a list of laboratories."""
        for card in cards if isinstance(cards, list) else ():
            if isinstance(card, dict) and isinstance(card.get("image_url"), str):
                self.cards.setdefault(str(card.get("display_id")), card["image_url"])

    def add(self, documents: Documents) -> None:
        """Add the pictures in a laboratory's documents."""
        self.add_cards(documents.get(similar_labs.ENDPOINT.name))
        items = ((section, item) for section, document in documents.items() for item in _items(document))
        addresses = [some for section, item in items for _, some in _pictures_of_item(section, item)]
        self.named |= dict.fromkeys(one for pair in addresses for one in self._taken(pair))

    def _taken(self, addresses: Addresses) -> Addresses:
        """Return the URLs of a picture that are to be fetched."""
        return addresses if self.how == "published" else addresses[-1:]

    def fetch(self, base_path: str) -> None:
        """Fetch all pictures that the documents refer to and that the service itself serves."""
        self.base_path = base_path
        if self.how == "none":
            return
        is_anywhere = self.how == "originals"
        own = (self._own(one, is_anywhere=is_anywhere) for one in [*self.named, *self.cards.values()])
        targets = [self._target(path) for path in dict.fromkeys(own) if path]
        had = len(self.service.failures)
        self.service.fetch(targets, accept=ANY_KIND, total=self.service.asked + len(targets))
        self.failed = {one.target: one.reason for one in self.service.failures[had:]}
        del self.service.failures[had:]

    def of(self, display_id: str, documents: Documents, note: Note) -> dict[str, Any]:
        """Return the fields of a record that refer to pictures, except those of its lists."""
        called = str(documents[ROOT].get("name"))
        values: dict[str, Any] = {}
        for section in SHOWN.keys() - OWN_LISTS.keys():
            items = _items(documents.get(section))
            values |= self.of_items(section, items, f"{display_id}/", called, note)
        if self.how != "none" and (image := self.cards.get(display_id)):
            values["image"] = self._named(f"{display_id}/image", (image,), note)
        return values

    def of_items(
        self, section: str, items: Sequence[Mapping[str, Any]], stem: str, called: str, note: Note
    ) -> dict[str, Any]:
        """Return the fields that refer to the pictures of items, of the laboratory that is `called` so.

        The names of their originals begin with `stem`.
        """
        found: dict[str, list[str]] = {}
        for item in items if self.how != "none" else ():
            for name, addresses in _pictures_of_item(section, item):
                some = found.setdefault(name, [])
                number = f"-{len(some) + 1}" if _LISTS[section, name] else ""
                if not self._is_drawn(section, addresses, called):
                    some += filter(None, [self._named(f"{stem}{name}{number}", addresses, note)])
        return {name: some if _LISTS[section, name] else some[0] for name, some in found.items() if some}

    def _is_drawn(self, section: str, addresses: Addresses, called: str) -> bool:
        """Return whether a picture is the placeholder that labgen draws anyway."""
        drawn = {self.base_path + placeholder_path(initials(called), one.size) for one in SHOWN[section]}
        return not drawn.isdisjoint(addresses)

    def _named(self, stem: str, addresses: Addresses, note: Note) -> str | None:
        """Return the value with which a record refers to a picture; None if it cannot be imported."""
        if self.how == "published":
            return self._published(addresses, note)
        file = self._original(stem, addresses[-1], note)
        return file or None

    def _published(self, addresses: Addresses, note: Note) -> str | None:
        """Return the URLs of a picture as one value, and record its files that the site is to serve."""
        named = [self._own(one) for one in addresses]
        for address, one in zip(addresses, named, strict=True):
            if one is None:
                what = say("a picture that does not lie below /media/ of the service")
                note(shown(address), what, say("its address is absolute now: serve it on"))
            elif not self._check_fetched(one, note):
                return None
        kept = [one or self._absolute(address) for address, one in zip(addresses, named, strict=True)]
        for address, one in zip(kept, named, strict=True):
            if one:
                self.files[f"{DATA}/{MEDIA}/{files_of(address)[0]}"] = one
        return " ".join(dict.fromkeys(kept))

    def _absolute(self, address: str) -> str:
        """Return a URL in its absolute form."""
        return joined(self.service.url._replace(path="/"), address)

    def _original(self, stem: str, address: str, note: Note) -> str | None:
        """Record the largest published size as the original, and return its file name; None if unusable."""
        own = self._own(address, is_anywhere=True)
        if own is None:
            note(shown(address), say("a picture that lies on another host"), say("it was left out"))
            return None
        if not self._check_fetched(own, note):
            return None
        file = f"{stem}.{own.rpartition('.')[2].lower()}"
        self.files[f"{DATA}/{MEDIA}/{file}"] = own
        return file

    def _own(self, address: str, *, is_anywhere: bool = False) -> str | None:
        """Return the path of a picture on the service, without the base path; None for any other URL."""
        parts = split_untrusted(address)
        is_here = not parts.netloc or (is_anywhere and parts.hostname == self.service.url.hostname)
        path = parts.path.removeprefix(self.base_path)
        pattern = _ANYWHERE if is_anywhere else OWN_PICTURE
        is_plain = re.fullmatch(pattern, path, re.ASCII) is not None and not parts.query
        return path if is_here and is_plain and path.lower().endswith(IMAGE_SUFFIXES) else None

    def _check_fetched(self, path: str, note: Note) -> bool:
        """Return whether a picture was fetched."""
        answer = self.service.answers.current(self._target(path))
        if answer and answer.body and answer.kind.startswith("image/"):
            return True
        reason = self.failed.get(self._target(path), say("it is not there, or no picture"))
        note(path, say("a picture that cannot be fetched: {reason}", reason=reason), say("it was left out"))
        return False

    def _target(self, path: str) -> str:
        return self.base_path + path

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of all pictures that records refer to, each with its name in the project."""
        for file, path in sorted(self.files.items()):
            answer = self.service.answers.current(self._target(path))
            if answer:
                yield file, answer.body


_LISTS = {(section, one.name): one.field.is_list for section, some in SHOWN.items() for one in some}
"""Whether a field that refers to pictures is a list, by the document that shows them and its name."""


def _items(document: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a document that is a list, or a document that is an object."""
    found = document if isinstance(document, list) else [document]
    return [one for one in found if isinstance(one, dict)]


def _pictures_of_item(section: str, item: Mapping[str, Any]) -> Iterator[tuple[str, Addresses]]:
    """Yield the pictures of an object, each with the field of the record that refers to it."""
    for name, some in groupby(SHOWN.get(section, ()), key=lambda one: one.name):
        shown = list(some)
        if len(shown[0].keys) > 1:
            keys = [one.keys[1] for one in shown]
            objects = _items(item.get(shown[0].keys[0]))
        else:
            keys = [one.keys[0] for one in shown]
            objects = _rows(item, keys)
        for one in objects:
            large = one.get(keys[-1])
            if isinstance(large, str) and large:
                small = one.get(keys[0])
                ends = (small if isinstance(small, str) and small else large, large)
                yield name, ends if keys[1:] else (large,)


def _rows(item: Mapping[str, Any], keys: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return an object, or those that its lists of the same length stand for."""
    lists = [item.get(key) for key in keys]
    if all(isinstance(one, list) for one in lists):
        return [dict(zip(keys, row, strict=True)) for row in zip(*lists, strict=False)]
    return [item]
