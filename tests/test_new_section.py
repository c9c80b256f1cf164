"""labgen/ARCHITECTURE.md says how to add a section and a catalogue: a copy of labgen that was changed just so."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import CATEGORIES, Project, laboratories_of, laboratory

ROOT = Path(__file__).resolve().parent.parent
NOTES = (ROOT / "labgen/ARCHITECTURE.md").read_text(encoding="utf-8")
NUMBERS = range(9, 21)
"""The numbers of the catalogues that are added: there were eight. Those with even ones are compared."""


def block(name: str) -> str:
    """Return the block of code that follows a mark in the notes."""
    found = re.search(rf"<!-- tested: {name} -->\n\n```\w+\n(.*?)```", NOTES, re.DOTALL)
    assert found, name
    return found[1]


class Program:
    """A copy of labgen, and of what a test of it needs."""

    def __init__(self, root: Path, like: Path = ROOT) -> None:
        self.root = root
        for folder in ("labgen", "templates"):
            shutil.copytree(
                like / folder, root / folder
            )  # with what is compiled, as long as it is not changed

    def insert(self, file: str, text: str, before: str) -> None:
        """Write a text before another one, which is there once."""
        self.replace(file, before, text + before)

    def replace(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, (file, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, *arguments]
        environment = os.environ | {"PYTHONPATH": str(self.root), "NO_COLOR": "1"}
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)

    def build(self, site: Project, out: str = "out") -> list[str]:
        """Build a site that has no mistakes, and return the files that were written."""
        done = self.run("-c", BUILD, out, cwd=site.root)
        assert done.returncode == 0, done.stderr
        written, problems = json.loads(done.stdout)
        assert problems == []
        return list(written)


BUILD = """
import json, sys
from pathlib import Path
from labgen.pipeline.build import build

outcome = build(Path.cwd(), Path(sys.argv[1]).absolute())
print(json.dumps([outcome.written and outcome.written.written, [one.problem.message for one in outcome.problems]]))
"""


def add_section(program: Program) -> None:
    """Do what the notes say of a section, in the files that they name."""
    program.insert(
        "labgen/model/records.py", f"{block('record')}\n\n", before="class LaboratoryRecord(Record)"
    )
    program.insert("labgen/model/records.py", block("field"), before="\n    def pictures(")
    (program.root / "labgen/api/sections/opening_hours.py").write_text(block("section"), encoding="utf-8")
    sections = "labgen/api/sections/__init__.py"
    program.insert(sections, "    opening_hours,\n", before="    resources,\n")
    program.insert(sections, "    opening_hours.ENDPOINT,\n", before="    new.ENDPOINT,\n")
    (program.root / "templates/view-opening_hours.html").write_text(block("template"), encoding="utf-8")


def add_catalogue(program: Program, number: int) -> None:
    """Do what the notes say of a catalogue."""

    def numbered(name: str) -> str:
        text = block(name).replace("labels", f"labels_{number}").replace("LABELS", f"LABELS_{number}")
        text = text.replace("LabelRecord", f"Label{number}Record")
        return text if number % 2 == 0 else text.replace("is_compared=True, ", "")

    program.insert(
        "labgen/model/records.py", f"{numbered('entry')}\n\n", before="class LaboratoryRecord(Record)"
    )
    program.insert("labgen/model/records.py", numbered("list"), before="\n    def pictures(")
    program.insert(
        "labgen/model/catalogues.py", numbered("catalogue"), before=')\n"""A catalogue\'s position'
    )
    program.insert("labgen/api/sections/facets.py", f"{numbered('facet')}\n", before="ENDPOINTS = (")
    program.insert("labgen/api/sections/facets.py", f"    LABELS_{number},\n", before=')\n"""All of them')


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Program:
    """A copy of labgen with the section and with twelve more catalogues."""
    program = Program(tmp_path_factory.mktemp("program"))
    add_section(program)
    for number in NUMBERS:
        add_catalogue(program, number)
    return program


@pytest.fixture
def labelled(site: Project) -> Project:
    """Six laboratories, each of which names some entries of the new catalogues; two have opening hours."""
    catalogues: dict[str, Any] = {
        f"labels_{number}": [{"id": one, "title": f"Siegel {one} von {number}"} for one in (4, 5)]
        for number in NUMBERS
    }
    laboratories = [laboratory(f"{at:05}", **labels_of(at)) for at in range(6)]
    for at in (1, 4):
        laboratories[at]["opening_hours"] = json.loads(block("data"))
    return site.write(laboratories=laboratories, **catalogues, **CATEGORIES)


def labels_of(at: int) -> dict[str, Sequence[int]]:
    return {f"labels_{number}": [4 + at % 2] for number in NUMBERS if (at + number) % 3 == 0}


def test_a_section_that_is_added_as_the_notes_say_is_published(program, labelled):
    program.build(labelled)
    path = "api/v1/laboratory/laboratories/00001/opening_hours"
    assert labelled.read(path).decode() == (
        '[{"day":"Montag","from":"08:00","to":"16:30"},{"day":"Freitag","from":"08:00","to":"12:00"}]'
    )
    assert "<li>Montag: 08:00 – 16:30</li>" in labelled.read(path, "api.html").decode()
    assert labelled.document("laboratories/00002/opening_hours") == []
    assert "Opening hours – Labor 00001</h1>" in labelled.read(path, "api.html").decode()
    schema = json.loads(labelled.read("", "openapi.json"))["components"]["schemas"]["OpeningHours"]
    assert (list(schema["properties"]), schema["description"]) == (
        ["day", "from", "to"],
        "The hours of a day.",
    )


