"""What all tortures share: a project to start from, a command in a process of its own, and what it must not do."""

import csv
import gc
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import yaml
from conftest import SITE, Project, picture
from draw_records import Drawer

from labgen.__main__ import run
from labgen.output import commit
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options

SECRET = "geheim.kontakt@labor.example"
"""The address of a contact: no file of a site may hold it plainly."""
SECONDS = 5.0
"""A command that takes longer hangs."""
Tree = dict[str, bytes]
Records = list[dict[str, Any]]
Lists = dict[str, Records]


class Torture(Protocol):
    """A module of this folder. A case is a seed and steps; the same ones do the same, but for the clock."""

    STEPS: int
    """The most steps of a case."""

    def run(self, seed: int, steps: Sequence[int], folder: Path) -> str:
        """Do a case in an empty folder; return what is wrong, in a line and what explains it, or ""."""


class Ended(NamedTuple):
    """How a command ended: its exit code (minus the signal that killed it), its output, and its time."""

    code: int
    output: str
    seconds: float

    def fault(self, *codes: int) -> str:
        """Return what no command may do: hang, end in a traceback, or with another code than these."""
        if self.code == -signal.SIGXCPU:
            return f"hangs: no end within {SECONDS:.0f} s\n{self.output}"
        if "Traceback (most recent call last)" in self.output:
            return f"traceback: {self.output.rstrip().splitlines()[-1]}\n{self.output}"
        return "" if self.code in codes else f"exit code {self.code}\n{self.output}"


def start(arguments: Sequence[str], output: int, before: Callable[[], None] = lambda: None) -> int:
    """Start a command in a forked process, which need not load anything; return its process number."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - a test may have put another in its place
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        sys.argv = ["labgen", *arguments]
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell's background job ignores them
            signal.signal(one, signal.default_int_handler if one is signal.SIGINT else signal.SIG_DFL)
        commit.GRACE = 0.01  # nobody reads these sites
        before()
        run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 - whatever it is, it is what this is looking for
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def wait(child: int, seconds: float) -> int:
    """Return the exit code of a process, which is killed when its time is over."""
    end = time.monotonic() + seconds
    pause = 0.001
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGXCPU
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def labgen(*arguments: str, seconds: float = SECONDS, before: Callable[[], None] = lambda: None) -> Ended:
    """Run a command to its end."""
    with tempfile.TemporaryFile() as file:
        began = time.monotonic()
        code = wait(start(arguments, file.fileno(), before), seconds)
        took = time.monotonic() - began
        file.seek(0)
        return Ended(code, file.read().decode(errors="replace"), took)


def tree(folder: Path) -> Tree:
    """Return all files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


SETTINGS = {
    "json": "",
    "jsonl": 'exports = ["jsonl", "csv"]\nbase_path = "/verzeichnis"\n',
    "yaml": 'hosts = ["nginx"]\ncopies = ["gz"]\nlanguage = "fr"\n',
    "csv": 'hosts = ["cloudflare"]\npacks = ["laboratories", "pictures"]\n',
}
"""What a project of each format has before its other settings."""


@cache
def base(variant: str) -> Path:
    """Return a built project of four laboratories: lists and laboratories in one of the formats, a few templates.

    It is built in this process, which keeps what it loads and compiles for the processes that are forked from it.
    """
    project = Project(Path(tempfile.mkdtemp()))
    drawer = Drawer(["a.png"])
    lists = drawer.lists(3)
    records = drawer.laboratories(4)
    for record in records:
        record["contact_person"]["email"] = SECRET
        record["focus"] = {}
        record["image"] = record["logo"] = "a.png"
        record["gallery"] = ["a.png"]
    project.file("data/site.toml", SETTINGS[variant] + SITE).file("data/media/a.png", picture(size=(64, 48)))
    write = {"json": _as_json, "jsonl": _as_json_lines, "yaml": _as_yaml, "csv": _as_csv}[variant]
    write(project, lists, records)
    project.file("templates/view-reviews.html", "{% for one in document %}<p>{{ one.text }}</p>{% endfor %}")
    project.file("templates/static/style.css", "body { color: black }")
    page = '{% extends "built-in/page.html" %}{% block main %}<hr>{{ super() }}{% endblock %}'
    project.file("templates/page.html", page)
    outcome = build(project.root, project.out, Options(are_changes_allowed=True))
    assert not outcome.errors, outcome.found
    gc.freeze()
    return project.root


def _as_json(project: Project, lists: Lists, records: Records) -> None:
    project.write(laboratories=records, **lists)


def _as_json_lines(project: Project, lists: Lists, records: Records) -> None:
    for name, entries in {**lists, "laboratories": records}.items():
        project.file(f"data/{name}.jsonl", "\n".join(json.dumps(one, ensure_ascii=False) for one in entries))


def _as_yaml(project: Project, lists: Lists, records: Records) -> None:
    for name, entries in lists.items():
        project.file(f"data/{name}.yaml", yaml.safe_dump(entries, allow_unicode=True, sort_keys=False))
    for one in records:
        text = yaml.safe_dump(one, allow_unicode=True, sort_keys=False, default_flow_style=False)
        project.file(f"data/laboratories/{one['display_id']}.yaml", text)


def _as_csv(project: Project, lists: Lists, records: Records) -> None:
    project.write(laboratories=records)
    for name, entries in lists.items():
        text = io.StringIO()
        rows = csv.DictWriter(text, fieldnames=list(dict.fromkeys(key for one in entries for key in one)))
        rows.writeheader()
        rows.writerows(entries)
        project.file(f"data/{name}.csv", text.getvalue())


def variant_of(seed: int) -> str:
    """Return which of the projects a case starts from."""
    return random.Random(seed).choice([*SETTINGS])


def copy(seed: int, folder: Path) -> Project:
    """Copy one of the projects into a folder, with its site and what is remembered of it."""
    shutil.copytree(base(variant_of(seed)), folder, dirs_exist_ok=True)
    return Project(folder)


def linked_copy(seed: int, folder: Path) -> tuple[Project, Tree]:
    """Do the same with links to the files of the site, which labgen replaces and does not change; return these, too."""
    source = base(variant_of(seed))
    for part in source.iterdir():
        how = os.link if part.name == "out" else shutil.copy2
        shutil.copytree(part, folder / part.name, copy_function=how)
    return Project(folder), site_of(source)


@cache
def site_of(root: Path) -> Tree:
    """Return the files of a project's site, as they were when they were asked for first."""
    return tree(root / "out")
