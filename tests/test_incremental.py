"""What a build remembers: a warm build equals a cold one, and touches what an edit reaches and nothing else."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from array import array
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import (
    ALPHA,
    BETA,
    COUNTRIES,
    EXHAUSTIVE,
    MATERIALS,
    SITE,
    Project,
    codes,
    laboratories_of,
    laboratory,
    pages_of,
    picture,
)
from draw_records import Drawer

from labgen.api.sections import ENDPOINTS
from labgen.checks.own_lists import mean_of
from labgen.memory.database import memory_file
from labgen.memory.schema import FORMAT
from labgen.model.catalogues import CATALOGUES, OWN_LISTS, REFERENCES, SHARED_LISTS, paths_to
from labgen.model.directory import PagePosition
from labgen.model.record_fields import FieldPath, keys_of
from labgen.model.records import LaboratoryRecord
from labgen.output.errors import OutputError
from labgen.output.file_lists import LISTS, MARKER, list_file_of, render_list
from labgen.output.written import Written
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.quick_check import quick_check
from labgen.render.environment import COMPILED
from labgen.render.list_pages import ListPages
from labgen.system.input_files import GRAIN, UNKNOWN, find_inputs

LAB = "api/v1/laboratory/laboratories"
GAMMA = laboratory("00003", name="Gamma")


def cold_tree(site: Project, folder: Path) -> dict[str, bytes]:
    """Build the same data without anything that was remembered."""
    build(site.root, folder, Options())
    return Project(folder.parent).tree() if folder.name == "out" else tree_of(folder)


def tree_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def remembered(root: Path, out: Path) -> list[Any]:
    """Return what is remembered of a site, without the numbers of laboratories."""
    with closing(sqlite3.connect(memory_file(root, out))) as connection:
        ids = dict(connection.execute("SELECT number, display_id FROM laboratory"))
        named = connection.execute("SELECT * FROM named_by ORDER BY kind, key").fetchall()
        digests = {
            (kind, digest, ids.get(number))
            for kind, digest, number in connection.execute("SELECT * FROM digest")
        }
        similar = {ids[number]: one for number, *one in connection.execute("SELECT * FROM similar")}
        laboratories = [one for _, *one in connection.execute("SELECT * FROM laboratory ORDER BY display_id")]
        return [
            [(kind, key, [ids[number] for number in array("I", numbers)]) for kind, key, numbers in named],
            digests,
            similar,
            laboratories,
            connection.execute("SELECT program, made_from, sources, files FROM site").fetchall(),
            *(
                connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("entry", "unit", "warning")
            ),
            connection.execute("SELECT name, digest FROM file").fetchall(),
        ]


def unchanged(site: Project) -> Written | None:
    return quick_check(site.root, site.out).unchanged_result()


def differences(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {name for name in after if before.get(name) != after[name] and not name.startswith(LISTS)}


NAMED = [one.path[0] for one in REFERENCES if len(one.path) == 1 and one.is_list]
SHARES = dict.fromkeys([*NAMED, *OWN_LISTS], 0.6)
SHARES |= {one.appears_with: 0.1 for one in ENDPOINTS if one.appears_with}
SHARES |= {"equipments": 0.5, "published_on": 0.3}
"""How often a laboratory has a value in a field; it is drawn. Few have data for the optional sections."""


LISTS_OF_IDS = {one.path for one in REFERENCES if len(one.path) == 1 and one.is_list}
FORGETTING = re.compile("forget|break_memory|settings")
"""What is done before a build that may use nothing of what was remembered."""
ACCEPTED = '[[accept]]\ncode = "unusual-option"\nreason = "drawn"\n'


TEXTS = [
    "Stahl",
    "Stahlprüfung",
    "Zugprüfung an Öl",
    "Öl-Prüfung",
    "DIN 1054",
    "Labor",
    "Laborant",
    "Prüflabor",
    "17025",
]


IDS = [*(f"{number:05}" for number in range(7)), *map(str, range(1, 8))]
"""Half of them are also ids of entries, and numbers of pages."""


def records_at(record: dict[str, Any], path: FieldPath) -> list[dict[str, Any]]:
    """Return a laboratory, or the entries of its lists, that have a field of this path."""
    found = [record]
    for name in path:
        found = [one for outer in found for one in outer.get(name) or ()]
    return found


class Keeper:
    """Somebody who edits a directory at random, in every way that there is."""

    def __init__(self, site: Project, seed: int) -> None:
        self.site = site
        self.rng = random.Random(seed)
        self.images = {name: picture("red") for name in ("a.png", "b.png", "c.png")}
        self.drawer = Drawer(tuple(self.images))
        self.records: dict[str, dict[str, Any]] = {}
        self.files: dict[str, str] = {}
        self.lists = self.drawer.lists(4)
        self.is_one_file = False
        for _ in range(6):
            self.add()
        self.settings()
        self.save()

    def add(self) -> None:
        unused = [one for one in IDS if one not in self.records]
        if unused:
            display_id = self.rng.choice(unused)
            self.records[display_id] = laboratory(display_id)
            self.files[display_id] = f"{display_id}-{self.rng.randint(0, 99)}.json"
            self.edit(display_id)

    def edit(self, display_id: str | None = None) -> None:
        rng = self.rng
        display_id = display_id or rng.choice(list(self.records))
        others = [one for one in self.records if one != display_id]
        self.records[display_id] |= {
            rng.choice(["name", "locality", "about"]): " ".join(rng.sample(TEXTS, rng.randint(1, 3))),
            "country": rng.choice(self.drawer.keys["countries"]),
            "logo": rng.choice([None, *self.images]),
            "image": rng.choice([None, *self.images]),
            "gallery": rng.choices(list(self.images), k=rng.choice([0, 0, 1])),
            "similar_labs": rng.sample(others, min(len(others), 2)) if rng.random() < 0.2 else None,
            "focus": {},
        }
        self.edit_lists(display_id)

    def edit_lists(self, display_id: str | None = None) -> None:
        """Draw what a laboratory has in its lists, and when it was published."""
        rng = self.rng
        record = self.records[display_id or rng.choice(list(self.records))]
        for name, share in SHARES.items():
            key = keys_of(LaboratoryRecord)[name]
            record.pop(key, None)
            if rng.random() < share:
                value = self.drawer.field(LaboratoryRecord, name)
                record[key] = rng.sample(value, rng.randint(1, 2)) if isinstance(value, list) else value
        record["rating"] = mean_of([one["rating"] for one in record.get("reviews", [])] or ["0.00"])

    def remove(self) -> None:
        gone = self.rng.choice(list(self.records))
        if len(self.records) > 1:
            del self.records[gone]
            for record in self.records.values():
                if gone in (record.get("similar_labs") or []):
                    record["similar_labs"] = None

    def rename_file(self) -> None:
        self.files[self.rng.choice(list(self.records))] = f"umbenannt-{self.rng.randint(0, 10**9)}.json"

    def edit_entry(self) -> None:
        """Draw an entry of a shared list again, but for its key."""
        listed = self.rng.choice(SHARED_LISTS)
        entries = self.lists[listed.stem]
        at = self.rng.randrange(len(entries))
        kept = {listed.key: entries[at][listed.key]} if listed.key in entries[at] else {}
        entries[at] = self.drawer.record(listed.record, **kept)

    def draw(self) -> None:
        colour = self.rng.choice(["red", "green", "blue"])
        self.images[self.rng.choice(list(self.images))] = picture(colour)

    def point(self) -> None:
        for record in self.records.values():
            shown = {record["image"], *record["gallery"]} - {None}
            record["focus"] = {one: [self.rng.randint(0, 1) * 100, 50] for one in sorted(shown)}

    def settings(self) -> None:
        limit, new_limit = self.rng.randint(1, 4), self.rng.randint(0, 3)
        publish = self.rng.choice([[], [], ["reviews", "new"]])
        image_format = self.rng.choice(["webp", "jpeg", "png"])
        search = f"enabled = {self.rng.choice(['true', 'true', 'false'])}\ntexts = {self.rng.choice(['true', 'false'])}\n"
        limits = f"limit = 8\nsimilar_limit = {limit}\nnew_limit = {new_limit}\npage_size = {limit}\n"
        packs = self.rng.choice(["", 'hosts = ["cloudflare"]\npacks = ["laboratories", "pictures"]\n'])
        own = f'{packs}image_format = "{image_format}"\npublish = {json.dumps(publish)}\n{SITE}[search]\n{search}[limits]\n{limits}{ACCEPTED}'
        self.site.file("data/site.toml", own)

    def template(self) -> None:
        number = self.rng.randint(0, 5)
        page = (
            f'{{% extends "built-in/page.html" %}}{{% block main %}}{number}{{{{ super() }}}}{{% endblock %}}'
        )
        name, text = self.rng.choice(
            [("404.html", f"<p>{number}"), ("page.html", page), ("static/style.css", f"/*{number}*/")]
        )
        self.site.file(f"templates/{name}", text)

    def forget(self) -> None:
        shutil.rmtree(self.site.root / ".labgen", ignore_errors=True)

    def break_memory(self) -> None:
        file = memory_file(self.site.root, self.site.out)
        if not file.exists():
            return
        if self.rng.random() < 0.5:
            file.write_bytes(file.read_bytes()[: self.rng.randint(0, file.stat().st_size - 1)])
        else:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute(f"PRAGMA user_version = {FORMAT + 1}")

    def remove_entry(self) -> None:
        """Remove an entry of a catalogue, and take it from the laboratories that name it."""
        listed = self.rng.choice([one for one in CATALOGUES if paths_to(one)[0] in LISTS_OF_IDS])
        if len(self.drawer.keys[listed.stem]) > 1:
            gone = self.drawer.keys[listed.stem].pop()
            self.lists[listed.stem].pop()
            for record in self.records.values():
                for path in paths_to(listed):
                    for one in records_at(record, path[:-1]):
                        if isinstance(one.get(path[-1]), list):
                            one[path[-1]] = [other for other in one[path[-1]] if other != gone]
                        elif one.get(path[-1]) == gone:
                            one[path[-1]] = self.drawer.keys[listed.stem][0]

    def move_all(self) -> None:
        """Write all laboratories into one file, or into a file each again."""
        self.is_one_file = not self.is_one_file

    def break_and_mend(self) -> None:
        name = "data/laboratories.jsonl" if self.is_one_file else "data/laboratories/kaputt.json"
        file = self.site.root / name
        if file.exists() == self.is_one_file:
            self.site.file(name, (file.read_bytes() if self.is_one_file else b"") + b"{")
            assert "invalid-json" in codes(self.site.build())
            file.unlink()

    def save(self) -> None:
        texts = {
            self.files[one]: json.dumps(record, ensure_ascii=False) for one, record in self.records.items()
        }
        folder, one_file = self.site.root / "data/laboratories", self.site.root / "data/laboratories.jsonl"
        if self.is_one_file:
            shutil.rmtree(folder, ignore_errors=True)
            one_file.write_text("\n".join(texts.values()), encoding="utf-8")
        else:
            one_file.unlink(missing_ok=True)
            for path in folder.glob("*"):
                if path.name not in texts:
                    path.unlink()
            for name, text in texts.items():
                path = folder / name
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    self.site.file(f"data/laboratories/{name}", text)
        named = {name for name in self.images for text in texts.values() if f'"{name}"' in text}
        for name, data in self.images.items():
            file = self.site.root / "data/media" / name
            if name not in named:
                file.unlink(missing_ok=True)
            elif not file.exists() or file.read_bytes() != data:
                self.site.file(f"data/media/{name}", data)
        self.site.write(**self.lists)

    def act(self) -> str:
        acts = [
            self.add,
            self.edit,
            self.edit,
            self.remove,
            self.rename_file,
            self.edit_entry,
        ]
        acts += [self.draw, self.point, self.settings, self.template, self.forget, self.break_and_mend]
        acts += [self.edit_lists, self.break_memory, self.remove_entry, self.move_all]
        weights = [3, 4, 4, 3, 2, 4, 2, 1, 1, 1, 1, 1, 4, 1, 1, 1]
        done = self.rng.choices(acts, weights, k=self.rng.randint(1, 2))
        for one in done:
            one()
        self.save()
        return ", ".join(one.__name__ for one in done)


@pytest.mark.parametrize("seed", range(8) if EXHAUSTIVE else (0, 3))
def test_after_any_edits_a_warm_build_equals_a_cold_one_and_wrote_just_what_differs(
    site, seed, tmp_path_factory, monkeypatch, forgetful
):
    """Now and then a second folder is brought up to date, which has a memory of its own."""
    if seed % 4 > 1:  # else no time is trusted, and the contents decide
        monkeypatch.setattr("labgen.system.input_files.GRAIN", -(10**18))
    if seed % 2:  # facets are counted as those of a large directory
        monkeypatch.setattr("labgen.search_index.contents.SAMPLE", 0)
    keeper = Keeper(site, seed)
    site.build()
    for turn in range(12):
        done = keeper.act()
        before = site.tree()
        forgetful.clear()
        written = site.build().written
        assert not forgetful or FORGETTING.search(done), done
        after = site.tree()
        cold = tmp_path_factory.mktemp(f"cold-{turn}")
        assert after == cold_tree(site, cold), done
        assert remembered(site.root, site.out) == remembered(site.root, cold), done
        if turn % 4 == 3:
            build(site.root, site.root / "second", Options())
            assert tree_of(site.root / "second") == after, done
        assert set(written.written) == differences(before, after), done
        assert set(written.removed) == {
            one for one in before.keys() - after.keys() if not one.startswith(LISTS)
        }, done
        assert unchanged(site) is not None, done


@pytest.mark.parametrize("hash_seed", range(8) if EXHAUSTIVE else [5])
def test_after_any_edits_a_warm_build_equals_a_cold_one_under_any_hash_seed(
    site, hash_seed, tmp_path_factory
):
    keeper = Keeper(site, hash_seed)
    for _ in range(6 if EXHAUSTIVE else 4):
        done = keeper.act()
        cold = tmp_path_factory.mktemp("cold")
        for out, seed in ((site.out, hash_seed), (cold, hash_seed + 1)):
            command = [sys.executable, "-m", "labgen", "build", "-q", "--allow-removals"]
            environment = os.environ | {"PYTHONHASHSEED": str(seed)}
            subprocess.run([*command, "-C", str(site.root), "--out", str(out)], check=True, env=environment)
        assert site.tree() == tree_of(cold), done


SPECIAL = 'hosts = ["cloudflare"]\npacks = ["laboratories", "pictures"]\nexports = ["csv"]\nmanifest = true\n'


@pytest.mark.parametrize("how", ["removed", "cut", "longer"])
def test_a_file_that_somebody_removed_or_changed_in_size_is_restored_in_each_folder(site, how):
    page_size = "[limits]\npage_size = 1\n"
    site.file("data/site.toml", f"{SPECIAL}{SITE}{page_size}").file("data/media/a.png", picture())
    site.write(
        laboratories=[ALPHA | {"materials": [12], "logo": "a.png"}, BETA | {"materials": [471]}]
    ).build()
    before = site.published()
    damaged = {Path(name).parent: name for name in sorted(before) if name != MARKER}
    for name in damaged.values():
        file = site.out / name
        if how == "removed":
            file.unlink()
        else:
            file.write_bytes(before[name][:-1] if how == "cut" else before[name] + b" ")
    assert unchanged(site) is None
    site.build()
    assert site.published() == before
    assert unchanged(site) is not None


def test_a_foreign_file_among_the_files_of_a_laboratory_is_no_change(site):
    site.build()
    foreign = f"{LAB}/00001/notes.txt"
    site.file(f"out/{foreign}", "mine")
    assert unchanged(site) is not None
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA]).build()
    assert (site.out / foreign).read_text() == "mine"
    assert unchanged(site) is not None


def test_with_one_file_of_all_laboratories_a_warm_build_equals_a_cold_one(site, tmp_path):
    def write(*records: dict[str, Any]) -> None:
        site.file("data/laboratories.jsonl", "\n".join(json.dumps(one) for one in records))

    site.without_folder("data/laboratories")
    write(ALPHA, BETA | {"similar_labs": ["00001"]})
    site.build()
    write(GAMMA, ALPHA | {"locality": "Ulm"}, BETA | {"similar_labs": ["00001"]})
    assert laboratories_of(pages_of(site.build())) == {"00001", "00002", "00003"}
    write(GAMMA, ALPHA | {"locality": "Ulm"}, BETA | {"similar_labs": ["00001"], "rating": 4})
    assert pages_of(site.build()) == {f"{LAB}/00002/index.json", f"{LAB}/00002/api.html"}
    assert site.tree() == cold_tree(site, tmp_path / "cold")


def test_a_renamed_laboratory_reaches_the_lists_that_show_it(site):
    both = [ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]
    site.write(laboratories=[*both, GAMMA]).build()
    result = site.write(laboratories=[both[0] | {"name": "Omega"}, both[1], GAMMA]).build()
    assert laboratories_of(pages_of(result)) == {"00001", "00002"}
    assert site.document("laboratories/00002/similar_labs/")[0]["name"] == "Omega"


def test_a_renamed_country_reaches_the_lists_that_show_its_laboratories(site):
    site.write(laboratories=[ALPHA | {"country": "li", "similar_labs": ["00002"]}, BETA]).build()
    renamed = [COUNTRIES[0] | {"name": "Bundesrepublik"}, COUNTRIES[1]]
    result = pages_of(site.write(countries=renamed).build())
    assert f"{LAB}/00001/similar_labs/index.json" in result
    assert f"{LAB}/00001/index.json" not in result


def opened_by(site: Project, *command: str) -> list[str]:
    """Return the laboratories' files that a command opens, if the clock of the file system can be trusted."""
    watch = (
        "import sys, labgen.system.input_files; labgen.system.input_files.GRAIN = -10**18;"
        "sys.addaudithook(lambda event, args: event == 'open' and print(args[0], file=sys.stderr));"
        "from labgen.__main__ import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch, *command, "-q", "-C", str(site.root)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted({Path(line).name for line in done.stderr.splitlines() if "data/laboratories/" in line})


def test_what_was_not_changed_is_not_read_again_but_for_the_first_whose_documents_are_examples(site):
    site.write(laboratories=[ALPHA, BETA, GAMMA])
    assert opened_by(site, "build") == ["00001.json", "00002.json", "00003.json"]
    assert opened_by(site, "build") == []
    site.write(materials=[*MATERIALS, {"id": 5, "title": "Holz"}])
    assert opened_by(site, "build") == ["00001.json"]
    site.file("data/laboratories/00002.json", json.dumps(BETA | {"locality": "Ulm"}))
    assert opened_by(site, "build") == ["00001.json", "00002.json"]


def test_an_edit_of_the_same_length_within_the_same_moment_is_seen(site):
    for _ in range(20):
        for name in ("Alfa", "Alva"):
            site.file("data/laboratories/00001.json", json.dumps(ALPHA | {"name": name}))
            if unchanged(site) is None:
                site.build()
            assert site.document("laboratories/00001/")["name"] == name


def test_a_checkout_that_gives_all_files_new_times_writes_nothing(site, tmp_path_factory):
    site.build()
    for path in site.root.glob("data/**/*.*"):
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
    seen = unchanged(site)
    assert seen
    assert seen.unchanged == len(site.published())
    assert site.build().written.written == ()


def test_another_version_of_labgen_trusts_nothing(site, monkeypatch):
    site.build()
    monkeypatch.setattr("labgen.pipeline.quick_check.program", lambda: "another")
    assert unchanged(site) is None
    assert quick_check(site.root, site.out).site is None


def test_pages_of_lists_in_which_only_numbers_changed_are_not_rendered(site, tmp_path, monkeypatch):
    rendered, files = set[str](), ListPages.files
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 2\n")
    labs = [laboratory(f"{number:05}", materials=[12]) for number in range(1, 10)]
    site.write(laboratories=labs).build()

    def recorded(self: ListPages, part: PagePosition, cards: Any) -> dict[str, bytes]:
        rendered.add(self.endpoint.path_for(part.number))
        return files(self, part, cards)

    monkeypatch.setattr(ListPages, "files", recorded)
    site.write(laboratories=labs[:6] + labs[7:]).build()
    assert {one for one in rendered if "laborator" in one or "materials" in one} == {
        "/api/v1/laboratory/laboratories/", "/api/v1/laboratory/laboratories/page/4/",
    }  # fmt: skip
    monkeypatch.undo()
    assert site.tree() == cold_tree(site, tmp_path / "cold")


@pytest.mark.parametrize(
    "template",
    [
        "{{ block }}<hr>{{ block }}",
        "{% block a %}{{ block }}{% endblock %}{{ self.a() }}",
        "{{ page.title }}",
    ],
)
def test_a_template_may_show_the_document_as_often_as_it_likes(site, tmp_path, template):
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 2\n").file("templates/page.html", template)
    labs = [laboratory(f"{number:05}", materials=[12]) for number in range(1, 10)]
    site.write(laboratories=labs).build()
    site.write(laboratories=labs[:6] + labs[7:]).build()
    assert site.tree() == cold_tree(site, tmp_path / "cold")


def test_a_template_is_compiled_again_only_if_its_text_changed(site, tmp_path):
    site.file("templates/404.html", "<p>Hier ist nichts.</p>").build()
    COMPILED.clear()
    site.write(laboratories=[ALPHA | {"name": "Alfa"}, BETA]).build()
    assert COMPILED == {}
    site.file("templates/404.html", "<p>Hier ist nicht.</p>").build()
    assert len(COMPILED) == 1
    assert site.tree() == cold_tree(site, tmp_path / "cold")


def test_nothing_heavy_is_imported_where_nothing_changed(site):
    site.build()
    watch = (
        "import atexit, sys\nfrom labgen.cli import main\n"
        "atexit.register(lambda: print({'pydantic', 'jinja2', 'yaml', 'labgen.model.records'} & set(sys.modules)))\n"
        "main(['build', '-q', '-C', sys.argv[1]])"
    )
    command = [sys.executable, "-c", watch, str(site.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_only_stamps_of_files_that_were_left_alone_for_a_while_are_kept(site):
    inputs = find_inputs(site.root)
    assert set(inputs.kept(inputs.everything).values()) == {UNKNOWN}
    later = inputs._replace(at=inputs.at + 2 * GRAIN)
    assert later.kept(later.everything) == later.everything


def test_a_list_that_changes_while_the_site_is_built_is_said(site):
    def progress(what: str, done: int, total: int) -> None:
        if (what, done) == ("built", total):
            site.write(materials=[{"id": 12, "title": "Anders"}])

    assert codes(site.build(progress=progress)) == ["source-changed"]
    assert not site.out.exists()


def test_another_out_than_the_one_that_is_remembered_is_compared(site, tmp_path):
    site.build()
    shutil.copytree(site.out, tmp_path / "old")
    site.write(laboratories=[ALPHA | {"name": "Neu"}, BETA]).build()
    now = site.tree()
    shutil.rmtree(site.out)
    (tmp_path / "old").rename(site.out)
    assert unchanged(site) is None
    site.build()
    assert site.tree() == now


@pytest.mark.parametrize("gone", ["", f"{LAB}/00001", "api", "404.json", "static"])
def test_what_was_removed_from_out_by_hand_comes_back(site, gone):
    site.build()
    before = site.tree()
    path = site.out / gone
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    assert unchanged(site) is None
    site.build()
    assert site.tree() == before


def test_warnings_are_shown_again_where_nothing_changed(site):
    site.file("data/laboratories/notizen.csv", "x")
    assert codes(site.build()) == ["ignored-file"]
    assert unchanged(site) is None
    assert codes(site.build()) == ["ignored-file"]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_warnings_of_a_list_are_shown_again_and_what_nothing_was_wrong_with_is_not_checked_again(
    site, trusting, monkeypatch, suffix
):
    lines = [json.dumps({"id": number, "title": f"Stoff {number}"}) for number in (12, 3)]
    join = {"json": lambda some: f"[{','.join(some)}]", "jsonl": "\n\n".join}[suffix]
    site.without("data/materials.json").file(f"data/materials.{suffix}", join(lines)).build()
    with monkeypatch.context() as watched:
        watched.setattr("labgen.source.read_lists.check_texts", pytest.fail)
        site.file("data/laboratories/00002.json", json.dumps(BETA | {"materials": [3]})).build()
    assert site.document("laboratories/00002/materials/")["items"][0]["title"] == "Stoff 3"
    broken = lines[0].replace("Stoff", "St\\n")
    assert codes(site.file(f"data/materials.{suffix}", join([broken, lines[1]])).build()) == ["line-break"]
    site.file("data/laboratories/00002.json", json.dumps(BETA | {"materials": [12]}))
    assert codes(site.build()) == ["line-break"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "yaml", "yml"])
def test_a_second_file_for_a_list_is_found_beside_one_that_did_not_change(site, trusting, suffix):
    site.build()
    assert codes(site.file(f"data/materials.{suffix}", "").build()) == ["two-files"]


def test_an_entry_that_goes_is_missed_where_it_is_named(site, trusting):
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA]).build()
    assert codes(site.write(materials=[MATERIALS[1]]).build()) == ["unknown-reference"]


