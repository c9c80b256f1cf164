"""Define the interface of publishing targets, and the error that they raise."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

Names = tuple[str, ...]


class PublishError(Exception):
    """Why a site cannot be published, as one sentence; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Target(Protocol):
    """A place for a site. Names are those under out/; all methods raise `PublishError`."""

    address: str
    requests: int
    """What was asked of it."""
    size: int
    """Bytes that were sent to it."""
    is_folder: bool
    """Whether it holds hidden files and compressed copies, too, as the folder of a server does."""

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of those of some files that are there."""

    def is_empty(self) -> bool:
        """Return whether there is no file."""

    def send(self, out: Path, names: Names, sent: Callable[[str], None]) -> None:
        """Copy files of out/; calls `sent` for each when its copy is complete."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file that out/ does not have."""

    def remove(self, names: Names) -> None:
        """Remove files."""

    def prune(self, names: Names) -> None:
        """Remove the folders that are empty without some files, where there are folders."""
