"""Define the documents that labgen proposes beside the API, below `directory_path` of the settings."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from typing_extensions import TypedDict

from labgen.api.document_parts import Count, DisplayId, DocumentPath, Shape
from labgen.api.endpoint import PAGE, Endpoint, Paged, PerLaboratory, PerSite
from labgen.api.sections import PER_LABORATORY, endpoints_of, per_laboratory
from labgen.model.directory import Directory, Laboratory, PagePosition

WHOLE = "whole_laboratory"
CATALOGUE = "catalogue"
CHANGES, CHANGES_PART = "changes", "changes_part"
PROPOSED_NAMES = (WHOLE, CATALOGUE, CHANGES, CHANGES_PART)
"""The names of the endpoints that labgen proposes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(PerLaboratory):
    """The endpoint for a laboratory with the documents of all its `sections` in one, below `path`."""

    path: str
    sections: tuple[PerLaboratory, ...]

    def path_for(self, display_id: str) -> str:
        """Return the path of a laboratory's document."""
        return f"{self.path}{display_id}/"


def whole_laboratory(directory_path: str, sections: Iterable[PerLaboratory]) -> Whole:
    """Return the endpoint for laboratories with these sections, which each document has in this order."""
    some = tuple(sections)

    def make(laboratory: Laboratory, directory: Directory) -> dict[str, Any]:
        return {one.name: one.make(laboratory, directory) for one in some}

    return Whole(
        name=WHOLE,
        title="Whole laboratory",
        about="A laboratory with all its sections in one document, each under its name.",
        document=_document(tuple(one.name for one in some)),
        shows={},
        make=make,
        path=f"{directory_path}laboratories/",
        sections=some,
    )


@cache
def _document(names: tuple[str, ...]) -> Any:
    """Return the type of a document with these sections; the same type for the same names."""
    fields = {one.name: Annotated[one.document, one.about] for one in PER_LABORATORY if one.name in names}
    kind: Any = TypedDict("WholeLaboratory", fields)  # type: ignore[misc] # known at run time
    kind.__doc__ = "A laboratory with all its sections: their documents, each under its name."
    return kind