def test_an_image_that_goes_is_missed_where_it_is_named(site, trusting):
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"logo": "a.png"}]).build()
    assert codes(site.without("data/media/a.png").build()) == ["missing-image"]


def test_a_laboratory_that_goes_is_missed_where_it_is_named(site, trusting):
    site.write(laboratories=[ALPHA | {"similar_labs": ["00002"]}, BETA]).build()
    assert codes(site.without("data/laboratories/00002.json").build()) == ["unknown-reference"]


def test_a_number_that_becomes_a_contact_is_found_in_a_text_that_did_not_change(site, trusting):
    site.write(laboratories=[ALPHA | {"about": "Rufen Sie 0231 4711 888"}, BETA]).build()
    contact = {"contact_person": {"phone": "+49 231 4711 888"}}
    outcome = site.file("data/laboratories/00002.json", json.dumps(BETA | contact)).build()
    assert [one.problem.place.file for one in outcome.problems] == ["data/laboratories/00001.json"]


def test_a_file_that_changes_while_the_site_is_built_is_said_and_nothing_is_written(site):
    def progress(what: str, done: int, total: int) -> None:
        if (what, done) == ("read", total):
            site.file("data/laboratories/00002.json", json.dumps(BETA | {"name": "Neu"}))

    outcome = site.build(progress=progress)
    assert [one.problem.code for one in outcome.problems] == ["source-changed"]
    assert not site.out.exists()


