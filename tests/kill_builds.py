"""Kills builds, and looks at what they leave: `python tests/kill_builds.py FOLDER HOW TURNS LABORATORIES [STEP FIRST]`.

HOW is `anywhere` (SIGKILL at a random moment of a build), `packs` (the same, of a site in packs with compressed copies), `commit` (the process ends at one after the other of the
calls that change out/: from FIRST on, each STEPth one) or `memory` (the same with the statements that a build gives to the
database, which writes to its file as early as it can). Each build is a process of its own, forked so that it need not load
anything. Prints how many were killed, and after how many of them the memory was not about the site that is there; ends with an
AssertionError where a tree is not what it must be.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from labgen.memory.database import memory_file, query_database
from labgen.output import commit
from labgen.output.file_lists import LISTS, read_marker
from labgen.output.open_folder import finish_pending
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options

Tree = dict[str, bytes]
ANYWHERE = ("anywhere", "packs")
CALLS = ("rename", "remove", "rmdir", "mkdir", "open")
"""The events of the interpreter's audit that stand for calls that change files."""


PACKED = 'hosts = ["cloudflare"]\npacks = ["laboratories", "pictures"]\ncopies = ["gz"]\n'
"""Settings with which a site has files that are made of others."""


def write(root: Path, name: str, extra: int, count: int, settings: str = "") -> None:
    """Write a site of which nearly every file differs from that of another name; one laboratory is its own."""
    folder = root / "data/laboratories"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for number in [*range(count), 1000 + extra]:
        record = {"display_id": f"{number:05}", "name": f"{name} {number}", "country": "de", "materials": [1]}
        record |= {"deal_status": "p", "verification_status": "p", "about": name * 200}
        (folder / f"{number:05}.json").write_text(json.dumps(record), encoding="utf-8")
    (root / "data/site.toml").write_text(
        f'{settings}[deal_statuses]\np="P"\n[verification_statuses]\np="P"\n', encoding="utf-8"
    )
    countries = [{"iso_code": "de", "slug": "d", "name": f"Land {name}"}]
    materials = [{"id": 1, "title": f"Stoff {name}"}]
    for stem, entries in (("countries", countries), ("materials", materials), ("upgrade_options", [])):
        (root / f"data/{stem}.json").write_text(json.dumps(entries), encoding="utf-8")


def tree(out: Path) -> Tree:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def is_remembered(root: Path) -> bool:
    """Say whether the memory is about the site that is there."""
    marker, out = read_marker(root / "out"), root / "out"
    made_from = query_database(memory_file(root, out), lambda memory: memory.site and memory.site.made_from)
    return marker is not None and made_from == marker.made_from


def end_at(call: int) -> None:
    """Let this process end at the given call that could change files, counted from the first one of the commit."""
    left = [call]
    begin = commit.commit

    def counted(event: str, args: tuple[object, ...]) -> None:
        is_change = event.removeprefix("os.") in CALLS and (
            event != "open" or int(str(args[2])) & os.O_WRONLY
        )
        if is_change:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def started(*arguments: object) -> None:
        sys.addaudithook(counted)
        begin(*arguments)  # type: ignore[arg-type]

    sys.modules["labgen.output.site_folder"].commit = started  # type: ignore[attr-defined]


def end_at_statement(number: int) -> None:
    """Let this process end at the given statement of the transaction that changes the memory."""
    left = [number]
    connect = sqlite3.connect

    def traced(statement: str) -> None:
        is_begun[0] |= statement == "BEGIN IMMEDIATE"
        left[0] -= is_begun[0]
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.execute("PRAGMA cache_size = 1")
        connection.set_trace_callback(traced)
        return connection

    is_begun = [False]
    sqlite3.connect = connected  # type: ignore[assignment]


def ended(root: Path, how: str, moment: float) -> bool:
    """Build in a process that is killed at a moment (seconds, or calls), and say whether it was."""
    child = os.fork()
    if child == 0:
        if how == "commit":
            end_at(int(moment))
        if how == "memory":
            end_at_statement(int(moment))
        build(root, root / "out", Options(are_changes_allowed=True))
        os._exit(0)
    if how in ANYWHERE:
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] != 0


def look(root: Path, old: Tree, new: Tree) -> str:
    """Check what a killed build left, and return which site it is: the old one, the new one, or one to finish."""
    out = root / "out"
    for file, data in tree(out).items():
        assert file.startswith(LISTS) or data in (old.get(file), new.get(file)), f"half a file: {file}"
    is_pending = (root / ".labgen/staging-out/journal.json").exists()
    found = tree(out)
    if not is_pending:
        assert found in (old, new), "neither the old site nor the new one"
        return "old" if found == old else "new"
    finish_pending(out)
    assert tree(out) == new, "the journal was not finished"
    return "finished"


def main(root: Path, how: str, turns: int, count: int, step: int = 1, first: int = 0) -> None:
    commit.GRACE = 0.01  # nobody reads these sites
    settings = PACKED if how == "packs" else ""
    rng = random.Random(1)
    trees: list[Tree] = []
    for site in (0, 1):
        write(root, "AB"[site], site, count, settings)
        started = time.monotonic()
        build(root, root / "out", Options(are_changes_allowed=True))
        trees.append(tree(root / "out"))
    took = time.monotonic() - started  # of the second build, which had nothing more to import
    counts = {"old": 0, "new": 0, "finished": 0, "forgotten": 0}
    killed, call = 0, first
    current = 1
    while killed < turns:
        current = 1 - current
        write(root, "AB"[current], current, count, settings)
        was_killed = ended(root, how, rng.uniform(0, took * 1.1) if how in ANYWHERE else call)
        if was_killed:
            killed += 1
            call += step
            counts[look(root, trees[1 - current], trees[current])] += 1
            counts["forgotten"] += not is_remembered(root)
        elif how not in ANYWHERE:
            break
        build(root, root / "out", Options(are_changes_allowed=True))
        assert tree(root / "out") == trees[current], "the next build did not put it right"
        if how in ANYWHERE and rng.random() < 0.1:
            (root / ".labgen/out.sqlite").unlink(missing_ok=True)
    print(json.dumps({"killed": killed, **counts}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
