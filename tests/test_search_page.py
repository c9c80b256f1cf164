"""The page that searches, in real browsers: what it finds and says, its address, its keys, and what it needs."""

import gzip
import re
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from browsers import OBSERVE_SHIFTS, complaints_of_axe, expect, serving, too_narrow_windows, wait_until
from conftest import MATERIALS, SITE, Project, laboratory

HOSTILE = "<img src=x onerror=alert(1)>\"&'</script><script>alert(2)</script>"
BUDGET = 25 * 1024
"""Bytes of script, compressed. A fifth of it reads designations."""


def names(page):
    return page.locator(".hit h3").all_inner_texts()


def test_what_is_typed_is_found_and_stands_in_the_address(sample, visited):
    page = visited(f"{sample}/suche/")
    expect(page.locator("#count")).to_have_text("28 Labore")
    page.locator("#q").press_sequentially("quellgrund", delay=20)
    expect(page.locator("#count")).to_have_text("1 Labor")
    expect(page).to_have_url(re.compile(r"/suche/\?q=quellgrund$"))
    assert names(page) == ["Wasserlabor Quellgrund GmbH"]
    expect(page.locator(".hit mark")).to_have_text("Quellgrund")
    page.go_back()
    expect(page.locator("#count")).to_have_text("28 Labore")
    expect(page.locator("#q")).to_have_value("")
    page.go_forward()
    expect(page.locator("#q")).to_have_value("quellgrund")
    expect(page.locator("#count")).to_have_text("1 Labor")


FETCHED = """() => performance.getEntriesByType("resource").map(one => one.name).filter(one => one.includes("/search/"))
  .filter(one => performance.getEntriesByName(one).some(own => own.transferSize > 0)).map(one => new URL(one).pathname)"""


def test_a_search_that_was_made_before_reads_the_first_file_alone(sample, visited):
    page = visited(f"{sample}/suche/?q=brandverhalten")
    expect(page.locator("#count")).to_have_text(re.compile(r"\d"))
    page.wait_for_load_state("networkidle")  # filters are counted after the results are shown
    assert any(one.startswith("/search/files/") for one in page.evaluate(FETCHED))
    page.goto(f"{sample}/suche/?q=brandverhalten&facets=")
    expect(page.locator("#count")).to_have_text(re.compile(r"\d"))
    assert set(page.evaluate(FETCHED)) <= {"/search/index.json", "/search/client.js"}


def test_a_filter_is_chosen_by_keys_and_taken_back(sample, visited):
    page = visited(f"{sample}/suche/?q=labor")
    expect(page.locator(".hit").first).to_be_visible()
    before = page.locator("#count").inner_text()
    box = page.locator("[data-name=material_categories] [type=checkbox]").first
    expect(box).to_be_visible()  # its results are counted
    box.focus()
    page.keyboard.press("Space")
    expect(page.locator(".chosen button")).to_have_count(1)
    expect(page.locator("#count")).not_to_have_text(before)
    assert "material_categories__in=" in page.url
    assert page.evaluate("() => document.activeElement.matches('[type=checkbox]:checked')")
    page.locator(".chosen button").press("Enter")
    expect(page.locator("#count")).to_have_text(before)
    assert page.url.endswith("/suche/?q=labor")


def test_a_card_says_why_it_was_found(sample, visited):
    page = visited(f"{sample}/suche/?q=zugversuch")
    why = page.locator(".why").filter(has_text="Zugversuch").first
    expect(why.locator("mark").first).to_have_text("Zugversuch")
    assert re.match(r"[\w ]+: ", why.inner_text())


@pytest.mark.parametrize(
    ("query", "found"),
    [("Wasserlabore", "Wasserlabor"), ("Quellgrnud", "Quellgrund"), ("quellgrund", "Quellgrund")],
)
def test_what_a_name_was_found_by_is_marked(sample, visited, query, found):
    page = visited(f"{sample}/suche/?q={query}")
    hit = page.locator(".hit").filter(has_text="Wasserlabor Quellgrund")
    expect(hit.locator("h3 mark")).to_have_text(found)


def test_the_place_that_a_laboratory_was_found_by_is_marked(sample, visited):
    page = visited(f"{sample}/suche/?q=nürnb")
    marks = page.locator(".hit p:not(.why) mark")
    expect(marks.first).to_have_text("Nürnb")
    assert page.locator(".hit").count() == marks.count()


