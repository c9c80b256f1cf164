"""Shows how many cores a build keeps busy in each stage, and what its main process does alone.

    python tests/bench/timeline.py PROJECT OUT [--jobs 2]

Prints for each stage the seconds, the cores that are busy (all processes), and those of the main process. Then a
line for each half second or more: what the main process (#) and its workers (+) used of it. Linux only.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from labgen.pipeline.build import build
from labgen.pipeline.build_options import DEFAULTS
from labgen.system.timings import REST, Timings

EACH = 0.02
"""Seconds between two samples."""
SAMPLER = "--sample"
WIDTH = 20
"""Characters of a line for one core."""
LINES = 40
LEAST = 0.5
"""Seconds: shorter stages are not shown, and no line is shorter."""
TICKS = os.sysconf("SC_CLK_TCK")


class Recorded(Timings):
    """Timings that remember when the innermost stage changed."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        super().__init__()
        self.changes = [(time.monotonic(), REST)]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a stage."""
        with super().stage(name):
            self.changes.append((time.monotonic(), name))
            yield
        self.changes.append((time.monotonic(), self.inside[-1]))

    def at(self, moment: float) -> str:
        """Return the stage at a moment."""
        return [name for since, name in self.changes if since <= moment][-1]


def used(process: int) -> float:
    """Return the seconds of CPU of a process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def sample(parent: int) -> None:
    """Print the moment, the seconds of CPU of a process, and those of its children since the last sample."""
    before = {parent: used(parent)}
    children = Path(f"/proc/{parent}/task/{parent}/children")
    while True:
        now = {}
        for one in (parent, *map(int, children.read_text(encoding="ascii").split())):
            if one != os.getpid():
                try:
                    now[one] = used(one)
                except OSError:
                    continue
        spent = {one: seconds - before.get(one, 0) for one, seconds in now.items()}
        own = spent.pop(parent)
        print(time.monotonic(), own, sum(spent.values()), flush=True)
        before = now
        time.sleep(EACH)


def measure(project: Path, out: Path, jobs: int) -> tuple[Recorded, list[list[float]]]:
    """Build; return the stages, and the samples: a moment, and seconds of the main process and of the others."""
    timings = Recorded()
    command = [sys.executable, __file__, SAMPLER, str(os.getpid())]
    gc.disable()  # as the command does
    with tempfile.TemporaryFile("w+") as samples, subprocess.Popen(command, stdout=samples) as sampler:
        build(project, out, replace(DEFAULTS, jobs=jobs, timings=timings, are_changes_allowed=True))
        sampler.terminate()
        sampler.wait()
        samples.seek(0)
        lines = samples.readlines()
    return timings, [[*map(float, line.split())] for line in lines[:-1]]  # the last one may be cut


def show(timings: Recorded, samples: Sequence[Sequence[float]]) -> None:
    """Print the table and the lines."""
    seconds = timings.seconds()
    stages = {name: [one for one in samples if timings.at(one[0]) == name] for name in seconds}
    print(f"{'':32}{'s':>8}{'cores':>8}{'main':>8}")
    for name, some, spent in [*((name, stages[name], spent) for name, spent in seconds.items()),
                              ("all", samples, sum(seconds.values()))]:  # fmt: skip
        if spent >= LEAST:
            own, others = (sum(one[place] for one in some) / spent for place in (1, 2))
            print(f"{name:32}{spent:8.2f}{own + others:8.2f}{own:8.2f}")
    begin, step = samples[0][0], max(LEAST, sum(seconds.values()) / LINES)
    for number in range(int((samples[-1][0] - begin) / step) + 1):
        some = [one for one in samples if int((one[0] - begin) / step) == number]
        own, others = (round(sum(one[place] for one in some) / step * WIDTH) for place in (1, 2))
        print(
            f"{step * number:7.1f} s  {'#' * own + '+' * others:50} {timings.at(begin + step * (number + 0.5))}"
        )


def main() -> None:
    """Read the options, build, and show what the processes did."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("project", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    show(*measure(options.project, options.out, options.jobs))


if __name__ == "__main__":
    if sys.argv[1:2] == [SAMPLER]:
        try:
            sample(int(sys.argv[2]))
        except (OSError, KeyboardInterrupt):
            sys.exit()
    main()
