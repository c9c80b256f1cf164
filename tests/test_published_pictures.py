"""Pictures can be taken as they are published: a record names their addresses, and the site serves them as they are."""

import pytest
from conftest import ALPHA, BETA, SITE, laboratory, lines

LOGO = "/media/ab/logo-100.png /media/ab/logo-200.png"
WITH_LOGO = laboratory(
    "00001", logo=LOGO, image="https://b.example/card.jpg", gallery=["/media/ab/halle.jpg"]
)


@pytest.fixture
def pictured(site):
    for name in ("logo-100.png", "logo-200.png", "halle.jpg"):
        site.file(f"data/media/published/ab/{name}", name)
    return site.write(laboratories=[WITH_LOGO, BETA | {"similar_labs": ["00001"]}])


def test_documents_hold_the_addresses_and_the_site_the_files(pictured):
    assert lines(pictured.build()) == []
    document = pictured.document("laboratories/00001/")
    assert (document["logo_url"], document["logo2x_url"]) == tuple(LOGO.split())
    assert (
        pictured.document("laboratories/00002/similar_labs/")[0]["image_url"] == "https://b.example/card.jpg"
    )
    gallery = pictured.document("laboratories/00001/gallery/")
    assert gallery == [{"preview_url": "/media/ab/halle.jpg", "large_url": "/media/ab/halle.jpg"}]
    assert (pictured.out / "media/ab/logo-200.png").read_bytes() == b"logo-200.png"


def test_what_the_site_serves_follows_the_base_path(pictured):
    pictured.file("data/site.toml", 'base_path = "/verzeichnis"\n' + SITE).build()
    assert pictured.document("laboratories/00001/")["logo_url"] == "/verzeichnis/media/ab/logo-100.png"
    assert (pictured.out / "media/ab/logo-100.png").is_file()


def test_a_file_that_changed_is_copied_and_one_that_nobody_names_is_removed(pictured):
    pictured.build()
    pictured.file("data/media/published/ab/halle.jpg", "neu").build()
    assert (pictured.out / "media/ab/halle.jpg").read_bytes() == b"neu"
    pictured.write(laboratories=[WITH_LOGO | {"gallery": []}, BETA])
    assert lines(pictured.build()) == ["unused-image data/media/published/ab/halle.jpg"]
    assert not (pictured.out / "media/ab/halle.jpg").exists()


def test_a_file_that_is_missing_is_an_error_also_where_it_was_there_before(pictured):
    pictured.build()
    pictured.without("data/media/published/ab/halle.jpg")
    assert lines(pictured.build()) == [
        'missing-image data/laboratories/00001.json:10:5 "/media/ab/halle.jpg"'
    ]


@pytest.mark.parametrize(
    "name",
    ["/media/../x.png", "/media/.git/x.png", "/media/x.svg", "/media/x", "/x.png", "//b.example/x.png", "https://", "javascript:alert(1).png/",
     "/media/a.png /media/b.png /media/c.png", "/media/a.png  /media/b.png", "/media/a.png x.png", "/media//a.png"],
)  # fmt: skip
def test_what_is_no_address_of_a_picture_is_an_error(site, name):
    (found,) = lines(site.write(laboratories=[ALPHA | {"logo": name}]).build())
    assert found.split()[0] in ("invalid-path", "invalid-url", "mislabelled-image")
