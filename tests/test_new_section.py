"""labgen/EXTENDING.md says how to add a section and a catalogue: a copy of labgen that was changed just so."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import CATEGORIES, Project, laboratories_of, laboratory, picture
from PIL import Image
from searching import answered
from stand_ins import Answer, Asked, serving

from labgen.serve.answer import Site

ROOT = Path(__file__).resolve().parent.parent
NOTES = (ROOT / "labgen/EXTENDING.md").read_text(encoding="utf-8")
RECORDS = "labgen/model/records.py"
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

    def append(self, file: str, text: str) -> None:
        """Write a text at the end of a file."""
        path = self.root / file
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

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


def add_section(program: Program, name: str, record: str, field: str, section: str) -> None:
    """Do what the notes say of a section, in the files of the code that they name."""
    program.insert(RECORDS, f"{record}\n\n", before="class LaboratoryRecord(Record)")
    program.append(RECORDS, field)
    (program.root / f"labgen/api/sections/{name}.py").write_text(section, encoding="utf-8")
    sections = "labgen/api/sections/__init__.py"
    program.insert(sections, f"    {name},\n", before="    resources,\n")
    program.insert(sections, f"    {name}.ENDPOINT,\n", before="    new.ENDPOINT,\n")


HOURS = """
class OpeningHoursRecord(Record):
    \"""When a laboratory is open on a day of the week.\"""

    day: FilledLine = Field(description="day of the week")
    start: Annotated[str, Field(pattern=r"^[0-2][0-9]:[0-5][0-9]$", examples=["08:00", "12:30"])] = Field(alias="from", description="when it opens")
"""
HOURS_FIELD = """
    opening_hours: list[OpeningHoursRecord] = Field(default_factory=list, description="when it is open")
"""
HOURS_SECTION = """
from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.endpoint import own_list

OpeningHours = TypedDict("OpeningHours", {"day": Annotated[str, "Day."], "from": Annotated[str, "When it opens."]})
OpeningHours.__doc__ = "The hours of a day."

ENDPOINT = own_list("opening_hours", title="Opening hours", about="When it is open.", item=OpeningHours)
"""


def add_catalogue(program: Program, number: int) -> None:
    """Do what the notes say of a catalogue."""

    def numbered(name: str) -> str:
        text = block(name).replace("labels", f"labels_{number}").replace("LABELS", f"LABELS_{number}")
        text = text.replace("LabelRecord", f"Label{number}Record")
        return text if number % 2 == 0 else text.replace("is_compared=True, ", "")

    program.insert(RECORDS, f"{numbered('entry')}\n\n", before="class LaboratoryRecord(Record)")
    program.append(RECORDS, numbered("list"))
    program.insert(
        "labgen/model/catalogues.py", numbered("catalogue"), before=')\n"""A catalogue\'s position'
    )
    program.insert("labgen/api/sections/facets.py", f"{numbered('facet')}\n", before="ENDPOINTS = (")
    program.insert("labgen/api/sections/facets.py", f"    LABELS_{number},\n", before=')\n"""All of them')


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Program:
    """A copy of labgen with the section, with one whose key is a word of Python, and with twelve more catalogues."""
    program = Program(tmp_path_factory.mktemp("program"))
    add_section(program, "instruments", *map(block, ("record", "field", "section")))
    (program.root / "templates/view-instruments.html").write_text(block("template"), encoding="utf-8")
    add_section(program, "opening_hours", HOURS, HOURS_FIELD, HOURS_SECTION)
    for number in NUMBERS:
        add_catalogue(program, number)
    return program


@pytest.fixture
def labelled(site: Project) -> Project:
    """Six laboratories, each of which names some entries of the new catalogues; two have instruments."""
    catalogues: dict[str, Any] = {
        f"labels_{number}": [{"id": one, "title": f"Siegel {one} von {number}"} for one in (4, 5)]
        for number in NUMBERS
    }
    laboratories = [laboratory(f"{at:05}", **labels_of(at)) for at in range(6)]
    for at in (1, 4):
        laboratories[at]["instruments"] = json.loads(block("data"))
    site.file(f"data/media/{PHOTO}", picture("red", kind="WEBP"))
    return site.write(laboratories=laboratories, standards=STANDARDS, **catalogues, **CATEGORIES)


