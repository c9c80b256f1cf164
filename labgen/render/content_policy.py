"""Find content of templates that browsers would block by the page's Content-Security-Policy."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urlsplit

import jinja2

Policy = Mapping[str, tuple[str, ...]]
"""The sources that each directive allows (Content Security Policy Level 3)."""

DYNAMIC = "\ufffc"
"""Stands for a value that a template outputs."""
INLINE = "'unsafe-inline'"
"""The source that allows inline scripts and styles."""
_ALONE = ("base-uri", "form-action")
"""Directives that do not fall back to `default-src`."""
_ADDRESSES = {
    ("img", "src"): "img-src",
    ("img", "srcset"): "img-src",
    ("source", "srcset"): "img-src",
    ("video", "poster"): "img-src",
    ("image", "href"): "img-src",
    ("script", "src"): "script-src",
    ("iframe", "src"): "frame-src",
    ("embed", "src"): "object-src",
    ("object", "data"): "object-src",
    ("audio", "src"): "media-src",
    ("video", "src"): "media-src",
    ("source", "src"): "media-src",
    ("track", "src"): "media-src",
    ("form", "action"): "form-action",
    ("base", "href"): "base-uri",
}
_SCRIPT_TYPES = ("", "module", "text/javascript", "application/javascript")


class Tag(NamedTuple):
    """The start of an element in the text of a template."""

    name: str
    attributes: Mapping[str, str]
    line: int


class Blocked(NamedTuple):
    """Blocked content as it stands in the template, its line, and the part of the policy that forbids it."""

    shown: str
    line: int
    rule: str


def tags_in(environment: jinja2.Environment, source: str) -> list[Tag]:
    """Return the start tags in a template, outside of Jinja syntax."""
    parser = _TagParser()
    with suppress(AssertionError):  # an invalid declaration, which browsers ignore
        parser.feed(_without_jinja(environment, source))
        parser.close()
    return parser.found


def _without_jinja(environment: jinja2.Environment, source: str) -> str:
    """Return a template without Jinja syntax, with DYNAMIC for each output value; line numbers stay."""
    texts, line = [], 1
    for number, kind, value in environment.lex(source):
        if kind == "data":
            texts.append("\n" * (number - line) + value)
            line = number + value.count("\n")
        elif kind == "variable_begin":
            texts.append(DYNAMIC)
    return "".join(texts)


class _TagParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, _ = self.getpos()
        self.found.append(Tag(tag, {name: (value or "").strip() for name, value in attrs}, line))


def policy_in(tags: list[Tag]) -> Policy | None:
    """Return the policy that a template sets; None if it sets none."""
    for tag in tags:
        if tag.attributes.get("http-equiv", "").lower() == "content-security-policy":
            directives = [one.split() for one in tag.attributes.get("content", "").split(";")]
            return {name.lower(): tuple(sources) for name, *sources in filter(None, directives)}
    return None


def blocked(tags: list[Tag], policy: Policy) -> Iterator[Blocked]:
    """Yield the content of these elements that a policy forbids."""
    for tag in tags:
        for shown, directive, address in (*_inline(tag), *_loaded(tag)):
            name = directive if directive in policy or directive in _ALONE else "default-src"
            if name in policy and not _is_allowed(policy[name], address):
                yield Blocked(shown.replace(DYNAMIC, "…"), tag.line, " ".join((name, *policy[name])))


def blocked_in_styles(text: str, policy: Policy) -> Iterator[Blocked]:
    """Yield the files that a stylesheet loads and a policy forbids."""
    for found in _LOADED_BY_STYLES.finditer(re.sub(r"/\*.*?\*/", _blank, text, flags=re.DOTALL)):
        block = text[text.rfind("}", 0, found.start()) + 1 : found.start()]
        directive = "style-src" if found["sheet"] else "font-src" if "@font-face" in block else "img-src"
        name = directive if directive in policy else "default-src"
        if name in policy and not _is_allowed(policy[name], found["sheet"] or found["address"]):
            line = text.count("\n", 0, found.start()) + 1
            yield Blocked(found[0], line, " ".join((name, *policy[name])))


_LOADED_BY_STYLES = re.compile(
    r"""@import\s+(?:url\()?["']?(?P<sheet>[^"')\s;]+)["']?\)?|url\(\s*["']?(?P<address>[^"')\s]+)["']?\s*\)"""
)


def _blank(comment: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", comment[0])


def _inline(tag: Tag) -> Iterator[tuple[str, str, str]]:
    """Yield inline scripts and styles: the text to show, the directive and the source."""
    attributes = tag.attributes
    if tag.name == "style":
        yield "<style>", "style-src", INLINE
    if (
        tag.name == "script"
        and "src" not in attributes
        and attributes.get("type", "").lower() in _SCRIPT_TYPES
    ):
        yield "<script>", "script-src", INLINE
    for name, value in attributes.items():
        if name == "style":
            yield f'<{tag.name} style="{value}">', "style-src", INLINE
        elif re.fullmatch("on[a-z]+", name) or value.lower().startswith("javascript:"):
            yield f'<{tag.name} {name}="{value}">', "script-src", INLINE


def _loaded(tag: Tag) -> Iterator[tuple[str, str, str]]:
    """Yield what an element loads: the text to show, the directive and the URL."""
    for name, value in tag.attributes.items():
        directive = _ADDRESSES.get((tag.name, name)) or _of_link(tag, name)
        several = [one.split()[0] for one in value.split(",") if one.strip()] if name == "srcset" else [value]
        if directive:
            yield from ((f'<{tag.name} {name}="{value}">', directive, address) for address in several)


def _of_link(tag: Tag, name: str) -> str | None:
    kinds = tag.attributes.get("rel", "").lower().split()
    if (tag.name, name) != ("link", "href"):
        return None
    return "style-src" if "stylesheet" in kinds else "img-src" if "icon" in kinds else None


def _is_allowed(sources: tuple[str, ...], address: str) -> bool:
    """Return whether one of the sources allows a URL; a URL that begins with an output value is allowed."""
    if address == INLINE:
        return any(one == INLINE or one.startswith(("'nonce-", "'sha")) for one in sources)
    if address.startswith(DYNAMIC) or not address:
        return True
    try:
        parts = urlsplit(address)
    except ValueError:
        return True  # an invalid URL loads nothing
    if not parts.scheme and not parts.netloc:
        return bool({"'self'", "*"} & set(sources))
    if parts.scheme not in ("", "http", "https"):
        return f"{parts.scheme}:" in sources
    return any(one in ("*", f"{parts.scheme}:") or _is_of(parts.netloc, one) for one in sources)


def _is_of(host: str, source: str) -> bool:
    """Return whether a host is that of a source, or below the domain of a source with `*.`."""
    name = urlsplit(source if "//" in source else f"//{source}").netloc
    return host == name or (name.startswith("*.") and host.endswith(name[1:]))
