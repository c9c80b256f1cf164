"""The README is true: its session is run, its generated parts are compared, what it names is there."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BETA, CATEGORIES, picture
from generated import GUIDE, README, hosts_guide, with_generated_parts

from labgen.api.sections import ENDPOINTS
from labgen.model.records import LaboratoryRecord
from labgen.report.text import summarise

TEXT = README.read_text(encoding="utf-8")
ROOT = README.parent


def session() -> list[tuple[str, str]]:
    """Return the commands of the terminal session, each with what it prints."""
    (block,) = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    return [
        (command, answer)
        for command, answer in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def test_the_session_in_the_readme_prints_what_it_shows(tmp_path):
    folder = tmp_path
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    for command, answer in session():
        if command.startswith("cd "):
            folder /= command.removeprefix("cd ")
            continue
        labgen = f"{shlex.quote(sys.executable)} -m labgen "
        run = command.replace("labgen ", labgen) if command.startswith("labgen") else command
        done = subprocess.run(
            run, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert untimed(done.stdout + done.stderr).strip() == untimed(answer).strip()


def code_after(name: str) -> str:
    """Return the block of code that follows a mark."""
    match = re.search(rf"<!-- tested: {name} -->\n\n```\w+\n(.*?)```", TEXT, re.DOTALL)
    assert match, name
    return match[1]


def test_the_laboratory_the_settings_and_the_template_in_the_readme_build(site):
    run = Path(site.root)
    for name in ("test_methods", "accreditation_standards", "certifications", "standards"):
        shutil.copy(ROOT / f"labgen/project/common/data/{name}.csv", run / "data")
    site.write(**CATEGORIES)
    for name in ("logos/werkstoffpruefung", "bilder/werkstoffpruefung", "galerie/halle", "galerie/presse"):
        site.file(f"data/media/{name}.png", picture())
    site.write(materials=[{"id": 1, "title": "Stahl"}, {"id": 2, "title": "Öl"}], laboratories=[BETA])
    site.file("data/site.toml", code_after("settings")).file(
        "data/laboratories/00123.json", code_after("laboratory")
    )
    outcome = site.file("templates/page.html", code_after("template")).build()
    assert outcome.problems == ()
    assert "Fragen?" in site.read("api/v1/laboratory/laboratories/00123/", "api.html").decode()
    record = json.loads(code_after("laboratory"))
    assert set(record) == set(LaboratoryRecord.model_fields)


def untimed(text: str) -> str:
    return re.sub(r"in \d+\.\d s", "in 0.0 s", text)


def test_the_generated_parts_are_up_to_date():
    assert with_generated_parts(TEXT) == TEXT, "run `make docs`"
    assert GUIDE.read_text(encoding="utf-8") == hosts_guide() + "\n", "run `make docs`"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_every_endpoint_stands_in_the_readme(endpoint):
    assert endpoint.titles["en"] in TEXT


@pytest.mark.parametrize("page", ["README.md", "labgen/ARCHITECTURE.md", "CHANGELOG.md", "data/README.md"])
def test_every_file_that_the_documentation_names_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:labgen|tests|templates|data|\.ci)/[\w./-]*)`", text))
    generated = {"data/site.toml", "data/materials.csv"}
    missing = [name for name in named - generated if not (ROOT / name).exists()]
    assert not missing


@pytest.mark.parametrize("target", ["build", "test", "check", "docs"])
def test_the_makefile_has_the_targets_that_are_named(target):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_what_was_found_is_summed_up_in_words():
    assert summarise(0, 0) == "no problems"
    assert summarise(1, 2) == "1 error, 2 warnings"
    assert summarise(1204, 0) == "1,204 errors"
