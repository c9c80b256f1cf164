"""Warnings are remembered: what did not change is not read again to be warned of again."""

import json

import pytest
from conftest import ALPHA, BETA, MATERIALS, Project, codes, laboratory, lines

from labgen.pipeline.quick_check import quick_check

ODD = laboratory("00003", name="Odd\x96")
ODD_LINE = 'odd-character data/laboratories/00003.json:3:11 "Odd\x96"'


@pytest.fixture(autouse=True)
def trusting(monkeypatch):
    """Let the times of files be trusted at once."""
    monkeypatch.setattr("labgen.system.input_files.GRAIN", -(10**18))


@pytest.fixture
def warned(site: Project) -> Project:
    """A site that was built with a warning of a laboratory, and with one of a list."""
    site.write(equipments=[{"id": 1, "title": "Presse "}], laboratories=[ALPHA, BETA, ODD]).build()
    return site


def read_by(site, **options):
    """Build, and return how many laboratories were read, and the codes of what was found."""
    counts = [0]

    def progress(what: str, done: int, _total: int) -> None:
        if what == "read":
            counts.append(done)

    outcome = site.build(progress=progress, **options)
    return max(counts), codes(outcome)


def test_a_build_without_a_change_reads_nothing_and_warns_all_the_same(warned, run):
    assert quick_check(warned.root, warned.out).unchanged_result()
    first, second = run("build"), run("build")
    assert first.stderr == second.stderr
    assert ("warning[odd-character]" in second.stderr, "warning[outer-space]" in second.stderr) == (
        True,
        True,
    )
    assert f": 0 written, 0 removed, {len(warned.published())} unchanged, in " in second.stdout
    assert json.loads(run("build", "--format", "json").stdout)["warnings"] == 2


def test_warnings_that_are_remembered_are_errors_where_that_is_asked(warned, run):
    result = run("build", "--strict")
    assert (result.exit_code, result.stderr.count("error[")) == (1, 2)
    assert run("build").exit_code == 0


def test_an_edit_reads_what_was_edited_and_warns_of_the_others_too(warned):
    warned.file("data/laboratories/00001.json", json.dumps(ALPHA | {"name": "Neu"}))
    assert read_by(warned) == (1, ["outer-space", "odd-character"])
    warned.write(materials=[*MATERIALS, {"id": 9, "title": "Holz"}])
    assert read_by(warned) == (0, ["outer-space", "odd-character"])


def test_a_warning_goes_with_what_it_was_of(warned):
    warned.file("data/laboratories/00003.json", json.dumps(ODD | {"name": "Even"}))
    assert read_by(warned) == (1, ["outer-space"])
    warned.without("data/equipments.json")
    assert read_by(warned) == (0, [])
    assert quick_check(warned.root, warned.out).unchanged_result()


def test_a_laboratory_that_has_gone_is_not_warned_of(warned):
    assert lines(warned.without("data/laboratories/00003.json").build())[1:] == []


def test_a_warning_moves_with_its_laboratory(warned):
    folder = warned.root / "data/laboratories"
    (folder / "00003.json").rename(folder / "odd.json")
    assert lines(warned.build())[1:] == [ODD_LINE.replace("00003.json", "odd.json")]
    (folder / "odd.json").rename(folder / "00003.json")
    assert lines(warned.build())[1:] == [ODD_LINE]


def test_what_must_be_read_again_is_warned_of_once(warned):
    warned.write(
        countries=[{"iso_code": "de", "slug": "deutschland", "name": "BRD"}, {"iso_code": "li", "name": "L"}]
    )
    assert read_by(warned) == (3, ["outer-space", "odd-character"])


def test_links_that_lead_nowhere_are_found_anew_in_each_build(site):
    link = {"title": "x", "link": "/api/v1/laboratory/laboratories/00002/"}
    site.write(laboratories=[ALPHA | {"landings_links": [link]}, BETA]).build()
    assert codes(site.without("data/laboratories/00002.json").build()) == ["dead-link"]
    site.file("data/laboratories/00003.json", json.dumps(laboratory("00003")))
    assert read_by(site) == (1, ["dead-link"])
    site.file("data/laboratories/00002.json", json.dumps(BETA))
    assert read_by(site) == (1, [])


def test_lines_of_a_file_of_all_laboratories_are_warned_of_where_they_are(site):
    def written(*records):
        return "".join(json.dumps(one) + "\n" for one in records)

    bulk = "data/laboratories.jsonl"
    site.without_folder("data/laboratories").file(bulk, written(ALPHA, ODD)).build()
    site.write(materials=[*MATERIALS, {"id": 9, "title": "Holz"}])
    assert read_by(site) == (0, ["odd-character"])
    site.file(bulk, written(ALPHA, BETA, ODD))
    assert [one.span.line for one in site.build().problems] == [3]


def test_the_same_warnings_are_found_warm_and_cold(warned, tmp_path_factory):
    warned.file("data/laboratories/00001.json", json.dumps(ALPHA | {"about": "<b>"}))
    warm = lines(warned.build())
    assert warm == lines(Project(warned.root).check())
