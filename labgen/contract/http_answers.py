"""Compare the response of a host with the response that the HTTP contract expects."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

import orjson

from labgen.contract.content_codings import BrokenCodingError, Content, content_of, decoder_for
from labgen.contract.http_contract import (
    ETAG,
    FIELDS,
    NOT_MODIFIED,
    PARTIAL,
    REDIRECTS,
    VARY_ENCODING,
    Expected,
    Field,
)
from labgen.problems.text import alternatives, say

COMPRESSED_FROM = 1_500
"""The size in bytes from which a response should be compressed. Smaller responses fit into one packet."""


class Received(NamedTuple):
    """The response of a host: the status, the header fields by lower-case name, and the body.

    If the body is not `is_whole`, it is the beginning of a long one. `content` is that of the decoded body,
    if it was computed while the body arrived, or why it cannot be decoded.
    """

    status: int
    fields: Mapping[str, str]
    body: bytes
    is_whole: bool = True
    content: Content | BrokenCodingError | None = None

    @property
    def coding(self) -> str:
        """The content coding of the body."""
        return self.fields.get("content-encoding", "").strip().lower() or IDENTITY


class Aspect(StrEnum):
    """The part of a response that differs from the expected one."""

    STATUS = "status"
    TYPE = "type"
    CODING = "coding"
    COPY = "copy"
    FIELD = "field"
    VARY_ENCODING = "vary-encoding"
    ETAG = "etag"
    LENGTH = "length"
    BODY = "body"


class Difference(NamedTuple):
    """A difference between a response and the expected one; `text` is a clause of a message."""

    aspect: Aspect
    text: str
    field: str = ""


def differences(expected: Expected, received: Received, body: Content | None) -> list[Difference]:
    """Return the differences between a response and the expected one.

    `body` is the content of the file `expected.content`, or None. If the status differs, nothing else is
    compared.
    """
    if received.status not in expected.statuses:
        wanted = " or ".join(map(str, sorted(expected.statuses)))
        return [
            Difference(
                Aspect.STATUS,
                say("the status is {status}, not {wanted}", status=received.status, wanted=wanted),
            )
        ]
    return [
        *_of_type(expected, received),
        *_of_coding(expected, received),
        *_of_fields(expected, received),
        *_of_body(expected, received, body),
    ]


def _of_type(expected: Expected, received: Received) -> Iterator[Difference]:
    sent = received.fields.get("content-type", "")
    is_unsaid = not sent and expected.statuses == NOT_MODIFIED
    if expected.media_type and not is_unsaid and not _is_type(sent, expected.media_type):
        text = say(
            "the Content-Type is {sent}, not {media_type}",
            sent=sent or say("missing"),
            media_type=expected.media_type,
        )
        yield Difference(Aspect.TYPE, text)


def _of_coding(expected: Expected, received: Received) -> Iterator[Difference]:
    coding, size = received.coding, len(received.body)
    if coding not in (IDENTITY, *expected.codings):
        yield Difference(
            Aspect.CODING, say("it is sent as {coding}, though nobody asked for that", coding=coding)
        )
    elif coding == IDENTITY and expected.is_compressed and size >= COMPRESSED_FROM:
        yield Difference(
            Aspect.CODING, say("it is not sent as {codings}", codings=alternatives(expected.codings))
        )


def _of_fields(expected: Expected, received: Received) -> Iterator[Difference]:
    is_compressed = received.coding in expected.codings and received.status not in NOT_MODIFIED
    for wanted in (*expected.fields, *((VARY_ENCODING,) if is_compressed else ())):
        if text := _of_field(wanted, received.fields.get(wanted.name.lower(), "")):
            yield Difference(_ASPECTS.get(wanted, Aspect.FIELD), text, wanted.name)


_ASPECTS = {VARY_ENCODING: Aspect.VARY_ENCODING, ETAG: Aspect.ETAG}
"""The header fields that other things than the configuration of header fields can take away."""


def _of_field(wanted: Field, sent: str) -> str:
    """Return the difference of a header field from the expected one, as a clause, or ""."""
    if wanted.is_banned:
        is_kept = _members(wanted.value).isdisjoint(_members(sent))
        return (
            ""
            if is_kept
            else say(
                "{name} is {sent}, but must not have {value}", name=wanted.name, sent=sent, value=wanted.value
            )
        )
    if not wanted.value:
        return "" if sent else say("{name} is missing", name=wanted.name)
    is_there = _members(wanted.value) <= _members(sent) if wanted.is_part else sent == wanted.value
    if not is_there:
        return say(
            "{name} is {sent}, not {value}", name=wanted.name, sent=sent or say("missing"), value=wanted.value
        )
    has_gap = wanted.is_part and not all(map(str.strip, sent.split(",")))
    return say("{name} is sent twice, once without a value", name=wanted.name) if has_gap else ""


def _of_body(expected: Expected, received: Received, body: Content | None) -> Iterator[Difference]:
    length = received.fields.get("content-length", "")
    if expected.file == "" and received.body:
        yield Difference(Aspect.BODY, say("there is a body where none should be"))
    elif expected.file == "" and body is not None and _is_other_length(received, length, body.size):
        yield Difference(Aspect.LENGTH, say("the Content-Length is not that of the same GET"))
    elif expected.has_detail and not _has_detail(body_of(received)):
        yield Difference(Aspect.BODY, say("the body is not JSON with a text in `detail`"))
    elif expected.file and body is not None and received.status in PARTIAL:
        yield from _of_part(received, body)
    elif expected.file and body is not None and received.status not in REDIRECTS:
        yield from _of_bytes(received, body)


def _is_other_length(received: Received, length: str, size: int) -> bool:
    return received.coding == IDENTITY and length not in ("", str(size))


def _of_part(received: Received, body: Content) -> Iterator[Difference]:
    """Yield the differences of a 206 from the `PART` of a file; that of a compressed copy has other bytes."""
    if received.coding != IDENTITY:
        return
    span, part = f"bytes 1-{len(body.start) - 1}/{body.size}", body.start[1:]
    if (sent := received.fields.get("content-range", "")) != span:
        text = say("Content-Range is {sent}, not {span}", sent=sent or say("missing"), span=span)
        yield Difference(Aspect.BODY, text)
    elif received.body != part:
        yield Difference(Aspect.BODY, say("the part of the file is not the one that was asked for"))


def _of_bytes(received: Received, body: Content) -> Iterator[Difference]:
    try:
        found = _content(received)
    except BrokenCodingError as error:
        yield Difference(
            Aspect.COPY, say("it is sent as {coding}, but {error}", coding=received.coding, error=error)
        )
        return
    if received.coding == IDENTITY and received.body.startswith(GZIP) > body.start.startswith(GZIP):
        yield Difference(Aspect.COPY, say("it is gzip, but no Content-Encoding says so"))
    elif found not in (body, None):
        is_copy = received.coding != IDENTITY
        text = (
            say("what is sent as {coding} is not what was built", coding=received.coding)
            if is_copy
            else STALE
        )
        yield Difference(Aspect.COPY if is_copy else Aspect.BODY, text)


def _content(received: Received) -> Content | None:
    """Return the content of the decoded body, None without a decoder. Raises `BrokenCodingError`."""
    if isinstance(received.content, BrokenCodingError):
        raise received.content
    if received.content or not (decoder := decoder_for(received.coding)):
        return received.content
    content = content_of(decoder.parts(received.body))
    decoder.check_end()
    return content


def body_of(received: Received) -> bytes:
    """Return the body, or the beginning of it, without its content coding; b"" if it cannot be decoded."""
    decoder, found = decoder_for(received.coding), bytearray()
    try:
        for part in decoder.parts(received.body) if decoder else ():
            found += part
            if len(found) >= MOST_DECODED:
                break
    except BrokenCodingError:
        return b""
    return bytes(found)


MOST_DECODED = 8_000_000
"""Bytes of a body that are looked at, and not compared alone."""


def changed_fields(first: Received, again: Received) -> Iterator[Difference]:
    """Yield the header fields of a 304 that are not those of the response that it confirms.

    Caches take them over (RFC 9111, section 4.3.4). What a 304 leaves away stays as it was, but `_SENT_AGAIN`
    is not left away (RFC 9110, section 15.4.5): a cache with several answers of one address chooses by it.
    """
    for name in _KEPT:
        before, now = (one.fields.get(name.lower(), "") for one in (first, again))
        if now and _comparable(name, before) != _comparable(name, now):
            text = say(
                "a 304 changes {name} from {before} to {now}",
                name=name,
                before=before or say("nothing"),
                now=now,
            )
            yield Difference(Aspect.FIELD, text, name)
        elif not now and name in _SENT_AGAIN and _comparable(name, before):
            yield Difference(Aspect.FIELD, say("a 304 has no {name}", name=name), name)


_SENT_AGAIN = frozenset({"ETag", "Vary", "Cache-Control"})
"""The header fields that a 304 must have if the response that it confirms has them."""
_KEPT = dict.fromkeys(
    [
        *(field.name for rows in FIELDS.values() for row in rows for field in row.fields),
        "ETag",
        "Expires",
        "Content-Type",
        "Content-Disposition",
        "Content-Security-Policy",
    ]
)
"""The header fields that a 304 must not change."""


def _comparable(name: str, value: str) -> object:
    if name == "ETag":
        return value.removeprefix("W/")
    return _members(value) - {"accept-encoding"} if name == "Vary" else value


STALE = say("the body is not what was built")
GZIP = b"\x1f\x8b"
"""The first bytes of gzip data."""
IDENTITY = "identity"
"""The content coding of a response that is not compressed."""


def _has_detail(body: bytes) -> bool:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return isinstance(value, dict) and isinstance(value.get("detail"), str)


def _is_type(sent: str, wanted: str) -> bool:
    """Return whether media types are equal; the charset UTF-8 is ignored, and some types have two names."""
    sent_type, _, sent_rest = sent.lower().partition(";")
    sent_type = _OTHER_NAMES.get(sent_type.strip(), sent_type)
    wanted_type = wanted.partition(";")[0]
    charset = sent_rest.strip().removeprefix("charset=").strip('"')
    return sent_type.strip() == wanted_type and charset in ("", "utf-8")


_OTHER_NAMES = {
    "application/javascript": "text/javascript",
    "text/xml": "application/xml",
    "image/vnd.microsoft.icon": "image/x-icon",
}


def _members(value: str) -> set[str]:
    return {member.strip().lower() for member in value.split(",") if member.strip()}