def test_the_last_line_of_a_build_is_the_same_where_nothing_is_read(site):
    run = [sys.executable, "-m", "labgen", "build", "-C", str(site.root)]
    site.build()
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    count = len(site.published())
    assert done.stdout.startswith(f"{count} files: 0 written, 0 removed, {count} unchanged, in 0.")


def test_timings_are_shares_of_the_whole(site):
    run = [sys.executable, "-m", "labgen", "build", "--timings", "-C", str(site.root)]
    lines = subprocess.run(run, capture_output=True, text=True, check=True).stderr.splitlines()
    stages = [line.split("  ")[0] for line in lines]
    assert stages[-1] == "all"
    assert {"read and check", "render and stage", "move into place"} <= set(stages)
    assert stages[-2] == "the rest"
    assert 99 < sum(float(line.rsplit(maxsplit=1)[1].rstrip("%")) for line in lines[:-1]) < 101


@pytest.fixture
def trusting(monkeypatch):
    """Let the times of files be trusted at once."""
    monkeypatch.setattr("labgen.system.input_files.GRAIN", -(10**18))


def test_two_files_that_are_swapped_are_no_other_site_but_are_remembered_where_they_are(site, trusting):
    site.write(laboratories=[ALPHA, BETA, GAMMA]).build()
    folder = site.root / "data/laboratories"
    (folder / "00001.json").rename(folder / "x.json")
    (folder / "00002.json").rename(folder / "00001.json")
    (folder / "x.json").rename(folder / "00002.json")
    assert site.build().written.written == ()
    (folder / "00001.json").unlink()
    removed = [file for file in site.build().written.removed if file.startswith("api/")]
    assert laboratories_of(removed) == {"00002"}


