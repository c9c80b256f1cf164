"""What pages and files tell search engines, and what settings say of how pages look."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, Project, copy_of_sample, directory_of, laboratory, picture

from labgen.contract.http_contract import MEDIA_TYPES
from labgen.model.summaries import Address
from labgen.pipeline.build_options import Options
from labgen.render.crawlers import PART_SIZE, sitemap_files
from labgen.render.looks import DARK, LIGHT, PALE, contrast
from labgen.serve.answer import Site
from labgen.verify.verify import verify_folder

LAB = "api/v1/laboratory/laboratories/00001/"
PAGE = "labor/00001/alpha/"
PUBLIC = f'base_url = "https://labs.example"\nnoindex = false\n{SITE}'
HOSTILE = "</script><script>alert(1)</script><!-- & \u2028 \"'"


class Head(HTMLParser):
    """Collects what the head of a page says."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.data: list[str] = []
        self.scripts = 0
        self.is_data = False
        self.feed(page.decode())

    def handle_starttag(self, tag, attrs):
        found = {name: value or "" for name, value in attrs}
        self.is_data = found.get("type") == "application/ld+json"
        self.scripts += tag == "script"
        if tag == "meta":
            self.meta[found.get("name") or found.get("property", "")] = found.get("content", "")
        if tag == "link":
            self.links[found["rel"]] = found["href"]

    def handle_data(self, data):
        if self.is_data:
            self.data.append(data)
        self.is_data = False

    @property
    def graph(self):
        (data,) = self.data
        return {one["@type"]: one for one in json.loads(data)["@graph"]}


def test_a_page_has_one_address_and_names_its_document(site):
    site.file("data/site.toml", PUBLIC).file("data/media/a.png", picture())
    alpha = ALPHA | {"about": "Prüft Stahl.", "locality": "Ulm", "gallery": ["a.png"]}
    site.write(laboratories=[alpha, BETA]).build()
    head = Head(site.read(PAGE, "index.html"))
    assert head.links["canonical"] == head.meta["og:url"] == f"https://labs.example/{PAGE}"
    assert head.links["alternate"] == f"../../../{LAB}index.json"
    assert head.meta["og:title"] == "Alpha, Ulm"
    assert head.meta["description"] == head.meta["og:description"] == "Prüft Stahl."
    assert re.fullmatch(r"https://labs.example/media/\w+/a-1600x900.webp", head.meta["og:image"])
    assert Head(site.read("labor/00002/beta/", "index.html")).meta["description"] == "Beta, Deutschland"
    own = Head(site.read(LAB, "api.html"))
    assert own.links["canonical"] == f"https://labs.example/{LAB}api.html"
    assert own.links["alternate"] == "index.json"
    assert Head(site.read("/", "index.html")).links["canonical"] == "https://labs.example/"
    assert (
        Head(site.read("/reference/", "index.html")).links["canonical"] == "https://labs.example/reference/"
    )


