"""The pages for people: what they show, that an edit renders few of them, and what their script adds."""

import gzip
import json
import re

import pytest
from browsers import expect, serving, wait_until
from conftest import ALPHA, BETA, ROOT, SITE, laboratory
from servers import ask
from stand_ins import netlify_edge

from labgen.contract.http_contract import BROWSER, Request
from labgen.render.country_pages import MOST_CARDS, PER_PAGE
from labgen.render.public_pages import OPEN, publisher

RHEINBOGEN = "/labor/00117/institut-rheinbogen/"


def page_of(site, path: str) -> str:
    page: bytes = site.read(path, "index.html")
    return page.decode()


def text_of(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", markup))


def test_a_page_shows_the_sections_that_have_entries_and_their_numbers(site):
    record = ALPHA | {
        "materials": [12, 471],
        "about": "Eins.\r\n\r\nZwei.",
        "locality": "Köln",
        "website": "https://a.example/",
    }
    site.write(laboratories=[record, BETA]).build()
    page = page_of(site, "labor/00001/alpha/")
    assert re.findall(r'<section id="(\w+)"', page) == ["about", "materials"]
    assert "Materialien <small>2</small>" in page
    assert '?materials__in=12">Stahl</a>' in page
    for text in ("Eins.", "Zwei.", "a.example", "Köln, Deutschland", "00001"):
        assert text in text_of(page).replace(" ,", ","), text


def test_contacts_are_in_no_file_in_plain_form(site):
    contact = {"first_name": "Ada", "email": "ada@a.example", "phone": "+49 30 123"}
    site.write(laboratories=[ALPHA | {"contact_person": contact}, BETA]).build()
    page = page_of(site, "labor/00001/alpha/")
    assert f'data-mail="{",".join(str(ord(one)) for one in "ada@a.example")}"' in page
    assert "<noscript>" in page
    for data in site.tree().values():
        assert b"ada@a.example" not in data
        assert b"+49 30 123" not in data


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("DIN 1054:2010-12", "DIN"), ("DIN EN ISO 6892-1", "DIN EN ISO"), ("DIN EN ISO/IEC 17025:2018", "DIN EN ISO/IEC"), ("ASTM E8", "ASTM"),
        ("VDI/VDE 2617", "VDI/VDE"), ("DIN V 18599", "DIN V"), ("Verfahren A", ""), ("17 09 04", ""), ("TRGS 402", "TRGS"), ("DIN", ""),
    ],
)  # fmt: skip
def test_a_standard_is_of_the_publishers_before_its_number(title, found):
    assert publisher(title) == found


def test_a_long_list_of_standards_is_in_groups_and_no_entry_is_left_out(site):
    titles = (
        [f"DIN {number}" for number in range(OPEN + 5)]
        + [f"ISO {number}" for number in range(9)]
        + ["Hausverfahren"]
    )
    standards = [{"id": at, "search_val": f"s{at}", "title": title} for at, title in enumerate(titles, 1)]
    site.write(standards=standards, laboratories=[ALPHA | {"standards": [*range(1, len(titles) + 1)]}, BETA])
    site.build()
    section = page_of(site, "labor/00001/alpha/").partition('<section id="standards"')[2]
    assert re.findall(r"<summary>(.*?)</summary>", section) == [
        "DIN <small>35</small>", "Weitere <small>5</small>", "ISO <small>9</small>", "Andere <small>1</small>",
    ]  # fmt: skip
    assert sorted(re.findall(r"\?tests__in=\w+\">(.*?)</a>", section)) == sorted(titles)
    assert section.count("<details open>") == 1


def test_a_page_of_a_country_has_its_towns_and_an_edit_renders_no_other_one(site):
    countries = [
        {"iso_code": "de", "slug": "deutschland", "name": "Deutschland"},
        {"iso_code": "at", "slug": "oesterreich", "name": "Österreich"},
        {"iso_code": "li", "slug": "", "name": "Liechtenstein"},
    ]
    site.write(countries=countries)
    labs = [
        ALPHA | {"locality": "Köln"},
        BETA | {"country": "at", "locality": "Linz"},
        laboratory("00003", country="li"),
    ]
    site.write(laboratories=labs).build()
    page = page_of(site, "land/deutschland/")
    assert '<section class="town" id="town-koeln">' in page
    assert "1 Labor an einem Ort" in page
    assert 'href="/labor/00001/alpha/index.html"' in page
    assert {name.split("/")[1] for name in site.tree() if name.startswith("land/")} == {
        "deutschland",
        "oesterreich",
    }
    written = site.write(laboratories=[labs[0] | {"name": "Alpha Neu"}, *labs[1:]]).build().written.written
    assert [name for name in written if name.startswith("land/")] == ["land/deutschland/index.html"]
    gone = site.write(laboratories=[labs[0], labs[2]]).build().written
    assert [name for name in gone.removed if name.startswith("land/")] == ["land/oesterreich/index.html"]