@pytest.mark.parametrize("kind", ["data/media/sub", "templates/static", "templates/parts"])
def test_edits_behind_a_link_to_a_folder_are_seen(site, trusting, tmp_path_factory, kind):
    real = site.root / ("data/media/real" if "media" in kind else "elsewhere")
    real.mkdir(parents=True)
    for name in ("x.png", "style.css", "x.html"):
        (real / name).write_text("alt")
    (site.root / kind).parent.mkdir(parents=True, exist_ok=True)
    (site.root / kind).symlink_to(real)
    if "media" in kind:
        site.write(laboratories=[ALPHA | {"logo": "sub/x.png"}, BETA])
    if "parts" in kind:
        site.file("templates/404.html", '{% include "parts/x.html" %}')
    site.build()
    for name in ("x.png", "style.css", "x.html"):
        (real / name).write_text("neu")
    assert unchanged(site) is None
    site.build()
    assert site.tree() == cold_tree(site, tmp_path_factory.mktemp("cold"))


def test_a_file_that_becomes_a_link_out_of_the_data_is_refused(site, trusting, tmp_path_factory):
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"logo": "a.png"}, BETA]).build()
    for name in ("data/laboratories/00002.json", "data/media/a.png"):
        file = site.root / name
        outside = tmp_path_factory.mktemp("outside") / file.name
        file.rename(outside)
        file.symlink_to(outside)
    assert codes(site.build()) == ["outside-data", "outside-data"]


