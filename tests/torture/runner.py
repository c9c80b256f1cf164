"""Runs tortures, and reduces what they find.

Each torture runs cases for as long, as many at a time as there are cores. A case that finds something is reduced to the fewest steps that
still find it, and printed with the command that repeats it. Exit code 1 where something was found.
"""

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

import click

from torture.common import base

NAMES = (
    "mutants",
    "imports",
    "commands",
    "kills",
    "edits",
    "publications",
    "disks",
    "hosts",
    "services",
    "clients",
)


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


def torture(name: str, seconds: float, start: str, most: int) -> tuple[int, int, list[Found]]:
    """Run cases of a torture until the time is over, or something was found a few times; in a process of its own.

    Returns how many cases and steps were done, too. `start` is where the random numbers begin.
    """
    rng, end, cases, done = random.Random(f"{name}/{start}"), time.monotonic() + seconds, 0, 0
    found: list[Found] = []
    steps_at_most: int = import_module(f"torture.{name}").STEPS
    with tempfile.TemporaryDirectory(prefix="labgen-torture-") as tempfile.tempdir:
        if most > 1:
            base("json")  # compiles the templates, once for all cases
        while time.monotonic() < end and cases < most and len(found) < ENOUGH:
            seed, steps = rng.getrandbits(32), range(rng.randint(1, steps_at_most))
            cases, done = cases + 1, done + len(steps)
            if what := attempt(name, seed, steps):
                found.append(reduced(name, seed, steps, what))
    return cases, done, found


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--minutes", default=2.0, show_default=True, help="For each torture.")
@click.option("--cases", default=10**9, help="Cases of each torture, at most.")
@click.option("--jobs", default=1, show_default=True, help="Processes for each torture.")
@click.option(
    "--seed", type=int, help="With --steps, one case; else where to begin (default: another each time)."
)
@click.option("--steps", help="The steps of one case, such as 0,2.")
@click.pass_context
def main(  # noqa: PLR0913
    context: click.Context,
    names: tuple[str, ...],
    *,
    minutes: float,
    cases: int,
    jobs: int,
    seed: int | None,
    steps: str | None,
) -> None:
    """Torture labgen for a while: with all tortures, or with those named."""
    if steps:
        if len(names) != 1 or seed is None:
            raise click.UsageError("one case has a name, --seed and --steps")
        what = attempt(names[0], seed, [int(step) for step in steps.split(",")])
        click.echo(what or "nothing found")
        context.exit(bool(what))
    names = names or NAMES
    first = random.SystemRandom().getrandbits(32) if seed is None else seed
    click.echo(f"seed {first}, {minutes:g} minutes each: {', '.join(names)}")
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), max_tasks_per_child=1) as pool:
        starts = [str(first), *(f"{first}/{number}" for number in range(1, jobs))]
        tasks = {
            name: [pool.submit(torture, name, minutes * 60, one, -(-cases // jobs)) for one in starts]
            for name in names
        }
        findings = 0
        for name, some in tasks.items():
            results = [task.result() for task in some]
            done, all_steps = sum(one[0] for one in results), sum(one[1] for one in results)
            found = [each for one in results for each in one[2]]
            findings += len(found)
            click.echo(f"{name}: {done:,} cases of {all_steps:,} steps, {len(found)} findings")
            for one in found:
                click.echo(one)
    context.exit(bool(findings))
