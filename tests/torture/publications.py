"""Publications: several publishers build versions of a directory, and publish them to one object store or folder, at once.

Who sends the next request, who is killed, and who takes a lease that another holds, is chosen at random. A lease that nobody takes away
keeps the others out: the target then always holds whole files of the versions before and after, no document without its page, no list
with a laboratory that is not there. After all, the next publication makes the target what its `out/` is.
"""

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from conftest import Project
from obstore.store import MemoryStore
from publishers import Files, Killed, Place, Publisher, without_marks
from test_incremental import Keeper
from test_publish import require_whole

from labgen.model.site_paths import STATE
from labgen.publish.target import PublishError
from torture.common import labgen

STEPS = 8
PUBLISHERS = 3
LIST = "api/v1/laboratory/laboratories/"


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    """Edit, build and publish; a step is a round in which all publish at once."""
    rng = random.Random(seed)
    project = Project(folder / "project")
    keeper = Keeper(project, seed)
    uses_rsync = shutil.which("rsync") is not None and rng.random() < 0.2
    place = Place(folder / "target" if uses_rsync else MemoryStore())
    there: Files = {}
    done: list[str] = []
    for step in steps:
        keeper.rng = rng = random.Random(f"{seed}/{step}")
        sites = []
        for number in range(rng.choice((1, PUBLISHERS))):
            done.append(keeper.act())
            built = labgen("build", "-q", "--allow-removals", "-C", str(project.root), seconds=60)
            if fault := built.fault(0, 1):
                return f"{fault}\nafter: {done}"
            if not built.code:
                sites.append(_copy(project, folder / f"publisher{number}", keeps_journal=rng.random() < 0.7))
        if not sites:
            continue
        found, there = _round(rng, place, sites, there, done)
        if found:
            return f"{found}\nafter: {done}"
    return ""


def _copy(project: Project, folder: Path, *, keeps_journal: bool) -> Project:
    """Return a publisher's own copy of a project, with what the publisher remembers or as on a new machine."""
    kept = [*(folder / STATE).glob("publish*")] if keeps_journal else []
    journals = {path.name: path.read_bytes() for path in kept}
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(project.root, folder)
    for name, data in journals.items():
        (folder / STATE / name).write_bytes(data)
    return Project(folder)


def _round(
    rng: random.Random, place: Place, sites: Sequence[Project], there: Files, done: list[str]
) -> tuple[str, Files]:
    """Publish sites at once; return what is wrong, and what is there in the end."""
    takers = [rng.random() < 0.2 for _ in sites]
    publishers = [
        Publisher(site, place, breaks_lease=takes) for site, takes in zip(sites, takers, strict=True)
    ]
    done.append(f"publish, taking the lease: {takers}")
    is_orderly = not any(takers)
    versions = [there, *(place.goal(site) for site in sites)]
    while waiting := [one for one in publishers if not one.is_done]:
        one = rng.choice(waiting)
        if rng.random() < 0.02:
            done.append(f"kill {publishers.index(one)}")
            one.kill()
        else:
            one.steps(rng.choice((1, 1, 5, 50)))
        if (
            is_orderly
            and rng.random() < 0.3
            and (fault := fault_between(without_marks(place.held()), versions))
        ):
            for other in publishers:
                other.kill()
            return fault, {}
    if fault := _wrong_end(place, publishers, is_orderly=is_orderly):
        return fault, {}
    last = Publisher(rng.choice(sites), place, breaks_lease=True).steps()
    if last.error:
        return f"the next publication fails: {last.error}", {}
    goal = place.goal(last.site)
    differing = _differing(place.held(), goal)
    return f"other files are published: {differing}" if differing else "", goal


def _wrong_end(place: Place, publishers: Sequence[Publisher], *, is_orderly: bool) -> str:
    """Return what is wrong when all have ended: an odd error, or a site that nobody published."""
    for one in publishers:
        if not isinstance(one.error, PublishError | Killed | None):
            return f"a publication ends in {one.error!r}"
    good = [place.goal(one.site) for one in publishers if one.error is None]
    marks = place.held().keys() - without_marks(place.held()).keys()
    if is_orderly and good and not marks and place.held() not in good:
        return f"a site is there that nobody published: {_differing(place.held(), good[0])}"
    return ""


def fault_between(found: Files, versions: Sequence[Files]) -> str:
    """Return what a reader must not see while a publication is under way."""
    try:
        require_whole({name: data for name, data in found.items() if not name.startswith(".")}, *versions)
    except AssertionError as error:
        return f"a reader sees this: {error}"
    for name, data in found.items():
        if name == f"{LIST}index.json" or (name.startswith(f"{LIST}page/") and name.endswith(".json")):
            for one in json.loads(data)["results"]:
                if f"{LIST}{one['display_id']}/index.json" not in found:
                    return f"a reader sees this: {name} lists {one['display_id']}, which is not there"
    return ""


def _differing(one: Files, other: Files) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))[:5]