def test_a_file_that_becomes_a_broken_link_is_missed(site):
    site.build()
    file = site.root / "data/laboratories/00002.json"
    file.unlink()
    file.symlink_to("nowhere")
    assert codes(site.build()) == ["unreadable-file"]


@pytest.mark.parametrize("wrong", ["templates/x.html/", "templates/static/c/", "templates"])
def test_what_is_wrong_in_templates_is_said_where_nothing_else_changed(site, wrong):
    site.build()
    if wrong.endswith("/"):
        (site.root / wrong).mkdir(parents=True)
    else:
        (site.root / wrong).write_text("x")
    assert codes(site.build()) == codes(site.check()) == ["not-a-file"]


def test_the_same_bytes_in_another_format_are_read_again(site):
    site.file(
        "data/laboratories/00003.yaml", "\n".join(f"{name}: '{value}'" for name, value in GAMMA.items())
    ).build()
    (site.root / "data/laboratories/00003.yaml").rename(site.root / "data/laboratories/00003.json")
    assert codes(site.build()) == ["invalid-json"]


def test_a_warm_build_reports_what_a_check_does_where_an_id_is_taken_twice(site, trusting):
    phone = {"contact_person": {"phone": "0231 4711 888"}}
    site.write(laboratories=[ALPHA | phone, BETA]).build()
    site.file("data/laboratories/b.json", json.dumps(ALPHA | {"contact_person": {"phone": "0231 4711 999"}}))
    site.file("data/laboratories/00002.json", json.dumps(BETA | {"about": "0231 4711 888"}))
    assert codes(site.build()) == codes(site.check()) == ["contact-in-text", "duplicate-id"]


