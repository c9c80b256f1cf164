"""Describe in `openapi.json` the parameters by which the list of laboratories is searched."""

from typing import Any

from labgen.api.list_query import ListParameter, list_parameters
from labgen.model.directory import Directory
from labgen.model.language import english

WHERE = "Proposed by labgen: answered by hosts with a function and by the preview, ignored by others."


def search_parameters(directory: Directory) -> list[dict[str, Any]]:
    """Return the parameters of a search; none where the site has none."""
    if not directory.site.search.enabled:
        return []
    return [_parameter(one) for one in list_parameters(directory)]


def _parameter(one: ListParameter) -> dict[str, Any]:
    about = english().words[one.about].replace("{what}", one.what).replace("`", "")
    is_page = one.name == "page"
    return {
        "name": one.name,
        "in": "query",
        "description": f"{about} {WHERE}",
        "schema": {"type": "integer", "minimum": 1} if is_page else {"type": "string"},
        "x-labgen-proposed": True,
    }