def test_another_order_is_chosen_and_the_address_keeps_it(sample, visited):
    page = visited(f"{sample}/suche/?q=stahl")
    page.get_by_label("Reihenfolge").select_option("Beste Bewertung zuerst")
    expect(page).to_have_url(re.compile(r"\?q=stahl&ordering=-rating$"))
    expect(page.locator(".why").first).to_contain_text("Bewertung: 4,85")
    page.get_by_label("Reihenfolge").select_option("Name A–Z")
    expect(page.locator(".hit h3").first).to_have_text("Baustofflabor Jurablick AG")
    page.reload()
    expect(page.get_by_label("Reihenfolge")).to_have_value("name")
    page.go_back()
    expect(page.locator(".why").first).to_contain_text("Bewertung: 4,85")


def test_an_order_that_is_not_offered_is_the_first_one(sample, visited):
    page = visited(f"{sample}/suche/?q=stahl&ordering=foo")
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ Labore$"))
    expect(page.get_by_label("Reihenfolge")).to_have_value("")


def test_a_chosen_value_says_what_it_is_of_where_it_is_only_yes_and_stands_once(sample, visited):
    page = visited(f"{sample}/suche/?is_verified=true&materials__in=27,27")
    chips = page.locator(".chosen button")
    expect(chips).to_have_count(2)
    expect(chips.filter(has_text="ja")).to_have_text("Verifiziert: ja")
    chips.filter(has_text="ja").click()
    expect(chips).to_have_count(1)


def test_the_second_page_says_so_in_its_heading_and_its_title(sample, visited):
    page = visited(f"{sample}/suche/?q=labor")
    expect(page.locator("#count")).to_have_text("28 Labore")
    page.locator(".turn [rel=next]").click()
    expect(page.locator("#count")).to_have_text("28 Labore, Seite 2 von 2")
    expect(page).to_have_title(re.compile("^28 Labore, Seite 2 von 2 – labor – "))
    page.go_back()
    expect(page).to_have_title(re.compile("^labor – "))


def test_open_filters_on_a_telephone_show_how_many_laboratories_are_left(sample, opened):
    page = opened(f"{sample}/suche/", viewport={"width": 390, "height": 844})
    expect(page.locator("#count")).to_have_text("28 Labore")
    page.locator(".filters").click()
    box = page.locator(".facet[open] [type=checkbox]").last
    box.scroll_into_view_if_needed()
    box.check()
    expect(page.locator("#count")).not_to_have_text("28 Labore")
    shown = page.locator(".filters").evaluate("one => getComputedStyle(one, '::before').content")
    assert shown in (
        "attr(data-count)",
        f'"{page.locator("#count").inner_text()}"',
    )  # Firefox does not look it up
    expect(page.locator(".filters")).to_have_attribute("data-count", page.locator("#count").inner_text())
    expect(page.locator(".filters")).to_be_in_viewport()


def test_a_printed_search_says_what_was_searched_for(sample, visited):
    page = visited(f"{sample}/suche/?q=wasser&materials__in=27")
    expect(page.locator(".hit").first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("#q")).to_be_visible()
    expect(page.locator(".chosen button")).to_be_visible()
    page.emulate_media(media="screen")


def test_an_answer_that_is_a_page_in_place_of_a_file_is_told_with_the_name_of_the_file(
    sample, opened, window
):
    page = opened(f"{sample}/404.html")
    page.route(
        "**/search/files/**", lambda route: route.fulfill(body="<html>login", content_type="text/html")
    )
    page.goto(f"{sample}/suche/?q=asbest")
    expect(page.locator(".problem")).to_contain_text(re.compile("Eine Datei der Suche fehlt: search/files/"))
    expect(page.locator(".problem button")).to_be_visible()


def test_suggestions_that_were_closed_are_opened_again_by_a_key(sample, visited):
    page = visited(f"{sample}/suche/")
    page.locator("#q").press_sequentially("zugv", delay=20)
    options = page.locator("#suggestions [role=option]")
    expect(options.first).to_be_visible()
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()


@pytest.mark.both_browsers
def test_entries_are_suggested_and_chosen_by_keys_as_a_filter(sample, visited, window):
    page = visited(f"{sample}/suche/")
    field, options = page.locator("#q"), page.locator("#suggestions [role=option]")
    field.press_sequentially("zugv", delay=20)
    expect(options.first).to_contain_text(re.compile(r"Zugversuch.*Labor"))
    expect(field).to_have_attribute("aria-expanded", "true")
    assert complaints_of_axe(page, window) == []
    field.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "suggestion-0")
    expect(options.first).to_have_attribute("aria-selected", "true")
    field.press("Enter")
    expect(page.locator(".chosen button")).to_contain_text("Zugversuch")
    expect(page.locator("#suggestions")).to_be_hidden()
    expect(field).to_have_value("")
    assert re.search(r"/suche/\?\w+=[^&]+$", page.url)
    field.press_sequentially("stahl", delay=20)
    expect(options.first).to_be_visible()
    field.press("Escape")
    expect(page.locator("#suggestions")).to_be_hidden()
    expect(field).to_have_value("stahl")


