"""The example of a front end in docs/, on another origin than the site, in both browsers."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from browsers import expect
from servers import served

from labgen.client import Directory, decode
from labgen.contract.http_contract import MEDIA_TYPES
from labgen.serve.answer import Answer

EXAMPLE = Path(__file__).resolve().parent.parent / "docs/examples/front-end"


@pytest.fixture(scope="module")
def labs(sample: str) -> Iterator[Directory]:
    with Directory(sample, document="index.json") as labs:
        yield labs


@pytest.fixture(scope="module")
def front_end(sample: str) -> Iterator[str]:
    """The address of the example, which has the address of the sample directory in its page."""

    def respond(_method: str, target: str, _fields: Mapping[str, str]) -> Answer:
        name = target.strip("/") or "index.html"
        data = (EXAMPLE / name).read_bytes().replace(b"https://labs.example.org/", f"{sample}/".encode())
        return Answer(200, (("Content-Type", MEDIA_TYPES[Path(name).suffix]),), data)

    with served(respond) as address:
        assert address != sample
        yield address


def test_it_is_a_small_example():
    lines = [len((EXAMPLE / name).read_text().splitlines()) for name in ("index.html", "app.js", "style.css")]
    assert sum(lines) <= 150


@pytest.mark.both_browsers
def test_a_reader_lists_searches_and_opens_a_laboratory(front_end, labs, opened):
    page = opened(front_end)
    names = [one["name"] for one in labs.laboratories()]
    expect(page.locator("main li")).to_have_count(min(20, len(names)))
    assert page.locator("main li a").all_inner_texts() == names[:20]
    page.locator('[name="q"]').fill("prüfung")
    found = labs.search({"q": "prüfung"})
    expect(page.locator("h1")).to_have_text(f"{found['count']} Labore")
    assert page.locator("main li a").all_inner_texts() == [one["name"] for one in found["results"]]
    page.locator("main li a").first.click()
    expect(page.locator("h1")).to_have_text(found["results"][0]["name"])
    page.go_back()
    expect(page.locator("h1")).to_have_text(f"{found['count']} Labore")
    expect(page.locator('[name="q"]')).to_have_value("prüfung")


def test_a_laboratory_is_shown_with_its_contact_and_its_materials_lead_to_a_search(front_end, labs, opened):
    whole = next(
        one
        for one in (labs.all(card["display_id"]) for card in labs.laboratories())
        if one["materials"]["items"]
        and one["gallery"]
        and one["laboratory"]["contact_person"]["encoded_email"]
    )
    record, material = whole["laboratory"], whole["materials"]["items"][0]
    page = opened(f"{front_end}/#/{record['display_id']}")
    expect(page.locator("h1")).to_have_text(record["name"])
    email = decode(record["contact_person"]["encoded_email"])
    expect(page.locator(f'a[href="mailto:{email}"]')).to_have_count(1)
    for picture in page.locator("main img").all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("one => one.decode().then(() => one.naturalWidth > 0)")
    page.get_by_role("link", name=material["title"], exact=True).first.click()
    found = labs.search({"materials__in": material["search_val"]})
    expect(page.locator("h1")).to_have_text(f"{found['count']} Labore")


def test_filters_have_titles_and_counts_and_pages_lead_on(front_end, labs, opened):
    page = opened(f"{front_end}/#/?country=de")
    countries = {one["search_val"]: one for one in labs.catalogue("country")}
    expect(page.locator("option")).to_have_count(1 + len(countries))
    options = page.locator("option").all_inner_texts()
    assert sorted(options) == sorted(
        ["alle", *(f"{one['title']} ({one['count']})" for one in countries.values())]
    )
    expect(page.locator("h1")).to_have_text(f"{countries['de']['count']} Labore")
    expect(page.locator("select")).to_have_value("de")
    page.locator("select").select_option("at")
    expect(page.locator("h1")).to_have_text(f"{countries['at']['count']} Labore")
    page.locator("select").select_option("")
    expect(page.locator("h1")).to_have_text("Alle Labore")
    page.goto(f"{front_end}/#/?is_verified=true,false")
    every = labs.search({"is_verified": "true,false"})
    assert every["next"]
    page.get_by_role("link", name="Weiter").click()
    rest = labs.search(every["next"])
    expect(page.locator("main li a").first).to_have_text(rest["results"][0]["name"])


def test_what_is_not_there_is_said_in_the_words_of_the_site(front_end, window, opened):
    page = opened(f"{front_end}/#/99999999")
    expect(page.locator("h1")).to_have_text("Nicht gefunden.")
    page.get_by_role("link", name="Alle Labore").click()
    expect(page.locator("h1")).to_have_text("Alle Labore")
    window.complaints[:] = [one for one in window.complaints if "404" not in one]


def test_no_text_of_the_site_becomes_markup():
    code = (EXAMPLE / "app.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", code)
