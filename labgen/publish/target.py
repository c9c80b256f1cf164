"""Define the interface of publishing targets, and the error that they raise."""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Protocol

Names = tuple[str, ...]


class PublishError(Exception):
    """Raised if a site cannot be published; the message is one sentence, `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class FullDiskError(PublishError):
    """Raised if a file cannot be copied for want of room, here or at the target."""


class Target(Protocol):
    """A place to publish a site to. Names are relative to out/; all methods raise `PublishError`."""

    address: str
    requests: int
    """The number of requests sent to it."""
    size: int
    """The number of bytes sent to it."""
    is_folder: bool
    """Whether it also holds hidden files and compressed copies, as a server's folder does."""

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist."""

    def times(self, start: str) -> dict[str, datetime]:
        """Return when the files at the top whose names begin with `start` were written, by its clock."""

    def is_empty(self) -> bool:
        """Return whether it holds no files."""

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of the files below a folder, by their names in it."""

    def keep(self, names: Names, folder: str) -> None:
        """Copy those of its own files that exist to a folder of its own, by the same names."""

    def send(self, out: Path, names: Names, sent: Callable[[str], None]) -> None:
        """Copy files of out/; call `sent` with each name when its copy is complete."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file with these bytes; it is not copied from out/."""

    def remove(self, names: Names) -> None:
        """Remove files."""

    def prune(self, names: Names) -> None:
        """Remove the parent folders of removed files that are now empty, if the target has folders."""
