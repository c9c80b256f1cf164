"""Describe a response: what its body seems to be, and a summary of what was sent."""

import orjson

from labgen.contract.content_codings import DECODERS, can_decode
from labgen.contract.http_answers import Received, body_of
from labgen.problems.text import say

LISTS = (b"directory listing", b"<title>index of")
"""Texts at the beginning of a server's listing of a folder, in lower case."""


def is_html(received: Received) -> bool:
    """Return whether a body begins as HTML does."""
    return body_of(received).lstrip()[:1] == b"<"


def is_listing(received: Received) -> bool:
    """Return whether a body begins as a server's listing of a folder does."""
    return any(mark in body_of(received)[:2000].lower() for mark in LISTS)


def hint_for_html(received: Received) -> str:
    """Return the probable source of HTML in place of a file of the site, "" if the body is not HTML."""
    if not is_html(received):
        return ""
    if is_listing(received):
        return say("the host lists the folder: turn that off")
    return say("is there an index.html in the folder?")


def is_json(received: Received) -> bool:
    """Return whether a body is an object or a list in JSON; of a part of one, whether it begins so."""
    body = body_of(received)
    if not received.is_whole:
        return body.lstrip()[:1] in (b"{", b"[")
    try:
        return isinstance(orjson.loads(body), dict | list)
    except orjson.JSONDecodeError:
        return False


def summary_of(received: Received | None) -> str:
    """Return a summary of a response, "" if there is none."""
    if received is None:
        return ""
    sent = say(
        "HTTP {status}, {get}, ",
        status=received.status,
        get=received.fields.get("content-type", say("no Content-Type")),
    )
    sent += say(
        "{part}{count:,} bytes", part="" if received.is_whole else say("more than "), count=len(received.body)
    )
    return sent + (
        say(", Location: {fields}", fields=received.fields["location"])
        if "location" in received.fields
        else ""
    )


def can_read(received: Received) -> bool:
    """Return whether a decoder for a response is installed."""
    return received.coding not in DECODERS or can_decode(received.coding)