@pytest.mark.parametrize("folder", ["land/deutschland", "manifest"])
def test_compressed_copies_of_files_that_stay_are_kept_and_restored(site, folder):
    site.file("data/site.toml", f'hosts = ["nginx"]\ncopies = ["gz"]\n{SITE}')
    site.write(laboratories=[ALPHA, BETA, laboratory("00003", country="li")]).build()
    site.write(laboratories=[ALPHA, BETA, laboratory("00003", country="li", about="Neu")]).build()
    copies = {name for name in site.tree() if name.startswith(folder) and name.endswith(".gz")}
    assert copies
    assert {name.removesuffix(".gz") for name in copies} <= site.tree().keys()
    for one in copies:
        site.without(f"out/{one}")
    site.write(laboratories=[ALPHA, BETA, laboratory("00003", country="li")]).build()
    assert copies <= site.tree().keys()
    assert all(gzip.decompress(site.tree()[one]) == site.tree()[one[:-3]] for one in copies)


@pytest.mark.parametrize(
    ("towns", "said"),
    [
        (["", ""], "2 Labore"),
        (["Ulm", ""], "2 Labore an einem Ort"),
        (["Ulm", "Linz"], "2 Labore an 2 Orten"),
    ],
)
def test_laboratories_without_a_town_are_in_none(site, towns, said):
    alpha, beta = (one | {"locality": town} for one, town in zip((ALPHA, BETA), towns, strict=True))
    site.write(laboratories=[alpha, beta]).build()
    assert f'<p class="place">{said}</p>' in page_of(site, "land/deutschland/")


def test_a_name_and_a_town_of_any_length_have_a_page(site):
    site.write(laboratories=[ALPHA | {"name": "Prüf " * 99, "locality": "x" * 400}, BETA])
    assert not site.build().errors
    url = site.document("laboratories/00001/")["url"]
    assert re.fullmatch(r"/labor/00001/(pruef-)*pru?e?f?/", url)
    assert (site.out / url.strip("/") / "index.html").is_file()
    (found,) = site.write(laboratories=[ALPHA | {"slug": "x" * 201}]).check().found
    assert found.code == "invalid-value"


def test_a_large_country_shows_its_towns_each_with_pages_of_its_own(site):
    many = [
        laboratory(f"{number:05}", locality="Köln" if number <= PER_PAGE + 1 else "Ulm")
        for number in range(1, MOST_CARDS + 2)
    ]
    site.write(laboratories=many).build()
    towns = (
        "land/deutschland/koeln/index.html",
        "land/deutschland/koeln/page-2.html",
        "land/deutschland/ulm/index.html",
    )
    assert {name for name in site.tree() if name.startswith("land/deutschland/")} == {
        "land/deutschland/index.html",
        *towns,
    }
    assert (
        f'id="town-koeln"><a href="koeln/index.html"><bdi>Köln</bdi> <small>{PER_PAGE + 1}</small>'
        in page_of(site, "land/deutschland/")
    )
    written = site.write(laboratories=[*many[:-1], many[-1] | {"name": "Neu"}]).build().written.written
    assert [name for name in written if name.startswith("land/")] == ["land/deutschland/ulm/index.html"]
    site.write(laboratories=many[:-1]).build()
    assert {name for name in site.tree() if name.startswith("land/deutschland/")} == {
        "land/deutschland/index.html"
    }


def test_a_renamed_laboratory_leaves_its_old_address(site):
    site.build()
    site.write(laboratories=[ALPHA | {"name": "Gamma"}, BETA]).build()
    assert {name for name in site.tree() if name.startswith("labor/00001/")} == {
        "labor/00001/gamma/index.html"
    }


@pytest.mark.both_browsers
@pytest.mark.parametrize("path", ["/", "/land/deutschland/", "/404.html"])
def test_the_key_that_the_search_field_names_leads_to_it_and_enter_to_what_is_found(sample, visited, path):
    page = visited(sample + path)
    page.keyboard.press(page.locator("#q").get_attribute("aria-keyshortcuts"))
    page.keyboard.type("a/rheinbogen")
    expect(page.locator("#q")).to_have_value("a/rheinbogen")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/suche/.*\?q=a%2Frheinbogen"))


def test_contacts_are_decoded_on_public_pages(sample, visited):
    source = json.loads((ROOT / "data/laboratories/00117.json").read_bytes())["contact_person"]
    page = visited(sample + RHEINBOGEN)
    expect(page.locator("[data-mail]")).to_have_attribute("href", f"mailto:{source['email']}")
    expect(page.get_by_text(source["phone"])).to_have_attribute("href", "tel:+492214710117")