def test_a_filter_with_many_values_can_be_searched(sample, visited):
    page = visited(f"{sample}/suche/")
    facet = page.locator("[data-name=materials]")
    facet.locator(".within").fill("beton")
    expect(facet.locator("li")).not_to_have_count(8)
    titles = facet.locator("li .value span").all_inner_texts()
    assert titles
    assert [one for one in titles if "beton" not in one.lower()] == []
    facet.locator("[type=checkbox]").first.check()
    expect(page.locator(".chosen button")).to_have_text(titles[0])


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=quellgrnud", "„quellgrnud“ kommt nicht vor; gesucht wurde nach „quellgrund“."),
        ("q=hohenfeld&country=at", "Kein Labor passt zu allen Wörtern und Filtern."),
        ("country=xx", "Kein Labor passt zu allen gewählten Filtern."),
        ("page=99", "Diese Seite gibt es nicht"),
    ],
)
def test_what_is_not_found_is_said_in_words(sample, visited, query, said):
    page = visited(f"{sample}/suche/?{query}")
    expect(page.locator(".results")).to_contain_text(said)


def test_where_nothing_is_found_the_word_that_nobody_has_is_named_and_the_search_without_it_offered(
    sample, visited
):
    page = visited(f"{sample}/suche/?q=labor")
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ Labore$"))
    found = page.locator("#count").text_content()
    page.locator("#q").fill("nirgendwo labor")
    expect(page.locator(".notes")).to_contain_text("Kein Labor hat „nirgendwo“.")
    expect(page.locator(".notes")).not_to_contain_text("Versuchen Sie es mit weniger")
    expect(page.locator(".order")).to_have_css("display", "none")
    expect(page.locator(".facet:visible")).to_have_count(0)
    page.get_by_role("link", name=f"Ohne „nirgendwo“: {found}", exact=True).click()
    expect(page.locator("#count")).to_have_text(found)
    expect(page.locator("#q")).to_have_value("labor")
    expect(page.locator("#count")).to_be_focused()
    expect(page.locator(".facet[data-name=locality]")).to_be_visible()


def test_where_nothing_is_found_only_filters_that_are_set_are_shown(sample, visited):
    page = visited(f"{sample}/suche/?q=hohenfeld&country=at")
    expect(page.locator("#count")).to_have_text("Kein Labor gefunden")
    expect(page.locator(".facet:visible")).to_have_count(1)
    page.locator(".facet:visible summary").click()
    expect(page.locator(".facet:visible .value").first).to_contain_text("Deutschland")


