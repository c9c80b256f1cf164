"""The Atom feed of the newest laboratories."""

from xml.etree import ElementTree as ET

import pytest
from conftest import BETA, SITE, Project, laboratory

ATOM = "{http://www.w3.org/2005/Atom}"


def feed_of(site: Project, settings: str = "") -> ET.Element:
    site.file("data/site.toml", settings + SITE)
    site.write(
        laboratories=[
            laboratory("00001", name="Alt & <neu>", published_on="2024-01-31", locality="Köln"),
            BETA,
            laboratory("00003", published_on="2024-05-01"),
        ]
    )
    assert site.build().errors == 0
    return ET.fromstring((site.out / "laboratories.atom").read_bytes())


def links(element: ET.Element) -> list[tuple[str | None, ...]]:
    return [(one.get("rel"), one.get("type"), one.get("href")) for one in element.findall(f"{ATOM}link")]


@pytest.mark.parametrize(
    ("settings", "base"),
    [('base_url = "https://a.example"\nbase_path = "/labs"\n', "https://a.example/labs"), ("", "")],
)
def test_the_newest_laboratories_are_entries_with_what_rfc_4287_requires(site, settings, base):
    feed = feed_of(site, settings)
    entries = feed.findall(f"{ATOM}entry")
    assert [one.findtext(f"{ATOM}title") for one in entries] == ["Labor 00003", "Alt & <neu>"]
    assert entries[1].findtext(f"{ATOM}summary") == "Köln, Deutschland"
    for one in (feed, *entries):
        assert (
            len(one.findall(f"{ATOM}id"))
            == len(one.findall(f"{ATOM}title"))
            == len(one.findall(f"{ATOM}updated"))
            == 1
        )
    assert [one.findtext(f"{ATOM}updated") for one in (feed, *entries)] == ["2024-05-01T00:00:00Z"] * 2 + [
        "2024-01-31T00:00:00Z"
    ]
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Verzeichnis"
    ids = [one.findtext(f"{ATOM}id") or "" for one in (feed, *entries)]
    assert len({*ids}) == 3
    assert all(one.startswith(base or "urn:uuid:") for one in ids)
    assert links(feed)[0] == ("self", "application/atom+xml", f"{base}/laboratories.atom")
    path = f"{base}/api/v1/laboratory/laboratories/00003/"
    assert links(entries[0]) == [
        ("alternate", "text/html", f"{base}/labor/00003/labor-00003/"),
        ("alternate", "application/json", path),
    ]


def test_the_front_page_names_the_feed(site):
    feed_of(site)
    link = b'<link rel="alternate" type="application/atom+xml" href="laboratories.atom">'
    assert link in (site.out / "index.html").read_bytes()
    site.write(laboratories=[BETA]).build()
    assert b"atom" not in (site.out / "index.html").read_bytes()


def test_a_website_has_the_pages(site):
    feed = feed_of(site, 'website_url = "https://www.example"\n')
    assert links(feed.findall(f"{ATOM}entry")[0])[0][2] == "https://www.example/labor/00003/labor-00003/"


def test_without_dates_there_is_no_feed_and_with_the_same_data_the_same(site):
    site.build()
    assert not (site.out / "laboratories.atom").exists()
    feed_of(site)
    first = (site.out / "laboratories.atom").read_bytes()
    site.write(laboratories=[laboratory("00001", published_on="2024-02-01")]).build()
    assert b"2024-02-01" in (site.out / "laboratories.atom").read_bytes()
    feed_of(site)
    assert (site.out / "laboratories.atom").read_bytes() == first