def test_a_list_that_lacks_a_laboratory_does_not_give_its_folder_away(site):
    site.build()
    lists = site.out / list_file_of(f"{LAB}/00002")
    lists.write_bytes(render_list({}))
    site.file(f"out/{LAB}/00002/index.json", "mine")
    with pytest.raises(OutputError, match="is not labgen's"):
        site.write(laboratories=[ALPHA, BETA | {"name": "Neu"}]).build()


def test_an_image_that_goes_while_the_site_is_built_is_said(site):
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"logo": "a.png"}, BETA])

    def progress(what: str, done: int, total: int) -> None:
        if (what, done) == ("read", total):
            site.without("data/media/a.png")

    assert codes(site.build(progress=progress)) == ["source-changed"]


def test_a_pipe_is_not_waited_for(site):
    site.build()
    os.mkfifo(site.root / "data/x.fifo")
    assert codes(site.build()) == ["ignored-file"]
    os.mkfifo(site.root / "templates.fifo")
    (site.root / "data/laboratories/00001.json").unlink()
    os.mkfifo(site.root / "data/laboratories/00001.json")
    assert "not-a-file" in codes(site.build())


@pytest.mark.parametrize("name", [b"data/\xff.bin", b"data/media/\xff.png", b"templates/\xff.txt"])
def test_a_name_that_is_not_utf_8_is_no_traceback(site, name):
    path = Path(os.fsdecode(os.fsencode(site.root) + b"/" + name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    assert site.build().written is not None
    assert site.build().written.written == ()


def test_a_character_across_the_first_thousand_bytes_of_a_file_of_all_laboratories_is_no_mistake(site):
    site.without_folder("data/laboratories")
    for padding in range(990, 1003):
        record = json.dumps(ALPHA | {"about": ""}, ensure_ascii=False)[:-2]
        site.file("data/laboratories.jsonl", record + "x" * (padding - len(record)) + 'üü"}')
        assert codes(site.check()) == []


@pytest.mark.parametrize("line", ["\ufeff{}", "\f", "\u00a0"])
def test_a_line_that_is_no_json_is_reported_in_its_place(site, line):
    site.without_folder("data/laboratories")
    outcome = site.file("data/laboratories.jsonl", f"{json.dumps(ALPHA)}\n{line}\n").check()
    assert [(one.problem.code, one.span and one.span.line) for one in outcome.problems] == [
        ("invalid-json", 2)
    ]
