"""out/: claimed, written only where bytes changed, pruned, and never half built."""

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, laboratory, pages_of, picture, small_disk

from labgen.model.pictures import LOGO
from labgen.model.renditions import placeholder, placeholder_path
from labgen.model.site_paths import folder_of
from labgen.output import staged_units
from labgen.output.errors import OutputError, temporary_folder, what_is_full
from labgen.output.file_lists import (
    LISTS,
    MARKER,
    BuiltSite,
    Marker,
    list_file_of,
    read_built_site,
    render_list,
)
from labgen.output.file_system import Found, survey
from labgen.output.open_folder import open_site_folder
from labgen.output.published_manifest import joined_digests
from labgen.output.staged_units import stage, stage_in_parts
from labgen.output.units import Unit, UnitKind
from labgen.pipeline.build import build

LAB = "api/v1/laboratory/laboratories"


def test_a_second_build_writes_nothing(site):
    first = site.build().written
    before = {path: path.stat().st_mtime_ns for path in site.out.rglob("*")}
    second = site.build().written
    assert (len(second.written), second.removed, second.unchanged) == (0, (), len(first.written))
    assert {path: path.stat().st_mtime_ns for path in site.out.rglob("*")} == before


def test_an_edit_writes_just_the_files_that_differ(site):
    site.write(laboratories=[ALPHA, BETA | {"similar_labs": ["00001"]}]).build()
    result = site.write(
        laboratories=[ALPHA | {"locality": "Ulm"}, BETA | {"similar_labs": ["00001"]}]
    ).build()
    assert pages_of(result) == {
        f"{LAB}/00001/index.json", f"{LAB}/00001/api.html",
        f"{LAB}/00002/similar_labs/index.json", f"{LAB}/00002/similar_labs/api.html",
        f"{LAB}/index.json", f"{LAB}/api.html",
    }  # fmt: skip


def test_an_edit_of_the_same_length_within_the_same_second_is_seen(site):
    site.write(materials=[{"id": 1, "title": "Stahl"}], laboratories=[ALPHA | {"materials": [1]}]).build()
    result = site.write(materials=[{"id": 1, "title": "Staub"}]).build()
    assert pages_of(result) == {f"{LAB}/00001/materials/index.json", f"{LAB}/00001/materials/api.html"}


def test_what_the_source_no_longer_has_is_removed_with_its_folders(site):
    site.file("data/media/logos/b.png", picture()).write(
        laboratories=[ALPHA, BETA | {"logo": "logos/b.png"}]
    ).build()
    logo = site.out / site.document("laboratories/00002")["logo_url"].strip("/")
    assert logo.is_file()
    result = site.write(laboratories=[ALPHA]).build()
    removed = [one for one in result.written.removed if not one.startswith("search/")]  # those have new names
    assert len(removed) == 21
    assert not (site.out / LAB / "00002").exists()
    assert not logo.parent.exists()


def test_a_warm_build_equals_a_cold_one(site, tmp_path_factory):
    rng = random.Random(7)
    for _ in range(12):
        ids = rng.sample([f"{number:05}" for number in range(8)], rng.randint(1, 8))
        records = [
            laboratory(one, name=f"L{rng.randint(0, 3)}", materials=rng.sample([12, 471], rng.randint(0, 2)))
            for one in ids
        ]
        site.write(laboratories=records).build(are_removals_allowed=True)
        cold = tmp_path_factory.mktemp("cold")
        warm, site.root = site.tree(), site.root
        build(site.root, cold)
        assert {
            path.relative_to(cold).as_posix() for path in cold.rglob("*") if path.is_file()
        } == warm.keys()
        assert all((cold / name).read_bytes() == data for name, data in warm.items())


def test_foreign_files_are_kept_and_reported(site):
    site.build()
    site.file("out/CNAME", "labore.example").file(f"out/{LAB}/00002/notes.txt", "x")
    result = site.write(laboratories=[ALPHA]).build().written
    assert result.foreign == ("CNAME", f"{LAB}/00002/notes.txt")
    assert (site.out / "CNAME").read_text() == "labore.example"
    assert [path.name for path in (site.out / LAB / "00002").iterdir()] == ["notes.txt"]


def test_a_folder_with_files_that_labgen_did_not_write_is_refused_and_left_alone(site):
    site.file("out/index.html", "mine")
    with pytest.raises(OutputError, match="is not empty, and labgen did not write it"):
        site.build()
    assert site.tree() == {"index.html": b"mine"}


