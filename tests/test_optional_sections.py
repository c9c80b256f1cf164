"""The sections that the specification names without showing: what they hold, and when they appear."""

import json
import re

import pytest
from conftest import (
    ALPHA,
    BETA,
    CATEGORIES,
    COUNTRIES,
    EXTRAS,
    SITE,
    codes,
    laboratory,
    lines,
    pages_of,
    picture,
)
from hypothesis import given
from hypothesis import strategies as st

from labgen.api.sections import ENDPOINTS, PER_LABORATORY, PER_SITE
from labgen.checks.own_lists import mean_of
from labgen.model.language import built_in
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.verify.verify import verify_folder

LABS = "api/v1/laboratory/laboratories"
OPTIONAL = [one for one in PER_LABORATORY if one.is_optional]
ALL = f"publish = {json.dumps([one.name for one in ENDPOINTS if one.is_optional])}\n{SITE}"


@pytest.fixture
def extras(site):
    """A laboratory with data for all of them, and one with none."""
    site.write(laboratories=[ALPHA | EXTRAS, BETA], **CATEGORIES)
    assert site.build().problems == ()
    return site


def text(site, path):
    return site.read(f"{LABS}/{path}/").decode()


def test_the_catalogues_are_published_by_title_in_the_envelope_of_the_specification(extras):
    assert text(extras, "00001/test_categories") == (
        '{"name":"test_categories","title":"Prüfarten","search_arg":"test_categories__in","limit":8,"hidden_count":0,'
        '"items":[{"id":2,"search_val":"2","title":"Ätzprüfung"},{"id":1,"search_val":"1","title":"Zugprüfung"}]}'
    )
    assert extras.document("laboratories/00001/equipments")["search_arg"] == "equipments__in"
    assert extras.document("laboratories/00001/material_categories")["items"] == [
        {"id": 1, "search_val": "1", "title": "Metalle"}
    ]


def test_resources_and_links_are_published_as_they_are_written(extras):
    assert text(extras, "00001/resources") == (
        '[{"id":7,"title":"Merkblatt","summary":"Zwei\\r\\nZeilen","url":"https://a.example/merkblatt.pdf"},'
        '{"id":3,"title":"Normen","summary":"","url":"/api/v1/laboratory/laboratories/00002/standards/"}]'
    )
    assert text(extras, "00001/landings_links") == '[{"title":"Zugversuche","link":"/zugversuche/"}]'


def test_job_listings_are_published_newest_first_and_in_the_country_of_the_laboratory_unless_they_say_another(
    extras,
):
    country = (
        '"country":{"iso_code":"de","slug":"deutschland","name":"Deutschland","link":"/land/deutschland/"}'
    )
    undated = f'"locality":"",{country},"published_on":"2024-05-01","valid_through":null,"url":null}}'
    assert text(extras, "00001/job_listings") == (
        '[{"id":9,"title":"Prüfer","locality":"Vaduz",'
        '"country":{"iso_code":"li","slug":"","name":"Liechtenstein","link":null},'
        '"published_on":"2024-06-01","valid_through":"2024-06-30","url":"https://a.example/9"},'
        f'{{"id":1,"title":"Leitung",{undated},{{"id":2,"title":"Laborant (m/w/d)",{undated}]'
    )


def test_reviews_are_published_newest_first_with_ratings_of_two_decimals(extras):
    found = extras.document("laboratories/00001/reviews")
    assert [(one["id"], one["rating"]) for one in found] == [(2, "4.50"), (1, "4.00"), (3, "4.50")]
    assert json.dumps(found[0], ensure_ascii=False) == (
        '{"id": 2, "rating": "4.50", "title": "Gern wieder", "text": "Schnell;;\\r\\n<gut>", '
        '"author": "E. M.", "created_on": "2024-02-01"}'
    )
    assert found[1]["title"] == found[1]["text"] == found[1]["author"] == ""


