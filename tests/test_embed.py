"""Laboratories on other websites: the elements of `embed.js`, and pages with `?embed`, in both browsers."""

import json
import re
from collections.abc import Iterator, Mapping

import pytest
from browsers import complaints_of_axe, expect, serving, too_narrow_windows
from conftest import ALPHA, BETA, CATEGORIES, EXTRAS, SITE, Project
from servers import served

from labgen.client import Directory
from labgen.serve.answer import Answer, Site

POLICY = "default-src 'none'; script-src {0}; connect-src {0}; img-src {0}; frame-src {0}"
"""What the guide says that a page with elements must allow, and no more."""
HOSTILE = "<img src=x onerror=document.title='run'>\"'&lt;b&gt;"


@pytest.fixture(scope="module")
def website() -> Iterator[str]:
    """The address of a website that answers with a page whose text is that of the address, by the policy for a site."""

    def respond(_method: str, target: str, _fields: Mapping[str, str]) -> Answer:
        site, text = json.loads(bytes.fromhex(target.strip("/")))
        page = f"<!DOCTYPE html><html lang=de><meta name=viewport content=width=device-width><title>A</title><link rel=icon href={site}/favicon.ico><script type=module src={site}/embed.js></script>{text}"
        policy = ("Content-Security-Policy", POLICY.format(site))
        return Answer(200, (("Content-Type", "text/html; charset=utf-8"), policy), page.encode())

    with served(respond) as address:
        yield address


def page_with(website: str, site: str, text: str) -> str:
    return f"{website}/{json.dumps([site, text]).encode().hex()}"


def test_the_elements_are_small_and_in_the_language_of_the_site(site):
    site.file("data/site.toml", f'language = "fr"\n{SITE}').build()
    written = (site.out / "embed.js").read_bytes()
    assert len(written) < 8_000
    assert b"Rechercher" in written
    assert not re.search(rb"@[A-Z]+@", written)


@pytest.mark.both_browsers
def test_a_laboratory_and_the_search_are_on_another_website(website, sample, opened):
    text = '<labgen-laboratory id="00117">Rheinbogen</labgen-laboratory><labgen-search query="country=de" most=3></labgen-search>'
    page = opened(page_with(website, sample, text))
    with Directory(sample, document="index.json") as labs:
        one, found = labs.laboratory("00117"), labs.search({"q": "zugversuch", "country": "de"})
    link = page.locator("labgen-laboratory a")
    expect(link).to_have_text(one["name"])
    assert link.get_attribute("href") == sample + one["url"]
    expect(page.locator("labgen-laboratory .card")).to_contain_text("4,65")
    page.locator("labgen-search input[type=search]").fill("zugversuch")
    expect(page.locator("labgen-search li a")).to_have_text([card["name"] for card in found["results"][:3]])
    expect(page.locator("labgen-search .more a")).to_have_text(f"{found['count']} Labore")
    page.locator("labgen-search button").click()
    expect(page).to_have_url(re.compile(r"/suche/.*\?q=zugversuch&country=de"))


@pytest.mark.both_browsers
def test_the_button_searches_for_what_was_typed_and_for_the_query_of_that_moment(website, sample, opened):
    page = opened(page_with(website, sample, '<labgen-search query="q=wasser&country=de"></labgen-search>'))
    page.locator("labgen-search").evaluate("one => one.setAttribute('query', 'q=wasser&country=at')")
    page.locator("labgen-search input").fill("zugversuch")
    expect(page.locator("labgen-search .more a")).to_have_attribute(
        "href", f"{sample}/suche/index.html?country=at&q=zugversuch"
    )
    page.locator("labgen-search button").click()
    expect(page).to_have_url(re.compile(r"\?q=zugversuch&country=at$"))


@pytest.mark.parametrize(("most", "shown"), [("-2", 1), ("0", 5), ("1.5", 1), ("x", 5), ("99", 20)])
def test_as_many_laboratories_are_shown_as_the_page_says_of_those_that_are_possible(
    website, sample, opened, most, shown
):
    page = opened(page_with(website, sample, f'<labgen-search most="{most}"></labgen-search>'))
    page.locator("labgen-search input").fill("labor")
    expect(page.locator("labgen-search li")).to_have_count(shown)


