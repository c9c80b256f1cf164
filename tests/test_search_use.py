"""The page that searches, as people use it: what they type stays, numbers are true, and errors heal."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_plus

import pytest
from browsers import expect, serving
from conftest import Project, laboratory

METALS = "As, Cd, Cr, Co, Cu, Mo, Ni, Pb, Sb, Se, Sn, Tl, Zn"


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Iterator[str]:
    """A site of two laboratories, one of which has a standard whose search_val has twelve commas."""
    project = Project(tmp_path_factory.mktemp("small")).sound()
    own = {"id": 12, "title": f"Metalle ({METALS})", "search_val": METALS}
    laboratories = [laboratory("00001", standards=[12]), laboratory("00002", locality="Köln")]
    assert project.write(laboratories=laboratories, standards=[own]).build().written
    with serving(project.out) as address:
        yield address


@contextmanager
def held(page, pattern: str) -> Iterator[list[Any]]:
    """Hold what the page asks for until the end of the context, and return it."""
    routes: list[Any] = []
    is_over = False
    page.route(pattern, lambda route: route.continue_() if is_over else routes.append(route))
    yield routes
    is_over = True
    for one in routes:
        one.continue_()


def wait_for(page, routes: list[Any], count: int = 1) -> None:
    """Wait until the page has asked for so many."""
    for _ in range(100):
        if len(routes) >= count:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"{len(routes)} of {count} requests")


@pytest.mark.both_browsers
def test_a_space_that_is_typed_stays_when_results_come(sample, visited):
    page = visited(f"{sample}/suche/")
    field = page.locator("#q")
    field.press_sequentially("stahl ", delay=20)
    expect(page.locator("#count")).not_to_have_text("28 Labore")
    page.wait_for_timeout(300)
    expect(field).to_have_value("stahl ")
    field.press_sequentially("wasser", delay=20)
    expect(field).to_have_value("stahl wasser")


def test_going_back_closes_the_suggestions(sample, visited):
    page = visited(f"{sample}/suche/")
    page.locator("#q").press_sequentially("zugv", delay=20)
    expect(page.locator("#suggestions")).to_be_visible()
    page.go_back()
    expect(page.locator("#count")).to_have_text("28 Labore")
    expect(page.locator("#suggestions")).to_be_hidden()


@pytest.mark.parametrize(
    ("query", "text"),
    [("", "Köln zug"), ("", "Göttingen chrom"), ("country=de", "stahl"), ("q=labor", "beton")],
)
def test_as_many_are_found_as_the_suggestion_says_and_other_words_stay_as_typed(sample, visited, query, text):
    page = visited(f"{sample}/suche/?{query}")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator("#q").fill(text)
    first = page.locator("#suggestions [role=option]").first
    expect(first).to_be_visible()
    count = first.locator("small").inner_text().rpartition(", ")[2]
    first.click()
    expect(page.locator("#count")).to_have_text(count)
    expect(page.locator("#q")).to_have_value(text.split()[0] if " " in text else "")


def test_what_is_suggested_beside_a_chosen_value_of_its_filter_has_the_number_of_that_filter(sample, visited):
    page = visited(f"{sample}/suche/")
    facet = page.locator("[data-name=materials]")
    facet.locator("[type=checkbox]").first.check()
    expect(page.locator(".chosen button")).to_have_count(1)
    facet.locator(".within").fill("beton")
    row = facet.locator("li", has_text="beton").first
    number = row.locator("small").inner_text()
    title = row.locator("span").inner_text()
    page.locator("#q").press_sequentially("beton", delay=20)
    option = page.locator("#suggestions [role=option]", has_text=title).filter(has_text="Materialien").first
    expect(option.locator("small")).to_contain_text(re.compile(rf", {number} Labore?$"))


def test_numbers_of_the_search_before_are_hidden_until_filters_are_counted(sample, opened):
    page = opened(f"{sample}/suche/")
    number = page.locator("[data-name=materials] li small").first
    expect(number).to_have_css("opacity", "1")
    with held(page, "**/search/files/counts/**"):
        page.locator("#q").fill("wasser")
        expect(page.locator("#count")).not_to_have_text("28 Labore")
        expect(number).to_have_css("opacity", "0")
    expect(number).to_have_css("opacity", "1")


def test_a_late_answer_of_a_filter_does_not_replace_a_newer_one(sample, opened):
    page = opened(f"{sample}/suche/")
    facet = page.locator("[data-name=materials]")
    before = facet.locator("li").all_inner_texts()
    with held(page, "**/search/files/words/**") as routes:
        facet.locator(".within").fill("beton")
        wait_for(page, routes)
        facet.locator(".within").fill("")
        page.wait_for_timeout(300)
    page.wait_for_timeout(300)
    assert facet.locator("li").all_inner_texts() == before


def test_filters_are_counted_at_the_same_time(sample, opened):
    page = opened(f"{sample}/suche/")
    expect(page.locator("#count")).to_have_text("28 Labore")
    with held(page, "**/search/files/counts/**") as routes:
        page.locator("#q").fill("wasser")
        wait_for(page, routes, page.locator(".facet[open]").count())


@pytest.mark.parametrize("value", [METALS, f" {METALS}"])
def test_a_value_with_many_commas_is_one_choice(small, visited, value):
    page = visited(f"{small}/suche/?tests__in={quote_plus(value)}")
    expect(page.locator("#count")).to_have_text("1 Labor")
    expect(page.locator(".chosen button")).to_have_text([f"Metalle ({METALS})"])
    page.locator(".chosen button").click()
    expect(page.locator("#count")).to_have_text("2 Labore")


def test_a_choice_in_capitals_and_an_empty_page_in_an_address_are_understood(sample, visited):
    page = visited(f"{sample}/suche/?is_verified=True&page=")
    expect(page.locator(".chosen button")).to_have_text("Verifiziert: ja")
    expect(page.locator("[data-name=is_verified] input").first).to_be_checked()
    expect(page.locator(".hit")).not_to_have_count(0)


def test_a_browser_that_keeps_nothing_searches_too(small, opened):
    page = opened("about:blank")
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } });"
    )
    page.goto(f"{small}/suche/?q=köln")
    expect(page.locator("#count")).to_have_text("1 Labor")
    expect(page.locator(".problem").first).to_be_hidden()


def test_an_index_of_another_version_is_named_and_trying_again_loads_the_page(small, opened, window):
    page = opened("about:blank")

    def newer(route):
        body = json.dumps({**route.fetch().json(), "version": 999})
        route.fulfill(content_type="application/json", body=body)

    page.route("**/search/index.json", newer)
    page.goto(f"{small}/suche/?q=köln")
    expect(page.locator(".problem").first).to_contain_text("the search index has version 999")
    page.unroute("**/search/index.json")
    page.locator(".problem button").click()
    expect(page.locator("#count")).to_have_text("1 Labor")
    page.close()
    window.complaints.clear()  # of the error, which is not caught


@pytest.mark.parametrize("way", ["Enter", "button"])
def test_what_failed_is_tried_again_by_enter_and_by_the_button(sample, opened, window, way):
    page = opened(f"{sample}/suche/")
    field = page.locator("#q")
    expect(page.locator("#count")).to_have_text("28 Labore")
    page.wait_for_load_state("networkidle")  # what the first search prepares is there
    page.route("**/search/**", lambda route: route.abort())
    field.fill("quellgrund")
    expect(page.locator(".problem").first).to_contain_text("Keine Verbindung")
    page.unroute("**/search/**")
    if way == "Enter":
        field.press("Enter")
    else:
        page.locator(".problem button").click()
        expect(field).to_be_focused()
    expect(page.locator("#count")).to_have_text("1 Labor")
    expect(page.locator(".problem").first).to_be_hidden()
    page.close()
    window.complaints.clear()  # the browser's own words on what failed


@pytest.mark.both_browsers
def test_the_focus_stays_in_a_filter_whose_value_goes(sample, visited):
    page = visited(f"{sample}/suche/?q=hohenfeld&country=at")
    box = page.locator("[data-name=country] [type=checkbox]:checked")
    expect(page.locator("#count")).to_have_text("Kein Labor gefunden")
    expect(box).to_have_count(1)
    box.focus()
    page.keyboard.press("Space")
    expect(page.locator(".chosen")).to_be_hidden()
    expect(page.locator("#count")).not_to_have_text("Kein Labor gefunden")
    page.wait_for_timeout(300)
    assert page.evaluate("() => document.activeElement.closest('[data-name=country]') !== null")


def test_of_many_words_too_the_one_that_nobody_has_is_named_and_read_out(sample, visited):
    page = visited(f"{sample}/suche/?q={quote_plus('prüfung von stahl und eisen nach din en iso nirgendwo')}")
    expect(page.locator(".notes")).to_contain_text("Kein Labor hat „nirgendwo“.")
    page.locator("#q").fill("quellgrnud")
    expect(page.locator(".announce")).to_have_text(re.compile("1 Labor.*gesucht wurde nach „quellgrund“"))
