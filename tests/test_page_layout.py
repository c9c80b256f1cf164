"""The layout of pages with long texts, large letters and scripts from right to left, in real browsers."""

import re
from collections.abc import Iterator

import pytest
from browsers import expect, serving
from conftest import ALPHA, BETA, CATEGORIES, EXTRAS, SITE, Project

from labgen.api.endpoint import LABORATORIES

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsprüflabore"
WORD = "x" * 200
HEBREW = "מעבדת בדיקות"
OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}Ort"
LAB = f"{LABORATORIES}00001/"


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> Iterator[str]:
    """The address of a directory with a name and texts that are hard to lay out."""
    project = Project(tmp_path_factory.mktemp("long")).sound()
    project.file("data/site.toml", SITE.replace("Verzeichnis", LONG).replace("Partner", WORD))
    texts = {
        "name": WORD,
        "about": WORD,
        "locality": WORD,
        "materials": [1, 2, 3],
        "landings_links": [{"title": WORD, "link": "/x/"}],
        "reviews": [{"id": 1, "rating": "4.65", "created_on": "2024-05-06", "author": HEBREW}],
    }
    turned = {"locality": OVERRIDE, "job_listings": [EXTRAS["job_listings"][0] | {"locality": OVERRIDE}]}
    materials = [{"id": number, "title": WORD} for number in (1, 2, 3)]
    project.write(laboratories=[ALPHA | EXTRAS | texts, BETA | turned], materials=materials, **CATEGORIES)
    assert not project.build().errors
    with serving(project.out) as address:
        yield address


def enlarge(page, width, text):
    """Make the window so wide, and letters so large, in percent."""
    page.set_viewport_size({"width": width, "height": 740 if width < 500 else 800})
    page.evaluate("size => { document.documentElement.style.fontSize = size; }", f"{text}%")


def test_a_long_name_is_cut_on_a_phone_until_it_is_pointed_at_so_data_begin_early(long, visited):
    page = visited("about:blank")
    page.set_viewport_size({"width": 390, "height": 844})
    for section in ("", "materials/"):
        page.goto(f"{long}{LAB}{section}api.html")
        assert page.locator("#json").bounding_box()["y"] < 844 * 2 / 5, section
    heading = page.locator("h1")
    is_cut = "heading => heading.scrollHeight > heading.clientHeight"
    assert heading.evaluate(is_cut)
    heading.focus()
    assert not heading.evaluate(is_cut)
    page.goto(f"{long}{LABORATORIES}00002/api.html")
    assert page.locator("h1[tabindex]").count() == 0


def test_a_place_does_not_turn_the_text_after_it_around(long, visited):
    page = visited("about:blank")
    for path, place in (
        ("/land/deutschland/", ".town:last-of-type .card p"),
        ("/labor/00002/beta/", ".place"),
        ("/labor/00002/beta/", "#job_listings li > span:last-child > span:first-child"),
        ("/suche/?q=Beta", ".hit p"),
        ("/suche/country/de/index.html", "li:last-child small"),
    ):
        page.goto(f"{long}{path}")
        expect(page.locator(place).first).to_contain_text("Deutschland")
        first, last = page.locator(place).first.evaluate(ENDS_OF_COUNTRY)
        assert first < last, path


ENDS_OF_COUNTRY = """place => {
  const { lastChild: text } = place, at = text.data.indexOf("Deutschland");
  return [at, at + 10].map(one => {
    const range = new Range();
    range.setStart(text, one);
    range.setEnd(text, one + 1);
    return range.getBoundingClientRect().left;
  });
}"""


def test_there_is_a_way_back_to_the_search(long, visited):
    page = visited(f"{long}/suche/?q=Beta")
    expect(page.locator(".hit")).to_be_visible()
    page.locator(".hit a").first.click()
    expect(page).to_have_url(f"{long}/labor/00002/beta/index.html")
    page.locator(".back").click()
    expect(page).to_have_url(f"{long}/suche/?q=Beta")


def test_a_hint_is_not_cut_within_words(sample, visited):
    page = visited(f"{sample}/suche/")
    assert page.locator("#q").evaluate("field => getComputedStyle(field).textOverflow") == "ellipsis"