def test_all_that_an_element_says_is_marked_as_of_the_language_of_the_site(website, sample, opened):
    elements = '<labgen-laboratory id="00117"></labgen-laboratory><labgen-search></labgen-search>'
    page = opened(page_with(website, sample, elements))
    page.locator("labgen-search input").fill("zugversuch")
    for said in (
        "labgen-laboratory .yes",
        "labgen-search li p",
        "labgen-search button",
        "labgen-search .more",
    ):
        own = page.locator(said).first.evaluate("one => one.closest('[lang]')?.lang")
        assert own == "de", said


def test_a_card_in_a_narrow_column_stands_below_its_logo(website, sample, opened):
    page = opened(page_with(website, sample, '<labgen-laboratory id="00117"></labgen-laboratory>'))
    page.set_viewport_size({"width": 180, "height": 400})
    boxes = [page.locator(f"labgen-laboratory {one}").bounding_box() for one in ("img", "a")]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]


@pytest.mark.both_browsers
def test_a_page_with_a_policy_searches_again_when_its_host_is_well_again(website, site, opened, window):
    site.write(laboratories=[ALPHA, BETA]).build()
    out = Site(site.out)
    failed: list[str] = []

    def respond(method: str, target: str, fields: Mapping[str, str]) -> Answer:
        if target == "/search/client.js" and len(failed) < 2:
            failed.append(target)
            return Answer(503, (("Access-Control-Allow-Origin", "*"),), b"")
        return out.answer(method, target, fields)

    with served(respond) as address:
        page = opened(page_with(website, address, "<labgen-search></labgen-search>"))
        page.locator("labgen-search input").fill("alpha")
        expect(page.locator("labgen-search li a")).to_have_text(["Alpha"])
    assert len(failed) == 2
    window.complaints[:] = [one for one in window.complaints if "503" not in one and "client.js" not in one]


@pytest.mark.both_browsers
@pytest.mark.parametrize(("scheme", "ground"), [("light", "#fff text=#111"), ("dark", "#111 text=#eee")])
def test_axe_finds_nothing_to_complain_about_in_elements_on_light_and_dark_websites(
    website, sample, opened, window, scheme, ground
):
    elements = '<labgen-laboratory id="00117"></labgen-laboratory><labgen-search></labgen-search>'
    body = f"<body bgcolor={ground}><main><h1>A</h1>{elements}</main>"
    page = opened(page_with(website, sample, body), scheme=scheme)
    page.locator("labgen-search input[type=search]").fill("zugversuch")
    expect(page.locator("labgen-search li").first).to_be_visible()
    assert complaints_of_axe(page, window) == []
    assert too_narrow_windows(page) == []


def test_texts_of_the_data_run_nothing_in_an_element(website, site, opened):
    odd = ALPHA | {"name": HOSTILE, "locality": HOSTILE}
    site.write(laboratories=[odd, BETA]).build()
    with serving(site.out) as address:
        text = '<labgen-laboratory id="00001"></labgen-laboratory><labgen-search></labgen-search>'
        page = opened(page_with(website, address, text))
        expect(page.locator("labgen-laboratory a")).to_have_text(HOSTILE)
        page.locator("labgen-search input").fill("onerror")
        expect(page.locator("labgen-search li a")).to_have_text([HOSTILE])
        assert page.title() == "A"


HARD = f'"><img src=x onerror=alert(1)>{{{{7*7}}}}</script><script>alert(2)</script>\N{RIGHT-TO-LEFT OVERRIDE}מעבדה{"W" * 300} {"🧪" * 300}'
"""Runs where it is no text, turns what follows around, and is wider than any window."""


