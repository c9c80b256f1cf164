"""The memory of a site is one database: what cannot be used is as if it were not there, and no edit reads all of it."""

import json
import multiprocessing.synchronize
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, MATERIALS, SITE, Project, laboratory, pages_of
from test_incremental import tree_of

from labgen.memory import database
from labgen.memory.database import journal_of, memory_file
from labgen.memory.schema import FORMAT
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.quick_check import quick_check

LAB = "api/v1/laboratory/laboratories"
EDITED = [ALPHA | {"name": "Neu"}, BETA]


def file_of(site: Project) -> Path:
    return memory_file(site.root, site.out)


def broken(file: Path, how: str) -> None:
    """Replace or change a database, or what it says of itself."""
    data = file.read_bytes()
    wrong = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "cut in a page": data[:-100],
        "head": bytes(100) + data[100:],
        "text": b"labgen state\n" * 1000,
        "pages": data[:4096] + os.urandom(len(data) - 4096),
    }
    if how in wrong:
        file.write_bytes(wrong[how])
    elif how == "folder":
        file.unlink()
        file.mkdir()
    else:
        with sqlite3.connect(file) as connection:
            connection.execute(how)
        connection.close()


HOW = ["empty", "cut", "cut in a page", "head", "text", "pages", "folder"]
STATEMENTS = [
    f"PRAGMA user_version = {FORMAT - 1}",
    "UPDATE site SET program = 'another'",
    "DELETE FROM site",
    "DROP TABLE named_by",
    "DROP TABLE laboratory",
    "DROP TABLE digest",
    "UPDATE laboratory SET facets = 'x', extras = '{'",
    "DELETE FROM named_by WHERE kind = 'facet'",
    "UPDATE laboratory SET name = 'Falsch'",
    "UPDATE file SET name = CAST(name AS TEXT)",
    "UPDATE found_by SET numbers = x'02000000'",
    "UPDATE slot SET slots = x'000000000100000000000000'",
]


@pytest.mark.parametrize("how", [*HOW, *STATEMENTS])
def test_a_memory_that_cannot_be_used_is_as_if_it_were_not_there(site, forgetful, how):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]).build()
    broken(file_of(site), how)
    result = site.write(laboratories=[ALPHA | {"materials": [471]}, BETA | {"materials": [12]}]).build()
    assert f"{LAB}/00001/materials/index.json" in pages_of(result)
    assert f"{LAB}/00002/materials/index.json" not in pages_of(result)
    assert len(forgetful) == 2
    if how != "folder":
        assert quick_check(site.root, site.out).unchanged_result() is not None


