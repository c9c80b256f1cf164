"""Define the documents that labgen proposes beside the API, below `directory_path` of the settings."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from typing_extensions import TypedDict

from labgen.api.endpoint import Endpoint, PerLaboratory
from labgen.api.sections import PER_LABORATORY, endpoints_of, per_laboratory
from labgen.model.directory import Directory, Laboratory

WHOLE = "whole_laboratory"
PROPOSED_NAMES = (WHOLE,)
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


def proposed(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints of the documents that labgen proposes for a site."""
    path = directory.site.directory_path
    return (whole_laboratory(path, per_laboratory(directory)),) if path else ()


def all_endpoints(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints that a site has, with those that labgen proposes."""
    return (*endpoints_of(directory), *proposed(directory))
