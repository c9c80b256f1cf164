"""Numbers, dates and ratings in the view for people are written as the site's language does."""

import re

import pytest
from conftest import ALPHA, BETA, SITE

from labgen.api.endpoint import LABORATORIES
from labgen.model.language import built_in
from labgen.render.formats import date, number, rating


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
    assert f"<dd>{shown}</dd>" in site.read(f"{LABORATORIES}00001/", "api.html").decode()
    assert site.document("laboratories/00001")["rating"] == f"{value:.2f}"


def test_a_slot_of_a_page_that_a_template_formats_is_rendered_in_full(site):
    site.file("templates/page.html", "{{ site.number(page.title) }}")
    site.write(laboratories=[ALPHA | {"name": "1340.5"}, BETA]).build()
    assert site.read(f"{LABORATORIES}00001/", "api.html") == b"1.340,5"