PHOTO = "galerie/nordkante-1.webp"
STANDARDS = [{"id": one, "search_val": f"din-{one}", "title": f"DIN {one}"} for one in (3001, 3003)]
LABS = "api/v1/laboratory/laboratories"


def labels_of(at: int) -> dict[str, Sequence[int]]:
    return {f"labels_{number}": [4 + at % 2] for number in NUMBERS if (at + number) % 3 == 0}


def test_a_section_that_is_added_as_the_notes_say_is_published_with_its_pictures(program, labelled):
    program.build(labelled)
    path = f"{LABS}/00001/instruments"
    first, second = labelled.document("laboratories/00001/instruments")
    addresses = {size: first.pop(f"{size}_url") for size in ("preview", "large")}
    assert first == {"name": "Universalprüfmaschine", "year": 1998, "standards": [3001, 3003]}
    assert second == {
        "name": "Härteprüfer",
        "year": None,
        "preview_url": None,
        "large_url": None,
        "standards": [],
    }
    assert [re.sub("[0-9a-f]{16}", "…", one) for one in addresses.values()] == [
        "/media/…/nordkante-1-160x160.webp", "/media/…/nordkante-1-1600x900.webp",
    ]  # fmt: skip
    for address, size in zip(addresses.values(), ((160, 160), (1600, 900)), strict=True):
        with Image.open(labelled.out / address.strip("/")) as image:
            assert image.size == size
    page = labelled.read(path, "api.html").decode()
    assert (
        f'<img src="{addresses["preview"]}"'
        in labelled.read("labor/00001/labor-00001/", "index.html").decode()
    )
    assert "Instruments – Labor 00001</h1>" in page
    assert labelled.document("laboratories/00002/instruments") == []
    schema = json.loads(labelled.read("", "openapi.json"))["components"]["schemas"]["Instrument"]
    assert list(schema["properties"]) == ["name", "year", "preview_url", "large_url", "standards"]
    assert schema["properties"]["preview_url"]["type"] == ["string", "null"]


def test_a_section_is_called_by_the_words_of_a_language_where_they_are_written(program, labelled, tmp_path):
    words = Program(tmp_path / "words", like=program.root)
    german = "templates/languages/de.toml"
    words.insert(german, block("titles"), before='resources = "Unterlagen"\n')
    words.insert(german, block("about"), before='resources = "Unterlagen des Labors')
    words.append(german, block("descriptions"))
    words.build(labelled)
    page = labelled.read(f"{LABS}/00001/instruments", "api.html").decode()
    assert "Messgeräte – Labor 00001</h1>" in page
    reference = labelled.read("/reference/", "index.html").decode()
    assert "Die Geräte, mit denen das Labor misst." in reference
    for text in re.findall(r'^"(.*)" = ', block("descriptions"), re.MULTILINE):
        assert text not in reference


def with_instrument(**fields: Any) -> str:
    return json.dumps(laboratory("00001", instruments=[{"name": "Presse"} | fields]))