class CatalogueItem(TypedDict):
    """An entry of a catalogue, a country or a status, and how many laboratories have it."""

    id: Annotated[Count | None, "Identifies the entry in its catalogue; null for countries and statuses."]
    search_val: Annotated[str, "What a search takes."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    summary: Annotated[str, "Description or designation of the entry. May be empty."]
    count: Annotated[Count, "How many laboratories have the entry."]


class CatalogueList(TypedDict):
    """A page of a catalogue: all its entries, by title."""

    count: Annotated[Count, "How many entries the catalogue has."]
    next: Annotated[DocumentPath | None, "Relative path of the next page; null on the last."]
    previous: Annotated[DocumentPath | None, "Relative path of the page before; null on the first."]
    results: Annotated[list[CatalogueItem], "The entries of this page."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogues(Endpoint):
    """The endpoint for all catalogues of a site, below `path`; `names` are theirs."""

    path: str
    names: tuple[str, ...]

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The path of the first page of a catalogue, and that of the others."""
        first = f"{self.path}{{catalogue}}/"
        return first, f"{first}{PAGE}/{{page}}/"

    @property
    def shown_path(self) -> str:
        """The path of the first catalogue."""
        return self.of(self.names[0], self.title).path

    def of(self, name: str, title: str) -> "CataloguePaths":
        """Return the paths of a catalogue; `title` is in the language of the site."""
        return CataloguePaths(
            name=self.name,
            title=title,
            about=self.about,
            document=self.document,
            shows={},
            path=f"{self.path}{name}/",
            make_item=lambda item, _: item,
            enclose=lambda items, part, directory: _list(self.of(name, title), items, part, directory),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguePaths(Paged):
    """One catalogue; its title is in the language of the site."""

    def title_in(self, _directory: Directory) -> str:
        """Return the title of the catalogue."""
        return self.title


def _list(paths: Paged, items: list[Any], part: PagePosition, directory: Directory) -> CatalogueList:
    base, number = directory.site.base_path, part.number
    return CatalogueList(
        count=part.total,
        next=base + paths.path_for(number + 1) if number < part.last else None,
        previous=base + paths.path_for(number - 1) if number > 1 else None,
        results=items,
    )


def catalogues(directory_path: str, names: Iterable[str] = ()) -> Catalogues:
    """Return the endpoint for the catalogues with these names."""
    return Catalogues(
        name=CATALOGUE,
        title="Catalogue",
        about="All entries of a catalogue, by title, each with the number of laboratories that have it.",
        document=CatalogueList,
        shows={},
        path=directory_path,
        names=tuple(names),
    )


def catalogue_names(directory: Directory) -> list[str]:
    """Return the names of a site's catalogues: those of its sections, then those that the search counts."""
    sections = [one.name for one in per_laboratory(directory) if one.search_arg]
    return sections + [*OWN_CATALOGUES] * directory.site.search.enabled


OWN_CATALOGUES = ("country", "deal_status", "verification_status")
"""The catalogues that are not of a section: fields of laboratories that are arguments of the search."""


Digest = Annotated[str, Shape("pattern", "^[0-9a-f]{32}$")]


class PartDigest(TypedDict):
    """A part of the digests of laboratories."""

    path: Annotated[DocumentPath, "Relative path of the part."]
    digest: Annotated[Digest, "Digest of the part; it changes when one of its laboratories does."]


class Changes(TypedDict):
    """The digests of all parts: a client reads those that are others than before."""

    count: Annotated[Count, "How many laboratories the directory has."]
    parts: Annotated[list[PartDigest], "All parts, by number."]


class LaboratoryDigest(TypedDict):
    """The digest of a laboratory with all its sections."""

    display_id: Annotated[DisplayId, "Laboratory identifier."]
    digest: Annotated[
        Digest,
        "First half of the SHA-256 of the whole laboratory's document, byte for byte, in hexadecimal digits.",
    ]


class ChangesPart(TypedDict):
    """The digests of some laboratories."""

    laboratories: Annotated[list[LaboratoryDigest], "Some laboratories, by display_id."]


def _made_elsewhere(_directory: Directory) -> dict[str, Any]:
    """Return nothing: the digests are known when all laboratories are rendered."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts(Endpoint):
    """The endpoint for the parts of the digests, below `path`.

    Builds move files into place in descending order of names, so `part/` is there before `index.json`.
    """

    path: str

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The path of a part."""
        return (f"{self.path}{{part}}/",)

    @property
    def shown_path(self) -> str:
        """The path of the first part, which each site has."""
        return self.path_for(0)

    def path_for(self, number: int) -> str:
        """Return the path of a part."""
        return f"{self.path}{number}/"

    def of(self, path: str) -> PerSite:
        """Return the endpoint of one part."""
        kind = self.document
        return PerSite(
            name=self.name,
            title=self.title,
            about=self.about,
            document=kind,
            shows={},
            path=path,
            make=_made_elsewhere,
        )


def changes(directory_path: str) -> tuple[PerSite, Parts]:
    """Return the endpoints for the digests of whole laboratories: of all parts, and of each part."""
    path = f"{directory_path}{CHANGES}/"
    return (
        PerSite(
            name=CHANGES,
            title="Changes",
            about="The digests of all laboratories, in parts: a copy reads the parts that have changed.",
            document=Changes,
            shows={},
            path=path,
            make=_made_elsewhere,
        ),
        Parts(
            name=CHANGES_PART,
            title="Part of the changes",
            about="The digest of each laboratory of a part: a copy reads the laboratories that have changed.",
            document=ChangesPart,
            shows={},
            path=f"{path}part/",
        ),
    )


def proposed(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints of the documents that labgen proposes for a site."""
    path = directory.site.directory_path
    if not path:
        return ()
    whole = whole_laboratory(path, per_laboratory(directory))
    return whole, catalogues(path, catalogue_names(directory)), *changes(path)


def all_endpoints(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints that a site has, with those that labgen proposes."""
    return (*endpoints_of(directory), *proposed(directory))
