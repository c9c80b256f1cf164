"""What people read is there in each language, whole, and shown in the language that they ask for."""

import json
import os
import pickle
import re
import subprocess
import sys

import click
import pytest
import words
from click.testing import CliRunner
from conftest import ALPHA, laboratory

from labgen.cli.fixing import ask
from labgen.memory.warnings import _dump, _load
from labgen.pipeline.removals import check_removals
from labgen.problems.codes import CODES, VERIFY_CODES
from labgen.problems.problem import Cause, Place, Problem
from labgen.problems.text import joined, plural, say
from labgen.report.language import wanted_language
from labgen.report.translate import FOLDER, LANGUAGES, entries, load_words, sentence, translate, use

GRAMMAR = {"s", "is_", "have", "noun"}
"""Places with English endings or nouns, which other languages may leave out."""


@pytest.fixture(scope="module")
def english():
    """Return all texts by their English words: a fixture, because finding them parses all modules."""
    return words.all_words()


@pytest.fixture(params=LANGUAGES)
def catalogue(request):
    return list(entries(FOLDER / f"{request.param}.po"))


@pytest.fixture
def german():
    use("de")
    yield
    use("en")


def places(*texts):
    return {name for text in texts for name in re.findall(r"\{(\w+)", text)}


def test_each_text_has_words_in_each_language(catalogue, english):
    translated = {text for context, text, strings in catalogue if not context and all(strings)}
    lacking = sorted(english.keys() - translated)
    assert not lacking, "\n".join(["run `make words`, and translate in labgen/report/*.po:", *lacking])


def test_catalogues_have_no_text_that_is_gone(catalogue, english):
    assert sorted({text for _, text, _ in catalogue} - english.keys()) == []


def test_each_translation_has_the_places_of_its_text(catalogue, english):
    for _, text, strings in catalogue:
        wanted = places(text, english[text].many)
        for one in strings:
            assert places(one) <= wanted, (text, one)
        assert wanted - GRAMMAR <= places(*strings), (text, strings)


def test_contexts_that_a_translation_names_have_nouns_in_them(catalogue):
    contexts = {context for context, _, _ in catalogue}
    named = {
        name
        for _, _, strings in catalogue
        for one in strings
        for name in re.findall(r"\{\w+:([A-Z]\w+)\}", one)
    }
    assert named <= contexts


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LABGEN_LANG": "de", "LANG": "en_US.UTF-8"}, "de"),
        ({"LABGEN_LANG": "en", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB"}, "en"),
        ({"LANG": "en_US", "LC_ALL": "de_CH@euro"}, "de"),
        ({"LANG": "C.UTF-8"}, "fr"),
        ({"LC_ALL": "POSIX", "LANG": ""}, "fr"),
        ({}, "fr"),
    ],
)
def test_the_language_is_that_of_the_user_or_else_of_the_project(tmp_path, environment, language):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "site.toml").write_text('name = "x"\n language = "fr"\n[words]\nlanguage = "it"\n')
    assert wanted_language(environment, ["check", "-C", str(tmp_path)]) == language
    assert wanted_language(environment, [f"--project={tmp_path}"]) == language


def test_outside_of_a_project_messages_are_english(tmp_path):
    assert wanted_language({}, ["sync", "-C", str(tmp_path)]) == "en"


def test_texts_are_translated_with_what_is_in_them(german):
    text = say("{count:,} of {rows}", count=1234, rows=plural(5678, "laboratory", "laboratories"))
    assert (str(text), translate(text)) == ("1,234 of 5,678 laboratories", "1.234 von 5.678 Laboren")
    hint = joined(["x.toml", say("remove it")], by=": ")
    assert (str(hint), translate(hint), sentence(hint)) == (
        "x.toml: remove it",
        "x.toml: entfernen Sie es",
        "x.toml: entfernen Sie es",
    )
    assert sentence(say("remove it")) == "Entfernen Sie es"
    zeros = check_removals(["00001", "00002"], {"1", "2"}, 2, 5, "data/laboratories.csv")[0]
    assert translate(zeros.message).endswith("verloren hat: 00001 ist jetzt 1, 00002 ist jetzt 2")
    assert translate("remove it") == "remove it"  # what a keeper wrote is no text of labgen


