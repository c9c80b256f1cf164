"""Where links of pages lead, on each kind of host; and which addresses are links at all."""

import html
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from answering import HOSTS, Ask, full_host
from conftest import ALPHA, BETA, CATEGORIES, EXHAUSTIVE, EXTRAS, ROOT, SITE, picture

from labgen.api.endpoint import LABORATORIES
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options

HOST = "https://host.example"


class Links(HTMLParser):
    """The addresses that a page names, and the ids in it."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.ids: set[str] = set()
        self.feed(page.decode())

    def handle_starttag(self, _tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.addresses.add(value)
            if name == "srcset":
                self.addresses.add(value.split()[0])


def dead_links(ask: Ask, out: Path, base_path: str = "") -> list[str]:
    """Return the links of all pages that lead nowhere, without those to other hosts."""
    pages = {
        f"{HOST}{base_path}/{path.relative_to(out).as_posix()}": Links(path.read_bytes())
        for path in out.rglob("*.html")
    }
    targets = {urljoin(page, address): page for page, links in pages.items() for address in links.addresses}
    assert len(targets) > len(pages)
    answers = {}
    dead = []
    for target, page in sorted(targets.items()):
        address, fragment = urldefrag(target)
        if not address.startswith(f"{HOST}/"):
            assert urlsplit(address).scheme in ("http", "https", "mailto", "tel")
            continue
        if address not in answers:
            status, fields, body = answer(ask, address)
            is_page = "text/html" in fields["content-type"]
            answers[address] = status, Links(body).ids if is_page else set()
        status, ids = answers[address]
        if status != 200 or (fragment and fragment not in ids):
            dead.append(f"{page} -> {target}: {status}")
    return dead


def answer(ask: Ask, address: str, redirects: int = 3) -> tuple[int, Mapping[str, str], bytes]:
    status, fields, body = ask(address.removeprefix(HOST))
    if status in (301, 302, 308) and redirects:
        return answer(ask, urljoin(address, fields["location"]), redirects - 1)
    return status, fields, body


@pytest.mark.parametrize("host", list(HOSTS) if EXHAUSTIVE else ["files"])
def test_no_link_of_the_sample_is_dead(host, tmp_path):
    assert not build(ROOT, tmp_path / "out", Options(hosts=(host,), jobs=2)).errors
    assert dead_links(HOSTS[host](tmp_path / "out"), tmp_path / "out") == []


@pytest.mark.parametrize("host", HOSTS)
def test_no_link_is_dead_below_a_base_path(host, site):
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}').build(hosts=(host,))
    assert dead_links(HOSTS[host](site.out, "/verzeichnis"), site.out, "/verzeichnis") == []


OWN_TEMPLATES = {
    "templates/frame.html": '{% extends "built-in/frame.html" %}{% block footer_links %}{{ super() }}<li><a href="{{ site.search }}#q">Suche</a></li>{% endblock %}',
    "templates/card.html": '<li class="card"><h3><a href="{{ item.url }}{{ site.index }}#contact">{{ item.name }}</a></h3></li>\n',
    "templates/laboratory.html": '{% extends "built-in/laboratory.html" %}{% block head %}{{ super() }}<link rel="stylesheet" href="{{ site.static("own.css") }}">{% endblock %}',
    "templates/static/own.css": '.card { background: url("own.svg") }',
    "templates/static/own.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
}
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "/verzeichnis": ("", {}),
    "": ('[words]\nlaboratory = "pruefstelle"\ncountry = "staat"\nsearch = "finden"\n', {}),
    "/eigene": ("", OWN_TEMPLATES),
}
"""Sites that differ in their addresses, by their base path: what the settings say of words, and templates."""
ADDRESSES = {
    ".html": r'content="(https://host[^"]*)"|"(https://host[^"\s]*)"',
    ".xml": r'<loc>([^<]*)|href="([^"]*)|template="([^"{?]*)',
    ".css": r'url\("?([^)"]+)',
    ".json": r'"((?:/|https://host\.example/)[^"{}\s]*)"',
}
"""What names addresses in files, beside the links of pages: previews and JSON-LD, feed and sitemap, stylesheets, documents."""
WRITTEN = (
    "openapi.json",
    "resources/index.json",
    "landings_links/index.json",
    "v1/laboratories/00001/index.json",
)
"""The ends of files with paths below a server that they name, or with what a keeper wrote, of which builds warn."""


def dead_addresses(ask: Ask, out: Path, base_path: str) -> list[str]:
    """Return the addresses on this host that any file names and that lead nowhere."""
    targets: dict[str, set[str]] = {}
    for path in (one for one in out.rglob("[!.]*") if one.suffix in ADDRESSES):
        name = path.relative_to(out).as_posix()
        pattern = ADDRESSES[path.suffix]
        for found in [] if name.endswith(WRITTEN) else re.findall(pattern, path.read_text("utf-8")):
            one = "".join(found)
            start = f"{HOST}{base_path}/{name}"
            targets.setdefault(urldefrag(urljoin(start, html.unescape(one))).url, set()).add(name)
    here = {target: names for target, names in targets.items() if target.startswith(HOST)}
    assert {Path(name).suffix for names in here.values() for name in names} >= {".html", ".xml", ".json"}
    return [f"{min(names)} -> {target}" for target, names in here.items() if answer(ask, target)[0] != OK]


OK = 200


@pytest.mark.parametrize("base_path", CASES)
def test_no_address_of_a_page_a_document_the_feed_or_the_sitemap_is_dead(base_path, site):
    settings, templates = CASES[base_path]
    top = f'base_url = "{HOST}"\nbase_path = "{base_path}"\nnoindex = false\n'
    site.file("data/site.toml", f"{top}{SITE}{settings}")
    site.write(laboratories=[ALPHA | EXTRAS | {"materials": [12, 471]}, BETA], **CATEGORIES)
    for name, content in templates.items():
        site.file(name, content)
    assert not site.build(hosts=("nginx",)).errors
    ask = full_host(site.out, base_path)
    assert dead_links(ask, site.out, base_path) == []
    assert dead_addresses(ask, site.out, base_path) == []


WEBSITE = f'website_url = "https://www.example.org"\n{SITE}'


def links_of(site, path: str, name: str = "api.html") -> dict[str, set[str]]:
    """Return the texts of the links of a page, by their addresses."""
    page = site.read(path if name == "index.html" else f"{LABORATORIES}{path}", name).decode()
    found: dict[str, set[str]] = {}
    for address, text in re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', page):
        found.setdefault(address, set()).add(re.sub("<.*?>", "", text).strip())
    return found


@pytest.mark.parametrize(
    ("path", "address"),
    [("", "00002/api.html"), ("new/", "../00002/api.html"), ("00001/similar_labs/", "../../00002/api.html"), ("00002/", "../00002/api.html"), ("page/2/", "../../00002/api.html")],
)  # fmt: skip
def test_a_display_id_leads_to_the_page_of_its_laboratory(site, path, address):
    size = "[limits]\npage_size = 1\n" if path.startswith("page") else ""
    site.file("data/site.toml", f'publish = ["new"]\n{SITE}{size}')
    site.write(
        laboratories=[ALPHA | {"similar_labs": ["00002"]}, BETA | {"published_on": "2024-05-01"}]
    ).build()
    assert '"00002"' in links_of(site, path)[address]


def test_the_pages_of_a_list_lead_to_one_another(site):
    site.file("data/site.toml", f"{SITE}[limits]\npage_size = 1\n").build()
    page = site.read(f"{LABORATORIES}page/2/", "api.html").decode()
    assert f'<a href="{LABORATORIES}api.html">"{LABORATORIES}"</a>' in page


@pytest.mark.parametrize("path", ["", "00001/", "00001/similar_labs/", "new/"])
@pytest.mark.parametrize(
    ("settings", "start"),
    [(WEBSITE, "https://www.example.org"), (SITE, ""), (f"public_pages = false\n{SITE}", None)],
)
def test_public_pages_are_links_where_they_are(site, path, settings, start):
    laboratories = [ALPHA | {"similar_labs": ["00002"], "published_on": "2024-05-01"}, BETA]
    site.file("data/site.toml", settings).write(laboratories=laboratories).build()
    own = "00002/beta" if "similar" in path else "00001/alpha"
    seen = links_of(site, path)
    if start is None:
        assert not [address for address in seen if "/labor/" in address or "/land/" in address]
        assert not {"labor", "land"} & {name.partition("/")[0] for name in site.tree()}
        return
    file = "index.html" if start == "" else ""
    assert f'"/labor/{own}/"' in seen[f"{start}/labor/{own}/{file}"]
    assert '"/land/deutschland/"' in seen[f"{start}/land/deutschland/{file}"]
    assert ("labor/00001/alpha/index.html" in site.tree()) == (start == "")


@pytest.mark.parametrize(
    ("settings", "href"),
    [
        (WEBSITE, "https://www.example.org/labor/00001/alpha/"),
        (SITE, "/labor/00001/alpha/"),
        (f'base_path = "/labs"\n{SITE}', "/labs/labor/00001/alpha/"),
        (f"public_pages = false\n{SITE}", "api.html"),
    ],
)
def test_cards_and_values_and_the_feed_lead_to_pages_for_people(site, settings, href):
    alpha = ALPHA | {"materials": [12], "published_on": "2024-05-01"}
    site.file("data/site.toml", settings).write(laboratories=[alpha, BETA]).build()
    for path, at in (("/", f"{LABORATORIES}00001/"), ("suche/materials/12/", "00001/")):
        wanted = (
            at.lstrip("/") + href if href == "api.html" else href + ("" if "www" in href else "index.html")
        )
        assert [one for one in links_of(site, path, "index.html") if one.endswith(wanted)], path
    feed = site.read("/", "laboratories.atom").decode()
    assert (href if href != "api.html" else "00001/api.html") in feed
    assert ("data-pages" in site.read("suche/", "index.html").decode()) == (href != "api.html")


@pytest.mark.parametrize(
    ("written", "href"),
    [
        ("https://a.example/?a=1&b=2", "https://a.example/?a=1&amp;b=2"),
        ("/zugversuche/", None),
        ("/api/v1/laboratory/laboratories/00002/standards/", "/api/v1/laboratory/laboratories/00002/standards/api.html"),
        ("/api/v1/laboratory/laboratories/00002?format=api#x", "/api/v1/laboratory/laboratories/00002/api.html#x"),
        ("/api/v1/laboratory/laboratories/00002/?format=json", "/api/v1/laboratory/laboratories/00002/index.json"),
        ("/api/v1/laboratory/laboratories/00002/index.json", "/api/v1/laboratory/laboratories/00002/index.json"),
        ("/reference/", "/reference/index.html"), ("/openapi.json", "/openapi.json"), ("/", "/index.html"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("section", ["landings_links", "resources", "job_listings"])
def test_what_a_keeper_wrote_is_a_link_where_it_leads_somewhere(site, section, written, href):
    (entry, *_), name = EXTRAS[section], "link" if section == "landings_links" else "url"
    site.write(laboratories=[ALPHA | {section: [entry | {name: written}]}, BETA])
    assert not site.build().errors
    texts = links_of(site, f"00001/{section}/").get(href or written, set())
    assert texts == ({f'"{written.replace("&", "&amp;")}"'} if href else set())
    public = links_of(site, "labor/00001/alpha/", "index.html")
    assert public.get(href or written, set()) >= ({entry["title"]} if href else set())
    site.file("data/site.toml", WEBSITE).build()
    assert href or f"https://www.example.org{written}" in links_of(site, f"00001/{section}/")


def test_a_picture_is_a_link_wherever_the_website_is(site):
    site.file("data/site.toml", WEBSITE).file("data/media/a.png", picture())
    site.write(laboratories=[ALPHA | {"gallery": ["a.png"]}, BETA]).build()
    (one,) = site.document("laboratories/00001/gallery/")
    assert f'"{one["large_url"]}"' in links_of(site, "00001/gallery/")[one["large_url"]]


def test_a_link_that_a_keeper_wrote_is_published_as_it_stands_and_one_without_the_base_path_is_warned_of(
    site,
):
    links = ["/labor/1/", "/api/v1/laboratory/laboratories/00002/", "/verzeichnis/api/v1/laboratory/laboratories/00002/"]  # fmt: skip
    written = [{"title": "x", "link": link} for link in links]
    site.file("data/site.toml", f'base_path = "/verzeichnis"\n{SITE}')
    (found,) = site.write(laboratories=[ALPHA | {"landings_links": written}, BETA]).build().found
    assert (found.code, found.hint) == ("dead-link", "the site lies below /verzeichnis: begin with that")
    assert [one["link"] for one in site.document("laboratories/00001/landings_links/")] == links
