"""The pages in a real browser, served as a full host would: what readers do, and what must never happen."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from browsers import (
    OBSERVE_SHIFTS,
    block_of,
    complaints_of_axe,
    document_of,
    expect,
    serving,
    too_narrow_windows,
    wait_until,
)
from conftest import ALPHA, BETA, MATERIALS, ROOT, SITE, Project, in_browsers, laboratory
from servers import served

from labgen.api.endpoint import LABORATORIES, PerLaboratory
from labgen.api.sections import ENDPOINTS
from labgen.cli.show_result import problems_as_text
from labgen.model.german import collation_key
from labgen.serve.preview import Preview

LARGE = f"{LABORATORIES}00117/"
"""The laboratory of the sample with the longest lists, and pictures."""
ODD = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "&amp; &lt;b&gt;", "مختبر الاختبار",
    "Prüflabor 🧪", "[https://a.example/?a=1&b=2]", "a\u2028b", "]]>", "<!--", "{{ site }}", r"\n \u0041", "x" * 7000,
]  # fmt: skip


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> Iterator[str]:
    """The address of a directory, in English, whose texts try to break its pages."""
    project = Project(tmp_path_factory.mktemp("odd")).sound()
    project.file("data/site.toml", f'language = "en"\n{SITE}')
    project.write(
        materials=MATERIALS,
        standards=[{"id": number, "search_val": f"n{number}", "title": text, "summary": f"{text}\r\n;;\t{text}"} for number, text in enumerate(ODD)],
        laboratories=[
            ALPHA | {"name": "مختبر </script>", "about": "\r\n".join(ODD), "standards": list(range(len(ODD))), "similar_labs": ["00002"]},
            BETA | {"name": '<img src=x onerror="alert(1)"> 🧪'},
            laboratory("00003", name="[https://a.example/]", locality="مختبر"),
        ],
    )  # fmt: skip
    assert not project.build().errors
    with serving(project.out) as address:
        yield address


def path_of(endpoint: Any, display_id: str) -> str:
    return endpoint.path_for(display_id) if isinstance(endpoint, PerLaboratory) else endpoint.path


SHORT = [one for one in ENDPOINTS if not one.is_optional and one.name != "standards"]
"""Endpoints of all sites, but for the one whose 1,500 entries axe takes half a minute to look at."""

ALWAYS = [one for one in ENDPOINTS if not one.is_optional]
PROBED = [*ALWAYS, *(one for one in ENDPOINTS if one.name in {"new", "reviews"})]
SHORTER = {"materials": "00042", "test_methods": "00042"}
"""Laboratories with fewer entries, where axe takes seconds to look at as many as the other has."""
PUBLIC = "/labor/00117/institut-rheinbogen/"
PEOPLE = [PUBLIC, "/labor/03075/labor-lindenhof-im-aufbau/", "/land/deutschland/"]
"""Public pages: of the laboratory with the longest lists, of one with little data, and of a country."""
KINDS = [
    "/", "/404.html", "/reference/", *PEOPLE[1:],
    "/suche/materials/12/", f"{PEOPLE[1]}?embed", "/land/deutschland/?embed", "/suche/materials/?embed",
    *(f"{path_of(one, SHORTER.get(one.name, '00117'))}api.html" for one in SHORT),
    f"{LABORATORIES}03075/standards/api.html",
]  # fmt: skip
"""An address of each kind of page; the last one is of a laboratory with little data."""
FEW_KINDS = [
    f"{LARGE}api.html",
    "/",
    "/404.html",
    "/reference/",
    *PEOPLE[1:],
    "/suche/materials/12/",
    f"{PEOPLE[1]}?embed",
    f"{LABORATORIES}api.html",
]
FEW = ("laboratory", "laboratories", "standards", "reviews")
"""Endpoints of each kind: an object, a list of all, an envelope, and a list."""


@pytest.mark.parametrize(("window", "kind"), in_browsers(KINDS, FEW_KINDS), indirect=["window"])
def test_axe_finds_nothing_to_complain_about_and_no_page_is_wider_than_the_window(
    sample, visited, window, kind
):
    page = visited(sample + kind)
    assert complaints_of_axe(page, window) == []
    assert too_narrow_windows(page) == []


BEGINNINGS = {f"{LARGE}{section}api.html": "#json" for section in ("", "standards/", "reviews/")}
"""Where the data of a page begin."""


@pytest.mark.parametrize("path", BEGINNINGS)
def test_data_begins_on_the_first_two_fifths_of_the_screen(sample, visited, path):
    page = visited("about:blank")
    for width, height in ((360, 740), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{sample}{path}")
        begin = page.locator(BEGINNINGS[path]).first.bounding_box()["y"]
        assert page.evaluate("scrollY") == 0
        assert begin / height <= 0.4, width


@pytest.mark.parametrize(
    ("window", "name"), in_browsers([one.name for one in PROBED], FEW), indirect=["window"]
)
def test_a_page_asks_for_few_files_of_its_own_host_and_shows_just_the_document(sample, visited, name):
    (path,) = (path_of(one, "00117") for one in PROBED if one.name == name)
    page = visited("about:blank")
    asked: list[str] = []
    note = lambda request: asked.append(request.url)  # noqa: E731 - to take it away again
    page.on("request", note)
    page.goto(f"{sample}{path}api.html", wait_until="networkidle")
    page.remove_listener("request", note)
    assert all(address.startswith(sample) for address in asked)
    assert len([address for address in asked if "/media/" not in address]) <= 5  # two are stylesheets
    assert page.context.cookies() == []
    assert block_of(page) == document_of(page)


def test_readers_get_from_the_front_page_to_everything(sample, visited):
    page = visited(f"{sample}/")
    page.locator("#countries").get_by_role("link", name="Deutschland").click()
    page.get_by_role("link", name="Wasserlabor Quellgrund GmbH").click()
    expect(page.locator("h1")).to_have_text("Wasserlabor Quellgrund GmbH")
    page.locator(".contents").get_by_role("link", name="Normen 118").click()
    expect(page.locator("#standards h2")).to_be_in_viewport()
    page.get_by_role("navigation", name="Pfad").get_by_role("link", name="Göttingen").click()
    expect(page.locator("#town-goettingen")).to_be_in_viewport()
    page.goto(f"{sample}{LABORATORIES}00042/api.html")
    page.get_by_role("link", name="Normen 118").click()
    expect(page.locator("h1")).to_have_text("Normen – Wasserlabor Quellgrund GmbH")
    page.get_by_role("link", name="Nächstes Labor 00117").click()
    expect(page.locator("h1")).to_contain_text("Normen – Institut")
    page.get_by_role("navigation", name="Pfad").get_by_role("link", name="API").click()
    expect(page).to_have_url(f"{sample}/reference/index.html")


@pytest.mark.parametrize("path", [f"{LARGE}standards/", f"{LARGE}reviews/"])
def test_the_address_of_an_entry_opens_and_is_a_link(sample, visited, path):
    page = visited(f"{sample}{path}api.html")
    address = page.locator("pre [id] > a[href^='#']").last.get_attribute("href")
    entry = page.locator(f"pre [id='{address[1:]}']")
    entry.locator("> a[href^='#']").click()
    for _ in range(2):
        expect(page).to_have_url(f"{sample}{path}api.html{address}")
        expect(entry).to_be_in_viewport()
        page.reload()


@pytest.mark.both_browsers
def test_contacts_are_decoded_in_the_browser_and_only_when_asked(sample, visited):
    source = json.loads((ROOT / "data/laboratories/00117.json").read_bytes())["contact_person"]
    page = visited(f"{sample}{LARGE}api.html")
    assert source["email"] not in page.content()
    page.locator("pre .decode").first.click()
    expect(page.locator("[data-decoded]")).to_have_attribute("data-decoded", source["email"])
    assert block_of(page) == document_of(page)


@pytest.mark.both_browsers
def test_texts_are_copied(sample, visited):
    page = visited(f"{sample}{LARGE}api.html")
    page.locator("summary").click()
    for name, wanted in {
        "curl": f"curl {sample}{LARGE}index.json",
        "path": f"{sample}{LARGE}index.json",
        "json": page.locator("#json").evaluate("block => block.textContent"),
    }.items():
        page.locator(f"[data-copy={name}]").click()
        expect(page.locator(".announce")).to_have_text("Kopiert")
        assert page.evaluate("navigator.clipboard.readText()") == wanted
        page.locator(".announce").evaluate("one => { one.textContent = ''; }")
    expect(page.locator("[data-copy]")).to_have_text(
        ["Kopieren der Adresse", "Kopieren curl", "Kopieren JSON"]
    )


@pytest.mark.parametrize(
    ("path", "most"),
    [(f"{LARGE}api.html", 0.02), (PUBLIC, 0.02), ("/land/deutschland/", 0.02), ("/reference/", 0.05)],
)
def test_nothing_moves_where_a_script_comes_late(sample, opened, window, path, most):
    """But a sample in the reference may take one line more for the name of this host."""
    if window.name == "firefox":
        pytest.skip("Firefox does not measure layout shifts")
    page = opened("about:blank", viewport={"width": 390, "height": 844})
    held = []
    page.route(re.compile(r"static/(script|public|reference)\.\w+\.js"), lambda route: held.append(route))  # noqa: PLW0108 - Playwright wants a function
    page.goto(sample + path, wait_until="commit")
    expect(page.locator("footer.site")).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.evaluate(OBSERVE_SHIFTS)
    page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    page.wait_for_load_state()
    page.wait_for_timeout(300)
    assert page.evaluate("() => window.moved") < most


@pytest.mark.both_browsers
def test_what_stands_in_brackets_is_folded_by_mouse_and_by_keys(sample, visited):
    page = visited(f"{sample}{LARGE}api.html")
    iso_code = page.locator("#json i", has_text='"iso_code"')
    country = page.get_by_role("button", name='Einklappen "country"')
    country.click()
    expect(iso_code).to_be_hidden()
    expect(country).to_have_attribute("aria-expanded", "false")
    country.press("ArrowRight")
    expect(iso_code).to_be_visible()
    page.locator(".fold").first.focus()
    page.keyboard.press("ArrowDown")
    expect(country).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(iso_code).to_be_hidden()
    assert block_of(page) == document_of(page)


def test_all_entries_of_a_long_list_are_folded_at_once(sample, visited):
    page = visited(f"{sample}{LARGE}standards/api.html")
    title = page.locator("pre [id] b").first
    expect(title).to_be_visible()
    page.locator("[data-act=fold]").click()
    expect(title).to_be_hidden()
    assert block_of(page) == document_of(page)


def test_what_is_folded_is_one_line(sample, visited):
    page = visited(f"{sample}{LABORATORIES}api.html")
    height = page.locator("#json").evaluate("block => parseFloat(getComputedStyle(block).lineHeight)")
    page.get_by_role("button", name='Einklappen "country"').first.click()
    lines = page.locator("pre span[id]").first.evaluate(
        f"entry => Math.round(entry.getBoundingClientRect().height / {height})"
    )
    assert lines == 8
    page.locator("[data-act=fold]").click()
    expect(page.locator("#json i", has_text='"results"')).to_be_visible()
    first, second = (page.locator("pre span[id]").nth(at).bounding_box()["y"] for at in (0, 1))
    assert second - first == pytest.approx(height, abs=1)
    assert block_of(page) == document_of(page)


def test_long_lines_are_wrapped_or_not(sample, visited):
    page = visited(f"{sample}{LARGE}api.html", width=500, height=800)
    width = "document.querySelector('#json').scrollWidth - document.querySelector('#json').clientWidth"
    assert page.evaluate(width) <= 0
    page.get_by_role("button", name="Zeilen umbrechen").click()
    assert page.evaluate(width) > 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 500


@pytest.mark.parametrize(
    ("window", "name"), in_browsers([one.name for one in PROBED], FEW), indirect=["window"]
)
def test_without_script_everything_is_there(sample, visited, name):
    (endpoint,) = (one for one in ENDPOINTS if one.name == name)
    page = visited(f"{sample}{path_of(endpoint, '00117')}api.html", has_script=False)
    block = page.locator("#json")
    assert json.loads(block.text_content()) == document_of(page)
    expect(block).to_be_visible()
    expect(page.locator("button:visible, input:visible")).to_have_count(0)


@pytest.mark.both_browsers
def test_a_page_can_be_used_by_keys_alone(sample, opened):
    page = opened(f"{sample}{LARGE}standards/api.html")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#document")).to_be_focused()
    page.goto(f"{sample}{LARGE}standards/api.html")
    page.keyboard.press("Tab")
    names: list[str] = []
    while page.evaluate("document.activeElement !== document.body"):
        assert (
            page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none" or not names
        ), names
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                "(one => one.textContent.trim() || one.id || one.className)(document.activeElement)"
            )
        )
        assert len(names) < 50
    for wanted in ("API", "JSON", "filter", "Einklappen", "Zeilen umbrechen", "Kopieren JSON"):
        assert wanted in names, names
    assert names.count("fold") == 1
    links = page.locator("pre [id] > a[href^='#']")
    assert names.count(links.first.text_content()) == 1
    links.first.press("ArrowDown")
    assert page.evaluate("document.activeElement.href") == links.nth(1).evaluate("link => link.href")


@pytest.mark.parametrize("window", ["chromium"], indirect=True)  # the protocol of Firefox has no print
def test_print_shows_the_document_and_not_the_controls(sample, opened):
    page = opened(f"{sample}{LARGE}materials/api.html", scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("pre [id]").last).to_be_visible()
    for hidden in (".bar", ".sections", ".beside", ".site", ".request", "button"):
        expect(page.locator(hidden).first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.both_browsers
def test_the_system_says_whether_a_page_is_light_or_dark(sample, opened):
    colours = {
        scheme: opened(f"{sample}/", scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert colours == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 23, 22)"}


@pytest.mark.parametrize("section", ["", "standards/", "similar_labs/"])
def test_odd_texts_are_shown_as_they_are_and_nothing_runs(odd, visited, section):
    page = visited(f"{odd}{LABORATORIES}00001/{section}api.html", width=400, height=800)
    assert page.locator("html").get_attribute("lang") == "en"
    assert block_of(page) == document_of(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    expect(page.locator("h1")).to_contain_text("مختبر </script>")
    assert page.locator(DANGEROUS).count() == 0


DANGEROUS = "main script, main iframe, main style, [onerror], [onmouseover]"


def test_odd_texts_of_public_pages_are_shown_as_they_are_and_nothing_runs(odd, visited):
    page = visited("about:blank", width=400, height=800)
    for path in ("/", "/land/deutschland/", "/labor/00001/00001/"):
        page.goto(odd + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
        assert page.locator(DANGEROUS).count() == 0, path
    expect(page.locator("h1")).to_contain_text("مختبر </script>")
    shown = re.sub(r"\s+", " ", page.locator("#standards").inner_text())
    for text in ODD:
        assert re.sub(r"\s+", " ", text) in shown
    about = re.sub(r"\s+", " ", page.locator(".prose").inner_text())
    assert [text for text in ODD if re.sub(r"\s+", " ", text) not in about] == []


def test_on_hosts_without_query_matching_pages_lead_to_pages(sample, visited):
    page = visited(f"{sample}{LARGE}standards/api.html")
    hrefs = page.locator("main a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert not [href for href in hrefs if "?" in href and "/suche/index.html?" not in href]


@pytest.mark.both_browsers
def test_materials_stand_in_the_order_of_the_german_collation_of_unicode(visited):
    """As browsers have it, which carry ICU."""
    rng = random.Random(7)
    alphabet = "aAbBeEoOsSäÄöüÜßéèẞzZñçøæœłŋə019  --––—’'‘“”„\"(),./;:&+×·§°µ²½…€%*"
    words = {"".join(rng.choices(alphabet, k=rng.randint(1, 6))) for _ in range(4000)}
    ordered = sorted(words, key=collation_key)
    page = visited("about:blank")
    misplaced = page.evaluate(
        """words => {
            const german = new Intl.Collator("de");
            return words.slice(1).flatMap((word, at) => german.compare(words[at], word) > 0 ? [[words[at], word]] : []);
        }""",
        ordered,
    )
    assert misplaced == []


@pytest.fixture
def preview(site) -> Iterator[tuple[Preview, str]]:
    """A preview of a small project, and the address of one of its pages."""
    shown = Preview(site.root, 1, lambda outcome: click.unstyle(problems_as_text(outcome)))
    shown.build()
    with served(shown.respond) as address:
        yield shown, f"{address}{LABORATORIES}00001/?format=api"


def test_the_preview_shows_an_error_wherever_one_has_scrolled_to_until_it_is_mended(site, preview, opened):
    shown, address = preview
    page = opened(address, viewport={"width": 800, "height": 300})
    title = page.title()
    page.mouse.wheel(0, 400)
    wait_until(page, "() => scrollY > 100")
    site.file("data/laboratories/00002.json", '{"name": <b>}')
    shown.build()
    box = page.get_by_role("alert")
    expect(box).to_be_visible(timeout=10_000)
    wait_until(page, "() => scrollY > 100")
    assert box.bounding_box()["y"] == 0
    assert page.title() == f"1 error – {title}"
    text = box.inner_text()
    assert "1 error: this is the last site without an error" in text
    assert "data/laboratories/00002.json:1:10" in text
    assert not re.search(r"\x1b|\[\d+m", text)
    site.write(laboratories=[ALPHA, BETA])
    shown.build()
    expect(box).to_have_count(0, timeout=10_000)
    assert page.title() == title
