"""Runs tortures, and reduces what they find.

Each torture runs cases for as long, as many at a time as there are cores. A case that finds something is reduced to the fewest steps that
still find it, and printed with the command that repeats it. Exit code 1 where something was found.
"""

import argparse
import os
import random
import tempfile
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

NAMES = ("mutants", "kills", "edits", "disks", "hosts", "clients")


ENOUGH = 3
"""Findings after which a torture ends: more are seldom others."""


class Found(NamedTuple):
    """A case that found something, reduced."""

    name: str
    seed: int
    steps: tuple[int, ...]
    what: str

    def __str__(self) -> str:
        steps = ",".join(map(str, self.steps))
        return f"{self.name}: {self.what}\nrepeat: python tests/torture {self.name} --seed {self.seed} --steps {steps}\n"


def attempt(name: str, seed: int, steps: Sequence[int]) -> str:
    """Do a case in a folder of its own, and return what it found, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found: str = import_module(f"torture.{name}").run(seed, steps, Path(folder))
        except Exception:  # noqa: BLE001 - a torture that fails is a finding, too
            return f"the torture itself fails\n{traceback.format_exc()}"
        return found


def reduced(name: str, seed: int, steps: Sequence[int], what: str) -> Found:
    """Leave out each step without which the same is found."""
    kept = tuple(steps)
    for step in steps:
        fewer = tuple(one for one in kept if one != step)
        again = attempt(name, seed, fewer) if fewer else ""
        if again.partition(":")[0].partition("\n")[0] == what.partition(":")[0].partition("\n")[0]:
            kept, what = fewer, again
    return Found(name, seed, kept, what)


def torture(name: str, seconds: float, first: int, most: int) -> tuple[int, list[Found]]:
    """Run cases of a torture until the time is over, or something was found a few times."""
    rng, end, cases = random.Random(f"{name}/{first}"), time.monotonic() + seconds, 0
    found: list[Found] = []
    steps_at_most: int = import_module(f"torture.{name}").STEPS
    with tempfile.TemporaryDirectory(prefix="labgen-torture-") as tempfile.tempdir:
        while time.monotonic() < end and cases < most and len(found) < ENOUGH:
            seed, steps = rng.getrandbits(32), range(rng.randint(1, steps_at_most))
            cases += 1
            if what := attempt(name, seed, steps):
                found.append(reduced(name, seed, steps, what))
    return cases, found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Torture labgen for a while.")
    parser.add_argument(
        "names", nargs="*", choices=NAMES, default=list(NAMES), metavar="NAME", help=", ".join(NAMES)
    )
    parser.add_argument("--minutes", type=float, default=2.0, help="for each torture (default: 2)")
    parser.add_argument("--cases", type=int, default=10**9, help="cases of each torture, at most")
    parser.add_argument(
        "--seed", type=int, help="with --steps, one case; else where to begin (default: another each time)"
    )
    parser.add_argument("--steps", help="the steps of one case, such as 0,2")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="tortures at a time")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.steps:
        (name,) = given.names
        what = attempt(name, given.seed, [int(step) for step in given.steps.split(",")])
        print(what or "nothing found")
        return bool(what)
    first = random.SystemRandom().getrandbits(32) if given.seed is None else given.seed
    print(f"seed {first}, {given.minutes:g} minutes each: {', '.join(given.names)}", flush=True)
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        tasks = {
            name: pool.submit(torture, name, given.minutes * 60, first, given.cases) for name in given.names
        }
        findings = 0
        for name, task in tasks.items():
            cases, found = task.result()
            findings += len(found)
            print(f"{name}: {cases:,} cases, {len(found)} findings", flush=True)
            for one in found:
                print(one, flush=True)
    return bool(findings)
