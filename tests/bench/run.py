"""Measures builds against the floor, in alternation, and prints medians and ratios.

    python tests/bench/run.py [--laboratories 1000 10000] [--rounds 3] [--jobs 2] [--folder /tmp/labgen-bench]

Every round builds into a folder that is new, and nothing is removed or replaced before all rounds are over: a file
system that was just cleared is slow for minutes. The floor writes the tree of the same round with as many processes,
and with one. Then come the edits, in the first of these folders.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # labgen is compiled once, as on all machines
os.environ["LABGEN_LANG"] = "en"  # the language of what `Run.written` reads


@dataclass(frozen=True)
class Run:
    """A finished process: seconds, seconds of CPU, peak memory of all its processes in MiB, and what it said."""

    seconds: float
    cpu: float
    memory: float
    text: str

    @property
    def written(self) -> int:
        """The number of files that a build says it wrote."""
        found = re.search(r"([\d,]+) written", self.text)
        return int(found[1].replace(",", "")) if found else 0


def memory_of(process: int) -> float:
    """Return the proportional memory of a process and its children, in MiB (Linux; 0 elsewhere)."""
    total = 0
    pending = [process]
    while pending:
        one = pending.pop()
        try:
            pending += map(int, Path(f"/proc/{one}/task/{one}/children").read_text(encoding="ascii").split())
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        except (OSError, ValueError):
            continue
        found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
        total += int(found[1]) if found else 0
    return total / 1024


def run(*command: str) -> Run:
    """Run a command to its end, and measure it."""
    started, before = time.perf_counter(), os.times()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = [0.0]
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.5):
            peak[0] = max(peak[0], memory_of(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    text, errors = process.communicate()
    seconds = time.perf_counter() - started
    is_over.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\n{errors}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, cpu, peak[0], text + errors)


def edit(file: Path, change: "dict[str, object]") -> None:
    """Change fields of a laboratory's record."""
    record = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(record | change, ensure_ascii=False, indent=1), encoding="utf-8")


def rename_material(project: Path, title: str) -> None:
    """Rename the material that a third of the laboratories name."""
    file = project / "data/materials.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[0] = json.dumps(json.loads(lines[0]) | {"title": title}, ensure_ascii=False)
    file.write_text("\n".join(lines), encoding="utf-8")


def measure(count: int, rounds: int, jobs: int, folder: Path) -> None:
    """Measure a directory of one size, and print a table."""
    project = Path(tempfile.mkdtemp(prefix=f"project-{count}-", dir=folder))
    subprocess.run([sys.executable, str(HERE / "generate.py"), str(project), str(count)], check=True)
    figures: dict[str, list[Run]] = {}
    floors: dict[str, list[float]] = {"as many processes": [], "one process": []}
    builds = []
    for _ in range(rounds):
        place = Path(tempfile.mkdtemp(prefix="round-", dir=folder))
        out, options = str(place / "out"), ("-j", str(jobs))
        builds.append([sys.executable, "-m", "labgen", "build", "-C", str(project), "-o", out, *options])
        figures.setdefault("full build", []).append(run(*builds[-1]))
        for name, processes in (("as many processes", jobs), ("one process", 1)):
            target = place / f"floor-{processes}"
            target.mkdir()
            floor = run(sys.executable, str(HERE / "floor.py"), out, str(target), str(processes))
            floors[name].append(float(floor.text.split()[0]))
    build, *_ = builds
    for number in range(rounds):
        figures.setdefault("no change", []).append(run(*build))
        laboratories = sorted((project / "data/laboratories").iterdir())
        edit(laboratories[len(laboratories) // 2], {"about": f"Nummer {number}"})
        figures.setdefault("one laboratory edited", []).append(run(*build))
        edit(laboratories[len(laboratories) // 2], {"locality": f"Ort {number}"})
        figures.setdefault("its place edited, which its card shows", []).append(run(*build))
        rename_material(project, f"Werkstoff {number}")
        figures.setdefault("an entry of a third edited", []).append(run(*build))
        style = project / "templates/static/style.css"
        style.parent.mkdir(parents=True, exist_ok=True)
        style.write_text(f"/* {number} */", encoding="utf-8")
        figures.setdefault("the style of all pages edited", []).append(run(*build))
        laboratories[-1].unlink()
        figures.setdefault("one laboratory removed", []).append(run(*build))
    show(count, rounds, jobs, figures, floors)


def show(
    count: int, rounds: int, jobs: int, figures: dict[str, list[Run]], floors: dict[str, list[float]]
) -> None:
    """Print the medians of the rounds."""
    print(f"\n{count:,} laboratories, {jobs} processes, medians of {rounds} rounds")
    full = figures["full build"]
    for name, seconds in floors.items():
        ratio = median(one.seconds / least for one, least in zip(full, seconds, strict=True))
        print(f"  floor with {name}: {median(seconds):.2f} s; full build / floor = {ratio:.2f}")
    print(f"  {'':40}{'s':>8}{'CPU s':>8}{'MiB':>8}{'ms/lab':>8}{'/ full':>8}{'written':>12}{'files/s':>9}")
    for name, runs in figures.items():
        wall, cpu = median(one.seconds for one in runs), median(one.cpu for one in runs)
        memory, written = median(one.memory for one in runs), median(one.written for one in runs)
        share = median(one.seconds / whole.seconds for one, whole in zip(runs, full, strict=True))
        print(
            f"  {name:40}{wall:8.2f}{cpu:8.2f}{memory:8.0f}{wall / count * 1000:8.2f}{share:8.2f}"
            f"{written:12,.0f}{written / wall:9,.0f}"
        )


def main() -> None:
    """Measure each size that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--laboratories", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "labgen-bench")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for count in options.laboratories:
        measure(count, options.rounds, options.jobs, options.folder)


if __name__ == "__main__":
    main()
