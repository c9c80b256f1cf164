"""Publish to a folder with rsync, on this machine or on a server."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import groupby
from pathlib import Path

from labgen.output.errors import no_temporary_room, temporary_folder
from labgen.output.file_lists import safe_name
from labgen.output.file_system import parents_of, survey
from labgen.problems.text import say
from labgen.publish.target import FullDiskError, Names, PublishError

NOT_THERE = frozenset({3, 23, 24})
"""The exit codes of rsync if a folder or a file does not exist."""
LISTED = ("--files-from=-", "--from0")
COPY = ("-lc", "--perms", "--mkpath", *LISTED)
"""Copies files that a server may read, whatever the umask is on either machine."""

LISTED_FILE = re.compile(r"-\S+ +([\d.,]+) (\d+/\d\d/\d\d \d\d:\d\d:\d\d) (.+)")
"""A line of rsync's list: mode, size, time and name; folders do not match."""
WHEN_FULL = say("make room there, and run it again: it goes on from here")
WHEN_CUT = say("if this machine may log in and write there, run it again: it goes on from here")


class RsyncFolder:
    """A target folder in the notation of rsync: `host:/path`, `rsync://host/module` or a path."""

    is_folder = True

    def __init__(self, address: str, out: Path) -> None:
        if shutil.which("rsync") is None:
            raise PublishError(
                say("the program rsync is not installed"), say("install it, here and on the server")
            )
        if ":" not in address.partition("/")[0]:
            here = Path(address).resolve()  # rsync makes no folder whose name has `..`
            if here.is_relative_to(out.resolve()):
                raise PublishError(
                    say("{address} lies in the site itself", address=address),
                    say("name the folder that the host serves"),
                )
            address = str(here)
        self.address = ("./" if address.startswith("-") else "") + address.rstrip("/") + "/"
        self.known = f"--copy-dest={out.resolve()}"
        self.requests = self.size = 0

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of the files that exist; contents that out/ also has are not transferred."""
        with temporary_folder() as folder:
            return {name: (folder / name).read_bytes() for name in self._fetch(names, folder)}

    def _fetch(self, names: Iterable[str], folder: Path) -> Names:
        """Copy files to an empty folder on this machine; return those that exist, and are no links."""
        options = ("-lc", self.known, "--ignore-missing-args", *LISTED)
        try:
            self._run(*options, self.address, f"{folder}/", names=names, is_new=True)
        except FullDiskError:  # the copies are written here
            raise no_temporary_room(folder.parent) from None
        return tuple(name for name in survey(str(folder)).files if not (folder / name).is_symlink())

    def times(self, start: str) -> dict[str, datetime]:
        """Return when the files of the folder whose names begin with `start` were written."""
        found = self._list(f"--include=/{start}*", "--exclude=*")
        return {one[3]: datetime.strptime(f"{one[2]} +0000", "%Y/%m/%d %H:%M:%S %z") for one in found}

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of the files below a folder."""
        return {one[3]: int(re.sub("[.,]", "", one[1])) for one in self._list("-r", below=f"{folder}/")}

    def keep(self, names: Names, folder: str) -> None:
        """Fetch files and copy them back; rsync links them there to those that the folder has."""
        with temporary_folder() as copies:
            found = self._fetch(names, copies)
            linked = f"--link-dest={'../' * (folder.count('/') + 1)}"
            self._run(*COPY, linked, f"{copies}/", f"{self.address}{folder}/", names=found)

    def is_empty(self) -> bool:
        """Return whether the folder is empty or does not exist."""
        return not [line for line in self._lines() if not line.endswith(b" .")]

    def _list(self, *filters: str, below: str = "") -> list[re.Match[str]]:
        """Return size, time in UTC, and name of each file."""
        lines = (line.decode(errors="replace") for line in self._lines(*filters, below=below))
        return [found for line in lines if (found := LISTED_FILE.fullmatch(line))]

    def _lines(self, *filters: str, below: str = "") -> list[bytes]:
        """Return a line for each file and folder."""
        listed = self._run("--list-only", "--no-motd", "-8", *filters, self.address + below, is_new=True)
        return listed.splitlines()

    def send(self, out: Path, names: Names, sent: Callable[[str], None]) -> None:
        """Copy files; rsync replaces each file atomically."""
        self._run(*COPY, f"{out}/", self.address, names=names)
        for name in names:
            self.size += (out / name).stat().st_size
            sent(name)

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        with temporary_folder() as folder:
            (folder / name).write_bytes(data)
            (folder / name).chmod(0o644)
            self._run(*COPY, f"{folder}/", self.address, names=[name])
        self.size += len(data)

    def remove(self, names: Names) -> None:
        """Remove files."""
        self._remove(names)

    def prune(self, names: Names) -> None:
        """Remove the parent folders of removed files that are now empty, the deepest first."""
        above = {folder for name in names for folder in parents_of(safe_name(name))}
        for _, folders in groupby(sorted(above, key=_depth, reverse=True), _depth):
            self._remove(folders)

    def _remove(self, names: Iterable[str]) -> None:
        """Remove files and empty folders: rsync deletes listed names that an empty source folder lacks."""
        with temporary_folder() as empty:
            options = ("-d", "--delete-missing-args", "--no-implied-dirs", *LISTED)
            self._run(*options, f"{empty}/", self.address, names=names, is_new=True)

    def _run(self, *arguments: str, names: Iterable[str] = (), is_new: bool = False) -> bytes:
        """Run rsync with a list of names. Raises `PublishError`; with `is_new`, not for missing files."""
        self.requests += 1
        listed = b"".join(name.encode() + b"\0" for name in names)
        command = ["rsync", "--timeout=60", "--chmod=D755,F644", *arguments]
        environment = {**os.environ, "TZ": "UTC"}  # of the times in lists
        done = subprocess.run(  # noqa: S603 - no shell
            command, input=listed, env=environment, capture_output=True, check=False
        )
        if done.returncode and not (is_new and done.returncode in NOT_THERE):
            reason = done.stderr.decode(errors="replace").strip().partition("\n")[0].rstrip()
            said = say("{address}: {reason}", address=self.address, reason=reason)
            if os.strerror(errno.ENOSPC).encode() in done.stderr:
                raise FullDiskError(said, WHEN_FULL)
            raise PublishError(said, WHEN_CUT)
        return done.stdout


def _depth(folder: str) -> int:
    return folder.count("/")
