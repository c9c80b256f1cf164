"""Numbers, dates and ratings in the view for people are written as the site's language does."""

import re

import pytest
from conftest import ALPHA, BETA, SITE

from labgen.api.endpoint import LABORATORIES
from labgen.model.language import built_in
from labgen.render.formats import bare, date, number, prose, rating, rich, stars


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("de", ["4,65", "1.340", "6. Mai 2024", "noch keine Bewertung"]), ("en", ["4.65", "1,340", "6 May 2024", "not rated yet"]),
        ("fr", ["4,65", "1\u202f340", "6 mai 2024", "pas encore d’évaluation"]), ("it", ["4,65", "1.340", "6 maggio 2024", "ancora nessuna valutazione"]),
    ],
)  # fmt: skip
def test_values_are_written_by_the_words_of_the_language(language, written):
    texts = built_in(language).words
    shown = [number("4.65", texts), number(1340, texts), date("2024-05-06", texts), rating("0.00", texts)]
    assert shown == written


@pytest.mark.parametrize(
    ("language", "written"), [("de", "1. Mai 2024"), ("fr", "1er mai 2024"), ("it", "1º maggio 2024")]
)
def test_the_first_of_a_month_is_written_as_the_language_does(language, written):
    assert date("2024-05-01", built_in(language).words) == written


def test_no_line_of_french_begins_with_a_sign_of_punctuation():
    texts = built_in("fr")
    words = [
        *texts.words.values(),
        *texts.titles.values(),
        *texts.about.values(),
        *texts.descriptions.values(),
    ]
    assert [one for one in words if re.search(" [:;?!»]|« ", one)] == []


@pytest.mark.parametrize("odd", ["", "bald", "2024-13-01", "-1", "1.2.3"])
def test_what_is_no_number_or_date_is_shown_as_it_is(odd):
    texts = built_in("de").words
    assert (number(odd, texts), date(odd, texts)) == (odd, odd)


@pytest.mark.parametrize(("value", "shown"), [(4.65, "4,65"), (0, "noch keine Bewertung")])
def test_a_rating_is_written_for_people_and_the_document_is_unchanged(site, value, shown):
    site.file("data/site.toml", SITE).write(laboratories=[ALPHA | {"rating": value}, BETA]).build()
    page = site.read("labor/00001/alpha/", "index.html").decode()
    assert shown in page
    assert ('data-halves="9"' in page) == (value != 0)
    assert site.document("laboratories/00001")["rating"] == f"{value:.2f}"


def test_a_slot_of_a_page_that_a_template_formats_is_rendered_in_full(site):
    site.file("templates/page.html", "{{ site.number(page.title) }}")
    site.write(laboratories=[ALPHA | {"name": "1340.5"}, BETA]).build()
    assert site.read(f"{LABORATORIES}00001/", "api.html") == b"1.340,5"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("H<sub>2</sub>O", "H<sub>2</sub>O"), ("10<sup>-3</sup>", "10<sup>-3</sup>"), ("a;;b", "a<br>b"), ("a\r\nb", "a<br>b"), ("a ;;\t b;;", "a<br>b<br>"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"), ("<sub>x", "&lt;sub&gt;x"), ("<sub a=1>x</sub>", "&lt;sub a=1&gt;x&lt;/sub&gt;"), ("&lt;sub&gt;", "&amp;lt;sub&amp;gt;"),
        ("<sub><script>x</sub>", "<sub>&lt;script&gt;x</sub>"), ("<sub>a<sub>b</sub>", "&lt;sub&gt;a<sub>b</sub>"), ('"', "&#34;"),
    ],
)  # fmt: skip
def test_of_markup_in_texts_only_sub_and_sup_become_elements(text, shown):
    assert rich(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", ["a"]),
        ("a\r\n\r\nb\nc", ["a", "b\nc"]),
        ("a\n \n\n<b>", ["a", "&lt;b&gt;"]),
        (" ", []),
        ("a\r\rb", ["a", "b"]),
    ],
)
def test_a_text_is_divided_at_its_empty_lines(text, shown):
    assert prose(text) == "".join(f'<p dir="auto">{one}</p>' for one in shown)


@pytest.mark.parametrize(
    ("value", "halves"), [("5.00", 10), ("4.65", 9), ("4.80", 10), ("0.20", 0), ("2.50", 5), ("7.00", 10)]
)
def test_stars_are_shown_in_halves(value, halves):
    assert f'data-halves="{halves}"' in stars(value, built_in("de").words)


def test_an_address_is_shown_without_its_scheme():
    assert [*map(bare, ("https://a.example/", "http://a.example/b/", "x"))] == [
        "a.example",
        "a.example/b",
        "x",
    ]
