"""The documentation is true: its sessions are run, its generated parts are compared, what it names is there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest
from conftest import BETA, CATEGORIES, Project, picture
from generated import DOCS, PARTS, with_generated_parts

from labgen.api.sections import ENDPOINTS
from labgen.cli import main
from labgen.cli.new_project import create_project
from labgen.report.text import summarise
from labgen.search import Search, folder_reader

ROOT = DOCS.parent
SESSION = r"<!-- session: run by tests/test_docs.py -->\n\n```console\n(.*?)```"


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def session(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page's terminal sessions, each with what it prints."""
    blocks = "".join(re.findall(SESSION, read(page), re.DOTALL))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks, re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "before"),
    [("README.md", ["labgen init verzeichnis", "cd verzeichnis"]), ("docs/tutorial.md", []), ("docs/tutorial.de.md", []), ("docs/guides/tables.md", []), ("docs/guides/tables.de.md", [])],
    ids=["README", "tutorial", "Anleitung", "tables", "Tabellen"],
)  # fmt: skip
def test_a_terminal_session_prints_what_the_page_shows(page, before, tmp_path):
    folder = tmp_path
    language = "de" if page.endswith(".de.md") else "en"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "LABGEN_LANG": language}
    commands = [(command, None) for command in before] + session(page)
    for command, answer in commands:
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
            continue
        labgen = f"{shlex.quote(sys.executable)} -m labgen "
        run = command.replace("labgen ", labgen, 1) if command.startswith("labgen") else command
        done = subprocess.run(
            run, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if answer is not None:
            assert untimed(done.stdout + done.stderr).strip() == untimed(answer).strip(), command


def code_after(name: str, page: str) -> str:
    """Return the block of code that follows a mark in a page."""
    match = re.search(rf"<!-- tested: {name} -->\n\n```\w+\n(.*?)```", read(page), re.DOTALL)
    assert match, name
    return match[1]


def test_the_laboratory_the_settings_and_the_template_of_the_guides_build(site):
    run = Path(site.root)
    for name in ("test_methods", "accreditation_standards", "certifications", "standards"):
        shutil.copy(ROOT / f"labgen/project/common/data/{name}.csv", run / "data")
    site.write(**CATEGORIES)
    for name in ("logos/werkstoffpruefung", "bilder/werkstoffpruefung", "galerie/halle", "galerie/presse"):
        site.file(f"data/media/{name}.png", picture())
    site.write(materials=[{"id": 1, "title": "Stahl"}, {"id": 2, "title": "Öl"}], laboratories=[BETA])
    laboratory = code_after("laboratory", "docs/guides/data.md")
    site.file("data/site.toml", code_after("settings", "docs/guides/data.md"))
    site.file("data/laboratories/00123.json", laboratory)
    outcome = site.file("templates/page.html", code_after("template", "docs/guides/templates.md")).build()
    assert outcome.problems == ()
    assert "Fragen?" in site.read("api/v1/laboratory/laboratories/00123/", "api.html").decode()


@pytest.mark.parametrize("page", ["docs/guides/tables.md", "docs/guides/tables.de.md"])
def test_the_table_of_the_guide_builds(page, tmp_path):
    project = Project(tmp_path)
    create_project(project.root)
    shutil.rmtree(project.root / "data/laboratories")
    project.file("data/materials.csv", "id,title\n1,Stahl\n2,Holz\n").file(
        "data/laboratories.csv", code_after("table", page)
    )
    assert project.build().problems == ()
    assert project.document("laboratories/00001/")["rating"] == "4.50"
    assert [one["title"] for one in project.document("laboratories/00002/materials")["items"]] == [
        "Holz",
        "Stahl",
    ]


def untimed(text: str) -> str:
    return re.sub(r"in \d+([.,])\d s", r"in 0\g<1>0 s", text)


@pytest.mark.parametrize("page", PARTS)
def test_the_generated_parts_of_a_page_are_up_to_date(page):
    assert with_generated_parts(page) == (DOCS / page).read_text(encoding="utf-8"), "run `make docs`"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_every_endpoint_stands_in_the_reference(endpoint):
    assert endpoint.title in read("docs/reference/output.md")


@pytest.mark.parametrize("command", main.commands)
def test_every_command_stands_in_the_readme(command):
    assert f"`labgen {command}`" in read("README.md")


PAGES = ["README.md", "CHANGELOG.md", "labgen/ARCHITECTURE.md", "labgen/EXTENDING.md", "data/README.md", *sorted(str(page.relative_to(ROOT)) for page in DOCS.rglob("*.md"))]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_or_links_is_there(page):
    text = read(page)
    named = set(re.findall(r"`((?:labgen|tests|templates|docs|data|\.ci)/[\w./-]*)`", text))
    examples = {name for name in named if "instruments" in name}  # the section that the notes add to a copy
    examples |= {name for name in named if name.startswith("data/") and page != "data/README.md"}
    linked = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[\w-]*)?\)", text)
    assert not [name for name in named - examples if not (ROOT / name).exists()]
    assert not [link for link in linked if not (ROOT / page).parent.joinpath(link).exists()]


def test_the_documentation_builds_as_a_site_without_a_warning(tmp_path):
    """The site is strict: a dead link, a missing anchor or a page that is not in the navigation fails it."""
    command = [sys.executable, "-m", "properdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site/explanation/architecture/index.html").exists()


def test_the_readme_is_short():
    assert len(read("README.md").splitlines()) <= 200


@pytest.mark.parametrize("target", ["build", "test", "check", "docs"])
def test_the_makefile_has_the_targets_that_are_named(target):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_what_was_found_is_summed_up_in_words():
    assert summarise(0, 0) == "no problems"
    assert summarise(1, 2) == "1 error, 2 warnings"
    assert summarise(1204, 0) == "1,204 errors"


FOUND = [
    ("prüfung", ["00001"]), ("pruefung", ["00001"]), ("PRUFUNG", ["00001"]), ("Zugprüfnug", ["00001", "00002"]), ("Sonderwotr", []), ("Sonderwort", ["00002"]),
    ("17025", ["00001"]), ("din 17025", ["00001"]), ("D-PL-17043", ["00001"]),
    ("zugprüf", ["00001", "00002"]), ("zugpruefung", ["00001", "00002"]),
]  # fmt: skip


def test_the_search_finds_what_its_guide_says_in_titles_and_in_free_texts(site):
    one = {"id": 1, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D-PL-17043-01-00"}
    site.write(
        materials=[{"id": 12, "title": "Zugprüfung"}],
        accreditation_standards=[
            {"id": 1, "title": "x", "search_val": "y", "standard": "DIN EN ISO/IEC 17025:2018"}
        ],
        laboratories=[
            BETA | {"display_id": "00001", "materials": [12], "accreditations": [one]},
            BETA | {"about": "Zugprüfung Sonderwort"},
        ],
    ).build()
    search = Search(folder_reader(site.out))
    answers = [search(urlencode({"q": text})).document["results"] for text, _ in FOUND]
    assert [[one["display_id"] for one in found] for found in answers] == [found for _, found in FOUND]


def test_nothing_in_the_core_imports_the_ring():
    halves = read("CONTRIBUTING.md").partition("## Two halves")[2]
    core, _, ring = halves.partition("The search")[0].partition("**ring**")
    packages, outer = (set(re.findall(r"`([a-z]+)`", half)) for half in (core, ring))
    files = [one for package in packages for one in (ROOT / "labgen" / package).rglob("*.py")]
    imported = {
        name for one in files for name in re.findall(r"^\s*from labgen\.(\w+)", one.read_text(), re.MULTILINE)
    }
    assert files
    assert not imported & outer
