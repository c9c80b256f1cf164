"""A build that is killed leaves the old site, the new one, or a journal that the next command finishes."""

import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, Project, laboratory

KILLER = Path(__file__).parent / "kill_builds.py"
LAB = "api/v1/laboratory/laboratories"


def killed(folder: Path, how: str, *numbers: int) -> dict[str, int]:
    command = [sys.executable, str(KILLER), str(folder), how, *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize(("how", "laboratories"), [("anywhere", 5), ("anywhere", 20), ("packs", 5)])
def test_a_build_survives_to_be_killed_at_any_moment(tmp_path, how, laboratories):
    turns = 40 if EXHAUSTIVE else 6
    counts = killed(tmp_path, how, turns, laboratories)
    assert counts["killed"] == turns
    assert counts["old"] > 0


@pytest.mark.parametrize("first", [0, 1] if EXHAUSTIVE else [0])
def test_a_build_survives_to_be_killed_at_each_step_in_which_files_move(tmp_path, first):
    step = 2 if EXHAUSTIVE else 9
    counts = killed(tmp_path, "commit", 1000, 2, step, first)
    assert counts["killed"] * step > 150
    assert min(counts["old"], counts["finished"], counts["new"]) > 0
    assert counts["forgotten"] <= 2


def test_a_build_that_is_killed_while_it_changes_its_memory_leaves_the_old_one(tmp_path):
    counts = killed(tmp_path, "memory", 1000, 5, 9 if EXHAUSTIVE else 31)
    assert counts["killed"] == counts["old"] > 10
    assert counts["forgotten"] == 0


def test_who_follows_links_while_builds_run_meets_no_missing_file(site):
    """The reader sees each page that it reads whole, and each laboratory and file that the page names."""
    records = [laboratory(f"{number:05}", materials=[12]) for number in range(12)]
    site.write(laboratories=records).build()
    missing: list[str] = []
    read = [0]
    is_over = threading.Event()

    def follow() -> None:
        while not is_over.is_set():
            for number in range(12):
                folder = site.out / LAB / f"{number:05}"
                page = (folder / "api.html").read_text(encoding="utf-8")
                links = [re.split(r'["#]', part)[0] for part in page.split('href="')[1:]]
                shown = json.loads((folder / "similar_labs/index.json").read_bytes())
                files = [folder / link for link in links if link and not link.startswith(("/", "http"))]
                files += [site.out / LAB / one["display_id"] / "index.json" for one in shown]
                missing.extend(str(file) for file in files if not file.exists())
                read[0] += len(files)

    reader = threading.Thread(target=follow)
    reader.start()
    try:
        for turn in range(6):
            site.file("templates/static/style.css", f"/* {turn} */")
            more = [laboratory(f"{900 + one:05}", materials=[12]) for one in range(turn)]
            site.write(laboratories=[*(one | {"name": f"Labor {turn}"} for one in records), *more]).build()
    finally:
        is_over.set()
        reader.join()
    assert (missing, read[0] > 1000) == ([], True)


def end_in_the_middle(site: Project) -> None:
    """Begin a build that ends when its new files are there, and before it replaces others."""
    code = (
        "import labgen.output.commit as c, os; c.move_rest = lambda *_: os._exit(9);"
        f"from labgen.cli import main; main(['build', '-q', '-C', {str(site.root)!r}])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9


def test_a_journal_is_finished_before_anything_else(site):
    site.build()
    before = site.tree()
    end_in_the_middle(site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA]))
    assert (site.root / ".labgen/staging-out/journal.json").exists()
    site.file("data/laboratories/kaputt.json", "{")
    assert site.build().errors == 1
    assert site.tree() != before
    assert site.document("laboratories/00001/")["name"] == "Neu"


def test_a_journal_is_not_finished_in_another_folder_that_took_the_place_of_out(site, tmp_path):
    site.build()
    shutil.copytree(site.out, tmp_path / "old")
    before = site.tree()
    end_in_the_middle(site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA]))
    shutil.rmtree(site.out)
    (tmp_path / "old").rename(site.out)
    assert site.tree() == before
    site.build()
    assert site.document("laboratories/00001/")["name"] == "Neu"
    assert b"Neu" in site.read("api/v1/laboratory/laboratories/00001/gallery/", "api.html")