def test_filters_that_nobody_opened_stay_hidden_where_nothing_is_found(sample, opened):
    page = opened("about:blank")
    held = []
    page.route("**/search/client.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    page.goto(f"{sample}/suche/?q=hohenfeld&country=at", wait_until="commit")
    expect(page.locator("#count")).to_have_text("Suche läuft …")
    page.evaluate(
        "() => document.querySelectorAll('.facet').forEach(one => one.dispatchEvent(new Event('toggle')))"
    )
    for route in held:
        route.continue_()
    expect(page.locator("#count")).to_have_text("Kein Labor gefunden")
    page.wait_for_timeout(300)
    expect(page.locator(".facet:visible")).to_have_count(1)


def test_what_is_typed_before_the_script_has_come_is_searched_for(sample, opened):
    page = opened("about:blank")
    held = []
    page.route("**/static/search*.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    page.goto(f"{sample}/suche/", wait_until="commit")
    expect(page.locator("#q")).to_be_visible()
    page.locator("#q").press_sequentially("wasser")
    for route in held:
        route.continue_()
    wait_until(page, "() => document.title.startsWith('wasser')")
    expect(page.locator("#q")).to_have_value("wasser")


FIRST_CARD = """new MutationObserver(() => {
  if (document.querySelector(".found .hit")) window.needed ??= performance.getEntriesByType("resource").map(one => new URL(one.name).pathname);
}).observe(document, { childList: true, subtree: true });"""


def test_before_the_first_card_the_page_loads_what_finds_it_and_nothing_else(sample, opened):
    page = opened("about:blank")
    page.add_init_script(FIRST_CARD)
    page.goto(f"{sample}/suche/?q=stahl")
    wait_until(page, "() => window.needed")
    needed = [re.sub(r"[-.][0-9a-f]{12}", "", path) for path in page.evaluate("window.needed")]
    own = {one for one in needed if not one.startswith("/search/files/") and not one.endswith("icon.svg")}
    assert own == {"/search/client.js", "/search/index.json", "/static/embedded.js", "/static/search.css",
                   "/static/search.js", "/static/style.css"}  # fmt: skip
    folders = {one.removeprefix("/search/files/").rpartition("/")[0] for one in {*needed} - own}
    assert not {"counts", "owned"} & folders


@pytest.mark.parametrize(
    ("query", "offers"),
    [("q=hohenfeld&country=at", ["Ohne „hohenfeld“: ", "Ohne „Österreich“: 1 Labor"]), ("q=nirgendwo", []), ("q=nirgendwo+nirgends", []),
     ("q=nirgendwo&country=at&is_verified=true", ["Ohne „nirgendwo“: "]), ("q=hohenfeld+quellgrund", ["Ohne „hohenfeld“: ", "Ohne „quellgrund“: 1 Labor"])],
)  # fmt: skip
def test_where_words_and_filters_are_found_but_not_together_the_search_without_one_is_offered(
    sample, visited, query, offers
):
    page = visited(f"{sample}/suche/?{query}")
    expect(page.locator("#count")).to_have_text("Kein Labor gefunden")
    expect(page.locator(".notes a")).to_have_count(len(offers))
    for link, text in zip(page.locator(".notes a").all(), offers, strict=True):
        expect(link).to_contain_text(text)


def test_where_nothing_is_found_no_card_is_read_and_nothing_counted(sample, visited):
    page = visited(f"{sample}/suche/?q=hohenfeld+quellgrund")
    expect(page.locator(".notes a")).to_have_count(2)
    page.wait_for_load_state("networkidle")
    read = page.evaluate(FETCHED)
    assert [one for one in read if re.search("/(cards|counts|owned)/", one)] == []


def test_filters_without_values_take_no_space(sample, visited):
    page = visited(f"{sample}/suche/?q=labor")
    expect(page.locator(".facet:visible").first).to_be_visible()
    before = page.locator(".facet:visible").count()
    page.locator("#q").fill("nirgendwo")
    expect(page.locator(".facet[open]:visible")).to_have_count(0)
    page.locator("#q").fill("labor")
    expect(page.locator(".facet:visible")).to_have_count(before)


def test_a_folded_filter_that_no_result_has_stays_when_it_is_opened_and_says_so(sample, visited):
    page = visited(f"{sample}/suche/?q=akustikbüro")
    facet = page.locator(".facet[data-name=equipments]")
    expect(page.locator("#count")).to_have_text("1 Labor")
    facet.locator("summary").click()
    expect(facet.get_by_text("Keine passenden Werte")).to_be_visible()
    expect(facet.locator("li")).to_have_count(0)
    page.locator("#q").fill("quellgrund")
    expect(facet.locator("li")).not_to_have_count(0)
    expect(facet.get_by_text("Keine passenden Werte")).to_be_hidden()
    page.locator("#q").fill("akustikbüro")
    expect(facet).to_be_hidden()


def test_a_filter_in_which_nothing_is_found_says_so(sample, visited):
    page = visited(f"{sample}/suche/")
    facet = page.locator("[data-name=materials]")
    facet.locator(".within").fill("gibtesnicht")
    expect(facet.get_by_text("Keine passenden Werte")).to_be_visible()
    expect(facet.locator("li")).to_have_count(0)
    facet.locator(".within").fill("")
    expect(facet.locator("li")).to_have_count(8)
    expect(facet.get_by_text("Keine passenden Werte")).to_be_hidden()


@pytest.mark.both_browsers
def test_results_are_paged_and_the_laboratory_leads_back(sample, visited):
    page = visited(f"{sample}/suche/")
    page.locator(".turn [rel=next]").click()
    expect(page.locator(".turn span")).to_have_text("Seite 2 von 2")
    assert page.url.endswith("/suche/?page=2")
    page.locator(".hit a").first.click()
    back = page.locator(".back")
    expect(back).to_have_text("← Zurück zur Suche")
    back.click()
    expect(page.locator(".turn span")).to_have_text("Seite 2 von 2")


def test_the_laboratory_leads_back_where_its_page_is_that_of_the_api(visited, tmp_path):
    project = Project(tmp_path).sound()
    assert project.file("data/site.toml", f"public_pages = false\n{SITE}").build().written
    with serving(project.out) as address:
        page = visited(f"{address}/suche/?q=beta")
        page.locator(".hit a").first.click()
        page.locator(".back").click()
        expect(page.locator("#count")).to_have_text("1 Labor")
        assert page.url == f"{address}/suche/?q=beta"
        page.goto("about:blank")


def test_an_entry_of_a_laboratory_leads_to_the_laboratories_with_it(sample, visited):
    page = visited(f"{sample}/labor/00117/institut-rheinbogen/")
    link = page.locator("#standards li a").nth(2)
    title = link.inner_text()
    link.click()
    expect(page.locator(".chosen button")).to_have_text(title)
    expect(page.locator("#count")).to_have_text(re.compile(r"^\d+ Labore?$"))
    assert "/suche/index.html?tests__in=" in page.url


@pytest.mark.parametrize("path", ["", "land/deutschland/"])
def test_the_front_page_and_countries_have_the_field(sample, visited, path):
    page = visited(f"{sample}/{path}")
    page.locator("#q").fill("hohenfeld")
    page.locator("#q").press("Enter")
    expect(page.locator("#count")).to_have_text("1 Labor")
    assert page.url.endswith("/suche/index.html?q=hohenfeld")


def test_keys_lead_to_the_field_and_to_the_results(sample, visited):
    page = visited(f"{sample}/suche/")
    expect(page.locator(".hit")).to_have_count(20)
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("holz")
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".hit a").first).to_be_focused()
    page.locator("#q").press("Escape")
    expect(page.locator("#count")).to_have_text("28 Labore")


