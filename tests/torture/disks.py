"""Disks: calls that change files fail, as on a disk that is full, broken, or read-only; and a file system that is too small.

A build says so in a sentence, with exit code 1, and the site is the old one or the new one; the next build, on a sound disk, makes
the new one.
"""

import errno
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import kill_builds

from labgen.output import commit
from torture.common import labgen, tree

STEPS = 6
FAULTS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES]
EVENTS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.utime", "os.chmod")


def failing(folder: Path, number: int, code: int, *, is_lasting: bool) -> Callable[[], None]:
    """Return what lets the given call that changes a file in a folder fail, and all after it if it is lasting."""
    top, calls = os.fspath(folder), [0]

    def fail() -> None:
        calls[0] += 1
        if calls[0] == number or (is_lasting and calls[0] > number):
            raise OSError(code, os.strerror(code))

    def hook(event: str, args: tuple[object, ...]) -> None:
        is_change = event in EVENTS or (event == "open" and int(str(args[2])) & (os.O_WRONLY | os.O_RDWR))
        if is_change and os.fspath(str(args[0])).startswith((top, "tree", "api", "static", "data")):
            fail()

    write = os.write

    def checked(descriptor: int, data: Any) -> int:
        if descriptor > 2:
            fail()
        return write(descriptor, data)

    def begin() -> None:
        sys.addaudithook(hook)
        os.write = checked

    return begin


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Build two sites in turns, each first on a disk that fails; a step is a turn."""
    commit.GRACE = 0.01
    rng = random.Random(seed)
    if os.geteuid() == 0 and rng.random() < 0.2 and shutil.which("mount"):
        return _small(rng, folder)
    trees, out = [], folder / "out"
    for site in (0, 1):
        kill_builds.write(folder, "AB"[site], site, 4)
        labgen("build", "-q", "-C", str(folder), seconds=60)
        trees.append(tree(out))
    current = 1
    for step in steps:
        rng = random.Random(f"{seed}/{step}")
        current = 1 - current
        kill_builds.write(folder, "AB"[current], current, 4)
        begin = failing(folder, rng.randint(1, 400), rng.choice(FAULTS), is_lasting=rng.random() < 0.5)
        if fault := labgen("build", "-q", "-C", str(folder), seconds=60, before=begin).fault(0, 1):
            return fault
        try:
            kill_builds.look(folder, trees[1 - current], trees[current])
        except AssertionError as error:
            return f"after a fault of the disk: {error}"
        if fault := labgen("build", "-q", "-C", str(folder), seconds=60).fault(0):
            return fault
        if tree(out) != trees[current]:
            return "the build after a fault did not make the site"
    return ""


def _small(rng: random.Random, folder: Path) -> str:
    """Build on a file system with few blocks or few inodes, then with enough."""
    size, inodes = rng.choice([(f"{rng.randint(50, 900)}k", 10_000), ("50m", rng.randint(20, 200))])
    options = f"size={size},nr_inodes={inodes}"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False).returncode:
        return ""
    try:
        try:
            kill_builds.write(folder, "A", 0, 4)
        except OSError:
            return ""  # there is no room for the data
        ended = labgen("build", "-q", "-C", str(folder), seconds=60)
        if fault := ended.fault(0, 1):
            return f"{fault}\non a file system of {options}"
        if ended.code == 1 and "error" not in ended.output:
            return f"exit code 1 without a sentence, on a file system of {options}"
        subprocess.run(["mount", "-o", "remount,size=50m,nr_inodes=10000", str(folder)], check=True)
        return labgen("build", "-q", "-C", str(folder), seconds=60).fault(0)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