@pytest.fixture(scope="module")
def hard(tmp_path_factory) -> Iterator[str]:
    """The address of a directory where each text of a laboratory is hard."""
    project = Project(tmp_path_factory.mktemp("hard")).sound()
    names = ("name", "about", "locality", "address", "postal_code")
    person = dict.fromkeys(("first_name", "last_name", "position"), HARD)
    lists = {
        name: [one | dict.fromkeys(one.keys() & TEXTS, HARD) for one in EXTRAS[name]]
        for name in ("resources", "landings_links", "job_listings", "reviews")
    }
    named = ("materials", "equipments", "certifications", "standards", "test_methods")
    record = ALPHA | EXTRAS | lists | dict.fromkeys(names, HARD) | dict.fromkeys(named, (1,))
    record |= {"contact_person": person, "similar_labs": ["00002"]}
    quoted = HARD.replace('"', "'")
    project.file("data/site.toml", SITE.replace("Verzeichnis", quoted).replace("Partner", quoted))
    project.write(
        laboratories=[record, BETA | {"name": HARD}],
        **CATEGORIES
        | {
            name: [{"id": 1, "title": HARD, **(MORE if name in {"standards", "test_methods"} else {})}]
            for name in named
        },
    )
    assert not project.build().errors
    with serving(project.out) as address:
        yield address


TEXTS = {"title", "summary", "text", "author", "locality"}
MORE = {"search_val": "s", "summary": HARD}


@pytest.mark.both_browsers
def test_texts_that_run_or_are_wider_than_a_telephone_are_texts_and_fit(website, hard, opened):
    page = opened(f"{hard}/404.html")
    page.set_viewport_size({"width": 320, "height": 640})
    with Directory(hard, document="index.json") as labs:
        lab = labs.laboratory("00001")["url"]
    places = (
        "/",
        "/land/deutschland/",
        "/suche/materials/",
        "/suche/materials/1/",
        "/suche/?q=onerror",
        lab,
        f"{lab}?embed",
    )
    elements = '<labgen-laboratory id="00001"></labgen-laboratory><labgen-search></labgen-search>'
    for address in [*(f"{hard}{place}" for place in places), page_with(website, hard, elements)]:
        page.goto(address)
        if "?q=" in address:
            expect(page.locator(".hit h3")).to_have_text([HARD, HARD])
        if address.startswith(website):
            page.locator("labgen-search input").fill("onerror")
            expect(page.locator("labgen-search li a")).to_have_text([HARD, HARD])
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, address
        assert page.locator("[onerror]").count() == 0
        assert ">49" not in page.locator("body").inner_text()


def test_a_frame_shows_a_page_without_head_and_foot_and_links_leave_it(website, sample, opened):
    address = f"{sample}/labor/00117/institut-rheinbogen/"
    page = opened(page_with(website, sample, f'<iframe src="{address}?embed" width=900 height=700></iframe>'))
    inside = page.frame_locator("iframe")
    expect(inside.locator("h1")).to_contain_text("Rheinbogen")
    for one in ("header.site", "footer.site", ".trail"):
        expect(inside.locator(one).first).to_be_hidden()
    inside.locator(".rows a").first.click()
    expect(page).to_have_url(re.compile(rf"^{sample}/suche/"))
    whole = opened(address)
    expect(whole.locator("header.site")).to_be_visible()


def test_a_search_in_a_frame_stays_one_when_something_else_is_searched_for(website, sample, opened):
    frame = f'<iframe src="{sample}/suche/?embed&q=zugversuch" width=900 height=700></iframe>'
    page = opened(page_with(website, sample, frame))
    inside = page.frame_locator("iframe")
    inside.locator("#q").fill("wasser")
    expect(inside.locator(".results li a").first).to_be_visible()
    page.wait_for_timeout(500)
    found = next(one for one in page.frames if "/suche/" in one.url)
    assert {*found.url.partition("?")[2].split("&")} == {"embed=", "q=wasser"}


def test_a_laboratory_found_in_a_frame_leads_back_to_the_whole_page_that_searches(website, sample, opened):
    frame = f'<iframe src="{sample}/suche/?embed&q=zugversuch" width=900 height=700></iframe>'
    page = opened(page_with(website, sample, frame))
    page.frame_locator("iframe").locator(".results li a").first.click()
    expect(page.locator("a.back")).to_have_attribute("href", f"{sample}/suche/?q=zugversuch")
