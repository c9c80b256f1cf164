"""The filter of lists, in real browsers: what it finds, what it marks, and that long lists stay usable."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import block_of, document_of, expect, serving, wait_until
from conftest import SITE, Project, in_browsers, laboratory

from labgen.api.endpoint import LABORATORIES, Listing, Paged, PerLaboratory, row_fields
from labgen.api.sections import ENDPOINTS

LARGE = f"{LABORATORIES}00117/"
"""The laboratory of the sample with the longest lists."""
FILTERED = [one for one in ENDPOINTS if isinstance(one, Listing | Paged) or row_fields(one.document)]
SEEN = "all => all.map(one => one.textContent)"
"""The texts of elements."""
HAS_HITS = "() => CSS.highlights.get('hit').size"
IS_MARKED_NEARBY = """id => {
  const row = document.getElementById(id);
  row.scrollIntoView();
  return [...CSS.highlights.get("hit")].some(hit => row.contains(hit.startContainer));
}"""
HAS_BUTTON_NEARBY = """id => {
  const entry = document.getElementById(id);
  entry.scrollIntoView();
  return entry.previousElementSibling?.matches(".fold") ?? false;
}"""
MARKED = """() => [...CSS.highlights.get("hit")].map(one => {
  const range = new Range();
  range.setStart(one.startContainer, one.startOffset);
  range.setEnd(one.endContainer, one.endOffset);
  return range.toString();
})"""


def items_of(document: Any) -> list[Any]:
    return (
        document
        if isinstance(document, list)
        else next(one for one in document.values() if isinstance(one, list))
    )


def path_of(endpoint: Any) -> str:
    return endpoint.path_for("00117") if isinstance(endpoint, PerLaboratory) else endpoint.path


@pytest.mark.parametrize(
    ("window", "name"),
    in_browsers([one.name for one in FILTERED], ("materials", "laboratories", "accreditations")),
    indirect=["window"],
)
def test_the_filter_of_every_page_shows_the_entries_that_have_a_word(sample, visited, name):
    (endpoint,) = (one for one in FILTERED if one.name == name)
    page = visited(f"{sample}{path_of(endpoint)}api.html")
    document = document_of(page)
    items = items_of(document)
    word = max(re.findall(r"[A-Za-z]+", items[-1].get("title") or items[-1]["name"]), key=len)
    found = [
        place
        for place, one in enumerate(items, 1)
        if word.lower() in json.dumps(one, ensure_ascii=False).lower()
    ]
    page.locator("#filter").fill(word)
    expect(page.locator(".filter output")).to_have_text(re.compile(rf"^{len(found)} von "))
    expect(page.locator("pre [id]:visible")).to_have_count(len(found))
    wait_until(page, HAS_HITS)
    marks = page.evaluate(MARKED)
    assert {one.lower() for one in marks} == {word.lower()}
    shown = page.locator("#json")
    expect(shown).to_contain_text(word, ignore_case=True, use_inner_text=True)  # after the next frame
    text = re.sub(r",(\s*\])", r"\1", shown.inner_text())
    assert items_of(json.loads(text)) == [items[at - 1] for at in found]
    page.locator("#filter").fill("")
    expect(page.locator("pre [id]:visible")).to_have_count(len(items))
    assert page.evaluate(MARKED) == []


TITLES = [
    "Straße", "Öl", "H<sub>2</sub>O", "Großes Maß", "Glas", "Oel", "Kohle", "DIN 1054", "DIN EN ISO/IEC 17025:2018", "Stahl-Beton",
    "Wasser\u00adgehalt", "Luft\u200bfeuchte", "A\u030angström", "17 09 04", "Gußeisen", "Café", "PM 10", "Basic 14", "Rüegg", "C++", "Schuh 2", "ﬁlter", "17-18",
]  # fmt: skip


@pytest.fixture(scope="module")
def titled(tmp_path_factory) -> Iterator[str]:
    """The address of a directory with a laboratory whose materials have titles that are hard to find."""
    with serving(built(tmp_path_factory.mktemp("titled"), [TITLES])) as address:
        yield address


def built(root: Path, materials: list[list[str]]) -> Path:
    """Return the folder of a site whose laboratories, from 00001 on, have materials with these titles."""
    titles = list(dict.fromkeys(title for some in materials for title in some))
    ids = {title: place for place, title in enumerate(titles, 1)}
    project = Project(root).sound()
    project.write(
        materials=[{"id": place, "title": title} for title, place in ids.items()],
        laboratories=[
            laboratory(f"{number:05}", materials=[ids[one] for one in some])
            for number, some in enumerate(materials, 1)
        ],
    )
    assert not project.build().errors
    return project.out


MEANT = [
    ("strasse", ["Straße"]), ("STRASSE", ["Straße"]), ("h2o", ["H2O"]), ("gross mass", ["Großes Maß"]), ("gußeisen", ["Gußeisen"]), ("gusseisen", ["Gußeisen"]),
    ("öl", ["Öl", "Oel"]), ("Öl", ["Öl", "Oel"]), ("oel", ["Öl", "Oel"]), ("ol", ["Öl"]), ("o\u0308l", ["Öl", "Oel"]),
    ("DIN1054", ["DIN 1054"]), ("din-1054", ["DIN 1054"]), ("ISO17025", ["DIN EN ISO/IEC 17025:2018"]), ("iso 17025", ["DIN EN ISO/IEC 17025:2018"]),
    ("EN17025", ["DIN EN ISO/IEC 17025:2018"]), ("iso/iec", ["DIN EN ISO/IEC 17025:2018"]), ("17025:2018", ["DIN EN ISO/IEC 17025:2018"]),
    ("stahlbeton", ["Stahl-Beton"]), ("stahl-beton", ["Stahl-Beton"]), ("wassergehalt", ["Wasser\u00adgehalt"]), ("wasser\u00adgehalt", ["Wasser\u00adgehalt"]),
    ("luftfeuchte", ["Luft\u200bfeuchte"]), ("Luft\u2060feuchte", ["Luft\u200bfeuchte"]), ("ångström", ["A\u030angström"]), ("angstrom", ["A\u030angström"]), ("aangstroem", ["A\u030angström"]),
    ("170904", ["17 09 04"]), ("cafe", ["Café"]), ("café", ["Café"]), ("pm10", ["PM 10"]), ("c14", []), ("h2", ["H2O"]), ("ruegg", ["Rüegg"]), ("rueegg", ["Rüegg"]), ("rüegg", ["Rüegg"]),
    ("c++", ["C++"]), ("filter", ["ﬁlter"]), ("1718", []), ("17/18", ["17-18"]), ("(", []), ("\u00ad", TITLES),
]  # fmt: skip


def test_the_filter_finds_what_people_mean(titled, visited):
    page = visited(f"{titled}{LABORATORIES}00001/materials/api.html")
    for wanted, found in MEANT:
        page.locator("#filter").fill(wanted)
        expect(page.locator("pre [id]:visible")).to_have_count(len(found))
        texts = page.locator("pre [id]:visible b:last-of-type").evaluate_all(SEEN)
        titles = [re.sub("<.*?>", "", json.loads(one)) for one in texts]
        assert sorted(titles) == sorted(re.sub("<.*?>", "", one) for one in found), wanted


HITS = [
    ("strasse", ["Straße"]), ("oel", ["Öl", "Oel"]), ("ol", ["Öl"]), ("din1054", ["DIN 1054"]), ("iso17025", ["ISO/IEC 17025"]), ("stahlbeton", ["Stahl-Beton"]),
    ("wassergehalt", ["Wasser\u00adgehalt"]), ("gross mass", ["Groß", "Maß"]), ("cafe", ["Café"]), ("o", None),
]  # fmt: skip


@pytest.mark.both_browsers
def test_what_was_found_is_marked(titled, visited):
    page = visited(f"{titled}{LABORATORIES}00001/materials/api.html?q=strasse")
    for wanted, marked in HITS:
        page.locator("#filter").fill(wanted)
        wait_until(page, HAS_HITS)
        marks = page.evaluate(MARKED)
        assert sorted(marks) == sorted(marked) if marked else len(marks) > 5, wanted
    assert page.evaluate("() => document.querySelector('mark')") is None


def test_a_query_with_an_umlaut_finds_no_letter_without_it(sample, visited):
    page = visited(f"{sample}{LARGE}standards/api.html")
    page.locator("#filter").fill("Öl")
    expect(page.locator(".filter output")).to_have_text("44 von 1.340 Einträgen")


@pytest.mark.both_browsers
def test_the_filter_is_reached_cleared_announced_and_remembered(sample, visited):
    page = visited(f"{sample}{LARGE}standards/api.html")
    page.keyboard.press("/")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.type("din-1054")
    expect(page.locator(".filter output")).to_have_text("2 von 1.340 Einträgen")
    expect(page.locator("pre [id]:visible")).to_have_count(2)
    page.wait_for_url("**/api.html?q=din-1054")
    page.reload()
    expect(page.locator("#filter")).to_have_value("din-1054")
    expect(page.locator("pre [id]:visible")).to_have_count(2)
    page.locator("#filter").focus()
    page.keyboard.press("Escape")
    expect(page.locator("pre [id]:visible")).to_have_count(1340)
    page.wait_for_url("**/api.html")
    assert block_of(page) == document_of(page)


@pytest.mark.both_browsers
def test_what_is_far_away_is_marked_when_it_comes_near(sample, visited):
    page = visited(f"{sample}{LARGE}standards/api.html?q=din")
    wait_until(page, HAS_HITS)
    assert page.evaluate("CSS.highlights.get('hit').size") < 1000
    place = page.locator("pre [id]:visible").last.get_attribute("id")
    wait_until(page, IS_MARKED_NEARBY, place)


COUNTED = """
for (const [kind, names] of [[Document, ["querySelector", "querySelectorAll", "getElementById"]],
    [Element, ["querySelector", "querySelectorAll", "closest"]], [IntersectionObserver, ["observe"]]]) {
  for (const name of names) {
    const original = kind.prototype[name];
    window.counted = {};
    kind.prototype[name] = function (...given) {
      window.counted[name] = (window.counted[name] ?? 0) + 1;
      return original.apply(this, given);
    };
  }
}
"""
MANY = 10_000


@pytest.fixture(scope="module")
def long(tmp_path_factory) -> Iterator[str]:
    """The address of a directory with a laboratory that has 10,000 materials, and one that has three."""
    titles = [f"Stoff {number:05}" for number in range(1, MANY + 1)]
    with serving(built(tmp_path_factory.mktemp("long"), [titles, titles[:3]])) as address:
        yield address


def test_a_page_of_10000_entries_is_asked_no_oftener_than_a_short_one(long, opened):
    counts = []
    for display_id in ("00001", "00002"):
        page = opened("about:blank")
        page.add_init_script(COUNTED)
        page.goto(f"{long}{LABORATORIES}{display_id}/materials/api.html")
        page.wait_for_selector(".fold")
        counts.append(page.evaluate("counted"))
    many, few = counts
    assert many.pop("observe") == MANY / 50
    assert few.pop("observe") == 3, "a short list has no groups"
    assert sum(many.values()) <= sum(few.values()) + 10, "what is near may be a group more"
    assert sum(many.values()) < 100


def test_groups_of_a_long_list_have_buttons_when_they_are_near(long, visited):
    page = visited(f"{long}{LABORATORIES}00001/materials/api.html")
    page.wait_for_selector(".fold")
    assert page.locator("pre code").count() == MANY / 50
    assert page.locator(".fold").count() < 500
    wait_until(page, HAS_BUTTON_NEARBY, MANY)
    page.locator("#filter").fill(f"stoff {MANY}")
    expect(page.locator("pre [id]:visible")).to_have_count(1)
    expect(page.locator(f"[id='{MANY}']")).to_be_in_viewport()


@pytest.fixture(scope="module")
def crowded(tmp_path_factory) -> Iterator[str]:
    """The address of a directory of 120 laboratories, of which the first has 120 reviews."""
    reviews = [
        {"id": number, "rating": "4.00", "title": f"Gut {number}", "created_on": "2024-05-06"}
        for number in range(1, 121)
    ]
    site = Project(tmp_path_factory.mktemp("crowded")).sound()
    site.file("data/site.toml", SITE + "[limits]\npage_size = 200\n")
    laboratories = [laboratory(f"{number:05}", locality=f"Ort {number}") for number in range(1, 121)]
    site.write(laboratories=[laboratories[0] | {"reviews": reviews}, *laboratories[1:]])
    site.build()
    with serving(site.out) as address:
        yield address


@pytest.mark.parametrize("path", ["", "00001/reviews/"])
def test_long_lists_as_json_are_groups_of_lines_that_have_buttons_when_they_are_near(crowded, visited, path):
    page = visited(f"{crowded}{LABORATORIES}{path}api.html")
    assert [page.locator("pre code").nth(at).locator("> [id]").count() for at in range(3)] == [50, 50, 20]
    assert block_of(page) == document_of(page)
    assert page.locator("pre code .fold").count() < 200
    last = page.locator("pre [id]").last.get_attribute("id")
    page.goto(f"{crowded}{LABORATORIES}{path}api.html#{last}")
    wait_until(page, "id => document.getElementById(id).previousElementSibling?.matches('.fold')", last)
    expect(page.locator("pre [id]").last).to_be_in_viewport()
    line = page.locator("#json").evaluate("block => parseFloat(getComputedStyle(block).lineHeight)")
    for at in (-1, -2):
        page.locator("pre code").last.locator("> .fold").nth(at).click()
    second, first = (page.locator("pre [id]").nth(at).bounding_box()["y"] for at in (-1, -2))
    assert second - first == pytest.approx(line, abs=1)
    assert block_of(page) == document_of(page)
    buttons = [page.locator(".fold").first, page.locator("pre code > .fold").last]
    assert len({round(button.bounding_box()["x"]) for button in buttons}) == 1


def test_the_filter_of_a_long_list_as_json_leaves_no_place_for_what_it_hides(crowded, visited):
    page = visited(f"{crowded}{LABORATORIES}api.html")
    page.locator("#filter").fill("Ort 120")
    expect(page.locator("pre [id]:visible")).to_have_count(1)
    assert page.locator("pre code:visible").count() == 1
    expect(page.locator("[id='00120']")).to_be_in_viewport()
    page.locator("#filter").fill("")
    expect(page.locator("pre code:visible")).to_have_count(3)