def test_texts_are_shown_as_they_were_written_and_break_where_people_would(site, visited):
    standards = [
        {"id": 1, "search_val": "din-1", "title": "DIN 1 " + "Prüfung " * 9, "summary": ""},
        {"id": 2, "search_val": "din-2", "title": "DIN 2", "summary": "Kurz"},
    ]
    contact = {"email": "pruefung.und.kalibrierung@labor-nord.example"}
    alpha = ALPHA | {"about": "Eins.\r\nZwei.", "standards": [1, 2], "contact_person": contact}
    site.write(laboratories=[alpha, BETA], standards=standards)
    assert not site.build().errors
    with serving(site.out) as address:
        page = visited(f"{address}/labor/00001/alpha/", width=1280)
        assert page.locator("#about p").inner_text() == "Eins.\nZwei."
        assert "kalibrierung<wbr>@labor" in page.locator("[data-mail]").inner_html()
        widths = page.locator("#standards li > a").evaluate_all("links => links.map(one => one.offsetWidth)")
        whole = page.locator("#standards li").first.evaluate("one => one.clientWidth")
        assert widths[1] < whole / 2 < widths[0]
        site.write(laboratories=[ALPHA | {"about": "Eins."}, BETA]).build()
        expect(visited(f"{address}/labor/00001/alpha/").locator(".contents")).to_be_hidden()


def test_a_long_name_of_the_directory_is_whole_on_phones(site, visited):
    name = "Verzeichnis akkreditierter Prüf- und Kalibrierlaboratorien in Nordrhein-Westfalen"
    links = '[looks]\nheader = [{ title = "Kontakt", href = "https://a.example/" }]\n'
    site.file("data/site.toml", SITE.replace('"Verzeichnis"', f'"{name}"') + links).build()
    with serving(site.out) as address:
        brand = visited(f"{address}/", width=320).locator(".brand")
        box, text = brand.evaluate(BOX_AND_TEXT)
        assert box["top"] <= text["top"] < text["bottom"] <= box["bottom"]


BOX_AND_TEXT = """one => {
  const text = document.createRange();
  text.selectNodeContents(one);
  return [one, text].map(some => some.getBoundingClientRect().toJSON());
}"""
"""Where an element is on the screen, and its text."""


def test_examples_of_a_search_are_short(site):
    methods = [
        {"id": number, "search_val": f"m-{number}", "title": title, "summary": "", "price": None}
        for number, title in enumerate(["Zugversuch", "Zugversuch an Proben aus Stahlblech bei Kälte"], 1)
    ]
    site.write(laboratories=[ALPHA | {"test_methods": [1, 2]}, BETA], test_methods=methods).build()
    hints = page_of(site, "/").partition('<p class="hints">')[2].partition("</p>")[0]
    assert re.findall("<a [^>]*>([^<]*)</a>", hints) == ["Zugversuch"]


def test_without_script_a_page_says_how_contacts_are_seen_and_pictures_are_links(sample, visited):
    page = visited(sample + RHEINBOGEN, has_script=False)
    assert "wo Skripte laufen" in page.locator(".contact noscript").evaluate("one => one.textContent")
    expect(page.locator("[data-mail]")).to_be_hidden()
    address = page.locator(".gallery a").first.get_attribute("href")
    page.locator(".gallery a").first.click()
    expect(page).to_have_url(re.compile(re.escape(address)))


@pytest.mark.both_browsers
def test_pictures_open_in_a_dialog_that_keys_turn_and_close(sample, visited):
    page = visited(sample + RHEINBOGEN)
    addresses = page.locator(".gallery a").evaluate_all("links => links.map(link => link.href)")
    page.locator(".gallery a").first.click()
    shown = page.locator("dialog img")
    expect(shown).to_have_js_property("src", addresses[0])
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_js_property("src", addresses[1])
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator(".gallery a").first).to_be_focused()


def test_a_filter_finds_standards_in_groups_that_are_folded(sample, visited):
    page = visited(sample + RHEINBOGEN)
    entries = page.locator(SHOWN)
    before = entries.count()
    assert before == OPEN
    page.locator("#f-standards").fill("iso 10304")
    expect(entries.first).to_contain_text("10304")
    assert all("10304" in one for one in entries.all_text_contents())
    page.locator("#f-standards").fill("")
    expect(entries).to_have_count(before)


SHOWN = "#standards li:not([hidden]):not(details:not([open]) *)"
"""The standards that are not folded."""


def test_the_contents_mark_the_section_in_view(sample, visited):
    page = visited(sample + RHEINBOGEN, width=1280, height=800)
    page.locator(".contents a[href='#reviews']").click()
    wait_until(page, "() => document.querySelector('.contents [aria-current]')?.hash === '#reviews'")


def test_a_function_leads_from_a_former_name_of_a_laboratory_to_its_page(site, tmp_path):
    site.build(hosts=("netlify",))
    with netlify_edge(site.out, tmp_path) as port:
        moved = ask(port, Request("GET", "/labor/00001/alt/", (("Accept", BROWSER),)))
        assert (moved.status, moved.fields["location"]) == (301, "/labor/00001/alpha/")
        for path, status in (
            ("/labor/00009/alt/", 404),
            ("/labor/00001/", 404),
            ("/labor/00001/alpha/", 200),
        ):
            assert ask(port, Request("GET", path, (("Accept", BROWSER),))).status == status
