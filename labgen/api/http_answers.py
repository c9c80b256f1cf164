"""Compare what a host answered with what the contract expects."""

import zlib
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from labgen.api.http_contract import VARY_ENCODING, Expected, Field

COMPRESSED_FROM = 1_500
"""Bytes from which an answer should be compressed. Smaller ones fit into one packet."""


class Received(NamedTuple):
    """What a host sent: the status, the header fields by lower-case name, and the body."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def complaints(expected: Expected, received: Received, body: bytes | None) -> list[str]:
    """Return what is wrong with an answer, a clause each; `body` is what the expected file holds, if any."""
    if received.status not in expected.statuses:
        wanted = " or ".join(map(str, sorted(expected.statuses)))
        return [f"the status is {received.status}, not {wanted}"]
    wrong = []
    if expected.media_type and not _is_type(received.fields.get("content-type", ""), expected.media_type):
        sent = received.fields.get("content-type", "nothing")
        wrong.append(f"the Content-Type is {sent}, not {expected.media_type}")
    fields = expected.fields
    coding = received.fields.get("content-encoding", "identity")
    if coding not in ("identity", expected.encoding):
        wrong.append(f"it is sent as {coding}, though nobody asked for that")
    elif coding != "identity":
        fields = (*fields, VARY_ENCODING)
    elif expected.encoding and len(received.body) >= COMPRESSED_FROM:
        wrong.append(f"it is not sent as {expected.encoding}, though it has {len(received.body):,} bytes")
    for one in fields:
        wrong += _field_complaints(one, received.fields.get(one.name.lower(), ""))
    if expected.file == "" and received.body:
        wrong.append("there is a body where none should be")
    if body is not None and _decoded(received.body, coding) not in (body, None):
        wrong.append("the body is not what was built")
    return wrong


def _field_complaints(wanted: Field, sent: str) -> list[str]:
    """Return what is wrong with a header field."""
    is_there = _members(wanted.value) <= _members(sent) if wanted.is_part else sent == wanted.value
    if not is_there:
        return [f"{wanted.name} is {sent or 'missing'}, not {wanted.value}"]
    if wanted.is_part and not all(map(str.strip, sent.split(","))):
        return [f"{wanted.name} is sent twice, once without a value"]
    return []


def _decoded(body: bytes, coding: str) -> bytes | None:
    """Return a body without its content coding, b"" where it is broken, None where nobody can tell.

    Brotli is decoded where its package is installed.
    """
    if coding == "identity":
        return body
    if coding == "gzip":
        return _gunzip(body)
    if coding == "br" and find_spec("brotli"):
        brotli = import_module("brotli")
        try:
            found: bytes = brotli.decompress(body)
        except brotli.error:
            return b""
        return found
    return None


def _gunzip(data: bytes) -> bytes:
    """Return the content of exactly one complete gzip member, else b""."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        found = decoder.decompress(data)
    except zlib.error:
        return b""
    return found if decoder.eof and not decoder.unused_data else b""


def _is_type(sent: str, wanted: str) -> bool:
    """Compare media types; the charset UTF-8 may be left out or added, and JavaScript has two names."""
    sent_type, _, sent_rest = sent.lower().replace("application/javascript", "text/javascript").partition(";")
    wanted_type = wanted.partition(";")[0]
    charset = sent_rest.strip().removeprefix("charset=").strip('"')
    return sent_type.strip() == wanted_type and charset in ("", "utf-8")


def _members(value: str) -> set[str]:
    return {member.strip().lower() for member in value.split(",") if member.strip()}
