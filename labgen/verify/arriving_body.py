"""Compare the bodies of responses with files while they arrive, so that none is held in memory as a whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labgen.contract.content_codings import BrokenCodingError, Content, Decoder, Digester, decoder_for
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request, Row
from labgen.fetch.ask import PoliteClient
from labgen.fetch.client import Sink

KEPT = 64 * 1024
"""How many bytes of a body are kept; also how much longer than the expected file a body may be."""


def ask_for_rows(asker: PoliteClient, rows: Iterable[Row], request: Request, out: Path) -> Received:
    """Send a request of rows; return the response with the content of its body. May raise as `ask` does.

    A body that is much longer than the rows' files in `out` is cut off.
    """
    arriving = _ArrivingBody(KEPT + max(_size_of(out / row.expected.content) for row in rows))
    received = asker.ask(request, arriving.begin)
    return received._replace(is_whole=arriving.is_whole(), content=arriving.content())


def _size_of(file: Path) -> int:
    """Return the size of a file, 0 if it is not there, which the judge reports, or if none is expected."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0


@dataclass(slots=True)
class _ArrivingBody:
    """Keeps the beginning of a body, and decodes and digests all of it, until it is longer than `most`."""

    most: int
    start: bytearray = field(default_factory=bytearray)
    received: int = 0
    decoder: Decoder | None = None
    digester: Digester = field(default_factory=Digester)
    failure: BrokenCodingError | None = None

    def begin(self, _status: int, fields: Mapping[str, str]) -> Sink:
        """Begin again with a response."""
        coding = Received(0, fields, b"").coding
        self.start, self.received, self.digester, self.failure = bytearray(), 0, Digester(), None
        self.decoder = decoder_for(coding)
        return self

    def write(self, part: bytes) -> bool:
        """Take a part; return whether the rest can still make the expected file."""
        self.received += len(part)
        if len(self.start) < KEPT:
            self.start += part
        self._decode(part)
        return not self.failure and max(self.received, self.digester.size) <= self.most

    def _decode(self, part: bytes) -> None:
        try:
            for one in self.decoder.parts(part) if self.decoder else ():
                self.digester.add(one)
                if self.digester.size > self.most:
                    return
        except BrokenCodingError as error:
            self.failure = error

    def kept(self) -> bytes:
        """Return the beginning of the body."""
        return bytes(self.start)

    def is_whole(self) -> bool:
        """Return whether all of the body was read, and is kept."""
        return self.received == len(self.start) and self.digester.size <= self.most

    def content(self) -> Content | BrokenCodingError | None:
        """Return the content of the decoded body, None without a decoder, or why it cannot be decoded."""
        if self.failure or not self.decoder:
            return self.failure
        try:
            if self.digester.size <= self.most:
                self.decoder.check_end()
        except BrokenCodingError as error:
            return error
        return self.digester.content()