def test_without_script_values_lead_to_their_laboratories(sample, visited, window):
    if window.name == "firefox":
        pytest.skip("Firefox cannot turn scripts off here")
    page = visited(f"{sample}/suche/", has_script=False)
    expect(page.locator("noscript p")).to_contain_text("JavaScript")
    expect(page.locator("#q")).to_be_hidden()
    page.locator("[data-name=materials] .more a").click()
    page.locator(".values a").filter(has_text="Klärschlamm").first.click()
    expect(page.locator("h1")).to_have_text("Materialien: Klärschlamm")
    page.locator(".labs a").first.click()
    expect(page.locator("header.lab h1")).to_be_visible()
    window.complaints.clear()  # that the client is not loaded ahead


def test_what_cannot_be_loaded_is_said_and_tried_again(sample, opened, window):
    page = opened(f"{sample}/suche/")
    expect(page.locator("#count")).to_have_text("28 Labore")
    page.route("**/search/files/words/**", lambda route: route.fulfill(status=404))
    page.locator("#q").fill("quellgrund")
    expect(page.locator(".problem")).to_contain_text("Eine Datei der Suche fehlt: search/files/words/")
    expect(page.locator(".hit, #count:visible, .turn:visible")).to_have_count(0)
    assert complaints_of_axe(page, window) == []
    page.unroute("**/search/files/words/**")
    page.locator(".problem button").click()
    expect(page.locator("#count")).to_have_text("1 Labor")
    expect(page.locator(".problem").first).to_be_hidden()
    page.route("**/search/**", lambda route: route.abort())
    page.locator("#q").fill("hohenfeld")
    expect(page.locator(".problem")).to_contain_text("Keine Verbindung")
    page.close()
    window.complaints.clear()  # the browser's own words on what failed


def test_no_filter_has_a_hole_between_its_values_and_the_link_to_more(sample, visited):
    page = visited(f"{sample}/suche/?q=zugversuch", width=1440, height=900)
    expect(page.locator("[data-name=materials] .value small").first).to_have_text("4")
    for query in ("zugversuch", "quellgrund", "stahl"):
        page.locator("#q").fill(query)
        wait_until(page, "text => document.title.startsWith(text)", query)
        page.wait_for_timeout(300)
        assert max(page.evaluate(HOLES)) < 12, query


HOLES = """() => [...document.querySelectorAll("details.facet[open]:not([hidden]) li:last-child")].map(value =>
  (value.closest("details").querySelector(".more")?.getBoundingClientRect().top ?? 0) - value.getBoundingClientRect().bottom)"""


