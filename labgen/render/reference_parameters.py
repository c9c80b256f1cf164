"""Show the parameters of requests: those of paths, of a search, and of requests for any document."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from labgen.api.list_query import list_parameters
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.model.language import Language
from labgen.render.formats import inline
from labgen.render.operation_parts import shared_parameters
from labgen.render.reference_fields import Meaning, shape_of


class Parameter(NamedTuple):
    """A parameter of a request: `place` is `path`, `query` or `header`; `shape` a pattern, or its values."""

    name: str
    place: str
    shape: str
    meaning: Meaning
    example: str = ""


def search_parameters(directory: Directory) -> Iterator[Parameter]:
    """Yield the parameters of a search, by a host or by the clients."""
    for one in list_parameters(directory):
        text = directory.language.words[one.about].replace("{what}", one.what)
        yield Parameter(one.name, "query", _some_of(one.values), Meaning(inline(text)))


def _some_of(values: Sequence[str]) -> str:
    """Return the first values, and an ellipsis if there are more."""
    return " | ".join([*values[:MOST_VALUES], *(["…"] if len(values) > MOST_VALUES else [])])


MOST_VALUES = 4
"""The maximum number of values of a parameter that the page shows."""


def parameters_of_all(language: Language, hosts: HostAbilities) -> Iterator[Parameter]:
    """Yield the parameters of requests for any document, if the hosts take them."""
    known = {"format": hosts.has_page_query, "If-None-Match": hosts.has_not_modified}
    for one in shared_parameters():
        if known.get(one["name"]):
            yield shown_parameter(one, language, "")


def shown_parameter(definition: Mapping[str, Any], language: Language, lab: str) -> Parameter:
    """Return a parameter of `openapi.json` in the language of the site; `lab` is the example's laboratory."""
    schema, name = definition["schema"], definition["name"]
    key = "parameter_" + name.lower().replace("-", "_")
    shape = " | ".join(schema.get("enum", ())) or shape_of(schema)
    example = lab if name == "display_id" else str(definition.get("example", ""))
    return Parameter(name, definition["in"], shape, Meaning(inline(language.words[key])), example)
