"""A disk without room: each command names what it cannot write and what to do, and leaves nothing half made."""

import errno
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from conftest import ALPHA, small_disk

from labgen.export.table_rows import ExportSelection
from labgen.importing.service.answer_cache import Answer, open_answers
from labgen.output.errors import OutputError
from labgen.pipeline.build import check
from labgen.pipeline.export import export
from labgen.publish.folders import RsyncFolder
from labgen.system.database_errors import failing_as_files_do, file_error

ROOM = "  = help: make room there, and run it again"


@pytest.fixture
def full(site, tmp_path_factory):
    """A folder on a disk of 300 KB with the data of a project, and no room for more."""
    with small_disk(tmp_path_factory.mktemp("full"), "size=300k") as small:
        site.write(materials=[{"id": one, "title": f"Stahl {one}"} for one in range(1, 1500)])
        (small / "data").mkdir()
        (small / "data/laboratories.jsonl").write_text(json.dumps(ALPHA | {"name": " Alpha"}) + "\n")
        for file in (site.root / "data").glob("*.*"):
            (small / f"data/{file.name}").write_bytes(file.read_bytes())
        yield small


def fill(folder: Path, left: int = 0) -> None:
    """Fill a disk, but for a number of bytes."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            filler.truncate(max(filler.tell() - left, 0))


def run(folder: Path, *arguments: str) -> list[str]:
    """Run labgen in a process of its own, and return the lines of its errors."""
    command = [sys.executable, "-B", "-m", "labgen", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    return done.stderr.splitlines()


@pytest.mark.parametrize(
    ("command", "left", "named"),
    [
        (["build", "-q"], 40_000, "out cannot be written: the disk is full; nothing in it was changed"),
        (["check", "--fix", "--yes"], 0, "data/laboratories.jsonl cannot be written: the disk is full"),
        (["new", "Beta"], 0, "data cannot be written: the disk is full"),
        (["init", "x"], 0, "x cannot be written: the disk is full; nothing was kept"),
        (["export", "x", "--format=csv"], 8_192, "x cannot be written: the disk is full; nothing was kept"),
        (["export", "x", "--format=sqlite"], 40_000, "x cannot be written: the disk is full; nothing was kept"),
        (["export", "x", "--format=parquet"], 4_096, "x cannot be written: the disk is full; nothing was kept"),
        (["import", "{site}/export/laboratories.csv", "x"], 8_192, "x cannot be written: the disk is full"),
    ],
    ids=lambda one: " ".join(one[:3:2]) if isinstance(one, list) else "",
)  # fmt: skip
def test_a_full_disk_is_named_with_the_way_out(full, site, command, left, named):
    if command[0] == "import":
        subprocess.run([sys.executable, "-B", "-m", "labgen", "export", "export"], cwd=site.root, check=True)
    fill(full, left)
    before = {file: file.read_bytes() for file in full.rglob("*") if file.is_file()}
    errors = run(full, *(one.format(site=site.root) for one in command))
    assert errors[-2:] == [f"error: {named}", ROOM]
    assert {file: file.read_bytes() for file in full.rglob("*") if file.is_file()} == before


def keep_many(file: Path, answer: Answer) -> None:
    with open_answers(file, "http://a") as answers:
        for number in range(20):
            answers.keep(f"/x{number}", answer)


def test_a_cache_of_answers_on_a_full_disk_is_kept(full):
    answer = Answer(200, "application/json", "", "", os.urandom(20_000))
    with open_answers(full / "answers.sqlite", "http://a") as answers:
        answers.keep("/1", answer)
    fill(full)
    said = re.escape(f"{full}/answers.sqlite cannot be written: the disk is full")
    with pytest.raises(OutputError, match=said) as caught:
        keep_many(full / "answers.sqlite", answer)
    assert caught.value.hint == "make room there, and run it again"
    (full / "filler").unlink()
    with open_answers(full / "answers.sqlite", "http://a") as answers:
        assert answers.current("/1") == answer


def test_a_cache_that_another_import_uses_is_not_removed(tmp_path):
    file = tmp_path / "answers.sqlite"
    with open_answers(file, "http://a") as answers:
        answers.connection.execute("BEGIN EXCLUSIVE")
        with (
            pytest.raises(OutputError, match="another import is writing") as caught,
            open_answers(file, "http://b"),
        ):
            pass
        answers.connection.execute("ROLLBACK")
        assert (file.exists(), caught.value.hint) == (True, "wait until it is done")


def test_a_full_disk_of_temporary_files_is_not_taken_for_that_of_the_target(
    full, site, tmp_path, monkeypatch
):
    site.build()
    (tmp_path / "big").write_bytes(bytes(100_000))
    target = RsyncFolder(str(tmp_path), site.out)
    fill(full, 20_000)
    monkeypatch.setattr("tempfile.tempdir", str(full))
    with pytest.raises(OutputError, match=re.escape(f"{full} cannot be written: the disk is full")) as caught:
        target.read(["big"])
    assert "TMPDIR" in caught.value.hint


@pytest.mark.parametrize(
    "command", [check, partial(export, folder=Path("x"), forms=["csv"], what=ExportSelection())]
)
def test_what_is_read_once_is_kept_on_the_disk_of_temporary_files_which_may_be_full(
    full, site, monkeypatch, command
):
    monkeypatch.setattr("labgen.memory.database.CACHE", 1)
    monkeypatch.setattr("tempfile.tempdir", str(full))
    fill(full, 20_000)
    with pytest.raises(OutputError, match=re.escape(f"{full} cannot be written: the disk is full")) as caught:
        command(site.root)
    assert "TMPDIR" in caught.value.hint


def write_database(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE a (b)")


def test_a_database_on_a_full_disk_fails_as_a_file_does(full):
    fill(full)
    with pytest.raises(OSError, match="full") as caught, failing_as_files_do():
        write_database(full / "x")
    assert caught.value.errno == errno.ENOSPC
    assert file_error(sqlite3.DatabaseError("broken")).errno == errno.EIO
