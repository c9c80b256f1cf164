"""Edits: a directory is edited at random, and each build is held against one that remembers nothing.

Besides the edits of the tests: clocks that go back, files of equal time and size, folders that change places, two builds at once.
"""

import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from conftest import Project
from test_incremental import Keeper

from torture.common import labgen, start, tree, wait

STEPS = 8


def turn_clocks_back(keeper: Keeper) -> None:
    """Give all files the time of long ago, as an archive does that is unpacked."""
    for path in keeper.site.root.glob("data/**/*"):
        os.utime(path, ns=(10**18, 10**18))


def edit_unnoticed(keeper: Keeper) -> None:
    """Change a list, and give it the size and the time that it had; the next turn writes it again."""
    file = keeper.rng.choice(sorted((keeper.site.root / "data").glob("*.json")))
    data, stat = file.read_bytes(), file.stat()
    changed = data.replace(b"Text 1", b"Text 7", 1)
    file.write_bytes(changed)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def swap_folders(keeper: Keeper) -> None:
    """Put a copy in the place of the folder of laboratories."""
    folder = keeper.site.root / "data/laboratories"
    if folder.exists():
        shutil.copytree(folder, folder.with_name("laboratories.new"))
        shutil.rmtree(folder)
        folder.with_name("laboratories.new").rename(folder)


def build_twice_at_once(keeper: Keeper) -> None:
    """Start two builds together; one of them may be told that the other is at work."""
    with (keeper.site.root / "output.txt").open("wb") as file:
        arguments = ["build", "-q", "--allow-removals", "-C", str(keeper.site.root)]
        for child in [start(arguments, file.fileno()) for _ in range(2)]:
            wait(child, 60)


MORE: list[Callable[[Keeper], None]] = [turn_clocks_back, edit_unnoticed, swap_folders, build_twice_at_once]


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Edit and build; a step is a turn."""
    project = Project(folder / "project")
    keeper = Keeper(project, seed)
    done: list[str] = []
    for step in steps:
        keeper.rng = random.Random(f"{seed}/{step}")
        done.append(keeper.act())
        if keeper.rng.random() < 0.5:
            more = keeper.rng.choice(MORE)
            more(keeper)
            done.append(more.__name__)
        warm = labgen("build", "-q", "--allow-removals", "-C", str(project.root), seconds=60)
        cold = labgen("build", "-q", "-C", str(project.root), "-o", str(folder / f"cold-{step}"), seconds=60)
        if fault := warm.fault(0, 1) or cold.fault(0, 1):
            return f"{fault}\nafter: {done}"
        if warm.code != cold.code:
            return f"a warm build ends with {warm.code}, a cold one with {cold.code}\nafter: {done}\n{warm.output}"
        if warm.code == 0 and (differs := _difference(tree(project.out), tree(folder / f"cold-{step}"))):
            return f"a warm build is not equal to a cold one: {differs}\nafter: {done}"
    return ""


def _difference(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))[:5]