def test_a_laboratory_is_an_organization_with_its_certificates(site):
    site.file("data/site.toml", PUBLIC)
    site.file("data/certifications.csv", "id,title\n7,ISO 9001\n")
    site.file("data/accreditation_standards.csv", "id,title,search_val,standard\n1,Prüflabor,a,DIN\n")
    given = {"id": 1, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D-PL-1"}
    site.write(
        laboratories=[ALPHA | {"certifications": [7], "accreditations": [given], "locality": "Ulm"}]
    ).build()
    graph = Head(site.read(PAGE, "index.html")).graph
    certificates = graph["Organization"]["hasCertification"]
    assert [one["name"] for one in certificates] == ["Prüflabor", "ISO 9001"]
    assert certificates[0]["certificationIdentification"] == "D-PL-1"
    assert graph["Organization"]["address"]["addressLocality"] == "Ulm"
    steps = [one["name"] for one in graph["BreadcrumbList"]["itemListElement"]]
    assert steps == ["Verzeichnis", "Deutschland", "Alpha"]
    steps = Head(site.read("land/deutschland/", "index.html")).graph["BreadcrumbList"]["itemListElement"]
    assert steps[-1]["item"] == "https://labs.example/land/deutschland/"
    assert Head(site.read(LAB, "api.html")).data == []


@pytest.mark.parametrize(
    "template", [None, "{% extends 'built-in/laboratory.html' %}{% if page.title == 'x' %}{% endif %}"]
)
def test_no_name_ends_the_element_that_json_ld_stands_in(site, template):
    site.file("data/site.toml", PUBLIC)
    if template:
        site.file("templates/laboratory.html", template)
    name = HOSTILE.replace("\u2028", " ")
    site.write(laboratories=[laboratory("00001", name=name, about=HOSTILE, slug="alpha")]).build()
    head = Head(site.read(PAGE, "index.html"))
    assert head.graph["Organization"]["name"] == name
    assert head.graph["Organization"]["description"] == HOSTILE
    assert head.scripts == 3


def test_pages_that_ask_to_be_left_out_say_nothing_to_search_engines(site):
    site.file("data/site.toml", f'base_url = "https://labs.example"\n{SITE}').build()
    head = Head(site.read(PAGE, "index.html"))
    assert (head.meta["robots"], head.data, head.links.get("canonical")) == ("noindex", [], None)
    assert not {"robots.txt", "sitemap.xml"} & site.tree().keys()


def test_no_address_is_whole_where_no_setting_says_the_host(site):
    site.file("data/site.toml", f"noindex = false\n{SITE}").build()
    head = Head(site.read(PAGE, "index.html"))
    assert not {"canonical"} & head.links.keys()
    items = head.graph["BreadcrumbList"]["itemListElement"]
    assert items[-1]["item"] == f"/{PAGE}"
    assert site.read("/", "robots.txt") == b"User-agent: *\nDisallow:\n"
    assert "sitemap.xml" not in site.tree()


def test_the_sitemap_names_the_pages_and_robots_names_the_sitemap(site):
    site.file("data/site.toml", PUBLIC).build()
    addresses = re.findall("<loc>(.*?)</loc>", site.read("/", "sitemap.xml").decode())
    assert "https://labs.example/" in addresses
    assert {f"https://labs.example/{PAGE}", "https://labs.example/land/deutschland/"} < {*addresses}
    assert f"https://labs.example/{LAB}api.html" not in addresses
    for one in addresses:
        file = one.removeprefix("https://labs.example/")
        assert f"{file}index.html" in site.tree() if file == "" or file.endswith("/") else file in site.tree()
    assert b"Sitemap: https://labs.example/sitemap.xml" in site.read("/", "robots.txt")
    assert [one for one in verify_folder(site.root, site.out, Options()).checks if one.faults] == []


def expected_of(name):
    """Return the canonical path of a file that is a page, and whether the sitemap names it; docs/guides/looks.md says so."""
    path = f"/{name.removesuffix('index.html')}"
    return path, not path.endswith("/api.html")


@pytest.mark.parametrize("base_path", ["", "/verzeichnis"] if EXHAUSTIVE else ["/verzeichnis"])
def test_each_page_of_the_sample_that_may_be_found_has_one_address_and_all_but_those_of_the_api_are_in_the_sitemap(
    tmp_path, base_path
):
    copy_of_sample(tmp_path)
    settings = tmp_path / "data/site.toml"
    text = re.sub(r"(?m)^(base_url|base_path|noindex) =.*\n", "", settings.read_text())
    settings.write_text(
        f'base_url = "https://labs.example"\nbase_path = "{base_path}"\nnoindex = false\n{text}'
    )
    project = Project(tmp_path)
    assert not project.build().errors
    tree, start = project.tree(), f"https://labs.example{base_path}"
    pages = {name: Head(data) for name, data in tree.items() if name.endswith(".html")}
    left_out = {name for name, head in pages.items() if "noindex" in head.meta.get("robots", "")}
    whole = {
        name for name in pages if name.startswith("directory/v1/laboratories/")
    }  # the record again, with its sections
    assert left_out == {"404.html"} | whole
    assert not {"og:title", "og:url"} & pages["404.html"].meta.keys()
    wrong = [
        name
        for name in pages.keys() - left_out
        for head in [pages[name]]
        if head.links.get("canonical") != start + expected_of(name)[0]
        or (
            expected_of(name)[1]
            and not (
                head.meta.get("og:title") and head.meta.get("og:description") and head.meta.get("description")
            )
        )
    ]
    assert wrong == []
    listed = re.findall("<loc>(.*?)</loc>", tree["sitemap.xml"].decode())
    wanted = {start + path for path, is_listed in map(expected_of, pages.keys() - left_out) if is_listed}
    assert (len(listed), set(listed)) == (len(wanted), wanted)
    assert {f"{start}/suche/", f"{start}/suche/materials/"} < wanted


def test_a_value_that_comes_or_goes_comes_to_the_sitemap_and_goes_from_it(site):
    site.file("data/site.toml", PUBLIC).build()
    address = b"<loc>https://labs.example/suche/materials/12/</loc>"
    assert address not in site.read("/", "sitemap.xml")
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA]).build()
    assert address in site.read("/", "sitemap.xml")
    site.write(laboratories=[ALPHA, BETA]).build()
    assert address not in site.read("/", "sitemap.xml")
    site.file("data/site.toml", PUBLIC.replace(SITE, SITE + "[search]\nenabled = false\n")).build()
    assert b"/suche/" not in site.read("/", "sitemap.xml")