def test_new_shows_the_latest_dates_first_then_the_smaller_display_id_and_no_laboratory_without_one(site):
    site.file("data/media/a.png", picture()).file(
        "data/site.toml", f"{SITE}[limits]\nnew_limit = 3\nlimit = 8\n"
    )
    dates = {
        "00001": "2024-01-01",
        "00002": None,
        "00003": "2024-02-01",
        "00004": "2024-01-01",
        "00005": "2023-12-31",
    }
    site.write(laboratories=[laboratory(one, published_on=on, image="a.png") for one, on in dates.items()])
    assert site.build().problems == ()
    found = site.document("laboratories/new")
    assert [one["display_id"] for one in found] == ["00003", "00001", "00004"]
    assert (site.out / found[0]["image_url"].strip("/")).is_file()
    assert re.search(r"/media/[0-9a-f]{16}/a-160x224\.webp", found[0]["image_url"])
    assert found[0] | {"image_url": ""} == {
        "display_id": "00003", "name": "Labor 00003", "image_url": "", "locality": "",
        "country": {"iso_code": "de", "slug": "deutschland", "name": "Deutschland", "link": "/land/deutschland/"},
        "url": "/labor/00003/labor-00003/",
    }  # fmt: skip
    assert '<a href="../00003/api.html">' in site.read(f"{LABS}/new/", "api.html").decode()


def test_a_laboratory_without_data_has_an_empty_list_where_another_has_data(extras):
    for endpoint in OPTIONAL:
        document = extras.document(f"laboratories/00002/{endpoint.segment}")
        assert document == [] or document["items"] == []


def test_where_nobody_has_data_there_is_no_path_and_no_page_speaks_of_it(site):
    site.build()
    assert not [file for file in site.tree() for one in OPTIONAL if f"/{one.name}/" in file]
    pages = b"".join(data for name, data in site.tree().items() if name.endswith(".html"))
    for endpoint in (one for one in ENDPOINTS if one.is_optional):
        assert f"{endpoint.name}/".encode() not in pages
        assert built_in("de").about[endpoint.name].encode() not in pages


def test_what_the_settings_ask_for_is_there_without_data(site):
    site.file("data/site.toml", ALL).build()
    for once in PER_SITE:
        assert (site.out / once.path.strip("/") / "api.html").is_file()
    for endpoint in OPTIONAL:
        page = site.read(endpoint.path_for("00002"), "api.html").decode()
        assert '<pre id="json"' in page
        assert site.document(f"laboratories/00002/{endpoint.segment}") in ([], {
            "name": endpoint.name, "title": built_in("de").titles[endpoint.name], "search_arg": f"{endpoint.name}__in", "limit": 8,
            "hidden_count": 0, "items": [],
        })  # fmt: skip
    assert site.document("laboratories/new") == []


def test_only_what_somebody_has_data_for_appears(site):
    site.write(
        laboratories=[ALPHA | {"rating": 5, "reviews": EXTRAS["reviews"][:0], "published_on": None}, BETA]
    )
    assert not [file for file in pages_of(site.build()) if "reviews" in file or "/new/" in file]
    site.write(laboratories=[ALPHA, BETA | {"landings_links": EXTRAS["landings_links"]}]).build()
    there = {path.parent.name for path in site.out.glob(f"{LABS}/00001/*/index.json")}
    assert there & {one.segment for one in OPTIONAL} == {"landings_links"}


def test_the_folder_of_such_a_site_is_verified_with_its_project_and_without(extras):
    for root in (extras.root, None):
        assert [one for one in verify_folder(root, extras.out, Options()).checks if one.faults] == []
    (extras.out / LABS / "00002/reviews/index.json").unlink()
    wrong = [one for one in verify_folder(None, extras.out, Options()).checks if one.faults]
    assert {one.subject for one in wrong} == {f"{LABS}/00002/reviews/index.json"}


def test_new_is_written_again_only_where_what_it_shows_changes(site):
    def written(*records):
        return {file for file in pages_of(site.write(laboratories=list(records)).build()) if "/new/" in file}

    shown, other = ALPHA | {"published_on": "2024-01-01"}, BETA | {"locality": "Ulm"}
    both = {f"{LABS}/new/index.json", f"{LABS}/new/api.html"}
    assert written(shown, BETA) == both
    assert written(shown, other) == set()
    assert written(shown | {"about": "Neu"}, other) == set()
    assert written(shown | {"name": "Omega"}, other) == both
    assert written(shown | {"name": "Omega"}, other | {"published_on": "2023-01-01"}) == both
    abroad = [COUNTRIES[0] | {"name": "Bundesrepublik"}, COUNTRIES[1]]
    assert f"{LABS}/new/index.json" in pages_of(site.write(countries=abroad).build())


def test_a_country_that_only_a_job_listing_names_reaches_it_when_it_is_renamed(extras):
    renamed = [COUNTRIES[0], COUNTRIES[1] | {"name": "Fürstentum"}]
    result = pages_of(extras.write(countries=renamed).build())
    assert {file.rpartition("/")[0] for file in result} == {f"{LABS}/00001/job_listings"}