@pytest.mark.parametrize(
    ("written", "marked", "said"),
    [
        (with_instrument(photo="galerie/nordkante-7.webp"), '"galerie', 'error[missing-image]: `photo` names "galerie/nordkante-7.webp", which is not in data/media/'),
        (with_instrument(photo="galerie/nordkante-7.webp"), '"galerie', 'did you mean "galerie/nordkante-1.webp"?'),
        (with_instrument(photo="galerie/nordkante-1"), '"galerie', 'did you mean "galerie/nordkante-1.webp"?'),
        (with_instrument(photo="galerie/nordkante-1.pdf"), '"galerie', "error[mislabelled-image]: `instruments.photo` must be a picture"),
        (with_instrument(standards=[3002]), "3002", "error[unknown-reference]: `standards` names 3002, which is not in `data/standards.json`"),
        (with_instrument(standards=[3001, 3001]), "3001]", "error[duplicate-reference]: `standards` names 3001 twice"),
        (with_instrument(year=1500), "1500", "error[invalid-number]: `instruments.year` must be at least 1800, not 1500"),
        (json.dumps(laboratory("00001", focus={PHOTO: [0, 0]})), f'"{PHOTO}', f'error[unknown-reference]: `focus` names "{PHOTO}", which is in none of `image`, `gallery`, '),
    ],
)  # fmt: skip
def test_what_a_section_names_is_checked_where_it_stands(program, labelled, written, marked, said):
    labelled.write(laboratories=[]).file("data/laboratories/00001.json", written)
    done = program.run("-m", "labgen", "check", "--all", cwd=labelled.root)
    assert said in done.stderr
    assert f"data/laboratories/00001.json:1:{written.index(marked) + 1}" in done.stderr


