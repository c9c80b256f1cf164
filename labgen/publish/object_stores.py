"""Publish to an object store: S3 and compatible stores, Google Cloud Storage, Azure Blob Storage."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from labgen.hosts.object_headers import object_fields
from labgen.mirror.plan import batches
from labgen.problems.text import Text, say
from labgen.publish.target import Names, PublishError
from labgen.system.input_files import read_bytes

try:
    import obstore
    from obstore.exceptions import BaseError, NotFoundError
    from obstore.store import from_url
except ImportError:  # the extra `publish` is not installed
    obstore = None  # type: ignore[assignment]

MISSING = say("the package obstore is not installed")
INSTALL = "pip install 'labgen[publish]'"
TARGETS = say("publish to s3://, gs://, az:// or a folder; `labgen verify` takes the address of the site")


def _is_store(address: str) -> bool:
    """Return whether a URL refers to an object store; that of a web server does not."""
    try:
        return obstore.parse_scheme(address) in ("s3", "gcs", "azure")
    except (BaseError, ValueError):
        return False


class ObjectStore:
    """A bucket or container, and a prefix in it. Credentials and endpoints come from the environment."""

    is_folder = False

    def __init__(self, address: str, connections: int) -> None:
        if obstore is None:
            raise PublishError(MISSING, INSTALL)
        self.address = address
        self.connections = connections
        self.requests = self.size = 0
        if not _is_store(address):
            raise PublishError(
                say("{address} is neither an object store nor a folder", address=address), TARGETS
            )
        with self._explained():
            self.store: Any = from_url(address)

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of the objects that exist."""
        with ThreadPoolExecutor(self.connections) as pool, self._explained():
            found = pool.map(self._read, wanted := tuple(names))
            return {name: data for name, data in zip(wanted, found, strict=True) if data is not None}

    def _read(self, name: str) -> bytes | None:
        self.requests += 1
        with suppress(NotFoundError, FileNotFoundError):
            return bytes(obstore.get(self.store, name).bytes())
        return None

    def times(self, start: str) -> dict[str, datetime]:
        """Return when the objects without a folder whose names begin with `start` were written."""
        self.requests += 1
        with self._explained():
            found = obstore.list_with_delimiter(self.store)["objects"]
            return {one["path"]: one["last_modified"] for one in found if one["path"].startswith(start)}

    def is_empty(self) -> bool:
        """Return whether there is no object with the prefix."""
        self.requests += 1
        with self._explained():
            return not next(iter(obstore.list(self.store, chunk_size=1)), None)

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of the objects below a folder; a request lists a thousand."""
        found: dict[str, int] = {}
        with self._explained():
            for batch in obstore.list(self.store, prefix=folder, chunk_size=1000):
                self.requests += 1
                found |= {one["path"].removeprefix(f"{folder}/"): one["size"] for one in batch}
        return found

    def keep(self, names: Names, folder: str) -> None:
        """Let the store copy objects."""
        with ThreadPoolExecutor(self.connections) as pool, self._explained():
            for _ in pool.map(partial(self._keep, folder), names):
                self.requests += 1

    def _keep(self, folder: str, name: str) -> None:
        with suppress(NotFoundError, FileNotFoundError):
            obstore.copy(self.store, name, f"{folder}/{name}")

    def send(self, out: Path, names: Names, sent: Callable[[str], None]) -> None:
        """Write objects with the header fields that the site's hosts send."""
        with ThreadPoolExecutor(self.connections) as pool, self._explained():
            for some in batches(names):
                for size in pool.map(partial(self._send, out, sent), some):
                    self.requests += 1
                    self.size += size

    def _send(self, out: Path, sent: Callable[[str], None], name: str) -> int:
        data = read_bytes(out / name)
        self._put(name, data)
        sent(name)
        return len(data)

    def write(self, name: str, data: bytes) -> None:
        """Write an object."""
        with self._explained():
            self._put(name, data)
        self.requests += 1
        self.size += len(data)

    def _put(self, name: str, data: bytes) -> None:
        obstore.put(self.store, name, data, attributes=object_fields(name), use_multipart=False)

    def prune(self, _names: Names) -> None:
        """Do nothing: there are no folders."""

    def remove(self, names: Names) -> None:
        """Remove objects, many with one request if the store supports it."""
        with self._explained():
            for some in batches(names):
                self.requests += 1
                try:
                    obstore.delete(self.store, list(some))
                except (NotFoundError, FileNotFoundError):
                    self._remove_each(some)

    def _remove_each(self, names: Names) -> None:
        """Remove objects one by one, if some no longer exist after an interrupted removal."""
        for name in names:
            self.requests += 1
            with suppress(NotFoundError, FileNotFoundError):
                obstore.delete(self.store, name)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert exceptions of the library to `PublishError`."""
        try:
            yield
        except (BaseError, ValueError, OSError) as error:
            raise publish_error(self.address, str(error)) from None


CREDENTIALS = {
    "s3": say("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_REGION or AWS_ENDPOINT"),
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": say("AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"),
}
"""The environment variables with credentials, by the scheme of a URL."""
NO_CREDENTIALS = (say("the environment has no credentials"), say("set {credentials}"))
NO_BUCKET = (say("there is no such bucket or container"), say("make it first"))
CAUSES = {
    "//169.254.": NO_CREDENTIALS,  # the metadata service, from which cloud machines get credentials
    "must be specified": NO_CREDENTIALS,
    "NoSuchBucket": NO_BUCKET,
    "ContainerNotFound": NO_BUCKET,
    "AccessDenied": (
        say("access is denied"),
        say(
            "the key needs s3:GetObject, s3:PutObject, s3:DeleteObject and "
            "s3:ListBucket, or what is like them"
        ),
    ),
}
"""The meaning of the library's errors, with a hint, by a part of the error text."""


def publish_error(address: str, text: str) -> PublishError:
    """Convert an error text of the library to a `PublishError` with a hint."""
    other = (text.partition("\n")[0], say("run it again: it goes on from here"))
    cause, hint = next((known for part, known in CAUSES.items() if part in text), other)
    credentials = CREDENTIALS.get(address.partition(":")[0], "")
    return PublishError(
        say("{address}: {cause}", address=address, cause=cause),
        hint.filled(credentials=credentials) if isinstance(hint, Text) else hint,
    )
