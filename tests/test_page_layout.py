"""The layout of pages with long texts, large letters and scripts from right to left, in real browsers."""

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
        (f"{LABORATORIES}api.html#ansicht", "article:last-child p"),
        (f"{LABORATORIES}00002/api.html#ansicht", ".place"),
        (f"{LABORATORIES}00002/job_listings/api.html#ansicht", "dd"),
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


def test_the_way_back_to_a_search_leaves_the_breadcrumbs_whole_and_far_enough_to_be_hit(long, visited):
    page = visited(f"{long}/suche/?q=Beta")
    expect(page.locator(".hit")).to_be_visible()
    page.goto(f"{long}{LAB}materials/api.html")
    expect(page.locator(".back")).to_be_visible()
    for width, is_below in ((1280, False), (390, True)):
        page.set_viewport_size({"width": width, "height": 844})
        trail, first, long_name, last, back = (
            page.locator(one).bounding_box()
            for one in (
                ".trail",
                "li:first-child a >> nth=0",
                "li:nth-child(3) a >> nth=0",
                ".breadcrumbs li:last-child",
                ".back",
            )
        )
        assert long_name["x"] + long_name["width"] < last["x"], width
        assert last["x"] + last["width"] <= trail["x"] + trail["width"], width
        first_middle, back_middle = (one["y"] + one["height"] / 2 for one in (first, back))
        assert (back_middle - first_middle >= 24) is is_below, width


def test_a_hint_and_the_name_of_a_plan_are_not_cut_within_words(sample, visited):
    page = visited(f"{sample}/suche/")
    assert page.locator("#q").evaluate("field => getComputedStyle(field).textOverflow") == "ellipsis"
    page.goto(f"{sample}/api/v1/laboratory/upgrade-options/api.html#ansicht")
    page.set_viewport_size({"width": 360, "height": 740})
    lines = page.locator(".comparison code").evaluate_all(
        """all => all.flatMap(code => [...code.childNodes].filter(node => node.data).map(text => {
          const range = new Range();
          range.selectNode(text);
          return new Set([...range.getClientRects()].map(box => box.top)).size;
        }))"""
    )
    assert lines == [1, 1, 1, 1]


def test_the_header_holds_what_is_in_it(long, visited):
    page = visited(f"{long}{LAB}api.html")
    for width, text in ((360, 200), (1280, 200)):
        enlarge(page, width, text)
        ends = page.locator("header.site, header.site a").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().bottom)"
        )
        assert max(ends) == ends[0], (width, text)


def test_no_text_is_so_long_that_a_page_is_wider_than_the_window(long, visited):
    page = visited("about:blank")
    for section in ("", "landings_links/", "materials/", "reviews/"):
        page.goto(f"{long}{LAB}{section}api.html#ansicht")
        enlarge(page, 360, 200)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, section


def test_words_in_tables_are_not_broken_into_letters(long, visited):
    for path, width in (("/", 794), ("/api/v1/laboratory/upgrade-options/api.html#ansicht", 360)):
        page = visited(f"{long}{path}", width=width, height=800)
        words = """cells => cells.map(cell => {
            const range = document.createRange();
            range.setStart(cell.firstChild, 0);
            range.setEnd(cell.firstChild, cell.firstChild.data.split(/\\s/)[0].length);
            return range.getClientRects().length;
        })"""
        assert set(page.locator("tbody th").evaluate_all(words)) == {1}, path
        assert page.locator(".scroll").first.evaluate("one => one.scrollWidth <= one.clientWidth"), path


def test_a_date_beside_a_name_from_right_to_left_is_read_from_left_to_right(long, visited):
    page = visited(f"{long}{LAB}reviews/api.html#ansicht")
    day, year = page.locator("time").evaluate("""time => [0, time.textContent.length - 1].map(at => {
        const range = document.createRange();
        range.setStart(time.firstChild, at);
        range.setEnd(time.firstChild, at + 1);
        return range.getBoundingClientRect().left;
    })""")
    assert day < year


@pytest.mark.parametrize("window", ["chromium"], indirect=True)  # the protocol of Firefox has no print
def test_print_has_no_signs_of_controls(sample, opened):
    page = opened(f"{sample}{LABORATORIES}00117/materials/api.html#ansicht")
    expect(page.locator(".find").first).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".find:visible")).to_have_count(0)
    page.goto(f"{sample}{LABORATORIES}00117/api.html#json")
    page.locator("#json").press("Tab")
    page.locator("#json").focus()
    assert page.locator("#json").evaluate("one => getComputedStyle(one).outlineStyle") == "none"
    for path in ("/reference/", "/suche/materials/"):
        page.goto(f"{sample}{path}")
        expect(page.locator(".trail")).to_be_hidden()


def test_the_endpoints_begin_on_the_first_two_fifths_of_the_front_page(sample, visited):
    page = visited(f"{sample}/")
    for width, height in ((360, 740), (1280, 800)):
        enlarge(page, width, 100)
        assert page.locator(".endpoints tbody tr").first.bounding_box()["y"] / height <= 0.4, width


def test_data_begin_as_early_for_who_comes_from_the_search(sample, visited):
    page = visited(f"{sample}/suche/?q=wasser", width=360, height=740)
    expect(page.locator(".hit").first).to_be_visible()
    page.goto(f"{sample}{LABORATORIES}00117/reviews/api.html#json")
    expect(page.locator(".back")).to_be_visible()
    assert page.locator("#json").bounding_box()["y"] / 740 <= 0.4


def test_a_filter_that_is_chosen_shows_how_it_is_taken_back_however_long_it_is(sample, visited):
    page = visited(f"{sample}/suche/?materials__in=1148", width=320, height=740)
    button = page.locator(".chosen button")
    expect(button).to_contain_text("Abfälle aus Keramikerzeugnissen")
    sign = button.evaluate(
        "one => (({ position, content }) => [position, content])(getComputedStyle(one, '::after'))"
    )
    assert sign == ["absolute", '"×"']


def test_scrolling_puts_nothing_between_lines_that_are_laid_out_together(sample, visited):
    page = visited(f"{sample}{LABORATORIES}api.html#json")
    count = "document.querySelectorAll('#json *').length"
    at_first = page.evaluate(count)
    page.locator("pre span[id]").last.scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    assert page.evaluate(count) == at_first
    page.locator("pre span[id] .fold").last.click()
    expect(page.locator("pre span[id] span.folded")).to_have_count(1)


def test_code_is_not_hyphenated(sample, visited):
    page = visited(f"{sample}/")
    hyphens = "all => all.map(one => getComputedStyle(one).hyphens)"
    assert set(page.locator("code").evaluate_all(hyphens)) == {"manual"}


def test_the_columns_of_a_list_have_titles_for_what_they_show(sample, visited):
    page = visited(f"{sample}{LABORATORIES}00117/materials/api.html#ansicht")
    title = "all => all.map(one => getComputedStyle(one, '::before').content !== 'none')"
    assert page.locator("thead b").evaluate_all(title) == [False, True]
