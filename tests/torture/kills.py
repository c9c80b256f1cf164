"""Kills: a build gets a signal at a random moment, or ends at a call that changes a file.

The site is the old one or the new one, or a journal lies there that the next command finishes; what was asked to end says so by its
exit code and leaves nothing behind; and the next build makes the new site.
"""

import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import kill_builds

from labgen.output import commit
from torture.common import labgen, start, tree, wait

STEPS = 6
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Build two sites in turns, and end each build; a step is a turn."""
    commit.GRACE = 0.01
    trees, out = [], folder / "out"
    settings = random.Random(seed).choice(["", kill_builds.PACKED])
    began = time.monotonic()
    for site in (0, 1):
        kill_builds.write(folder, "AB"[site], site, 4, settings)
        ended = labgen("build", "-q", "-C", str(folder), seconds=60)
        if fault := ended.fault(0):
            return fault
        trees.append(tree(out))
    took, current = (time.monotonic() - began) / 2, 1
    for step in steps:
        rng = random.Random(f"{seed}/{step}")
        current = 1 - current
        kill_builds.write(folder, "AB"[current], current, 4, settings)
        if fault := (_by_signal if rng.random() < 0.6 else _at_a_call)(folder, rng, took):
            return fault
        try:
            kill_builds.look(folder, trees[1 - current], trees[current])
        except AssertionError as error:
            return f"after a kill: {error}"
        ended = labgen("build", "-q", "-C", str(folder), seconds=60)
        if fault := ended.fault(0):
            return fault
        if tree(out) != trees[current]:
            return "the build after a kill did not make the site"
    return ""


def _by_signal(folder: Path, rng: random.Random, took: float) -> str:
    number, had = rng.choice(SIGNALS), staged(folder)
    with (folder / "output.txt").open("w+b") as file:
        child = start(["build", "-q", "-C", str(folder)], file.fileno())
        time.sleep(rng.uniform(0, took * 1.2))
        for _ in range(rng.choice([1, 1, 2])):
            os.kill(child, number)
        code = wait(child, 30)
        file.seek(0)
        output = file.read().decode()
    if number == signal.SIGKILL or code == 0:
        return ""
    if "Traceback" in output:
        return f"traceback after {number.name}\n{output}"
    if code not in (128 + number, -number):
        return f"exit code {code} after {number.name}\n{output}"
    left = sorted(
        staged(folder) - had
    )  # a KILL between the last step of a commit and its end may have left one
    return f"{number.name} leaves {left} behind" if left and code == 128 + number else ""


def staged(folder: Path) -> set[str]:
    """Return the folders of staged files that no build will finish."""
    found = (folder / ".labgen").glob("staging-*")
    return {one.name for one in found if not (one / "journal.json").exists()}


def _at_a_call(folder: Path, rng: random.Random, took: float) -> str:
    how = rng.choice(["commit", "memory"])
    kill_builds.ended(folder, how, rng.randrange(400 if how == "commit" else 200))
    return ""