def test_a_second_page_of_a_value_has_an_address_of_its_own(site):
    some = [laboratory(f"{number:05}", materials=[12]) for number in range(101)]
    site.file("data/site.toml", PUBLIC).write(laboratories=some).build()
    address = "https://labs.example/suche/materials/12/page-2.html"
    assert Head(site.read("suche/materials/12", "page-2.html")).links["canonical"] == address
    assert f"<loc>{address}</loc>".encode() in site.read("/", "sitemap.xml")


def test_an_edit_leaves_the_sitemap_and_a_new_laboratory_changes_it(site):
    site.file("data/site.toml", PUBLIC).build()
    assert (
        "sitemap.xml" not in site.write(laboratories=[ALPHA | {"about": "neu"}, BETA]).build().written.written
    )
    written = site.write(laboratories=[laboratory("00007")]).build().written.written
    assert "sitemap.xml" in written


def test_a_large_sitemap_is_in_parts(site):
    site.file("data/site.toml", f'base_path = "/v"\n{PUBLIC}')
    directory = directory_of(site)
    files = sitemap_files(
        directory, [Address(f"{one:06}", "x", "2024-05-01") for one in range(PART_SIZE * 2)], 400
    )
    assert b"/v/labor/000007/x/</loc><lastmod>2024-05-01</lastmod>" in files["sitemap-1.xml"]
    assert list(files) == ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    assert b"<loc>https://labs.example/v/sitemap-3.xml</loc>" in files["sitemap.xml"]
    assert max(data.count(b"<loc>") for data in files.values()) == PART_SIZE


@pytest.mark.parametrize(
    ("setting", "there"),
    [
        ("", {"robots.txt", "sitemap.xml", "favicon.ico"}),
        ('base_path = "/v"\n', {"sitemap.xml"}),
        ('website_url = "https://labs.example"\n', {"reference/sitemap.xml"}),
        ('website_url = "https://www.example"\n', {"robots.txt", "sitemap.xml", "favicon.ico"}),
    ],
)
def test_files_at_the_root_of_a_host_are_left_to_its_website(site, setting, there):
    site.file("data/site.toml", setting + PUBLIC).build()
    known = {"robots.txt", "sitemap.xml", "favicon.ico", "reference/sitemap.xml"}
    assert {name for name in site.tree() if name in known} == there


def test_the_files_at_the_root_have_their_types(site):
    site.file("data/site.toml", PUBLIC).build()
    for file, kind in (
        ("robots.txt", "text/plain; charset=utf-8"),
        ("sitemap.xml", "application/xml"),
        ("favicon.ico", "image/x-icon"),
    ):
        answer = Site(site.out).answer("GET", f"/{file}", {})
        assert (answer.status, dict(answer.fields)["Content-Type"]) == (200, kind)


@pytest.mark.parametrize("config", ["nginx/rules.conf", "apache/htaccess", "lighttpd/site.conf"])
def test_servers_know_the_type_of_each_kind_of_file(config):
    texts = Path(__file__).resolve().parent.parent / "labgen/hosts/texts"
    text = (texts / config).read_text(encoding="utf-8")
    for suffix, kind in MEDIA_TYPES.items():
        assert suffix.removeprefix(".") in text
        assert kind.partition(";")[0] in text.replace("@JSON_TYPE@", "application/json").replace(
            "@PAGE_TYPE@", "text/html"
        )


