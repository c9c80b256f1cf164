"""Tell a file that was changed between host and client, such as by a CDN, from an old or a wrong one."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from html.parser import HTMLParser
from itertools import takewhile

import orjson

from labgen.problems.text import say

ADDED = frozenset({"script", "style", "link", "meta", "iframe", "noscript", "img", "#script", "#style"})
"""What CDNs put between the elements of a page; other elements only begin or end its head or body."""
OPTIONAL = frozenset({"html", "head", "body", "tbody", "colgroup"})
"""Elements whose start tags minifiers leave away where they have no attributes."""
REWRITTEN = ("/cdn-cgi/l/email-protection", "data-cfemail", "__cf_email__")
"""What stands in place of the e-mail addresses that a CDN hides."""
MOST = 2_000
"""The maximum number of differing tokens that are compared."""
SHOWN = 60
"""Characters of what was put in that are shown."""


def change_of(name: str, built: bytes, found: bytes) -> str:
    """Return how a file was changed on the way, as a clause, "" if it is another file.

    It must hold all that was built, or have other white space alone.
    """
    suffix = name[name.rfind(".") :]
    if suffix == ".json" and _is_same_json(built, found):
        return say("its JSON is written in another way: the same values, other bytes")
    if suffix in (".html", ".svg", ".xml", ".atom"):
        return _change_of_page(built, found)
    if suffix in (".css", ".js", ".txt") and _squeezed(built) == _squeezed(found):
        return MINIFIED
    if suffix in (".json", ".css", ".js") and built in found:
        return say(
            "something was put around it: {shown}",
            shown=_shown(found.replace(built, b"", 1).decode(errors="replace")),
        )
    return ""


MINIFIED = say("it has other white space than what was built: something on the way minifies or rewrites it")


def _is_same_json(built: bytes, found: bytes) -> bool:
    try:
        return bool(orjson.loads(built) == orjson.loads(found.removeprefix(b"\xef\xbb\xbf")))
    except orjson.JSONDecodeError:
        return False


def _squeezed(data: bytes) -> bytes:
    """Return a style or a script without what minifiers leave away."""
    return b"".join(data.removeprefix(b"\xef\xbb\xbf").split()).replace(b";}", b"}").rstrip(b";")


def _change_of_page(built: bytes, found: bytes) -> str:
    if not found.rstrip().endswith(b">"):  # cut off
        return ""
    ours, theirs = _tokens(built), _tokens(found)
    if ours.all == theirs.all:
        return MINIFIED
    before = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours.all, theirs.all, strict=False))
    )
    edges = {0, ours.boundary, len(ours.all)}
    old, new = ours.all[before:], theirs.all[before:]
    behind = zip(reversed(old), reversed(new), strict=False)
    after = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], behind))
    old, new = old[: len(old) - after], new[: len(new) - after]
    if max(len(old), len(new)) > MOST:
        return ""
    texts: list[str] = []
    for what, start, end, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        part = new[low:high]
        if what == "equal":
            continue
        if any(mark in token for token in part for mark in REWRITTEN):
            texts.append(say("its e-mail addresses are rewritten on the way"))
        elif start == end and _is_put_in(part, is_edge=before + start in edges):
            texts.append(say("something on the way put this in: {shown}", shown=_shown(part[0])))
        else:
            return ""
    return texts[0] if texts else ""


def _is_put_in(tokens: list[str], *, is_edge: bool) -> bool:
    return is_edge or all(token.partition(" ")[0] in ADDED for token in tokens)


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _tokens(data: bytes) -> "_Tokens":
    tokens = _Tokens()
    tokens.feed(data.decode(errors="replace"))
    tokens.close()
    tokens.end_text()
    return tokens


class _Tokens(HTMLParser):
    """The elements and texts of a page, without what minifiers change: comments, white space, end tags.

    `boundary` is where the body begins.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.all: list[str] = []
        self.boundary = -1
        self.text = ""
        self.raw = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "body":
            self.end_text()
            self.boundary = len(self.all)
        if tag not in OPTIONAL or attrs:
            self.end_text()
            self.all.append(" ".join([tag, *_attributes(attrs)]))
            self.raw = tag if tag in self.CDATA_CONTENT_ELEMENTS else ""

    def handle_endtag(self, tag: str) -> None:
        if tag == self.raw:
            self.end_text()
            self.raw = ""

    def handle_data(self, data: str) -> None:
        self.text += "".join(data.split())

    def end_text(self) -> None:
        """Add the text that was read."""
        if self.text:
            self.all.append(f"#{self.raw} {self.text.rstrip(';')}" if self.raw else f"# {self.text}")
        self.text = ""


def _attributes(attrs: list[tuple[str, str | None]]) -> Iterator[str]:
    for name, value in sorted(attrs, key=lambda one: one[0]):
        yield f"{name}={' '.join((value or '').split())}"
