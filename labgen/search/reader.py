"""Read the files of a published site: from a folder, or from its address."""

from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its name below the root of the site, or None where there is no such file."""
OK, NOT_FOUND = 200, 404


def folder_reader(folder: Path) -> Read:
    """Return a reader of a folder that holds a site."""

    def read(name: str) -> bytes | None:
        try:
            return folder.joinpath(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    return read


def web_reader(address: str, timeout: float = 10.0) -> Read:
    """Return a reader of a site on the web, over one connection. It raises OSError where the host fails."""
    url = urlsplit(address)
    make = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = make(url.netloc, timeout=timeout)
    root = url.path.rstrip("/")

    def ask(name: str) -> bytes | None:
        connection.request("GET", f"{root}/{name}", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        if answer.status not in (OK, NOT_FOUND):
            raise OSError(f"{address}/{name}: HTTP {answer.status}")
        return data if answer.status == OK else None

    def read(name: str) -> bytes | None:
        try:
            return ask(name)
        except (
            HTTPException,
            ConnectionError,
        ):  # the host closed an idle connection: once more, on a new one
            connection.close()
            return ask(name)

    return read
