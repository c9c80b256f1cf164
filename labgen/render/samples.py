"""Fill the code samples of the reference, and show them as HTML."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import Markup, escape

LANGUAGES = {"curl": "curl", "javascript": "JavaScript", "python": "Python", "php": "PHP"}
"""The display names of the samples' languages, by the values of their buttons."""

ORIGIN = "@ORIGIN@"
"""The placeholder in a sample for the scheme and host."""


class CodeSample(NamedTuple):
    """A code sample: its id on the page, its title, and its code as HTML by language."""

    id: str
    title: str
    codes: Mapping[str, Markup]


NO_HOST = "https://api.example"
"""The scheme and host in samples if no setting has them; scripts replace them by those of the page."""


def origin_of(base_url: str) -> Markup:
    """Return the scheme and host as HTML for samples."""
    if base_url:
        return Markup('<span class="origin">{}</span>').format(base_url)
    return Markup('<span class="origin here">{}</span>').format(NO_HOST)


def sample(key: str, title: str, base_url: str, templates: Mapping[str, str], **values: str) -> CodeSample:
    """Return a sample of these templates, whose `@NAME@`s are replaced by values."""
    codes = {language: _filled(text, values) for language, text in templates.items()}
    origin = origin_of(base_url)
    shown = {name: origin.join(escape(one) for one in text.split(ORIGIN)) for name, text in codes.items()}
    return CodeSample(f"sample-{key}", title, shown)


def _filled(text: str, values: Mapping[str, str]) -> str:
    names = {name.upper(): value for name, value in values.items()}
    return re.sub(r"@([A-Z_]+)@", lambda found: names.get(found[1], found[0]), text).strip("\n")
