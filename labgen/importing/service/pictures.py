"""Import the pictures of laboratories: in the published sizes, or only the largest size as originals."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from labgen.api.endpoint import ROOT
from labgen.api.sections import gallery, similar_labs
from labgen.fetch.urls import joined, split
from labgen.importing.service.fetch_service import Service
from labgen.importing.service.survey import Documents
from labgen.model.renditions import LOGO, initials, placeholder_path
from labgen.model.summaries import Picture
from labgen.model.values import IMAGE_SUFFIXES, OWN_PICTURE
from labgen.problems.problem import shown
from labgen.system.input_files import DATA, MEDIA

How = Literal["published", "originals", "none"]
ANY_KIND = "image/*"
_ANYWHERE = r"(/(?!\.{1,2}/)[!-.0-~]+)+"
"""A pattern for the path of a picture anywhere on the service."""

Note = Callable[..., None]
Addresses = tuple[str, ...]
"""The URLs of one picture: the small size, then the large size, if there are two."""


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
        detail = documents.get(ROOT)
        addresses = list(_gallery(documents.get(gallery.ENDPOINT.name)))
        addresses += [_logo_of(detail)] if isinstance(detail, dict) else []
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
        """Return the fields of a record that refer to pictures."""
        if self.how == "none":
            return {}
        detail = documents[ROOT]
        values: dict[str, Any] = {}
        if logo := self._logo(detail):
            values["logo"] = self._named(display_id, "logo", logo, note)
        if image := self.cards.get(display_id):
            values["image"] = self._named(display_id, "image", (image,), note)
        shown_pictures = list(_gallery(documents.get(gallery.ENDPOINT.name)))
        named = [
            self._named(display_id, f"gallery-{number}", one, note)
            for number, one in enumerate(shown_pictures, 1)
        ]
        values["gallery"] = [one for one in named if one]
        return values

    def _logo(self, detail: Mapping[str, Any]) -> Addresses:
        """Return the URLs of a logo; none for the placeholder that labgen draws anyway."""
        found = _logo_of(detail)
        drawn = self.base_path + placeholder_path(initials(str(detail.get("name"))), LOGO)
        return () if drawn in found else found

    def _named(self, display_id: str, name: str, addresses: Addresses, note: Note) -> str | None:
        """Return the value with which a record refers to a picture; None if it cannot be imported."""
        if self.how == "published":
            return self._published(addresses, note)
        file = self._original(f"{display_id}/{name}", addresses[-1], note)
        return file or None

    def _published(self, addresses: Addresses, note: Note) -> str | None:
        """Return the URLs of a picture as one value, and record its files that the site is to serve."""
        named = [self._own(one) for one in addresses]
        for address, one in zip(addresses, named, strict=True):
            if one is None:
                what = "a picture that does not lie below /media/ of the service"
                note(shown(address), what, "its address is absolute now: serve it on")
            elif not self._check_fetched(one, note):
                return None
        kept = [one or self._absolute(address) for address, one in zip(addresses, named, strict=True)]
        for picture, one in zip((Picture(one, "image") for one in kept), named, strict=True):
            if one:
                self.files[f"{DATA}/{MEDIA}/{picture.files[0]}"] = one
        return " ".join(dict.fromkeys(kept))

    def _absolute(self, address: str) -> str:
        """Return a URL in its absolute form."""
        return joined(self.service.url._replace(path="/"), address)

    def _original(self, stem: str, address: str, note: Note) -> str | None:
        """Record the largest published size as the original, and return its file name; None if unusable."""
        own = self._own(address, is_anywhere=True)
        if own is None:
            note(shown(address), "a picture that lies on another host", "it was left out")
            return None
        if not self._check_fetched(own, note):
            return None
        file = f"{stem}.{own.rpartition('.')[2].lower()}"
        self.files[f"{DATA}/{MEDIA}/{file}"] = own
        return file

    def _own(self, address: str, *, is_anywhere: bool = False) -> str | None:
        """Return the path of a picture on the service, without the base path; None for any other URL."""
        parts = split(address)
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
        reason = self.failed.get(self._target(path), "it is not there, or no picture")
        note(path, f"a picture that cannot be fetched: {reason}", "it was left out")
        return False

    def _target(self, path: str) -> str:
        return self.base_path + path

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of all pictures that records refer to, each with its name in the project."""
        for file, path in sorted(self.files.items()):
            answer = self.service.answers.current(self._target(path))
            if answer:
                yield file, answer.body


def _logo_of(detail: Mapping[str, Any]) -> Addresses:
    """Return both URLs of a logo, or none."""
    small, large = detail.get("logo_url"), detail.get("logo2x_url")
    return (small, large) if isinstance(small, str) and isinstance(large, str) and small and large else ()


def _gallery(document: Any) -> Iterator[Addresses]:
    for one in document if isinstance(document, list) else ():
        if isinstance(one, dict) and isinstance(one.get("large_url"), str):
            small, large = one.get("preview_url"), one["large_url"]
            yield (small if isinstance(small, str) else large, large)
