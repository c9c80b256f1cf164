"""Services: the documents of a sound service are changed as by `mutants`, and each command that fetches asks it.

Nothing may hang, end in a traceback, or be written outside of the command's own folder; a project that was imported without
an error has none for `check`.
"""

import json
import random
from collections.abc import Sequence
from pathlib import Path

from stand_ins import Answer, Asked, serving

from labgen.serve.answer import Site
from torture.common import copy, labgen, tree
from torture.hosts import without_pauses
from torture.mutants import MUTATIONS, holders_of
from torture.mutants import replace as replace_value

STEPS = 4
EVIL = [
    "../../../../x",
    "/tmp/x",
    "..",
    "/media/../../x.png",
    "/media/%2e%2e/x.png",
    "//evil.example/x.png",
    "https://[",
    "\x00",
    "0" * 300,
]
"""Texts that could lead out of a folder, or to another host."""


def change(file: Path, rng: random.Random) -> None:
    """Change a document: a value becomes another one or a harmful text, or bytes change."""
    data = bytearray(file.read_bytes())
    chance = rng.random()
    if chance < 0.4:
        box = [json.loads(data)]
        texts = [(holder, key) for holder, key in holders_of(box) if isinstance(holder[key], str)]
        if texts:
            holder, key = rng.choice(texts)
            holder[key] = rng.choice(EVIL)
            data[:] = json.dumps(box[0]).encode()
    elif chance < 0.85:
        replace_value(data, rng)
    else:
        rng.choice(MUTATIONS)(data, rng)
    file.write_bytes(data)


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    project, rng = copy(seed, folder / "project"), random.Random(seed)
    documents = sorted(
        [
            *project.out.glob("api/**/*.json"),
            *project.out.glob("*.json"),
            *project.out.glob("manifest/*.json"),
        ]
    )
    for step in steps:
        chosen = random.Random(f"{seed}/{step}")
        file = chosen.choice(documents)
        try:
            change(file, chosen)
        except ValueError:  # no longer JSON, after an earlier step
            continue
    base_path = (
        "/verzeichnis" if (project.out / "openapi.json").read_bytes().find(b"/verzeichnis/") > 0 else ""
    )
    site = Site(project.out, base_path)

    def answer(asked: Asked) -> Answer:
        made = site.answer(asked.method, asked.path, dict(asked.fields))
        return Answer(made.status, dict(made.fields), made.body)

    target = folder / "a/b/c/own"
    pictures = rng.choice(["published", "originals", "none"])
    with serving(answer) as port:
        address = f"http://127.0.0.1:{port}{base_path}"
        command = rng.choice([
            ["import", address, str(target), "--pictures", pictures, "--rate", "0"],
            ["import", address, str(target), "--pictures", pictures, "--rate", "0", "--skip-failed", "--follow"],
            ["sync", address, str(target)],
            ["diff", str(project.root), address, "--format", "json"],
        ])  # fmt: skip
        had = tree(folder)
        ended = labgen(*command, seconds=20, before=without_pauses)
    if fault := ended.fault(0, 1):
        return f"{command[0]}: {fault}"
    own = (target.relative_to(folder).as_posix(), "project/.labgen")
    if strangers := [name for name in tree(folder).keys() - had.keys() if not name.startswith(own)]:
        return f"{command[0]} writes {strangers[:5]}\n{ended.output}"
    if command[0] == "import" and ended.code == 0:
        checked = labgen("check", "-q", "-C", str(target))
        return checked.fault(0)
    return ""
