"""What pages say of the host is what the chosen hosts do."""

import re
from html import unescape

import pytest
from answering import HOSTS
from conftest import SITE

from labgen.api.endpoint import LABORATORIES
from labgen.contract.contract_rows import all_rows
from labgen.contract.host_abilities import ROWS, HostAbilities
from labgen.hosts import PROFILES
from labgen.render.guide import NOBODY

ALPHA_PATH = f"{LABORATORIES}00001/"


def text_of(page: bytes) -> str:
    """Return the text of a page, its white space as single spaces."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", page.decode())))


def test_each_ability_is_about_a_row_of_the_contract():
    assert set(ROWS.values()) <= {row.name for row in all_rows(["/x/"], files=["media/x.png"])}
    assert (*ROWS, "has_search") == HostAbilities._fields


@pytest.mark.parametrize("host", HOSTS)
def test_the_host_answers_the_request_that_a_page_shows_with_the_header_fields_that_it_shows(site, host):
    site.build(hosts=(host,))
    ask = HOSTS[host](site.out)
    for path in (ALPHA_PATH, f"{ALPHA_PATH}standards/", LABORATORIES, "/api/v1/laboratory/upgrade-options/"):
        page = site.read(path, "api.html")
        (target,) = re.findall(r'<bdi id="path">(?:<[^>]*>)*([^<]+)</bdi>', page.decode())
        assert f"curl {target} " in text_of(page)
        status, fields, body = ask(target + ("?format=json" if host == "nginx" else ""))
        assert (status, body) == (200, site.read(path))
        shown = re.search(
            r"HTTP 200 OK( Allow: GET, HEAD, OPTIONS)? Content-Type: application/json( Vary: Accept)?",
            text_of(page),
        )
        assert shown
        assert ("allow" in fields, fields.get("vary") == "Accept") == (
            shown[1] is not None,
            shown[2] is not None,
        )


@pytest.mark.parametrize("host", HOSTS)
def test_the_host_answers_all_requests_of_the_reference_and_of_the_front_page(site, host):
    site.build(hosts=(host,))
    ask = HOSTS[host](site.out)
    pages = "".join(site.read(name, "index.html").decode() for name in ("reference/", "/"))
    samples = [unescape(one) for one in re.findall(r"<pre id=[^>]*>(.*?)</pre>", pages, re.DOTALL)]
    targets = {
        target for one in samples for target in re.findall(r"/api/v1/[^\s'\"]*", re.sub("<[^>]*>", "", one))
    }
    assert len(targets) > 10
    assert {target for target in targets if ask(target)[0] != 200 and NOBODY not in target} == set()


def test_a_site_of_plain_files_promises_files_and_nothing_else(site):
    site.build()
    text = " ".join(text_of(data) for name, data in site.tree().items() if name.endswith(".html"))
    assert f"GET {ALPHA_PATH}index.json" in text
    for promise in ("Allow", "Vary", "OPTIONS", "ETag", "?format=", "Accept", "301", "405", f"{ALPHA_PATH} "):
        assert promise not in text, promise


def test_a_full_host_is_promised_in_full(site):
    site.build(hosts=("nginx",))
    assert f"GET {ALPHA_PATH} " in text_of(site.read(ALPHA_PATH, "api.html"))
    reference = text_of(site.read("reference/", "index.html"))
    for promise in (
        "200Allow, Vary, ETag,",
        "301Location,",
        "304ETag",
        "405Allow",
        "204Allow",
        "If-None-Match",
        "?format=",
        "Accept text/html",
    ):
        assert promise in reference, promise


def test_of_several_hosts_only_what_all_of_them_do_is_promised(site):
    site.file("data/site.toml", f'hosts = ["nginx", "github-pages"]\n{SITE}').build()
    page = text_of(site.read(ALPHA_PATH, "api.html"))
    assert f"GET {ALPHA_PATH} " in page
    assert "Vary" not in page


def test_another_host_changes_the_pages_and_no_document(site):
    site.build()
    written = site.build(hosts=("caddy",)).written.written
    pages = {name for name in site.tree() if name.endswith("/api.html")}
    assert pages <= set(written)
    assert not [name for name in written if name.endswith(".json") and name.startswith("api/")]


def test_every_host_can_give_out_the_file_that_pages_ask_for_where_paths_are_not_answered():
    for profile in PROFILES.values():
        assert "json-file" not in profile.failed_rows
        assert "page-file" not in profile.failed_rows