def test_a_problem_keeps_its_templates_through_pickle_and_the_database(german):
    message = say("`{pointer}` names {key} twice", pointer="materials", key=12) + say(
        ", row {number}", number=3
    )
    found = Problem("x", message, Place("a.csv", (1,)), say("remove it"), cause=Cause(say("remove it"), "b"))
    for one in (pickle.loads(pickle.dumps(found)), _load(_dump(found))):
        assert one == found
        assert translate(one.message) == "`materials` nennt 12 zweimal, Zeile 3"
        assert translate(one.hint) == translate(one.cause.clause if one.cause else "") == "entfernen Sie es"


def labgen(folder, *arguments, **environment):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LC_", "LANG", "LABGEN_LANG"))
    }
    done = subprocess.run(
        [sys.executable, "-m", "labgen", *arguments],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout + done.stderr


def test_a_keeper_reads_problems_in_german_and_then_in_english(site):
    site.write(laboratories=[ALPHA | {"name": "Alpha "}, laboratory("00002", country="at")])
    told = labgen(site.root, "check", LANG="de_DE.UTF-8")
    assert "Warnung[outer-space]: `name` beginnt oder endet mit einem Leerzeichen" in told
    assert "= Hilfe: Entfernen Sie es" in told
    site.write(laboratories=[ALPHA | {"name": "Alpha "}])
    assert "Dateien: " in labgen(site.root, "build", LABGEN_LANG="de")
    assert "warning[outer-space]: `name` begins" in labgen(site.root, "build", LABGEN_LANG="en")  # remembered
    assert "Warnung[outer-space]: `name` beginnt" in labgen(site.root, "build")  # the project's language
    report, _ = json.JSONDecoder().raw_decode(
        labgen(site.root, "check", "--format", "json", LABGEN_LANG="de")
    )
    assert report["problems"][0]["severity"] == "warning"
    assert report["problems"][0]["hint"] == "Entfernen Sie es"
    rules = labgen(site.root, "check", "--format", "sarif", LABGEN_LANG="de")
    assert '"text": "Ein einzeiliger Text beginnt oder endet mit einem Leerzeichen."' in rules


@pytest.mark.parametrize(
    ("answer", "is_yes"), [("j", True), ("Ja", True), ("y", True), ("n", False), ("", False), ("x", False)]
)
@pytest.mark.usefixtures("german")
def test_a_question_is_asked_and_answered_in_german(answer, is_yes):
    @click.command
    def command() -> None:
        click.echo(ask(say("Mend {mistakes} in {files}?", mistakes="A", files="B")))

    done = CliRunner().invoke(command, input=f"{answer}\n")
    assert done.stderr.strip().startswith("A in B beheben? [j/N]:")
    assert done.stdout.strip().endswith(str(is_yes))


def test_help_and_mistakes_in_a_command_line_are_german(tmp_path):
    told = labgen(tmp_path, "check", "--help", LABGEN_LANG="de")
    assert "Aufruf: labgen check [OPTIONEN]" in told
    assert "Warnungen wie Fehler behandeln." in told
    assert "Diese Hilfe zeigen." in told
    assert "Fehler: Eine Option '--fixx' gibt es nicht." in labgen(
        tmp_path, "check", "--fixx", LABGEN_LANG="de"
    )
    assert "Beispiel:  " in labgen(tmp_path, "explain", "outer-space", LABGEN_LANG="de")


def test_other_languages_are_english(tmp_path):
    assert "Usage: labgen" in labgen(tmp_path, "--help", LABGEN_LANG="fr")


def test_the_catalogue_is_read_as_gettext_reads_it():
    german = load_words(FOLDER / "de.po")
    assert german.gettext("remove it") == "entfernen Sie es"
    assert german.ngettext("laboratory", "laboratories", 1) == "Labor"
    assert german.npgettext("Dativ", "laboratory", "laboratories", 2) == "Laboren"
    assert german.gettext("no such text") == "no such text"


@pytest.mark.parametrize("codes", [CODES, VERIFY_CODES], ids=["check", "verify"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_code_is_explained_in_each_language(codes, language):
    own = codes.in_language(language)
    assert [code for code in codes if own[code].meaning == codes[code].meaning] == []
    assert [code for code in codes if own[code].remedy == codes[code].remedy] == []
