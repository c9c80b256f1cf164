"""`labgen new` writes a laboratory with the next free number, in the form of the others, that checks without a problem."""

import json

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, Project, codes, laboratory

from labgen.cli import main
from labgen.model.record_fields import written_fields
from labgen.model.records import LaboratoryRecord
from labgen.source.new_laboratory import next_display_id

FOLDER = "data/laboratories"
YAML = 'display_id: "00007"\nname: A\ncountry: li\ndeal_status: premium\nverification_status: partner\n'


def new(site: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["new", "-C", str(site.root), *arguments])


@pytest.mark.parametrize(
    ("taken", "number"),
    [
        ([], "00001"),
        (["1", "9"], "10"),
        (["00001", "00099"], "00100"),
        (["007", "x"], "008"),
        (["99999"], "100000"),
    ],
)
def test_the_next_number_is_as_long_as_most(taken, number):
    assert next_display_id(taken) == number


def test_a_laboratory_in_json_has_all_fields_and_no_problem(site):
    site.write(laboratories=[ALPHA, laboratory("00117", country="li"), laboratory("00005", country="li")])
    site.file("schemas/laboratory.json", "{}")
    done = new(site, 'Prüflabor "Süd"')
    assert done.stdout == f'{FOLDER}/00118.json: 00118, Prüflabor "Süd"\n'
    record = json.loads((site.root / FOLDER / "00118.json").read_text(encoding="utf-8"))
    assert list(record) == ["$schema", *(key for key in written_fields(LaboratoryRecord) if key != "_note")]
    assert (record["country"], record["deal_status"], record["contact_person"]["email"]) == (
        "li",
        "premium",
        "",
    )
    assert codes(site.check()) == []


def test_a_laboratory_in_yaml_has_the_other_fields_as_comments(site):
    site.write(laboratories=[]).file(f"{FOLDER}/00007.yaml", YAML)
    assert new(site, "Nein: #1", "--country", "de").exit_code == 0
    text = (site.root / FOLDER / "00008.yaml").read_text(encoding="utf-8")
    assert text.startswith('display_id: "00008"\nname: "Nein: #1"\ncountry: de\n')
    assert all(f"{key}:" in text for key in written_fields(LaboratoryRecord) if key != "_note")
    assert codes(site.check()) == []


def test_a_laboratory_is_added_as_a_line_where_all_are_in_one_file(site):
    site.without_folder(FOLDER).file(f"{FOLDER}.jsonl", json.dumps(ALPHA) + "\n" + json.dumps(BETA))
    assert new(site, "Gamma").exit_code == 0
    lines = (site.root / f"{FOLDER}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["display_id"] for line in lines] == ["00001", "00002", "00003"]
    assert codes(site.check()) == []


def test_a_file_that_is_there_is_left_alone_and_a_broken_one_counts(site):
    site.file(f"{FOLDER}/00003.json", "{")
    assert new(site, "Delta").stdout.startswith(f"{FOLDER}/00004.json")
    assert new(site, " ").exit_code == 2
    broken = new(site.file("data/site.toml", "name ="), "Epsilon")
    assert (broken.exit_code, "`labgen check` shows them" in broken.stderr) == (1, True)


@pytest.mark.parametrize(
    ("country", "said"), [("DE", 'did you mean "de" (Deutschland)?'), ("xx", "such as de")]
)
def test_a_country_that_is_not_there_is_said_before_anything_is_written(site, country, said):
    before = sorted((site.root / FOLDER).iterdir())
    done = new(site, "Zeta", "--country", country)
    assert (done.exit_code, said in done.stderr, sorted((site.root / FOLDER).iterdir())) == (2, True, before)


def test_the_first_laboratory_needs_a_country_and_is_told_which_there_are(site):
    site.without_folder(FOLDER)
    done = new(site, "Alpha")
    assert (done.exit_code, "--country names one of `data/countries.json`, such as de" in done.stderr) == (
        2,
        True,
    )
    assert new(site, "Alpha", "--country", "de").exit_code == 0
    assert codes(site.check()) == []
