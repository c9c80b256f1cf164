"""Which line of a host's configuration mends a row."""

import re
from collections.abc import Iterator, Mapping

from labgen.api.http_contract import TOPICS, Row
from labgen.hosts.profile import Profile

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|<!--)")
_HEADER = re.compile(r"(?:Access-Control|X-Content-Type|Vary|Allow)")


def topic_of(row: Row, complaints: list[str]) -> str:
    """Return what the complaints are about: header fields alone, or what the row is about."""
    return "headers" if all(map(_HEADER.match, complaints)) else row.topic


def help_for(row: Row, complaints: list[str], profile: Profile | None, files: Mapping[str, str]) -> str:
    """Return what to do: the lines of the host's configuration that do it, or what it must do.

    `files` are the texts of the host's files, by their names.
    """
    topic = topic_of(row, complaints)
    if profile is None:
        return f"the host must {TOPICS[topic]}"
    found = [one for name, text in files.items() for one in _lines(f"[{topic}]", name, text)]
    if topic == "headers":
        field = complaints[0].partition(" ")[0]
        found = [one for name, text in files.items() for one in _lines(field, name, text)] or found
    return "\n".join(found[:MOST]) or f"the host must {TOPICS[topic]}"


MOST = 3
"""Lines of a configuration that are named."""


def _lines(wanted: str, name: str, text: str) -> Iterator[str]:
    """Yield the lines that hold a text, or that follow a comment which does, with their numbers."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if wanted in line:
            at = number
            while at + 1 < len(lines) and (_COMMENT.match(lines[at]) or not lines[at].strip()):
                at += 1
            yield f"{name}:{at + 1}: {lines[at].strip()}"