def test_a_marker_that_is_not_one_makes_the_folder_foreign(site):
    for marker in (
        "{",
        "[]",
        '{"written_by": "labgen", "format": 99}',
        '{"written_by": "labgen", "format": 1, "units": [{"in": "", "folders": [".."], "files": ["x"]}]}',
    ):
        site.file(f"out/{MARKER}", marker)
        with pytest.raises(OutputError):
            site.build()


@pytest.mark.parametrize("name", ["404.json", "api", f"{LAB}/00001/index.json/x", f"{LAB}/00003/gallery"])
def test_a_foreign_file_where_the_site_must_go_is_not_overwritten(site, name):
    if name in {"404.json", "api"}:
        site.file(f"out/{MARKER}", Marker().render())
    elif name.endswith("x"):
        site.build()
        (site.out / f"{LAB}/00001/index.json").unlink()
    else:
        site.build()
    site.file(f"out/{name}", "mine")
    before = site.tree()
    with pytest.raises(OutputError, match="is not labgen's"):
        site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA, laboratory("00003")]).build()
    assert site.tree() == before


def test_a_link_in_out_is_never_followed(site, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    site.build()
    for link in (site.out / LAB / "00001", site.out / "404.json"):
        link.rename(outside / link.name)
        link.symlink_to(outside / link.name)
    kept = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    with pytest.raises(OutputError, match="is not labgen's"):
        site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA]).build()
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == kept


def test_a_file_may_become_a_folder_and_back(site):
    for name, data in (("media/a.png", b"1"), ("media/a.png/b.png", b"2"), ("media/a.png", b"1")):
        with open_site_folder(site.out) as folder:
            folder.put({name: data})
            folder.commit(Marker())
        assert site.published() == {name: data}


def test_a_foreign_file_that_happens_to_be_right_is_not_taken_over(site):
    site.build()
    site.file(f"out{placeholder_path('X', LOGO)}", placeholder("X", LOGO))
    with pytest.raises(OutputError, match="is not labgen's"):
        site.write(laboratories=[ALPHA | {"name": "Xi"}, BETA]).build()


def test_an_error_in_the_data_changes_nothing(site):
    site.build()
    before = site.tree()
    assert site.write(laboratories=[ALPHA | {"name": ""}]).build().written is None
    assert site.tree() == before


def test_files_can_be_read_by_whoever_the_umask_lets(site):
    old = os.umask(0o022)
    try:
        site.build()
    finally:
        os.umask(old)
    assert {path.stat().st_mode & 0o777 for path in site.out.rglob("*") if path.is_file()} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in site.out.rglob("*") if path.is_dir()} == {0o755}


def test_two_builds_at_once_do_not_meet(site):
    with (
        open_site_folder(site.out),
        pytest.raises(OutputError, match="another build or publication is using"),
    ):
        site.build()
    assert not site.out.exists()


def test_nothing_is_left_beside_out(site):
    site.build()
    assert sorted(path.name for path in site.root.iterdir()) == [".labgen", "data", "out"]


def test_a_folder_that_cannot_be_written_is_one_sentence(open_site):
    open_site.build()
    before = open_site.tree()
    for folder in (open_site.out, open_site.out / LAB / "00001"):
        folder.chmod(0o555)
    with pytest.raises(OutputError, match="cannot be written: permission denied"):
        open_site.write(laboratories=[ALPHA | {"name": "Neu"}]).build()
    assert open_site.tree() == before


def test_a_disk_that_takes_no_more_leaves_the_site_as_it_was(site):
    """The limit on a file's size stands for the full disk: the write fails in the same place."""
    site.build()
    before = site.tree()
    site.write(laboratories=[ALPHA | {"about": "x" * 50_000}])
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))"
    code = f"{limited}; from labgen.cli import main; main(['build', '-C', {str(site.root)!r}])"
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"error: {site.out} cannot be written: a file would be too large; nothing in it was changed\n"
    )
    assert site.tree() == before


@pytest.mark.parametrize(
    ("options", "reason"),
    [("size=200k", "the disk is full"), ("size=50m,nr_inodes=40", "the file system holds as many files as it can (its inodes are used up)")],
)  # fmt: skip
def test_a_full_file_system_says_what_it_has_no_more_of(site, tmp_path_factory, options, reason):
    with small_disk(tmp_path_factory.mktemp("small"), options) as small:
        with pytest.raises(OutputError) as raised:
            build(site.root, small / "out")
        assert str(raised.value) == f"{small}/out cannot be written: {reason}; nothing in it was changed"
        assert list(small.iterdir()) == []


