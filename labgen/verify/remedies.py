"""Suggest remedies for faults: lines of the host's configuration, or what to do instead."""

import re
from collections.abc import Iterator, Mapping

from labgen.contract.http_answers import Difference, Received
from labgen.contract.http_contract import MOVED, NOT_MODIFIED, OK, PAGE_TYPE, TOPICS, Row
from labgen.problems.text import say, term

MOST = 3
"""The maximum number of configuration lines in a remedy."""

REMEDIES = {
    "stale-file": say("deploy again; if that does not help, empty the caches before the host"),
    "lost-file": say(
        "deploy again, all of out/; if the file is there, may the server read it and its folders?"
    ),
    "left-over": say(
        "deploy again so that the host removes what out/ does not have, as `rsync --delete-after`"
    ),
    "hidden-file": say("let the host deny what begins with a dot, or leave it out of the deployment"),
    "listed-folder": say("the host lists the folder: turn that off (nginx: `autoindex`, Apache: `Options`)"),
    "broken-copy": say("build and deploy again; nothing on the way may compress the copies once more"),
    "changed-on-the-way": say(
        "turn off what changes answers before the host: minification, scripts put "
        "in, hidden e-mail addresses; `Cache-Control: no-transform` forbids it to "
        "most"
    ),
    "copy-without-vary": say(
        "what compresses answers, such as a proxy or a CDN before the host, must "
        "add `Vary: Accept-Encoding` to them (nginx: `gzip_vary on`)"
    ),
    "content-type": say("let the host know the media types of files (nginx: `types`, Apache: `AddType`)"),
    "head-length": say(
        "answer HEAD with the header fields of GET; something before the site answers it alone"
    ),
    "refused-request": say(
        "the address answers other requests: let nothing before the site refuse HEAD, or what browsers send"
    ),
    "wrong-part": say(
        "answer `Range` with 206, Content-Range and these bytes, "
        "or with the whole file as if it were not there"
    ),
    "sends-cookie": say(
        "let nothing before the site set cookies: the API has no sessions, and is for caches"
    ),
    "blocked-page": say("send no such header field, or a policy that allows the site's own origin"),
    "hidden-from-search": say(
        "send no X-Robots-Tag from the address that is for the public; for that of a preview, it is right"
    ),
    "server-error": say("look into the log of the host"),
    "cut-short": say(
        "the Content-Length must be that of the file: a proxy may have changed the body, or cut it"
    ),
    "untrusted-certificate": say("let the host send the whole chain"),
    "sent-again": say(
        "look into the log of the host: users get these answers; if it limits "
        "requests, labgen may ask too fast: --connections 1"
    ),
    "ending-certificate": say("renew the certificate, and let the server read the new one"),
    "slow-answer": say("look what the host does before it sends a file: --slow sets what counts as slow"),
    "no-answer": say("look whether the host is up, and whether something before it drops requests"),
}
"""Remedies by the code of a fault, if the configuration for the contract is not the reason."""

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|<!--)")


def help_for(topic: str, field: str, files: Mapping[str, str]) -> list[str]:
    """Return the lines of a host's configuration for a topic of the contract, or what the host must do.

    `field` is the wrong header field, if any; `files` are the texts of the host's configuration files.
    """
    found = (_lines_where(_SETS.format(re.escape(field)), files) if field else []) or lines_with(
        f"[{topic}]", files
    )
    return found or [say("the host must {topics}", topics=term(TOPICS[topic]))]


def lines_with(wanted: str, files: Mapping[str, str]) -> list[str]:
    """Return the first lines of a configuration that contain a text, or follow a comment that does."""
    return _lines_where(re.escape(wanted), files)


_SETS = r"(?<![\w-])(?<!, ){}(?![\w,-])"
"""The name of a header field, but not in a longer name or in a list, such as that of the fields to expose."""


def _lines_where(pattern: str, files: Mapping[str, str]) -> list[str]:
    found = _places(pattern, files)
    return [f"{' or '.join(places)}: {line}" for line, places in found.items()][:MOST]


def _places(pattern: str, files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the lines for a pattern, each with its places: operators include only one of several files."""
    found: dict[str, list[str]] = {}
    for name, text in files.items():
        for number, line in _lines(pattern, text):
            found.setdefault(line, []).append(f"{name}:{number}")
    return found


def _lines(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers and texts of the lines that have a pattern, or follow a comment that does."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if re.search(pattern, line):
            at = number
            while at + 1 < len(lines) and (_COMMENT.match(lines[at]) or not lines[at].strip()):
                at += 1
            yield at + 1, lines[at].strip()


def code_of(one: Difference) -> str:
    """Return the code of a fault in a header field."""
    return "caching" if one.field == "Cache-Control" else "headers"


def topic_of(row: Row, received: Received) -> str:
    """Return the topic of a wrong status, type or body, which is not always the topic of its row."""
    method, wanted = row.request.method, row.expected.statuses
    if method == "OPTIONS":
        return "options"
    if method not in ("GET", "HEAD"):
        return "methods"
    if NOT_MODIFIED in (wanted, {received.status}):
        return "repeat"
    if wanted == MOVED:
        return "slash"
    if wanted != OK:
        return "format" if row.topic == "format" else "missing"
    if row.topic in ("json", "page", "front", "files"):
        return row.topic
    path, _, query = row.request.target.partition("?")
    if not path.endswith("/"):
        return "files"
    return "page" if row.expected.media_type == PAGE_TYPE or "format=api" in query else "json"