@pytest.mark.parametrize("how", HOW)
def test_a_broken_memory_is_no_traceback_where_nothing_changed(site, how):
    before = site.build() and site.tree()
    broken(file_of(site), how)
    done = subprocess.run(
        [sys.executable, "-m", "labgen", "build", "-C", str(site.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert site.tree() == before


def test_a_memory_that_another_process_changes_is_as_if_it_were_not_there(site, forgetful, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    site.build()
    other = sqlite3.connect(file_of(site), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    site.write(laboratories=EDITED).build()
    other.close()
    assert site.document("laboratories/00001/")["name"] == "Neu"
    assert len(forgetful) == 2


def test_a_memory_that_is_removed_after_the_quick_check_is_as_if_it_were_not_there(site, forgetful):
    site.build()
    site.write(laboratories=EDITED)
    seen = quick_check(site.root, site.out)
    file_of(site).unlink()
    build(site.root, site.out, Options(), seen)
    assert site.document("laboratories/00001/")["name"] == "Neu"
    assert len(forgetful) == 2


def test_a_memory_that_may_not_be_written_is_as_if_it_were_not_there(open_site, forgetful):
    with tempfile.TemporaryDirectory() as elsewhere:
        out = Path(elsewhere) / "out"
        build(open_site.root, out, Options())
        memory_file(open_site.root, out).chmod(0o444)
        (open_site.root / ".labgen").chmod(0o555)
        build(open_site.write(laboratories=EDITED).root, out, Options())
        (open_site.root / ".labgen").chmod(0o755)
        assert json.loads((out / LAB / "00001/index.json").read_bytes())["name"] == "Neu"
        assert len(forgetful) == 2


FLIPS = 200 if EXHAUSTIVE else 24


def test_a_bit_that_flips_in_the_memory_is_not_published(site, tmp_path):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]).build()
    files = sorted(path for path in (site.root / ".labgen").iterdir() if path.name != "out.removed")
    kept = {path: path.read_bytes() for path in files}
    edited = [ALPHA | {"materials": [471]}, BETA | {"materials": [12]}]
    build(site.write(laboratories=edited).root, tmp_path / "cold", Options())
    cold = tree_of(tmp_path / "cold")
    drawn = random.Random(7)
    for _ in range(FLIPS):
        site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]).build()
        for path, data in kept.items():
            path.write_bytes(data)
        file = drawn.choices(files, [len(kept[path]) + 100 for path in files])[0]
        at, bit = drawn.randrange(len(kept[file])), drawn.randrange(8)
        file.write_bytes(kept[file][:at] + bytes([kept[file][at] ^ 1 << bit]) + kept[file][at + 1 :])
        site.write(laboratories=edited).build()
        assert tree_of(site.out) == cold, (file.name, at, bit)


@pytest.mark.parametrize("manifest", ["true", "false"])
@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        ("manifest/index.json", lambda data: re.sub(rb'(json":")(.)', rb"\g<1>0", data)),
        ("directory/v1/changes/part/0/index.json", lambda data: re.sub(rb'(digest":")(.)', rb"\g<1>0", data)),
        ("directory/v1/materials/index.json", lambda data: data.replace(b"Stahl", b"Stehl")),
        ("search/files/facets/materials/*.json", lambda data: data.replace(b'"7":7', b'"7":8')),
        ("search/files/*/*.json", lambda data: re.sub(rb'(labs|whole|begun|inner)(":"=?).', rb"\1\2Z", data)),
    ],
)
def test_a_published_file_that_changed_on_the_disk_is_not_taken_into_those_that_an_edit_makes(
    site, tmp_path, pattern, wrong, manifest
):
    """Its size is the same; the edit makes it anew, and what it takes from the old one must be right."""
    site.file("data/site.toml", f"manifest = {manifest}\n{SITE}")
    labs = [laboratory(f"{number:05}", materials=[12]) for number in range(1, 130)]
    labs[-1]["materials"] = [7]
    site.write(laboratories=labs, materials=[*MATERIALS, {"id": 7, "title": "Blei"}]).build()
    for path in site.out.glob(pattern):
        path.write_bytes(wrong(path.read_bytes()))
    site.write(laboratories=[labs[0] | {"name": "Neu", "materials": [471]}, *labs[1:]]).build()
    build(site.root, tmp_path / "cold", Options())
    assert different(tree_of(site.out), tree_of(tmp_path / "cold")) == []


@pytest.mark.parametrize("folder", ["orders", "cards", "counts", "words"])
def test_a_name_that_changed_in_the_published_index_is_not_taken_into_the_one_that_an_edit_makes(
    site, tmp_path, folder
):
    """Also where the edit changes no file of that folder: names and cards stay as they are."""
    labs = [laboratory(f"{number:05}", materials=[12]) for number in range(1, 130)]
    site.write(laboratories=labs).build()
    index = site.out / "search/index.json"
    data = index.read_bytes()
    in_list = rb'("%b":\D*?[^0-9a-f])[0-9a-f]{12}' % folder.encode()
    index.write_bytes(re.sub(in_list, rb"\g<1>zzzzzzzzzzzz", data, count=1))
    assert index.read_bytes() != data
    site.write(laboratories=[labs[0] | {"materials": [471]}, *labs[1:]]).build()
    build(site.root, tmp_path / "cold", Options())
    assert different(tree_of(site.out), tree_of(tmp_path / "cold")) == []