@pytest.mark.parametrize(
    ("blocks", "inodes", "inodes_left", "is_inodes"),
    [(0, 1000, 10, False), (10, 1000, 0, True), (0, 1000, 0, False), (10, 0, 0, False)],
)
def test_a_file_system_that_counts_no_inodes_is_not_short_of_them(blocks, inodes, inodes_left, is_inodes):
    found = os.statvfs_result((4096, 4096, 100, blocks, blocks, inodes, inodes_left, inodes_left, 0, 255))
    assert ("inodes" in what_is_full(found)) == is_inodes


@pytest.mark.parametrize(("free", "error"), [(0, OutputError), (9, OSError)])
def test_a_full_disk_of_temporary_files_is_named_with_the_way_out(monkeypatch, free, error):
    monkeypatch.setattr(
        "os.statvfs", lambda _: os.statvfs_result((4096, 4096, 9, free, free, 9, 9, 9, 0, 255))
    )
    with pytest.raises(error) as caught, temporary_folder() as folder:
        raise OSError(errno.ENOSPC, "full")
    assert not folder.exists()
    assert ("TMPDIR" in getattr(caught.value, "hint", "")) == (error is OutputError)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda how: how.name)
def test_a_build_that_is_ended_at_any_moment_leaves_whole_files_and_the_next_one_repairs(
    site, how, tmp_path_factory
):
    names = {"alt": "A", "neu": "B"}
    trees = {}
    for state, name in names.items():
        records = [laboratory(f"{number:05}", name=name * 50) for number in range(60)]
        site.write(laboratories=records).build()
        trees[state] = site.published()
    rng = random.Random(3)
    interrupted = 0
    for turn in range(6 if EXHAUSTIVE else 3):
        name = names["alt" if turn % 2 == 0 else "neu"]
        site.write(laboratories=[laboratory(f"{number:05}", name=name * 50) for number in range(60)])
        process = subprocess.Popen(
            [sys.executable, "-m", "labgen", "build", "-C", str(site.root)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(rng.uniform(0.15, 0.6))
        process.send_signal(how)
        interrupted += process.wait() != 0
        for file, data in site.published().items():
            assert data in (trees["alt"].get(file), trees["neu"].get(file)), file
        assert not site.build().problems
        assert site.published() == trees["alt" if turn % 2 == 0 else "neu"]
    assert interrupted > 0


def test_the_lists_of_files_read_back_as_they_were_written(tmp_path):
    units = {
        "": ("404.json", "media/a/x.png", "media/a/y z.png"),
        f"{LAB}/1": ("api.html",),
        f"{LAB}/2": ("api.html",),
    }
    with open_site_folder(tmp_path / "out") as folder:
        folder.put(dict.fromkeys(units[""], b""))
        for unit, names in units.items():
            if unit:
                place = Unit(UnitKind.LABORATORY, unit, unit)
                folder.add(stage(str(folder.out), str(folder.staging), place, dict.fromkeys(names, b"")))
        folder.commit(Marker("abc", ("nginx",), "/a"))
    assert read_built_site(tmp_path / "out") == BuiltSite(units, ("nginx",), "/a", "abc")


def test_a_unit_in_parts_is_staged_as_it_is_whole_and_its_folder_is_read_once(tmp_path, monkeypatch):
    unit, digests_of = Unit(UnitKind.INDEX, "words", "words"), partial(joined_digests, aliases=())
    folder = tmp_path / "out/words"
    folder.mkdir(parents=True)
    for name in ("1.json", "2.json", "5.json", "old.json", "older.json"):
        (folder / name).write_bytes(b"2" if name == "2.json" else b"1")
    files = {f"{number}.json": b"1" for number in range(1, 5)}
    parts = [{name: data} for name, data in files.items()]
    read: list[str] = []

    def watched(place: str) -> Found:
        read.append(place)
        return survey(place)

    monkeypatch.setattr(staged_units, "survey", watched)
    out, staging = str(tmp_path / "out"), str(tmp_path / "staging")
    in_parts = stage_in_parts(out, staging, unit, iter(parts), digests_of)
    assert read == [str(folder)]
    assert in_parts == stage(out, f"{staging}-of-whole", unit, files, digests_of)
    assert (in_parts.staged, in_parts.existing) == (("2.json", "3.json", "4.json"), ("1.json", "2.json"))
    assert in_parts.others == ("5.json", "old.json", "older.json")


def test_many_laboratories_are_built_by_several_processes_as_by_one(site, tmp_path_factory):
    site.write(laboratories=[laboratory(f"{number:05}", materials=[12]) for number in range(300)])
    other = tmp_path_factory.mktemp("other")
    command = [
        sys.executable,
        "-m",
        "labgen",
        "build",
        "-q",
        "-C",
        str(site.root),
        "--out",
        str(other),
        "--jobs",
        "3",
    ]
    subprocess.run(command, check=True)
    site.build(jobs=1)
    assert {
        path.relative_to(other).as_posix(): path.read_bytes() for path in other.rglob("*") if path.is_file()
    } == site.tree()


def test_laboratories_that_are_rendered_some_at_a_time_have_the_same_files(site, monkeypatch):
    site.write(laboratories=[laboratory(f"{number:05}", materials=[12]) for number in range(7)]).build()
    files = site.tree()
    for folder in (site.out, site.root / ".labgen"):
        shutil.rmtree(folder)
    monkeypatch.setattr("labgen.pipeline.staging.AT_A_TIME", 3)
    built: list[int] = []
    site.build(progress=lambda verb, done, _: built.append(done) if verb == "built" else None)
    assert (built, site.tree()) == ([1, 2, 3, 4, 5, 6, 7], files)


def test_a_template_that_fails_in_one_of_several_processes_is_one_problem(site):
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(300)])
    site.file("templates/page.html", "{{ 1 // (0 if page.path.endswith('/00250/') else 1) }}")
    command = [sys.executable, "-m", "labgen", "build", "-C", str(site.root), "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("error[template-error]")) == (1, 1)
    assert "(rendering /api/v1/laboratory/laboratories/00250/)" in done.stderr
    assert not site.out.exists()


def children_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(child) for child in listed.split()]


