"""Warnings that the settings accept, with a reason, are not shown and do not count."""

import pytest
from conftest import ALPHA, BETA, SITE, codes, lines

from labgen.problems.codes import CODES

ODD = [ALPHA | {"about": "<b>Alpha</b> N&deg;"}, BETA | {"about": "<i>Beta</i>"}]


def accepting(code="markup", reason="so gewollt", **more):
    files = f"files = {more['files']}\n" if "files" in more else ""
    return f'{SITE}[[accept]]\ncode = "{code}"\n{files}reason = "{reason}"\n'


def test_a_warning_that_is_accepted_is_not_shown_and_stops_no_strict_build(site, run):
    site.write(laboratories=ODD).file("data/site.toml", accepting() + accepting("entity").removeprefix(SITE))
    assert run("check", "--strict").stdout == "2 laboratories: no problems\n"
    assert run("build", "--strict").exit_code == 0
    assert " files: 0 written, 0 removed" in run("build").stdout


@pytest.mark.parametrize(
    "files", ['["data/laboratories/00001.json"]', '["data/laboratories/*1.json", "data/materials.*"]']
)
def test_it_is_accepted_in_the_files_that_are_named_alone(site, files):
    site.write(laboratories=ODD).file("data/site.toml", accepting(files=files))
    assert codes(site.check()) == ["entity", "markup"]


@pytest.mark.parametrize("code", [name for name, one in CODES.items() if "warning" not in one.severities])
def test_an_error_cannot_be_accepted_and_whoever_tries_is_told(site, code):
    outcome = site.file("data/site.toml", accepting(code)).check()
    assert lines(outcome) == [f'invalid-value data/site.toml:8:8 "{code}"']
    assert outcome.problems[0].problem.message == f"`{code}` is an error, and only warnings can be accepted"


def test_what_is_an_error_in_one_place_and_a_warning_in_another_is_accepted_as_a_warning_alone(site):
    site.file("data/materials_alt.json", "[]").file("data/Materials.json", "[]")
    assert codes(site.check()) == ["ignored-file", "ignored-file"]
    assert codes(site.file("data/site.toml", accepting("ignored-file")).check()) == ["ignored-file"]


def test_without_a_reason_or_with_an_unknown_code_nothing_is_accepted(site):
    assert lines(site.file("data/site.toml", accepting(reason=" ")).check()) == [
        'empty-text data/site.toml:9:10 " "'
    ]
    (found,) = site.file("data/site.toml", accepting("makrup")).check().problems
    assert (found.problem.code, found.problem.hint, found.span[:2]) == (
        "unknown-reference",
        "did you mean `markup`?",
        (8, 8),
    )


def test_what_is_no_longer_accepted_is_shown_again(site):
    site.write(equipments=[{"id": 1, "title": "<b>"}], laboratories=ODD).file(
        "data/site.toml", accepting() + accepting("entity").removeprefix(SITE)
    )
    assert codes(site.build()) == []
    assert codes(site.file("data/site.toml", SITE).build()) == ["markup", "entity", "markup", "markup"]