def test_settings_give_pages_a_logo_colours_and_links_at_their_foot(site):
    site.file("templates/static/logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    looks = '[looks]\nlogo = "logo.svg"\ncolour = "#7a1f5c"\ndark_colour = "#f0a6d6"\n'
    top = (
        'imprint = "/impressum/"\nprivacy = "https://a.example/dse"\nreport_to = "https://a.example/issues"\n'
    )
    assert site.file("data/site.toml", f"{top}{SITE}{looks}").build().found == []
    page = site.read(PAGE, "index.html").decode()
    (style,) = re.findall(r'href="[./]*(static/looks\.[0-9a-f]{12}\.css)"', page)
    assert "--link:#7a1f5c" in (site.out / style).read_text()
    assert re.search(r'<img src="[./]*static/logo\.\w+\.svg" alt=""', page)
    missing = site.read("/", "404.html").decode()
    assert f'href="/{style}"' in missing
    assert 'src="/static/logo.' in missing
    for href in ("/impressum/", "https://a.example/dse", "https://a.example/issues"):
        assert f'<a href="{href}">' in page


def test_settings_give_pages_a_font_pictures_and_links_at_their_head(site):
    for name in ("brand.woff2", "hero.webp"):
        site.file(f"templates/static/{name}", name)
    site.file("templates/static/card.png", picture(size=(1200, 630)))
    top = 'base_url = "https://a.example"\nbase_path = "/v"\nnoindex = false\nreport_to = "mailto:redaktion@a.example"\n'
    looks = (
        '[looks]\nfont = "brand.woff2"\nhero_text = "Wer prüft <das>?"\nhero_picture = "hero.webp"\nsocial_picture = "card.png"\n'
        '[[looks.header]]\ntitle = "Verband"\nhref = "https://www.a.example/"\n[[looks.footer]]\ntitle = "Presse"\nhref = "/presse/"\n'
    )
    assert site.file("data/site.toml", f"{top}{SITE}{looks}").build().found == []
    page = site.read("/", "index.html").decode()
    (style,) = re.findall(r'href="(static/looks\.[0-9a-f]{12}\.css)"', page)
    (font,) = re.findall(r'url\("(brand\.[0-9a-f]{12}\.woff2)"\)', (site.out / style).read_text())
    assert (site.out / "static" / font).read_bytes() == b"brand.woff2"
    header, _, rest = page.partition("</header>")
    assert "; font-src 'self'" in header
    assert header.endswith('<a href="https://www.a.example/">Verband</a>')
    assert '<a href="/presse/">Presse</a>' in rest.partition("<footer")[2]
    assert '<a href="mailto:redaktion@a.example">' in rest
    assert "Wer prüft &lt;das&gt;?" in rest
    assert re.search(r'src="static/hero\.\w+\.webp"', rest)
    assert re.search(r'og:image" content="https://a\.example/v/static/card\.\w+\.png"', header)
    assert json.loads(site.read("/", "openapi.json"))["info"]["contact"] == {"email": "redaktion@a.example"}


@pytest.mark.parametrize(
    ("data", "is_shown"),
    [
        (picture(size=(1200, 630)), True), (picture(size=(1600, 900), kind="JPEG"), True),
        (picture(size=(1200, 630), kind="JPEG", progressive=True, exif=b"Exif\0\0" + bytes(900)), True),
        (picture(size=(1200, 629)), False), (picture(size=(64, 64), kind="JPEG"), False),
        (picture(size=(1200, 630), kind="WEBP"), False), (picture(size=(1200, 630), kind="GIF"), False),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', False), (b"", False), (b"\xff\xd8\xff", False), (b"\xff\xd8\xff\xe0", False),
        (b"\x89PNG\r\n\x1a\n", False), (b"\xff\xd8" + b"\xff" * 99, False),
    ],
)  # fmt: skip
def test_a_picture_that_previews_of_links_do_not_show_is_a_warning(site, data, is_shown):
    site.file("templates/static/card.png", data)
    found = site.file("data/site.toml", f'{SITE}[looks]\nsocial_picture = "card.png"\n').check().found
    warned = [("unfit-preview", ("looks", "social_picture"), "warning")]
    assert [(one.code, one.place.pointer, one.severity) for one in found] == ([] if is_shown else warned)


@pytest.mark.parametrize(
    "text", ["mailto:", "mailto:a b@c.example", "javascript:alert(1)", "mailto:redaktion"]
)
def test_faults_are_reported_to_an_address_or_a_mailbox(site, text):
    (found,) = site.file("data/site.toml", f'report_to = "{text}"\n{SITE}').check().found
    assert found.code in {"invalid-email", "invalid-url"}


def test_a_colour_is_read_on_all_grounds_of_a_page(site):
    """#5f7f7c has 4.5 on white, and less on the ground that is tinted with it."""
    found = (
        site.file("data/site.toml", f'{SITE}[looks]\ncolour = "#087a8a"\ndark_colour = "#5f7f7c"\n')
        .check()
        .found
    )
    assert [(one.code, one.place.pointer) for one in found] == [("low-contrast", ("looks", "dark_colour"))]


def test_a_path_in_the_settings_is_one_of_the_website_where_there_is_one(site):
    site.file(
        "data/site.toml", f'imprint = "/impressum/"\nwebsite_url = "https://www.example"\n{SITE}'
    ).build()
    assert b'<a href="https://www.example/impressum/">' in site.read("/", "index.html")


def test_a_logo_that_is_no_static_file_is_an_error(site):
    (found,) = site.file("data/site.toml", f'{SITE}[looks]\nlogo = "icn.svg"\n').check().found
    assert (found.code, found.hint) == ("unknown-reference", "did you mean `icon.svg`?")


def test_colours_are_measured_on_the_grounds_of_the_stylesheet():
    style = (Path(__file__).resolve().parent.parent / "templates/static/style.css").read_text(
        encoding="utf-8"
    )
    light, dark = (
        dict(re.findall(r"--(paper|tint|pale|link): ([^;]+);", part))
        for part in style.partition("*, ::before")[0].split("prefers-color-scheme: dark")
    )
    assert (light["paper"], light["tint"]) == ("#fff", LIGHT[1])
    assert (dark["paper"], dark["tint"]) == DARK
    assert light["pale"] == f"color-mix(in srgb, var(--link) {PALE:.0%}, var(--paper))"


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