def is_running(process: int) -> bool:
    """Return whether a process has not ended; one that has may wait for somebody to ask how (Z)."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return status.rpartition(") ")[2][0] != "Z"


def started_build(site) -> "subprocess.Popen[str]":
    """Start a build of many laboratories, and return when its processes work."""
    site.write(laboratories=[laboratory(f"{number:05}", about="x" * 2000) for number in range(2000)])
    command = [sys.executable, "-m", "labgen", "build", "-C", str(site.root), "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(children_of(process.pid)) < 2:
        time.sleep(0.01)
    return process


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
def test_the_processes_of_a_killed_build_end_with_it_and_the_next_build_goes_on(site):
    process = started_build(site)
    children = children_of(process.pid)
    process.kill()
    process.communicate(timeout=30)
    outcome = site.build()
    assert outcome.written.total > 30_000
    assert not [child for child in children if is_running(child)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found in /proc")
def test_a_process_that_the_system_ends_is_a_sentence_and_changes_nothing(site):
    process = started_build(site)
    os.kill(children_of(process.pid)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert errors.splitlines()[0].startswith("error: a process of this build was ended by the system")
    assert not site.out.exists()


def test_a_foreign_folder_that_may_not_be_looked_into_is_kept(open_site):
    open_site.build()
    (open_site.out / "private").mkdir(mode=0)
    assert open_site.build().written.foreign == ("private",)
    (open_site.out / "private").chmod(0o700)


def test_an_edit_of_a_laboratory_writes_none_of_the_lists_of_files(site):
    """Except those of the search, whose files have their digests in their names."""
    site.file("data/site.toml", SITE + "[search]\nenabled = false\n").write(
        laboratories=[laboratory(f"{number:05}") for number in range(300)]
    ).build()
    written = {path: path.stat().st_mtime_ns for path in (site.out / LISTS).iterdir()}
    site.file("data/laboratories/00005.json", json.dumps(laboratory("00005", about="Ulm"))).build()
    assert {path: path.stat().st_mtime_ns for path in (site.out / LISTS).iterdir()} == written
    site.without("data/laboratories/00005.json").build()
    changed = {path.name for path, time in written.items() if path.stat().st_mtime_ns != time}
    folders = (f"{LAB}/00005", "directory/v1/laboratories/00005", "labor/00005")
    assert changed == {list_file_of(folder).rpartition("/")[2] for folder in folders}


def test_files_that_another_unit_listed_before_are_kept(site):
    """As it is when labgen lists files in other units than it did."""
    site.build()
    before = site.published()
    built = read_built_site(site.out)
    assert built
    own = built.units[""]
    logos = folder_of(placeholder_path("A", LOGO)).rpartition("/")[0]
    units = {
        "": tuple(name for name in own if not name.startswith(logos)),
        logos: tuple(name.removeprefix(f"{logos}/") for name in own if name.startswith(logos)),
    }
    for unit, names in units.items():
        site.file(f"out/{list_file_of(unit)}", render_list({unit: names}))
    shutil.rmtree(site.root / ".labgen")
    assert site.build().written.removed == ()
    assert site.published() == before
