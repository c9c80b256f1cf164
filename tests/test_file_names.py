"""A file under a wrong name is an error with the way out, and what is nobody's data is passed over."""

import json

import pytest
from conftest import ALPHA, BETA, COUNTRIES, MATERIALS, SITE, codes
from write_tables import workbook_of

GAMMA = json.dumps(BETA | {"display_id": "00003"})
LABS = "data/laboratories"

MISNAMED = [
    (f"{LABS}/00003.json.txt", f"`{LABS}/00003.json.txt` is not read: its name ends in .txt", "rename it to 00003.json"),
    (f"{LABS}/00003.JSON", f"`{LABS}/00003.JSON` is not read: its name ends in .JSON", "rename it to 00003.json"),
    (f"{LABS}/00003.Yml.TXT", f"`{LABS}/00003.Yml.TXT` is not read: its name ends in .TXT", "rename it to 00003.yml"),
    (f"{LABS}/neu/00003.json", f"`{LABS}/neu` is a folder, and what is in it is not read", f"move its files up into {LABS}/"),
    (f"{LABS}/00003", f"`{LABS}/00003` is not read: its name does not end in .json, .yaml or .yml", "rename it, or move it out of the folder"),
    (f"{LABS}/00003.csv", f"`{LABS}/00003.csv` is not read: its name ends in .csv", "write a laboratory as .json, .yaml or .yml"),
    (f"{LABS}.json", f"`{LABS}.json` is not read", f"laboratories are .json, .yaml or .yml files in {LABS}/, lines of {LABS}.jsonl, or rows of laboratories.csv, .xlsx or .sqlite"),
    ("data/equipments.CSV", "`data/equipments.CSV` is not read", "rename it to equipments.csv"),
    ("data/Equipments.csv.txt", "`data/Equipments.csv.txt` is not read", "rename it to equipments.csv"),
    ("data/equipments.docx", "`data/equipments.docx` is not read", "save it as .csv, .json, .jsonl, .yaml, .yml"),
    ("data/accreditations.csv", "`data/accreditations.csv` is not read: it belongs to a table of laboratories, and there is none",
     "write the laboratories into data/laboratories.csv, or this into the laboratories' files"),
    ("data/00003.json", "`data/00003.json` is not read: it looks like a laboratory", f"move it into {LABS}/"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "message", "hint"), MISNAMED, ids=lambda text: text[:40])
def test_a_file_under_a_wrong_name_is_an_error_that_says_what_to_do(site, file, message, hint):
    (found,) = site.file(file, GAMMA).check().found
    assert (found.code, found.severity, found.message, found.hint) == ("ignored-file", "error", message, hint)


@pytest.mark.parametrize(
    ("file", "meant"),
    [("Bewertungen.csv", "reviews.csv"), ("Werkstoffe.csv", "materials.csv"), ("Laender.xlsx", "countries.xlsx"), ("Prüfverfahren.JSON", "test_methods.json"), ("normen.yaml", "standards.yaml"), ("Bilder/a.png", "media")],
)  # fmt: skip
def test_a_file_with_a_german_name_is_warned_of_with_the_one_that_is_read(site, file, meant):
    (found,) = site.file(f"data/{file}", "?").check().found
    assert (found.code, found.severity, found.hint) == ("ignored-file", "warning", f"did you mean `{meant}`?")


def test_a_file_that_is_like_none_is_warned_of_with_the_way_out(site):
    (found,) = site.file("data/Preisliste.xlsx", "?").check().found
    assert (found.severity, found.hint) == ("warning", "move it out of data/")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("Site.toml", SITE),
        ("site.toml.txt", SITE),
        ("UPGRADE_OPTIONS.json", "[]"),
        ("countries.json.txt", json.dumps(COUNTRIES)),
    ],
)
def test_that_a_misnamed_file_is_missing_is_no_second_mistake(site, file, content):
    site.without(f"data/{file.lower().removesuffix('.txt')}").file(f"data/{file}", content)
    assert codes(site.check()) == ["ignored-file"]


@pytest.mark.parametrize(
    ("file", "beside"),
    [("materials.xlsx", "`data/materials.json`"), ("laboratories.csv", "`data/laboratories`")],
)
def test_two_sources_of_the_same_are_an_error(site, file, beside):
    if file.endswith(".xlsx"):
        workbook_of({"materials": MATERIALS}, site.root / "data" / file)
    else:
        site.file(f"data/{file}", "display_id,name\n3,Gamma\n")
    (found,) = site.check().found
    assert (found.code, found.severity) == ("two-files", "error")
    assert beside in found.message
    assert f"`data/{file}`" in found.message


JUNK = [".DS_Store", "Thumbs.db", "desktop.ini", "~$materials.xlsx", "00001.json~", "00001.json.bak", "#00001.json#", ".00001.json.swp",
        "00001.json.orig", "00001.json.save", "__MACOSX", "notes.md", "NOTIZEN.TXT", "LIESMICH.txt"]  # fmt: skip


@pytest.mark.parametrize("folder", ["data", LABS, "data/media"])
def test_what_systems_and_editors_leave_behind_is_passed_over(site, folder):
    for name in JUNK:
        site.file(f"{folder}/{name}/x" if name == "__MACOSX" else f"{folder}/{name}", "?")
    assert site.check().found == []


def test_all_laboratories_under_wrong_names_are_as_many_errors(site):
    for one in (ALPHA, BETA):
        name = f"{LABS}/{one['display_id']}.json"
        (site.root / name).rename(site.root / f"{name}.txt")
    assert codes(site.check()) == ["ignored-file", "ignored-file"]
