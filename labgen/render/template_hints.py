"""Explain errors of Jinja in plain language, with a hint at what was probably meant."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import jinja2
from jinja2.filters import FILTERS

from labgen.api.sections import ENDPOINTS
from labgen.problems.hints import did_you_mean
from labgen.problems.text import say

VARIABLES = ("document", "item", "page", "site", "section", "group", "front", "town", "block", "view")
_NO_KEY = re.compile(r"has no attribute '(\w+)'")
_NO_NAME = re.compile(r"'(\w+)' is undefined")
_NO_FILTER = re.compile(r"No filter named '(\w+)'")
_OPEN = re.compile(r"Unexpected end of template\..* block that needs to be closed is '(\w+)'")
_CROSSED = re.compile(r"Encountered unknown tag '(end\w+)'\..* block that needs to be closed is '(\w+)'")


def explain(error: Exception) -> tuple[str, str]:
    """Return an explanation of an error, and a hint or an empty text."""
    what = getattr(error, "message", None) or str(error) or type(error).__name__
    if found := _OPEN.match(what):
        return say("`{found}` is not closed", found=found[1]), say("write {{% end{found} %}}", found=found[1])
    if found := _CROSSED.match(what):
        message = say("`{found}` stands where `{found_2}` is still open", found=found[1], found_2=found[2])
        return message, say("write {{% end{found} %}} before it", found=found[2])
    if found := _NO_FILTER.search(what):
        return say("there is no filter `{found}`", found=found[1]), did_you_mean(found[1], FILTERS)
    if isinstance(error, jinja2.UndefinedError) and (found := _NO_KEY.search(what)):
        return what, did_you_mean(found[1], keys_of_documents())
    if isinstance(error, jinja2.UndefinedError) and (found := _NO_NAME.search(what)):
        return say("there is no variable `{found}`", found=found[1]), did_you_mean(
            found[1], VARIABLES
        ) or say("the document is `document`")
    return what, ""


@cache
def keys_of_documents() -> frozenset[str]:
    """Return the names of all fields that documents have."""
    return frozenset(key for one in ENDPOINTS for key in _keys(one.document))


def _keys(kind: Any) -> Iterator[str]:
    for key, field in getattr(kind, "__annotations__", {}).items():
        yield key
        yield from _keys(field)
    for part in get_args(kind):
        yield from _keys(part)
