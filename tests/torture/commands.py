"""Commands: a file of a sound project is changed as by `mutants`, or of what is remembered of it, and other commands than `build` are run.

Nothing may hang or end in a traceback; reports for programs can be parsed; `check --fix` leaves nothing that it would mend
a second time, and no more errors than there were; an export holds no contact's address.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from conftest import Project

from torture.common import SECRET, copy, labgen, tree
from torture.mutants import MUTATIONS, mutate

STEPS = 3


def fix(project: Project, _rng: random.Random) -> str:
    """Mend what is certain, twice."""
    where = ("-C", str(project.root))
    before = labgen("check", *where)
    first, second = labgen("check", "--fix", "--yes", *where), labgen("check", "--fix", "--yes", *where)
    if fault := before.fault(0, 1) or first.fault(0, 1) or second.fault(0, 1):
        return fault
    if "nothing is left that can be mended" not in second.output:
        return f"a second --fix mends again\n{first.output}\n{second.output}"
    is_more_known = "error[unknown-reference]" in first.output  # they are looked for in sound lists alone
    is_worse = errors_in(first.output) > errors_in(before.output) and not is_more_known
    return f"--fix makes more errors\n{before.output}\n{first.output}" if is_worse else ""


def errors_in(output: str) -> int:
    """Return how many errors the last line of a check counts."""
    counted = re.search(r"([0-9,]+) errors?\b", output.rstrip().rpartition("\n")[2])
    return int(counted[1].replace(",", "")) if counted else 0


def export(project: Project, _rng: random.Random) -> str:
    """Export all data, without contacts."""
    target = project.root / "export"
    ended = labgen("export", str(target), "-C", str(project.root))
    leaks = [name for name, data in tree(target).items() if SECRET.encode() in data]
    return ended.fault(0, 1) or (f"an export holds an address: {leaks}" if leaks else "")


def report(project: Project, rng: random.Random) -> str:
    """Report problems to programs."""
    form = rng.choice(["json", "sarif", "github"])
    ended = labgen("check", "--format", form, "--all", "-C", str(project.root))
    return ended.fault(0, 1) or (_no_json(ended.output) if form != "github" else "")


def diff(project: Project, rng: random.Random) -> str:
    """Compare the data with the last build."""
    form = rng.choice(["text", "markdown", "json"])
    ended = labgen("diff", "--format", form, "--values", "-C", str(project.root))
    return ended.fault(0, 1) or (_no_json(ended.output) if form == "json" and ended.code == 0 else "")


def new(project: Project, rng: random.Random) -> str:
    """Add a laboratory."""
    return labgen("new", rng.choice(["Labor", "  ", "Ä/../x", "\u202e"]), "-C", str(project.root)).fault(
        0, 1, 2
    )


def verify(project: Project, _rng: random.Random) -> str:
    """Verify the built folder."""
    return labgen("verify", str(project.out), "-C", str(project.root)).fault(0, 1)


def dry_run(project: Project, _rng: random.Random) -> str:
    """Show what a build would change, and change nothing."""
    before = tree(project.out)
    ended = labgen("build", "--dry-run", "--fail-on", "breaking", "-C", str(project.root))
    return ended.fault(0, 1, 3) or ("" if tree(project.out) == before else "a dry run changes out/")


def build_from_damage(project: Project, rng: random.Random) -> str:
    """Change bytes of what is remembered of the site, and build."""
    files = [path for path in sorted((project.root / ".labgen").rglob("*")) if path.is_file()]
    files += [path for path in sorted((project.out / ".labgen-site").rglob("*")) if path.is_file()]
    file = rng.choice(files)
    data = bytearray(file.read_bytes()) or bytearray(b" ")
    rng.choice(MUTATIONS)(data, rng)
    file.write_bytes(data)
    fault = labgen("build", "--allow-removals", "-C", str(project.root)).fault(0, 1)
    return f"{fault}\ndamaged: {file.name}" if fault else ""


COMMANDS: list[Callable[[Project, random.Random], str]] = [
    fix, fix, export, report, diff, new, verify, dry_run, build_from_damage,
]  # fmt: skip


def _no_json(output: str) -> str:
    try:
        json.JSONDecoder().raw_decode(output[output.find("{") :])  # what is said to people comes behind it
    except ValueError as error:
        return f"what is to be JSON is none: {error}\n{output}"
    return ""


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    project = copy(seed, folder)
    names = [mutate(project, seed, step) for step in steps]
    rng = random.Random(f"{seed}/commands")
    for command in rng.sample(COMMANDS, 3):
        if fault := command(project, rng):
            return f"{fault}\nchanged: {', '.join(names)}, then {command.__name__}"
    return ""
