"""Mirror a live site to a folder by its manifest: fetch, verify and move into place the files that differ.

The state of the copy is known from its own manifest and, for files whose digests differ, from their bytes.
So an interrupted sync resumes where it stopped. The copy gets the new manifest when it has all files; files
that the site no longer has are removed last.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock, get_ident
from typing import BinaryIO, TypeVar
from urllib.parse import SplitResult, quote

import orjson

from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request
from labgen.fetch.ask import GivenUpError, PoliteClient, Politeness
from labgen.fetch.client import Client, InMemory, NoAnswerError, Opener
from labgen.fetch.urls import redirected, without_credentials
from labgen.mirror.incoming_file import LATER, OK, IncomingFile
from labgen.mirror.plan import Plan, batches
from labgen.output.errors import OutputError, as_output_error
from labgen.output.file_system import remove, survey
from labgen.output.open_folder import locked
from labgen.output.published_manifest import (
    INDEX,
    Digests,
    Folders,
    Index,
    InvalidManifestError,
    files_in,
    hex_digest,
    hex_digest_of,
    parse_index,
    parse_part,
)
from labgen.problems.text import plural, say, text_of
from labgen.system.input_files import read_bytes
from labgen.system.progress import Progress, silent

STATE = ".labgen-mirror.json"
"""The file that marks a folder as a mirror, with the URL of the site."""
INCOMING = ".labgen-mirror.new"
"""How the temporary names of the files that are being written begin."""
MOST_PARTS = 1 << 16
MOST_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NOT_MODIFIED = 304

PATIENT = Politeness(limit=float("inf"))

Value = TypeVar("Value")


class SyncError(Exception):
    """Raised if a site cannot be mirrored; the message is one sentence, `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits that protect against a wrong host: files to remove, and bytes to fetch."""

    deletes: int = 1000
    fetched: int = 20 * 10**9


@dataclass(slots=True)
class Synced:
    """The result of a sync. `failed` are the files that could not be fetched, each with the reason.

    `size` counts the bytes of all bodies while they arrive.
    """

    total: int = 0
    fetched: int = 0
    removed: int = 0
    requests: int = 0
    size: int = 0
    failed: dict[str, str] = field(default_factory=dict)


def sync(
    client: Client,
    folder: Path,
    politeness: Politeness = PATIENT,
    limits: Limits = Limits(),
    progress: Progress = silent,
    *,
    is_checked: bool = False,
) -> Synced:
    """Make a folder a copy of the site of a client. Raises `SyncError` and `OutputError`.

    With `is_checked`, the bytes of all files are compared with the manifest; otherwise, the manifest of the
    copy is trusted.
    """
    url = client.url._replace(path=client.url.path.rstrip("/"))
    with as_output_error(folder, say("nothing in it was changed")):
        _require_mirror(folder)
    with locked(folder), as_output_error(folder, LATER):
        for left in folder.glob(f"{INCOMING}*"):
            left.unlink()
        asker = PoliteClient(client, politeness, Request("GET", f"{url.path}/{INDEX}"))
        try:
            return _Mirror(url, folder, asker, limits, progress).bring_up_to_date(is_checked=is_checked)
        except (NoAnswerError, GivenUpError) as error:
            raise SyncError(
                say("{hostname}: {error}", hostname=url.hostname, error=error),
                say("run it again: it goes on from here"),
            ) from None


def _require_mirror(folder: Path) -> None:
    """Make a folder for a mirror. Raises `OutputError` if it has content, but is not a mirror."""
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / STATE
    if state.is_symlink() or (any(folder.iterdir()) and not state.is_file()):
        raise OutputError(
            say("{folder} is not empty, and is no mirror", folder=folder), say("choose another folder")
        )
    if not state.exists():
        state.write_bytes(b"{}")


@dataclass(slots=True)
class _Mirror:
    """A folder that is being made a copy of a site."""

    url: SplitResult
    folder: Path
    asker: PoliteClient
    limits: Limits
    progress: Progress
    done: Synced = field(default_factory=Synced)
    lock: Lock = field(default_factory=Lock)

    def bring_up_to_date(self, *, is_checked: bool) -> Synced:
        """Fetch the files that differ, and remove those that the site no longer has."""
        data, etag = self._index()
        index = _parsed(INDEX, data, parse_index)
        if len(index.parts) > MOST_PARTS:
            raise SyncError(
                say("the manifest has {count:,} parts: no site needs so many", count=len(index.parts))
            )
        had = {part: self._local(part) for part in index.parts}
        before = files_in(_lenient(one) for one in had.values())
        parts = self._parts(index, had)
        wanted = files_in(_parsed(name, part, parse_part) for name, part in parts.items())
        plan = self._plan(wanted, {} if is_checked else before, set(parts))
        self.done.total = len(wanted)
        self._fetch_all(plan, wanted)
        if not self.done.failed:
            self._finish(plan, {**parts, INDEX: data}, etag)
        return self.done

    def _index(self) -> tuple[bytes, str]:
        """Return the index of the site's manifest, and its ETag."""
        state = self._state()
        known = self._local(INDEX)
        is_known = state.get("url") == self._address() and known and state.get("etag")
        fields = (("If-None-Match", state["etag"]),) if is_known else ()
        received = self._ask(INDEX, *fields)
        if received.status == NOT_MODIFIED and is_known:
            return known, state["etag"]
        if received.status != OK:
            hint = say("is this the address of a site that labgen built, with `manifest = true`?")
            raise SyncError(
                say("{index} was answered with {status}", index=INDEX, status=received.status), hint
            )
        return received.body, received.fields.get("etag", "")

    def _parts(self, index: Index, had: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the parts of the manifest; parts that the folder already has are not fetched."""
        found = {part: data for part, data in had.items() if hex_digest(data) == index.parts[part]}
        missing = [part for part in index.parts if part not in found]
        with ThreadPoolExecutor(self.asker.politeness.connections) as pool:
            for part, data in zip(missing, pool.map(self._whole, missing), strict=True):
                if hex_digest(data) != index.parts[part]:
                    hint = say("it may have been published a moment ago: run it again")
                    raise SyncError(say("{part} is not what the index of the manifest says", part=part), hint)
                found[part] = data
        return {part: found[part] for part in index.parts}

    def _whole(self, name: str) -> bytes:
        received = self._ask(name)
        if received.status != OK:
            raise SyncError(say("{name} was answered with {status}", name=name, status=received.status))
        return received.body

    def _plan(self, wanted: Digests, before: Mapping[str, str], parts: set[str]) -> Plan:
        """Return the plan; a file that differs by the copy's manifest may still have the right bytes."""
        there = {name for name in survey(str(self.folder)).files if not _is_hidden(name)}
        new, replaced = [], []
        for name, digest in wanted.items():
            if name not in there:
                new.append(name)
            elif before.get(name) != digest and self._local_digest(name) != digest:
                replaced.append(name)
        gone = there - wanted.keys() - parts - {INDEX}
        if len(gone) > self.limits.deletes:
            message = say(
                "{files} would be removed, and --max-deletes is {deletes:,}",
                files=plural(len(gone), "file"),
                deletes=self.limits.deletes,
            )
            raise SyncError(
                say("{message}: nothing was changed", message=message),
                say("is it the right site? If so, raise the limit"),
            )
        return Plan(tuple(new), tuple(replaced), tuple(gone))

    def _fetch_all(self, plan: Plan, wanted: Digests) -> None:
        with ThreadPoolExecutor(self.asker.politeness.connections) as pool:
            for stage in plan.stages():
                for some in batches(stage):
                    fetched = pool.map(partial(self._fetch, wanted), some)
                    for name, reason in zip(some, fetched, strict=True):
                        self._count(name, reason)
                    self.progress("fetched", self.done.fetched, plan.sent)
                if self.done.failed:  # later files may refer to it
                    return

    def _count(self, name: str, reason: str) -> None:
        if reason:
            self.done.failed[name] = reason
        else:
            self.done.fetched += 1

    def _fetch(self, wanted: Digests, name: str) -> str:
        """Fetch a file to its place; return the reason if it could not be fetched, "" otherwise."""
        staged = self.folder / f"{INCOMING}-{get_ident()}"
        with staged.open("wb") as file:
            reason = self._fetch_to(file, wanted[name], name)
        if reason:
            staged.unlink()
        else:
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            staged.replace(place)
        return reason

    def _fetch_to(self, file: BinaryIO, digest: str, name: str) -> str:
        incoming = IncomingFile(self.folder, file, self._is_within)
        try:
            received = self._ask(name, opener=incoming.begin)
        except NoAnswerError as error:
            return text_of(error)
        if received.status != OK:
            return say("it was answered with {status}", status=received.status)
        if not self._is_within(0):
            return say("more than {fetched:,} bytes were fetched", fetched=self.limits.fetched)
        return "" if incoming.digest() == digest else say("its bytes are not those that the manifest says")

    def _is_within(self, size: int) -> bool:
        """Count bytes that arrived; return whether more may be fetched."""
        with self.lock:
            self.done.size += size
            return self.done.size <= self.limits.fetched

    def _ask(self, name: str, *fields: tuple[str, str], opener: Opener = InMemory) -> Received:
        """Request a file by its name; follow redirects only on the same host."""
        path = f"{self.url.path}/{quote(name)}"
        for _ in range(MOST_REDIRECTS):
            received = self.asker.ask(Request("GET", path, fields), opener)
            self._count_request(len(received.body))
            if received.status not in REDIRECTS:
                return received
            following = redirected(self.url, path, received.fields.get("location", ""))
            if following is None:
                break
            path = following
        return received

    def _count_request(self, size: int) -> None:
        with self.lock:
            self.done.requests += 1
            self.done.size += size

    def _put(self, name: str, data: bytes) -> None:
        """Write a file under a temporary name, and move it into place."""
        incoming, place = self.folder / INCOMING, self.folder / name
        incoming.write_bytes(data)
        place.parent.mkdir(parents=True, exist_ok=True)
        incoming.replace(place)

    def _finish(self, plan: Plan, manifest: Mapping[str, bytes], etag: str) -> None:
        """Write the new manifest, and remove the files that it does not list."""
        for name, data in manifest.items():
            if self._local(name) != data:
                self._put(name, data)
        self._put(STATE, orjson.dumps({"written_by": "labgen", "url": self._address(), "etag": etag}))
        for stage in plan.removals():
            remove(str(self.folder), stage)
        self.done.removed = len(plan.gone)

    def _address(self) -> str:
        """Return the URL of the site, without the password, which others must not read in the copy."""
        return without_credentials(self.url).geturl()

    def _state(self) -> dict[str, str]:
        with suppress(ValueError):
            found = orjson.loads(self._local(STATE))
            if isinstance(found, dict):
                return {str(key): str(value) for key, value in found.items()}
        return {}

    def _local_digest(self, name: str) -> str:
        """Return the digest of a file of the folder; "" if it cannot be read."""
        with suppress(OSError):
            return hex_digest_of(self.folder / name)
        return ""

    def _local(self, name: str) -> bytes:
        """Return the bytes of a file of the folder; b"" if it cannot be read."""
        with suppress(OSError):
            return read_bytes(self.folder / name)
        return b""


def _parsed(name: str, data: bytes, parse: Callable[[bytes], Value]) -> Value:
    try:
        return parse(data)
    except InvalidManifestError as error:
        raise SyncError(say("{name} cannot be used: {error}", name=name, error=error)) from None


def _lenient(data: bytes) -> Folders:
    with suppress(InvalidManifestError):
        return parse_part(data)
    return {}


def _is_hidden(name: str) -> bool:
    return f"/{name}".find("/.") >= 0
