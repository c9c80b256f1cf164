"""Read the files of a published site, from a folder or over HTTP."""

from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from os import PathLike
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its name below the root of the site, or None if there is no such file."""
OK, NOT_FOUND = 200, 404


def folder_reader(folder: str | PathLike[str]) -> Read:
    """Return a reader of a folder that holds a site."""

    def read(name: str) -> bytes | None:
        try:
            return Path(folder, name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    return read


class WebReader:
    """Reads files of a site over one HTTP connection, which `close` or the end of a `with` block closes."""

    def __init__(self, address: str, timeout: float) -> None:
        url = urlsplit(address)
        make = HTTPSConnection if url.scheme == "https" else HTTPConnection
        self.address = address
        self.root = url.path.rstrip("/")
        self.connection = make(url.netloc, timeout=timeout)

    def __call__(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None if there is no such file. Raises OSError if the host fails."""
        status, data = self.answer(name)
        if status not in (OK, NOT_FOUND):
            raise OSError(f"{self.address}/{name}: HTTP {status}")
        return data if status == OK else None

    def answer(self, name: str) -> tuple[int, bytes]:
        """Return the status and the body of an answer."""
        try:
            return self._ask(name)
        except (HTTPException, ConnectionError):  # an idle connection was closed: try again
            self.connection.close()
            return self._ask(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _ask(self, name: str) -> tuple[int, bytes]:
        self.connection.request("GET", f"{self.root}/{name}", headers={"Accept": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()


def web_reader(address: str, timeout: float = 10.0) -> WebReader:
    """Return a reader of a site at a URL, with a timeout in seconds."""
    return WebReader(address, timeout)