def test_a_renamed_entry_of_these_catalogues_reaches_those_who_name_it(extras):
    result = pages_of(extras.write(equipments=[{"id": 1, "title": "Presse"}]).build())
    assert {file.rpartition("/")[0] for file in result} == {f"{LABS}/00001/equipments"}


def test_catalogues_of_these_sections_make_no_laboratories_similar(site):
    both = [one | {"test_categories": [1], "equipments": [1]} for one in (ALPHA, BETA)]
    site.write(laboratories=both, **CATEGORIES).build()
    assert site.document("laboratories/00001/similar_labs") == []


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40))
def test_the_mean_of_ratings_is_rounded_half_up(hundredths):
    mean = int(mean_of([f"{one // 100}.{one % 100:02}" for one in hundredths]).replace(".", ""))
    double = 2 * len(hundredths)
    assert double * mean - len(hundredths) <= 2 * sum(hundredths) < double * mean + len(hundredths)


def check_links(site, *addresses, base_path=""):
    links = [{"title": "x", "link": f"{base_path}{one}"} for one in addresses]
    site.file("data/site.toml", f'base_path = "{base_path}"\n{SITE}')
    site.write(laboratories=[ALPHA | {"landings_links": links}, BETA])
    return [(one.source_line.strip(), one.problem.hint) for one in site.check().problems]


@pytest.mark.parametrize("base_path", ["", "/v"])
def test_links_into_the_site_that_lead_somewhere_are_fine(site, base_path):
    labs = f"/{LABS}/"
    good = [
        f"{labs}00002/", f"{labs}00002", f"{labs}00001/materials/", f"{labs}00001/landings_links/api.html#1", f"{labs}00002/index.json?x=1",
        "/labor/00009/", "/media", "/api/v1/laboratory/upgrade-options/", labs, f"{labs}00009/../00001/",
    ]  # fmt: skip
    assert check_links(site, *good, base_path=base_path) == []


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("00020/", 'did you mean the laboratory "00002"?'), ("00999/", "there is no laboratory 00999"), ("00002/material/", "did you mean `materials`?"),
        ("00002/reviews/", "`publish` in data/site.toml makes it appear"), ("new/", "`publish` in data/site.toml makes it appear"), ("page/2/", ""), ("newer/", ""),
        ("../upgrade-option/", ""),
    ],
)  # fmt: skip
def test_links_into_the_site_that_lead_nowhere_are_warned_of(site, address, hint):
    assert check_links(site, f"/{LABS}/{address}") == [(f'"link": "/{LABS}/{address}"', hint)]


def test_a_link_to_a_picture_is_known_by_its_contents(site):
    site.file("data/media/a.png", picture()).write(
        laboratories=[ALPHA | {"gallery": ["a.png"]}, BETA]
    ).build()
    (shown,) = site.document("laboratories/00001/gallery")
    logo = site.document("laboratories/00001")["logo_url"]
    links = [{"title": "x", "link": one} for one in (*shown.values(), logo)]
    site.write(laboratories=[ALPHA | {"gallery": ["a.png"], "landings_links": links}, BETA])
    assert site.check().problems == ()
    site.file("data/media/a.png", picture("blue"))
    assert codes(site.check()) == ["dead-link", "dead-link"]


def test_a_link_that_forgets_where_the_site_lies_is_warned_of(site):
    site.file("data/site.toml", f'base_path = "/v"\n{SITE}')
    link = {"title": "x", "link": f"/{LABS}/00002/"}
    site.write(laboratories=[ALPHA | {"landings_links": [link]}, BETA])
    (problem,) = site.check().problems
    assert problem.problem.hint == "the site lies below /v: begin with that"


def test_a_link_of_a_laboratory_that_did_not_change_is_warned_of_when_its_target_goes(site, tmp_path):
    target = {"title": "x", "link": f"/{LABS}/00002/"}
    site.write(laboratories=[ALPHA | {"landings_links": [target]}, BETA])
    assert site.build().problems == ()
    outcome = site.without("data/laboratories/00002.json").build()
    assert lines(outcome) == [f'dead-link data/laboratories/00001.json:10:15 "/{LABS}/00002/"']
    assert lines(site.build()) == lines(outcome) == lines(build(site.root, tmp_path / "cold", Options()))
