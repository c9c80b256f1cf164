"""Measures what the search index costs: builds and edits with it and without, in alternation.

    python tests/bench/search.py [--laboratories 10000] [--rounds 3] [--jobs 2] [--folder /tmp/labgen-bench]

Prints seconds and seconds of CPU, medians of the rounds, and how many files edits write.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from run import HERE, Run, edit, run

OFF = "\n[search]\nenabled = false\n"
EDITS: dict[str, dict[str, object]] = {
    "its free text edited": {"about": "Nummer {}"},
    "its name edited": {"name": "Prüfhaus {}"},
    "its materials edited": {"materials": [1, 2, 3]},
    "verified or not": {"is_verified": True},
}


def measure(count: int, rounds: int, jobs: int, folder: Path) -> None:
    """Measure a directory of one size, and print a table."""
    projects = {}
    for name, setting in (("with", ""), ("without", OFF)):
        projects[name] = Path(tempfile.mkdtemp(prefix=f"{name}-{count}-", dir=folder))
        subprocess.run(
            [sys.executable, str(HERE / "generate.py"), str(projects[name]), str(count)], check=True
        )
        settings = projects[name] / "data/site.toml"
        settings.write_text(settings.read_text(encoding="utf-8") + setting, encoding="utf-8")
    figures: dict[str, dict[str, list[Run]]] = {}
    for number in range(rounds):
        for name, project in projects.items():
            out = tempfile.mkdtemp(prefix="round-", dir=folder)
            command = [
                sys.executable,
                "-m",
                "labgen",
                "build",
                "-C",
                str(project),
                "-o",
                f"{out}/out",
                "-j",
                str(jobs),
            ]
            figures.setdefault("full build", {}).setdefault(name, []).append(run(*command))
            laboratories = sorted((project / "data/laboratories").iterdir())
            for what, change in EDITS.items():
                own = {
                    key: value.format(number) if isinstance(value, str) else value
                    for key, value in change.items()
                }
                edit(laboratories[count // 2 + number], own)
                figures.setdefault(what, {}).setdefault(name, []).append(run(*command))
            laboratories[-1].unlink()
            figures.setdefault("one laboratory removed", {}).setdefault(name, []).append(run(*command))
    show(count, rounds, figures)


def show(count: int, rounds: int, figures: dict[str, dict[str, list[Run]]]) -> None:
    """Print the medians of the rounds."""
    print(f"\n{count:,} laboratories, medians of {rounds} rounds")
    print(
        f"  {'':26}{'with: s':>9}{'CPU s':>8}{'files':>9}{'without: s':>12}{'CPU s':>8}{'files':>9}{'ratio':>7}{'of CPU':>8}"
    )
    for what, both in figures.items():
        cells = ""
        for name in ("with", "without"):
            seconds, cpu, files = (
                median(getattr(one, key) for one in both[name]) for key in ("seconds", "cpu", "written")
            )
            cells += f"{seconds:{9 if name == 'with' else 12}.2f}{cpu:8.2f}{files:9,.0f}"
        pairs = list(zip(both["with"], both["without"], strict=True))
        ratio, of_cpu = (
            median(getattr(one, key) / getattr(other, key) for one, other in pairs)
            for key in ("seconds", "cpu")
        )
        print(f"  {what:26}{cells}{ratio:7.2f}{of_cpu:8.2f}")


def main() -> None:
    """Read the options, and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--laboratories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    measure(options.laboratories, options.rounds, options.jobs, options.folder)


if __name__ == "__main__":
    main()