@pytest.mark.parametrize(
    ("written", "marked", "said"),
    [
        ('[{"day": "Mo", "form": "08:00"}]', '"form"', "error[unknown-field]: `form` is not a field of `opening_hours`"),
        ('[{"day": "Mo", "form": "08:00"}]', '"form"', "did you mean `from`?"),
        ('[{"day": "Mo"}]', '{"day"', "error[missing-field]: `from` is missing from this entry of `opening_hours`"),
        ('[{"day": "Mo", "from": 8}]', "8}", "error[wrong-type]: `opening_hours.from` must be text, not 8"),
        ('[{"day": "Mo", "from": "8"}]', '"8"', "error[invalid-value]: `opening_hours.from` must be of the form"),
        ('[{"day": "Mo\x85", "from": "08:00"}]', '"Mo', "warning[odd-character]: `day` holds the control character"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_field_is_said_of_the_key_that_is_written(program, site, written, marked, said):
    record = json.dumps(laboratory("00001") | {"opening_hours": "?"}).replace('"?"', written)
    site.file("data/laboratories/00001.json", record)
    done = program.run("-m", "labgen", "check", cwd=site.root)
    assert said in done.stderr
    assert f"data/laboratories/00001.json:1:{record.index(marked) + 1}" in done.stderr


def test_an_edited_original_a_new_focus_and_an_edited_entry_reach_the_laboratories_that_name_them(
    program, labelled
):
    program.build(labelled)
    written = program.build(labelled.file(f"data/media/{PHOTO}", picture("blue", kind="WEBP")))
    assert laboratories_of(written) == {"00001", "00004"}
    assert len([name for name in written if name.startswith("media/")]) == 2
    record = json.loads((labelled.root / "data/laboratories/00001.json").read_text()) | {
        "focus": {PHOTO: [0, 9]}
    }
    written = program.build(labelled.file("data/laboratories/00001.json", json.dumps(record)))
    assert f"{LABS}/00001/instruments/index.json" in written
    edited = [STANDARDS[0], STANDARDS[1] | {"title": "DIN 3003 neu"}]
    program.build(labelled.write(standards=edited))
    warm = labelled.tree()
    shutil.rmtree(labelled.root / ".labgen")
    shutil.rmtree(labelled.out)
    program.build(labelled)
    assert labelled.tree() == warm


def test_the_pictures_and_references_of_a_section_are_exported(program, labelled):
    done = program.run("-m", "labgen", "export", "exported", "--format=sqlite", cwd=labelled.root)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(labelled.root / "exported/laboratories.sqlite")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = connection.execute("SELECT name, photo, standards FROM instruments WHERE display_id = '00001'")
        assert rows.fetchall() == [
            ("Universalprüfmaschine", PHOTO, "[3001,3003]"),
            ("Härteprüfer", None, None),
        ]


@pytest.mark.parametrize("pictures", ["published", "originals"])
def test_the_pictures_and_references_of_a_section_are_imported(program, labelled, tmp_path, pictures):
    program.build(
        labelled.write(
            laboratories=[laboratory("00001", standards=[3001], instruments=json.loads(block("data")))]
        )
    )
    site = Site(labelled.out, "")

    def host(asked: Asked) -> Answer:
        answer = site.answer(asked.method, asked.path, dict(asked.fields))
        return Answer(answer.status, dict(answer.fields), answer.body)

    with serving(host) as port:
        command = [
            "import",
            f"http://127.0.0.1:{port}",
            str(tmp_path / "new"),
            "--rate",
            "0",
            "--pictures",
            pictures,
        ]
        done = program.run("-m", "labgen", *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    entry, other = json.loads((tmp_path / "new/data/laboratories/00001.json").read_text())["instruments"]
    names = entry.pop("photo").split(" ")
    assert entry == {
        "name": "Universalprüfmaschine",
        "year": 1998,
        "standards": [3001],
    }  # no laboratory lists 3003
    assert other == {"name": "Härteprüfer"}
    folder = tmp_path / "new/data/media"
    files = [folder / one.replace("/media/", "published/") for one in names]
    sizes = [Image.open(BytesIO(one.read_bytes())).size for one in files]
    assert sizes == ([(160, 160), (1600, 900)] if pictures == "published" else [(1600, 900)])


def named_in_a_section(site: Project) -> Project:
    """Two laboratories that have a standard in common in a section, and one that has it as its own."""
    instruments = [{"name": "Presse", "standards": [3001]}]
    return site.write(
        standards=STANDARDS,
        laboratories=[
            laboratory("00001", instruments=instruments), laboratory("00002", instruments=instruments),
            laboratory("00003", standards=[3001]),
        ],
    )  # fmt: skip


def found_and_similar(site: Project) -> tuple[list[str], dict[str, int], list[str]]:
    """Return which laboratories a search by a standard finds, their number, and those that are like the first."""
    _, body = answered(site.out, "tests__in=din-3001&facets=standards")
    found = json.loads(body)
    (facet,) = found["facets"]
    counts = {one["search_val"]: one["count"] for one in facet["items"]}
    similar = site.document("laboratories/00001/similar_labs")
    return [one["display_id"] for one in found["results"]], counts, [one["display_id"] for one in similar]


def test_a_laboratory_is_not_found_counted_or_compared_by_what_a_section_only_refers_to(program, site):
    program.build(named_in_a_section(site))
    assert found_and_similar(site) == (["00003"], {"din-3001": 1}, [])


def test_a_laboratory_is_found_counted_and_compared_by_a_facet_that_a_section_names(program, site, tmp_path):
    facet = Program(tmp_path / "facet", like=program.root)
    mark = 'standards: Annotated[list[Id], RefersTo("standards")]'
    facet.replace(RECORDS, mark, mark.replace(")]", ", is_facet=True)]"))
    facet.build(named_in_a_section(site))
    assert found_and_similar(site) == (["00001", "00002", "00003"], {"din-3001": 3}, ["00002", "00003"])


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


def test_a_title_in_place_of_an_id_of_a_new_catalogue_is_told_with_the_id(program, labelled):
    labelled.write(laboratories=[laboratory("00001", labels_9=["Siegel 5 von 9"])])
    done = program.run("-m", "labgen", "check", cwd=labelled.root)
    assert "write 5, the id of Siegel 5 von 9" in done.stderr


def test_laboratories_are_similar_by_the_entries_of_a_catalogue_and_not_by_those_of_another(
    program, labelled
):
    """With three bits for the catalogue, entry 4 of the ninth was taken for entry 5 of the first."""
    labelled.without(f"data/media/{PHOTO}").write(
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
        "tests/words.py",
        "tests/draw_records.py",
        "tests/test_shown_fields.py",
    ):
        (program.root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, program.root / name)
    done = program.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", cwd=program.root)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 2 * len(NUMBERS)


PICTURED, REFERS = (
    'Pictured(PREVIEW, LARGE)] = Field(\n        None, description="file below `media/`, or its address"',
    '"standards")] = _ids("standards")',
)
NAME = '    name: FilledLine = Field(description="as the laboratory calls it")\n'
SECTION = "api/sections/instruments.py"
NULLABLE = "FilePath | None,\n        Rendition(LARGE"
LARGE_URL = re.findall(r"    large_url: .*?\n    \]\n", block("section"), re.DOTALL)[0]


@pytest.mark.parametrize(
    ("file", "declaration", "instead", "said"),
    [
        ("model/records.py", block("field"), "", "LaboratoryRecord has no list of records `instruments`"),
        ("model/records.py", 'alias="from", ', "", "OpeningHours.from: OpeningHoursRecord has no such field"),
        ("api/sections/__init__.py", "    instruments.ENDPOINT,\n", "", "LaboratoryRecord.instruments"),
        ("model/records.py", '    labels_20: Annotated[list[Id], RefersTo("labels_20", is_facet=True)] = _ids("labels_20")\n', "", "labels_20"),
        ("model/records.py", 'Annotated[list[Id], RefersTo("labels_20", is_facet=True)]', "list[Id]", "labels_20"),
        ("model/records.py", 'RefersTo("labels_20", is_facet=True)', 'RefersTo("labels_20")', 'one list of LaboratoryRecord must be marked RefersTo("labels_20", is_facet=True)'),
        ("model/records.py", 'RefersTo("labels_20"', 'RefersTo("lables_20"', 'LaboratoryRecord.labels_20: RefersTo("lables_20") names no list that laboratories can refer to: did you mean `labels_20`?'),
        ("model/catalogues.py", 'Catalogue("labels_20"', 'Catalogue("other"', "labels_20"),
        ("api/sections/facets.py", "    LABELS_20,\n", "", "LaboratoryRecord.labels_20"),
        ("model/records.py", 'Annotated[list[Id], RefersTo("materials", is_facet=True)] = _ids("materials")\n    test_methods', 'list[Id] = _ids("materials")\n    test_methods', "materials"),
        ("model/records.py", 'Annotated[Id, RefersTo("accreditation_standards", is_facet=True)]', "Id", "accreditation_standards"),
        ("api/sections/__init__.py", "    gallery.ENDPOINT,\n", "", "LaboratoryRecord.gallery"),
        ("api/sections/__init__.py", "    upgrade_options.ENDPOINT,\n", "", "UpgradeOptionRecord"),
        ("api/sections/gallery.py", '    shows={LaboratoryRecord: ("gallery", "focus")},\n', "", "shows"),
        ("api/sections/reviews.py", "    item=Review,\n", "", "item"),
        ("api/sections/reviews.py", 'newest_by="created_on"', 'newest_by="title"', "ReviewRecord.title: newest_by needs a date that each entry has: its type must be Date, without a default"),
        ("api/sections/__init__.py", "    instruments.ENDPOINT,\n", "    instruments.ENDPOINT,\n" * 2, "ENDPOINTS has `instruments` twice: leave out one"),
        ("model/records.py", 'RefersTo("standards")]', 'RefersTo("standrads")]', 'InstrumentRecord.standards: RefersTo("standrads") names no list that laboratories can refer to: did you mean `standards`?'),
        ("model/records.py", 'RefersTo("standards")]', 'RefersTo("upgrade_options")]', 'InstrumentRecord.standards: RefersTo("upgrade_options") names no list'),
        ("model/records.py", NAME, NAME + '    country: Annotated[str, RefersTo("countries", is_facet=True)]\n', 'InstrumentRecord.country: RefersTo("countries") cannot be a facet, because it is no catalogue: leave out is_facet'),
        ("model/records.py", NAME, NAME + '    other: Annotated[FilledLine, RefersTo("materials")]\n', 'InstrumentRecord.other: RefersTo("materials") names entries by their keys: the type of the field must be Id or list[Id]'),
        ("model/records.py", '    """A material."""\n', '    """A material."""\n\n    kind: Annotated[Id, RefersTo("material_categories")]\n', "MaterialRecord.kind: RefersTo is for fields of laboratories and their lists"),
        ("model/records.py", PICTURED, PICTURED.replace("Pictured(PREVIEW, LARGE)", "EACH_ONCE"), "InstrumentRecord.photo: it names a picture, so it must have one mark Pictured"),
        ("model/records.py", PICTURED, PICTURED.replace("PREVIEW, LARGE", "LARGE, PREVIEW"), "InstrumentRecord.photo: its sizes must be written once each, from small to large, not 1600x900, 160x160"),
        ("model/records.py", PICTURED, PICTURED.replace("PREVIEW, LARGE", ""), "InstrumentRecord.photo: Pictured needs a size at least"),
        ("model/records.py", PICTURED, PICTURED.replace("PREVIEW", '"galery"'), "InstrumentRecord.photo: Pictured takes sizes, such as Size(640, 480), not 'galery'"),
        ("model/records.py", PICTURED, PICTURED.replace("PREVIEW", "(160, 160)"), "InstrumentRecord.photo: Pictured takes sizes, such as Size(640, 480), not (160, 160)"),
        ("model/records.py", PICTURED, PICTURED.replace("PREVIEW", "LOGO, PREVIEW"), 'no document shows `instruments.photo` in 100x80: mark a field of it Rendition(Size(100, 80), "photo"), or remove the size'),
        ("model/records.py", NAME, NAME.replace("FilledLine", "Annotated[FilledLine, Pictured(PREVIEW)]"), "InstrumentRecord.name: it is Pictured, but names no pictures: its type must be Image, Image | None or list[Image]"),
        ("model/records.py", '    """A material."""\n', '    """A material."""\n\n    photo: Annotated[Image, Pictured(PREVIEW)]\n', "MaterialRecord.photo: only laboratories, and their lists, have pictures"),
        (SECTION, 'Rendition(LARGE, "photo")', 'Rendition(CARD, "photo")', "Instrument.large_url: `photo` is made in 160x160, 1600x900, and not in 160x224"),
        (SECTION, 'Rendition(LARGE, "photo")', 'Rendition(LARGE, "foto")', "Instrument.large_url: InstrumentRecord has no pictures in `foto`: did you mean `photo`?"),
        (SECTION, 'Rendition(LARGE, "photo")', "Rendition(LARGE)", "Instrument.large_url: Rendition needs a size, and the field that names the picture"),
        (SECTION, NULLABLE, NULLABLE.replace(" | None", ""), "Instrument.large_url: it is null where there is no `photo`: write FilePath | None"),
        (SECTION, NULLABLE, NULLABLE.replace("FilePath | None", "list[FilePath]"), "Instrument.large_url: `photo` names one picture, so it must be no list"),
        (SECTION, LARGE_URL, "", "no document shows `instruments.photo` in 1600x900: mark a field of it Rendition"),
        (SECTION, "    name: Annotated[str", '    photo: Annotated[str | None, "Photograph."]\n    name: Annotated[str', "Instrument.photo: it names a picture: publish its path instead"),
        (SECTION, "    year:", "    yaer:", "Instrument.yaer: InstrumentRecord has no such field: did you mean `year`?"),
        ("model/records.py", "Annotated[int, Field(ge=1800)] | None", "Annotated[float, Field(ge=1800)] | None", "Instrument.year: it is int, but InstrumentRecord.year may be float"),
        (SECTION, '    "instruments",\n', '    "instrumets",\n', "own_list: LaboratoryRecord has no list of records `instrumets`: did you mean `instruments`?"),
    ],
)  # fmt: skip
def test_without_a_declaration_or_with_a_wrong_one_labgen_does_not_start(
    program, tmp_path, file, declaration, instead, said
):
    copy = Program(tmp_path, like=program.root)
    copy.replace(f"labgen/{file}", declaration, instead)
    if "CARD" in instead:
        copy.replace(f"labgen/{file}", "import LARGE", "import CARD, LARGE")
    done = copy.run("-c", "import labgen.api.sections", cwd=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr.splitlines()[-1]
