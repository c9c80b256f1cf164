"""Which problems people are shown, and in which order."""

import re

from conftest import ALPHA, COUNTRIES, laboratory


def heads(text: str) -> list[str]:
    """Return the first line of each problem, and what is said of the rest."""
    return [line for line in text.splitlines() if re.match(r"error|warning|and ", line)]


def test_an_error_is_shown_before_sixty_warnings(run, site):
    site.write(materials=[{"id": number, "title": f"Stahl\t{number}"} for number in range(60)])
    site.write(laboratories=[ALPHA, laboratory("00009", name="")])
    assert heads(run("check").stderr) == [
        "error[empty-text]: `name` is empty",
        *["warning[line-break]: `title` holds a line break or a tab"] * 3,
        "and 57 more like this; --all shows every one",
    ]
    assert len(heads(run("check", "--all").stderr)) == 61


def test_three_problems_are_shown_of_each_code_and_file_and_all_laboratories_are_one_file(run, site):
    site.write(equipments=[{"id": 1, "title": "a\tb"}], materials=[{"id": 2, "title": "a\tb"}])
    site.write(laboratories=[laboratory(f"{number:05}", locality="\x96") for number in range(5)])
    shown = heads(run("check").stderr)
    assert [line.split(":")[0] for line in shown] == [
        "warning[line-break]",
        *["warning[odd-character]"] * 3,
        "and 2 more like this; --all shows every one",
        "warning[line-break]",
    ]


def test_what_has_one_cause_is_one_problem_that_names_it_and_the_places_follow_when_asked(run, site):
    site.write(countries=COUNTRIES[1:])
    site.write(laboratories=[laboratory(f"{number:05}") for number in range(30)])
    message = 'error[unknown-reference]: `data/countries.json` has no "de", which 30 laboratories name'
    result = run("check")
    assert heads(result.stderr) == [message]
    assert " --> data/countries.json\n" in result.stderr
    assert "the first is data/laboratories/00000.json, and --all shows every place" in result.stderr
    assert result.stderr.endswith("30 errors\n")
    everything = heads(run("check", "--all").stderr)
    assert (everything[0], len(everything)) == (message, 31)


def test_an_emptied_catalogue_is_a_few_problems_however_many_entries_are_named(run, site):
    site.write(materials=[])
    site.write(laboratories=[laboratory(f"{number:05}", materials=list(range(50))) for number in range(5)])
    shown = heads(run("check").stderr)
    assert shown[0] == "error[unknown-reference]: `data/materials.json` has no 0, which 5 laboratories name"
    assert shown[3:] == ["and 47 more like this; --all shows every one"]


def test_what_programs_read_is_complete_and_begins_with_errors(run, site):
    site.write(materials=[{"id": number, "title": f"Stahl\t{number}"} for number in range(60)])
    site.write(laboratories=[ALPHA, laboratory("00009", name="")])
    annotations = run("check", "--format", "github").stdout.splitlines()
    assert annotations[0].startswith("::error ")
    assert len([one for one in annotations if one.startswith("::warning ")]) == 60
