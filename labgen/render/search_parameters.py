"""Describe in `openapi.json` the parameters by which the list of laboratories is searched."""

from typing import Any

from labgen.api.search_facets import search_facets
from labgen.model.directory import Directory

WHERE = "Proposed by labgen: answered by hosts with a function and by the preview, ignored by others."


def search_parameters(directory: Directory) -> list[dict[str, Any]]:
    """Return the parameters of a search; none where the site has none."""
    if not directory.site.search.enabled:
        return []
    facets = [one.facet for one in search_facets(directory)]
    names: dict[str, list[str]] = {}
    for one in facets:
        names.setdefault(one.search_arg, []).append(one.name)
    chosen = [
        _parameter(argument, f"Values of {' or '.join(some)}, separated by commas: one of them is enough.")
        for argument, some in names.items()
    ]
    listed = ", ".join(one.name for one in facets)
    return [
        *chosen,
        _parameter("q", "Words of names, places, titles, designations, certificates and free texts."),
        _parameter("page", "Number of a page of what was found.", {"type": "integer", "minimum": 1}),
        _parameter("facets", f"Facets whose values are counted, separated by commas: {listed}."),
    ]


def _parameter(name: str, description: str, schema: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "description": f"{description} {WHERE}",
        "schema": schema or {"type": "string"},
        "x-labgen-proposed": True,
    }