@pytest.mark.parametrize("name", ["index.json", "api.html"])
def test_a_page_of_the_list_that_changed_on_the_disk_is_made_anew_when_a_laboratory_goes(
    site, tmp_path, name
):
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 3\n")
    labs = [laboratory(f"{number:05}") for number in range(1, 12)]
    site.write(laboratories=labs).build()
    path = site.out / "api/v1/laboratory/laboratories/page/2" / name
    path.write_bytes(path.read_bytes().replace(b"Prof", b"Prif").replace(b"00005", b"00006"))
    site.write(laboratories=labs[:-1]).build()
    build(site.root, tmp_path / "cold", Options())
    assert different(tree_of(site.out), tree_of(tmp_path / "cold")) == []


def different(some: dict[str, bytes], others: dict[str, bytes]) -> list[str]:
    return sorted(name for name in some.keys() | others.keys() if some.get(name) != others.get(name))


def test_a_build_that_changes_nothing_does_not_vouch_for_a_damaged_memory(site, forgetful):
    site.build()
    broken(file_of(site), "UPDATE laboratory SET name = 'Falsch'")
    os.utime(site.root / "data/laboratories/00001.json", (1, 1))
    run = [sys.executable, "-m", "labgen", "build", "-q", "-C", str(site.root)]
    subprocess.run(run, check=True)
    site.write(laboratories=[ALPHA, BETA | {"name": "Neu"}]).build()
    assert len(forgetful) == 2


def test_an_edit_after_a_build_with_new_times_alone_reads_the_memory(site, forgetful):
    site.build()
    os.utime(site.root / "data/laboratories/00001.json", (1, 1))
    run = [sys.executable, "-m", "labgen", "build", "-q", "-C", str(site.root)]
    subprocess.run(run, check=True)
    site.write(laboratories=EDITED).build()
    assert len(forgetful) == 1


def test_a_memory_is_one_plain_file_with_a_checksum(site):
    for records in ([ALPHA, BETA], EDITED, [BETA]):
        site.write(laboratories=records).build()
        found = {path.name for path in (site.root / ".labgen").iterdir()}
        assert found - {"out.removed"} == {"out.sqlite", "out.sqlite.crc32"}
        assert file_of(site).read_bytes().startswith(b"SQLite format 3\0")


def test_a_journal_that_a_killed_build_left_is_not_taken_for_that_of_a_new_memory(site):
    site.build()
    journal = journal_of(file_of(site))
    journal.write_bytes(b"left")
    (site.root / "data/site.toml").write_text(
        (site.root / "data/site.toml").read_text().replace("Verzeichnis", "Anders")
    )
    site.build()
    assert not journal.exists()
    assert quick_check(site.root, site.out).unchanged_result() is not None


def test_only_the_process_that_opened_the_memory_uses_it(site, monkeypatch):
    used: multiprocessing.Queue[int] = multiprocessing.Queue()
    run = database.Memory.execute

    def watched(self, sql: str, *parameters: object):
        used.put(os.getpid())
        return run(self, sql, *parameters)

    monkeypatch.setattr(database.Memory, "execute", watched)
    for name in ("A", "B"):
        records = [
            laboratory(f"{number:05}", name=f"{name} {number}", materials=[12]) for number in range(300)
        ]
        site.write(laboratories=records).build(jobs=2)
    assert {used.get() for _ in range(used.qsize())} == {os.getpid()}


def test_addresses_and_numbers_of_contacts_are_not_plain_in_the_memory(site):
    contact = {"email": "erika@labor.example", "phone": "+49 231 4711 888"}
    site.write(laboratories=[ALPHA | {"contact_person": contact}]).build()
    data = file_of(site).read_bytes()
    assert not [one for one in (b"erika", b"labor.example", b"231 4711", b"2314711888") if one in data]


def test_a_site_with_errors_leaves_the_memory_as_it_was(site):
    site.build()
    before = file_of(site).read_bytes()
    assert site.write(laboratories=[ALPHA | {"name": ""}, BETA]).build().errors
    assert file_of(site).read_bytes() == before