def test_typing_is_answered_soon_and_nothing_moves(sample, opened, window):
    if window.name == "firefox":
        pytest.skip("Firefox does not measure layout shifts")
    page = opened(f"{sample}/suche/")
    expect(page.locator(".hit")).to_have_count(20)
    page.evaluate(OBSERVE_SHIFTS)
    page.locator("#q").press_sequentially("prüfung stahl", delay=30)
    wait_until(page, "() => document.title.startsWith('prüfung stahl')")
    page.wait_for_timeout(300)
    assert page.evaluate("() => window.moved") < 0.02


@pytest.mark.parametrize(
    ("query", "width", "found"), [("", 390, "28 Labore"), ("?q=nirgendwo", 1440, "Kein Labor gefunden")]
)
def test_nothing_moves_where_results_come_late(sample, opened, window, query, width, found):
    if window.name == "firefox":
        pytest.skip("Firefox does not measure layout shifts")
    page = opened("about:blank", viewport={"width": width, "height": 844})
    held = []
    page.route("**/search/client.js", lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    page.goto(f"{sample}/suche/{query}", wait_until="commit")
    expect(page.locator("#count")).to_have_text("Suche läuft …")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate(OBSERVE_SHIFTS)
    page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    expect(page.locator("#count")).to_have_text(found)
    expect(page.locator("footer.site")).to_be_visible()
    page.wait_for_timeout(300)
    assert page.evaluate("() => window.moved") < 0.02


@pytest.mark.parametrize(
    "kind", ["", "?q=wasser", "?q=stahl&country=de", "?embed&q=zugversuch", "?q=nirgendwo", "materials/"]
)
def test_axe_finds_nothing_to_complain_about_and_no_page_is_wider_than_the_window(
    sample, visited, window, kind
):
    page = visited(f"{sample}/suche/{kind}")
    expect(page.locator(".hit, .values, .notes p").first).to_be_visible()
    assert complaints_of_axe(page, window) == []
    assert too_narrow_windows(page) == []


def test_from_a_file_the_page_says_what_browsers_do_not_allow(visited, window, tmp_path):
    project = Project(tmp_path).sound()
    assert project.build().written
    page = visited(f"file://{project.out}/suche/index.html")
    expect(page.locator(".problem").first).to_contain_text("als Datei geöffnet")
    page.locator("[data-name=country] summary").click()
    page.locator("[data-name=country] a").first.click()
    expect(page.locator("h1")).to_have_text("Land: Deutschland")
    page.goto("about:blank")  # nothing is loaded any more from files that will be gone
    window.complaints.clear()  # that it may not load the client


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Iterator[str]:
    """A site with hostile names below a base path, in English, whose pages lie in the folder of the index."""
    project = Project(tmp_path_factory.mktemp("hostile")).sound()
    settings = project.root / "data/site.toml"
    settings.write_text(f'language = "en"\n{settings.read_text(encoding="utf-8")}', encoding="utf-8")
    laboratories = [
        laboratory("00001", name=HOSTILE, materials=[12], locality="<b>Ort</b>"),
        laboratory("00002"),
    ]
    project.write(laboratories=laboratories, materials=[*MATERIALS[1:], {"id": 12, "title": HOSTILE}])
    assert project.build().written
    with serving(project.out) as address:
        yield address


def test_hostile_names_and_queries_are_texts(hostile, visited):
    page = visited(f"{hostile}/search/?q=%3Cimg%20onerror%3Dalert%3E&materials__in=12,%3Cb%3E")
    expect(page.locator(".chosen button").first).to_have_text(HOSTILE)
    expect(page.locator(".hit h3")).to_have_text(HOSTILE)
    page.goto(f"{hostile}/search/materials/12/")
    expect(page.locator(".labs a")).to_have_text(HOSTILE)
    assert page.locator("main img, main b, main script").count() == 0


def test_the_scripts_of_the_page_are_small_and_comments_are_not_published(sample):
    with urlopen(f"{sample}/search/client.js") as answer:
        client = answer.read()
    with urlopen(f"{sample}/suche/") as answer:
        (script,) = re.findall(rb'src="../(static/search[^"]+)"', answer.read())
    with urlopen(f"{sample}/{script.decode()}") as answer:
        scripts = [client, answer.read()]
    assert b"\n  " not in scripts[1]
    assert sum(len(gzip.compress(one, 9)) for one in scripts) <= BUDGET
    first, *lines = client.splitlines()
    assert first.startswith(b"// Searches a site")
    assert not [one for one in lines if one.startswith((b" ", b"//", b"/*"))]