def test_the_header_holds_what_is_in_it(long, visited):
    page = visited(f"{long}{LAB}api.html")
    for width, text in ((360, 200), (1280, 200)):
        enlarge(page, width, text)
        ends = page.locator("header.site, header.site a").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().bottom)"
        )
        assert max(ends) == ends[0], (width, text)


@pytest.mark.both_browsers
def test_no_text_is_so_long_that_a_page_is_wider_than_the_window(long, visited):
    page = visited("about:blank")
    for path in ("/", "/land/deutschland/", "/labor/00001/alpha/", f"{LAB}materials/api.html"):
        page.goto(f"{long}{path}")
        enlarge(page, 360, 200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


@pytest.mark.both_browsers
def test_a_date_beside_a_name_from_right_to_left_is_read_from_left_to_right(long, visited):
    page = visited(f"{long}/labor/00001/alpha/")
    day, year = page.locator("#reviews time").evaluate("""time => [0, time.textContent.length - 1].map(at => {
        const range = document.createRange();
        range.setStart(time.firstChild, at);
        range.setEnd(time.firstChild, at + 1);
        return range.getBoundingClientRect().left;
    })""")
    assert day < year


@pytest.mark.parametrize("window", ["chromium"], indirect=True)  # the protocol of Firefox has no print
def test_print_has_no_signs_of_controls(sample, opened):
    page = opened(f"{sample}/")
    page.emulate_media(media="print")
    page.goto(f"{sample}{LABORATORIES}00117/api.html")
    page.locator("#json").press("Tab")
    page.locator("#json").focus()
    assert page.locator("#json").evaluate("one => getComputedStyle(one).outlineStyle") == "none"
    for path in ("/reference/", "/suche/materials/"):
        page.goto(f"{sample}{path}")
        expect(page.locator(".trail")).to_be_hidden()


@pytest.mark.parametrize("window", ["chromium"], indirect=True)  # the protocol of Firefox has no print
def test_print_takes_as_many_sheets_as_there_is_to_read(sample, opened):
    sheets = {
        "/404.html": 1,
        "/suche/test_categories/1/": 1,
        "/suche/?q=zugversuch": 1,
        "/": 2,
        "/land/deutschland/": 1,
    }
    for path, most in sheets.items():
        page = opened(f"{sample}{path}")
        page.wait_for_load_state("networkidle")
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) <= most, path


@pytest.mark.parametrize("window", ["chromium"], indirect=True)
def test_where_the_system_chooses_colours_only_the_section_that_is_shown_has_a_line(sample, opened):
    for path in ("/labor/00117/institut-rheinbogen/", f"{LABORATORIES}00117/api.html"):
        page = opened(f"{sample}{path}", forced_colors="active")
        lines = page.locator(":is(.contents, .sections) [href]").evaluate_all(
            """all => all.map(one => ["Top", "Bottom"].filter(side =>
            getComputedStyle(one)[`border${side}Color`] !== getComputedStyle(document.body).backgroundColor).join())"""
        )
        assert (lines[0], set(lines[1:])) == ("Bottom", {""})


def test_a_filter_that_is_chosen_shows_how_it_is_taken_back_however_long_it_is(sample, visited):
    page = visited(f"{sample}/suche/?materials__in=1148", width=320, height=740)
    button = page.locator(".chosen button")
    expect(button).to_contain_text("Abfälle aus Keramikerzeugnissen")
    sign = button.evaluate(
        "one => (({ position, content }) => [position, content])(getComputedStyle(one, '::after'))"
    )
    assert sign == ["absolute", '"×"']


def test_scrolling_puts_nothing_between_lines_that_are_laid_out_together(sample, visited):
    page = visited(f"{sample}{LABORATORIES}api.html")
    count = "document.querySelectorAll('#json *').length"
    at_first = page.evaluate(count)
    page.locator("pre span[id]").last.scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    assert page.evaluate(count) == at_first
    page.locator("pre span[id] .fold").last.click()
    expect(page.locator("pre span[id] span.folded")).to_have_count(1)


def test_code_is_not_hyphenated(sample, visited):
    page = visited(f"{sample}{LABORATORIES}api.html")
    hyphens = "all => all.map(one => getComputedStyle(one).hyphens)"
    assert set(page.locator("code").evaluate_all(hyphens)) == {"manual"}