def test_a_section_is_called_by_the_words_of_a_language_where_they_are_written(program, labelled):
    german = "templates/languages/de.toml"
    text = (program.root / german).read_text(encoding="utf-8")
    program.insert(german, block("words"), before='resources = "Unterlagen"\n')
    program.build(labelled)
    page = labelled.read("api/v1/laboratory/laboratories/00001/opening_hours", "api.html").decode()
    assert "Öffnungszeiten – Labor 00001</h1>" in page
    (program.root / german).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("written", "marked", "said"),
    [
        ('[{"day": "Mo", "form": "08:00", "to": "12:00"}]', '"form"', "error[unknown-field]: `form` is not a field of `opening_hours`"),
        ('[{"day": "Mo", "form": "08:00", "to": "12:00"}]', '"form"', "did you mean `from`?"),
        ('[{"day": "Mo", "to": "12:00"}]', '{"day"', "error[missing-field]: `from` is missing from this entry of `opening_hours`"),
        ('[{"day": "Mo", "from": 8, "to": "12:00"}]', "8, ", "error[wrong-type]: `opening_hours.from` must be text, not 8"),
        ('[{"day": "Mo", "from": "8", "to": "12:00"}]', '"8"', "error[invalid-value]: `opening_hours.from` must be of the form"),
        ('[{"day": "Mo\x85", "from": "08:00", "to": "12:00"}]', '"Mo', "warning[odd-character]: `day` holds the control character"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_field_is_said_of_the_key_that_is_written(program, site, written, marked, said):
    record = json.dumps(laboratory("00001") | {"opening_hours": "?"}).replace('"?"', written)
    site.file("data/laboratories/00001.json", record)
    done = program.run("-m", "labgen", "check", cwd=site.root)
    assert said in done.stderr
    assert f"data/laboratories/00001.json:1:{record.index(marked) + 1}" in done.stderr


def test_an_entry_of_a_new_catalogue_reaches_the_laboratories_that_name_it_and_no_others(program, labelled):
    program.build(labelled)
    for number in (9, 10, 20):
        entries = [{"id": 4, "title": f"Neu {number}"}, {"id": 5, "title": f"Siegel 5 von {number}"}]
        written = program.build(labelled.write(**{f"labels_{number}": entries}))
        naming = {f"{at:05}" for at in range(6) if labels_of(at).get(f"labels_{number}") == [4]}
        assert naming
        assert laboratories_of(written) == naming
    warm = labelled.tree()
    shutil.rmtree(labelled.root / ".labgen")
    shutil.rmtree(labelled.out)
    program.build(labelled)
    assert labelled.tree() == warm


def test_laboratories_are_similar_by_the_entries_of_a_catalogue_and_not_by_those_of_another(
    program, labelled
):
    """With three bits for the catalogue, entry 4 of the ninth was taken for entry 5 of the first."""
    labelled.write(
        materials=[{"id": 5, "title": "Stahl"}],
        laboratories=[
            laboratory("00001", labels_10=[4], labels_9=[5]), laboratory("00002", labels_10=[4]), laboratory("00003", labels_9=[5]),
            laboratory("00004", materials=[5]), laboratory("00005", labels_18=[4]), laboratory("00006", labels_20=[4]),
        ],
    )  # fmt: skip
    program.build(labelled)
    shown = {
        one: [other["display_id"] for other in labelled.document(f"laboratories/{one}/similar_labs")]
        for one in (f"{at:05}" for at in range(1, 7))
    }
    assert {one: ids for one, ids in shown.items() if ids} == {"00001": ["00002"], "00002": ["00001"]}


def test_what_holds_for_all_fields_holds_for_new_ones(program):
    for name in (
        "pyproject.toml",
        "tests/conftest.py",
        "tests/draw_records.py",
        "tests/test_shown_fields.py",
    ):
        (program.root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, program.root / name)
    done = program.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=program.root)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 2 * len(NUMBERS)


@pytest.mark.parametrize(
    ("file", "declaration", "instead", "said"),
    [
        ("model/records.py", block("field"), "", "opening_hours"),
        ("model/records.py", 'alias="from", ', "", "from"),
        ("api/sections/__init__.py", "    opening_hours.ENDPOINT,\n", "", "LaboratoryRecord.opening_hours"),
        ("model/records.py", '    labels_20: Annotated[list[Id], RefersTo("labels_20")] = _ids("labels_20")\n', "", "labels_20"),
        ("model/records.py", 'Annotated[list[Id], RefersTo("labels_20")]', "list[Id]", "labels_20"),
        ("model/catalogues.py", 'Catalogue("labels_20"', 'Catalogue("other"', "labels_20"),
        ("api/sections/facets.py", "    LABELS_20,\n", "", "LaboratoryRecord.labels_20"),
        ("model/records.py", 'Annotated[list[Id], EACH_ONCE, RefersTo("materials")]', "list[Id]", "materials"),
        ("model/records.py", 'Annotated[Id, RefersTo("accreditation_standards")]', "Id", "accreditation_standards"),
        ("api/sections/__init__.py", "    gallery.ENDPOINT,\n", "", "LaboratoryRecord.gallery"),
        ("api/sections/__init__.py", "    upgrade_options.ENDPOINT,\n", "", "UpgradeOptionRecord"),
        ("api/sections/gallery.py", '    shows={LaboratoryRecord: ("gallery", "focus")},\n', "", "shows"),
        ("api/sections/reviews.py", "    item=Review,\n", "", "item"),
    ],
)  # fmt: skip
def test_without_a_declaration_labgen_does_not_start(program, tmp_path, file, declaration, instead, said):
    copy = Program(tmp_path, like=program.root)
    copy.replace(f"labgen/{file}", declaration, instead)
    done = copy.run("-c", "import labgen.api.sections", cwd=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]
