"""The words of pages: in labgen's languages, and in those that a project adds."""

import json
import re
import tomllib
from html.parser import HTMLParser

import pytest
from conftest import ALPHA, BETA, MATERIALS, SITE, line

from labgen.api.proposed import PROPOSED_NAMES, catalogues, changes
from labgen.api.search_answer import FoundLaboratories
from labgen.api.sections import ENDPOINTS, SECTION_NAMES
from labgen.model.language import built_in, built_in_languages, english
from labgen.render.json_schema import Schemas
from labgen.system.input_files import built_in_templates

WORDS = "templates/languages/rm.toml"
ROMANSH = f'language = "rm"\n{SITE}'


def descriptions() -> set[str]:
    """Return the English descriptions of all fields of documents."""
    schemas = Schemas()
    for one in (*ENDPOINTS, catalogues(""), *changes("")):
        schemas.of(one.document)
    schemas.of(FoundLaboratories)
    return {field["description"] for one in schemas.named.values() for field in one["properties"].values()}


def written(code: str) -> dict[str, dict[str, str]]:
    """Return the file of a language."""
    return tomllib.loads((built_in_templates() / "languages" / f"{code}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", built_in_languages())
def test_a_language_of_labgen_has_each_word_and_the_title_of_each_section(code):
    assert built_in_languages() == ("de", "en", "fr", "it")
    sections = {*SECTION_NAMES, *PROPOSED_NAMES}
    wanted = {
        "words": set(english().words),
        "titles": sections,
        "about": sections,
        "descriptions": descriptions(),
    }
    has = written(code)
    differing = {
        f"templates/languages/{code}.toml [{table}] {does}:": [f"{json.dumps(name)} = …" for name in sorted(these)]
        for table, names in wanted.items() if code != "en"
        for does, these in (("lacks", names - has[table].keys()), ("has for nothing", has[table].keys() - names)) if these
    }  # fmt: skip
    assert not differing, "\n".join(line for told, lines in differing.items() for line in (told, *lines))


@pytest.mark.parametrize("code", built_in_languages())
def test_the_reference_is_in_the_language_of_the_site(site, code):
    site.file("data/site.toml", f'language = "{code}"\n{SITE}').build(hosts=("nginx",))
    page = site.read("/reference/", "index.html").decode()
    assert f'<html lang="{code}">' in page
    assert built_in(code).words["answer_missing"] in page
    assert built_in(code).titles.get("materials", "Materials") in page


def test_a_language_is_a_file_of_words_in_templates_and_lacks_none_without_a_warning(site):
    words = "\n".join(f'{name} = "{name}"' for name, text in english().words.items() if "{" not in text)
    (found,) = site.file("data/site.toml", ROMANSH).file(WORDS, f"[words]\n{words}\n").build().found
    assert found.code == "missing-words"
    assert "`shown`, `all_shown`" in found.message
    assert '<html lang="rm">' in site.read("/", "index.html").decode()
    assert "skip" in site.read("/", "index.html").decode()


def test_a_description_without_a_translation_is_shown_in_english_and_says_so(site):
    site.file("data/site.toml", ROMANSH).file(WORDS, '[words]\nskip = "Al cuntegn"\n').build()
    page = site.read("/reference/", "index.html").decode()
    assert 'lang="en">Lower-case two-letter country code.<' in page
    assert "Al cuntegn" in page


def test_a_project_changes_single_words_and_the_edit_reaches_every_page(site):
    site.build()
    own = '[words]\nskip = "Direkt zum Inhalt"\n[titles]\nmaterials = "Werkstoffe"\n'
    site.file("templates/languages/de.toml", own).build()
    page = site.read("api/v1/laboratory/laboratories/00001/materials/", "api.html").decode()
    assert "Direkt zum Inhalt" in page
    assert "Herunterladen" in page
    assert site.document("laboratories/00001/materials")["title"] == "Werkstoffe"


MISTAKES = [
    ('language = "xx"', None, 'invalid-value data/site.toml:1:12 "xx"'),
    ('language = "rm"', '[words]\nskipp = "A"', "unknown-field templates/languages/rm.toml:2:1 skipp"),
    ('language = "rm"', '[titles]\nmaterial = "A"', "unknown-field templates/languages/rm.toml:2:1 material"),
    ('language = "rm"', '[words]\nshown = "{a}"', 'invalid-value templates/languages/rm.toml:2:9 "{a}"'),
    ('language = "rm"', "[words]\nshown = 1", "wrong-type templates/languages/rm.toml:2:9 1"),
    ('language = "rm"', "[words", "invalid-toml templates/languages/rm.toml:1:7"),
    ('language = "Deutsch!"', None, 'invalid-value data/site.toml:1:12 "Deutsch!"'),
]


@pytest.mark.parametrize(("setting", "words", "expected"), MISTAKES)
def test_a_mistake_in_a_language_is_shown_where_it_stands(site, setting, words, expected):
    site.file("data/site.toml", f"{setting}\n{SITE}")
    if words:
        site.file(WORDS, f"{words}\n")
    found = [one for one in site.check().problems if one.problem.severity == "error"]
    assert [line(one).strip() for one in found] == [expected]


UNREAD = [("DE.toml", "did you mean `de.toml`?"), ("deutsch.toml", "the words of this site are read from de.toml"), ("de.yaml", "did you mean `de.toml`?")]  # fmt: skip


@pytest.mark.parametrize(("name", "hint"), UNREAD)
def test_a_file_of_words_under_a_wrong_name_is_a_warning(site, name, hint):
    (found,) = site.file(f"templates/languages/{name}", '[words]\nshown = "A"\n').check().found
    assert (found.code, found.severity, found.hint) == ("unused-template", "warning", hint)
    assert found.message == f"no page uses `templates/languages/{name}`"


def test_files_of_words_in_other_languages_of_labgen_may_lie_beside(site):
    site.file("templates/languages/fr.toml", "").file("templates/languages/.fr.toml.swp", "")
    assert site.check().found == []


def test_a_slip_in_a_description_that_is_translated_is_a_warning(site):
    site.file("templates/languages/de.toml", '[descriptions]\n"Job titel." = "A"\n"Job title." = "B"\n')
    (found,) = site.check().found
    assert (found.severity, found.message, found.hint) == (
        "warning",
        "labgen has no text `Job titel.` in `descriptions`",
        "did you mean `Job title.`?",
    )


def test_in_french_a_no_break_space_stands_before_every_colon(site):
    site.file("data/site.toml", f'language = "fr"\n{SITE}[license]\nname = "CC0 1.0"\n')
    site.write(materials=MATERIALS, laboratories=[ALPHA | {"materials": [12]}, BETA]).build()
    names = ("reference/index.html", "recherche/index.html", "recherche/materials/12/index.html")
    pages = [
        re.sub("(?s)<(pre|script|style|code).*?</\\1>", "", (site.out / one).read_text("utf-8"))
        for one in names
    ]
    texts = [text for page in pages for text, _ in Texts(page).found]
    assert any("Matériaux\N{NO-BREAK SPACE}: " in text for text in texts)
    assert [text for text in texts if re.search("[^\N{NO-BREAK SPACE}]:( |$)", text)] == []


def test_german_data_on_a_page_in_another_language_say_so(site):
    site.file("data/site.toml", f'language = "fr"\n{SITE}')
    site.write(laboratories=[ALPHA | {"about": "Wir prüfen."}]).build()
    path = "api/v1/laboratory/laboratories/00001/"
    page = site.read(path, "api.html").decode()
    public = site.read("labor/00001/alpha/", "index.html").decode()
    assert '<div class="prose" lang="de"><p dir="auto">Wir prüfen.</p>' in public
    assert re.search('<pre id="json"[^>]* lang="de">', page)
    assert 'lang="de"' in site.read(f"{path}materials/", "api.html").decode()
    site.file("data/site.toml", f'language = "fr"\ndata_language = "fr"\n{SITE}').build()
    assert 'lang="de"' not in site.read(path, "api.html").decode()


class Texts(HTMLParser):
    """The texts of a page with the language of the element that they stand in."""

    def __init__(self, page):
        super().__init__()
        self.open, self.found = [("", "")], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append((tag, dict(attributes).get("lang") or self.open[-1][1]))

    def handle_endtag(self, tag):
        while self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.found += [(data.strip(), self.open[-1][1])] if data.strip() else []


VOID = {"meta", "link", "img", "input", "br", "wbr"}


def test_each_german_text_of_the_views_says_so_and_no_word_of_the_page_does(site):
    site.file(
        "data/site.toml",
        f'language = "fr"\n{SITE.replace("Partner", "Großpartner")}\n[stats.projects]\nkey = "completed"\nvalue = "große Zahl"\nlabel = "Maß"\nvalue_level = "gray"\n',
    )
    job = {"id": 1, "title": "Meßtechniker", "locality": "Gießen", "published_on": "2024-05-06"}
    contact = {"position": "Leiter der Meßtechnik"}
    lab = ALPHA | {
        "is_verified": True,
        "contact_person": contact,
        "job_listings": [job],
        "locality": "Gießen",
        "address": "Straße 1",
    }
    countries = [{"iso_code": "de", "slug": "deutschland", "name": "Großland"}]
    site.write(
        countries=countries, laboratories=[lab | {"materials": [12]}, BETA | {"similar_labs": ["00001"]}]
    ).build()
    pages = [
        *(f"api/v1/laboratory/laboratories/{path}api.html" for path in ("", "00001/", "00001/job_listings/", "00002/similar_labs/")),
        "recherche/materials/12/index.html",
    ]  # fmt: skip
    found = [one for name in pages for one in Texts((site.out / name).read_text()).found]
    german = {text for text, _ in found if "ß" in text}
    assert len(german) > 8
    assert [one for one in found if "ß" in one[0] and one[1] != "de"] == []
    words = set(built_in("fr").words.values())
    assert [one for one in found if one[0] in words and one[1] != "fr"] == []
