"""What is published: the contract of the specification, byte for byte."""

import json
import re

import pytest
from conftest import ALPHA, BETA, CATEGORIES, EXTRAS, SITE, laboratory, picture
from pydantic import TypeAdapter

from labgen.api.sections import ENDPOINTS, PER_LABORATORY
from labgen.render.encode_json import render_json

FULL = laboratory(
    "00123",
    name="Prüflabor Größe & Söhne",
    is_verified=True,
    locality="Köln",
    about="Zeile\r\nTab\t;; 😀 </script> \u2028 \u00a0 e\u0301",
    contact_person={
        "first_name": "Jörg", "last_name": "Maß", "position": "Leitung",
        "email": "jörg@alpha.example", "phone": "+49 30 23125-117",
    },
    address="Weg 1",
    postal_code="01067",
    website="https://www.alpha.example/ä?b=c&d",
    stats={"projects": {"key": "completed", "value": "viele", "value_level": "green", "label": "Projekte"}},
    logo="logos/größe 1.png",
    image="bild.png",
    gallery=["g/1.png", "g/2.png"],
    similar_labs=["00002"],
    materials=[471, 12],
    test_methods=[7],
    accreditations=[
        {"id": 9, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D-PL-1 (Kat. III)"},
        {"id": 8, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D-PL-2"},
    ],
    certifications=[5],
    standards=[3],
    **EXTRAS,
)  # fmt: skip


@pytest.fixture
def full(site):
    """A laboratory with everything, and one with nothing."""
    for name in ("logos/größe 1.png", "bild.png", "g/1.png", "g/2.png"):
        site.file(f"data/media/{name}", picture())
    site.write(
        test_methods=[{"id": 7, "search_val": "zug", "title": "Zugversuch", "price": None}],
        accreditation_standards=[
            {"id": 1, "search_val": "17025", "title": "Labore", "standard": "ISO/IEC 17025"}
        ],
        certifications=[{"id": 5, "title": "ISO 9001"}],
        standards=[
            {"id": 3, "search_val": "din-1", "title": "DIN 1", "summary": "H<sub>2</sub>O\t;;\r\npH < 7"}
        ],
        laboratories=[FULL, BETA | {"country": "li", "name": "北京"}],
        **CATEGORIES,
    )
    assert not site.build().errors
    return site


def test_a_laboratory_is_published_as_the_specification_shows_it(full):
    text = full.read("api/v1/laboratory/laboratories/00123/").decode()
    assert re.sub("/media/[0-9a-f]{16}/", "/media/…/", text) == (
        '{"display_id":"00123","name":"Prüflabor Größe & Söhne","is_verified":true,'
        '"country":{"iso_code":"de","slug":"deutschland","name":"Deutschland","link":"/land/deutschland/"},'
        '"logo_url":"/media/…/groesse-1-100x80.webp","logo2x_url":"/media/…/groesse-1-200x160.webp",'
        '"locality":"Köln","url":"/labor/00123/prueflabor-groesse-soehne/",'
        '"deal_status":{"id":"premium","title":"Premium"},"verification_status":{"id":"partner","title":"Partner"},'
        '"about":"Zeile\\r\\nTab\\t;; 😀 </script> \\u2028 \u00a0 e\u0301",'
        '"contact_person":{"first_name":"Jörg","last_name":"Maß","position":"Leitung",'
        '"encoded_email":"106,246,114,103,64,97,108,112,104,97,46,101,120,97,109,112,108,101",'
        '"encoded_phone":"43,52,57,32,51,48,32,50,51,49,50,53,45,49,49,55"},'
        '"address":"Weg 1","postal_code":"01067","website":"https://www.alpha.example/ä?b=c&d",'
        '"stats":{"projects":{"key":"completed","value":"viele","value_level":"green","label":"Projekte"}},'
        '"rating":"4.33"}'
    )


def test_a_laboratory_with_nothing_has_empty_texts_and_null_only_where_the_specification_says_so(full):
    document = full.document("laboratories/00002")
    assert document["website"] is None
    assert document["country"]["link"] is None
    assert document["url"] == "/labor/00002/00002/"
    assert document["rating"] == "0.00"
    assert document["locality"] == document["about"] == document["contact_person"]["encoded_email"] == ""
    assert re.fullmatch(r"/media/[0-9a-f]{16}/initials-100x80\.svg", document["logo_url"])
    assert (full.out / document["logo2x_url"].strip("/")).read_text().count("北") == 1


def test_materials_are_in_dictionary_order_and_everything_else_in_source_order(full):
    assert full.document("laboratories/00123/materials") == {
        "name": "materials", "title": "Materialien", "search_arg": "materials__in", "limit": 8, "hidden_count": 0,
        "items": [
            {"id": 471, "search_val": "471", "title": "Edelstahl"},
            {"id": 12, "search_val": "12", "title": "Stahl"},
        ],
    }  # fmt: skip
    assert [item["id"] for item in full.document("laboratories/00123/accreditations")["items"]] == [9, 8]


def test_the_facet_sections_are_published_as_the_specification_shows_them(full):
    def only(section):
        document = full.document(f"laboratories/00123/{section}")
        return document["search_arg"], json.dumps(document["items"][0], ensure_ascii=False)

    assert only("test_methods") == (
        "test_methods__in",
        '{"id": 7, "search_val": "zug", "title": "Zugversuch", "summary": "", "price": null}',
    )
    assert only("accreditations") == (
        "accreditation_standards__in",
        '{"id": 9, "search_val": "17025", "title": "Labore", "accreditation_body": "DAkkS", '
        '"standard": "ISO/IEC 17025", "number": "D-PL-1 (Kat. III)"}',
    )
    assert only("certifications") == (
        "certifications__in",
        '{"id": 5, "search_val": "5", "title": "ISO 9001"}',
    )
    assert only("standards") == (
        "tests__in",
        '{"id": 3, "search_val": "din-1", "title": "DIN 1", "summary": "H<sub>2</sub>O\\t;;\\r\\npH < 7"}',
    )


def test_gallery_and_similar_laboratories_are_published_as_the_specification_shows_them(full):
    text = full.read("api/v1/laboratory/laboratories/00123/gallery").decode()
    assert re.sub("/media/[0-9a-f]{16}/", "/media/…/", text) == (
        '[{"preview_url":"/media/…/1-160x160.webp","large_url":"/media/…/1-1600x900.webp"},'
        '{"preview_url":"/media/…/2-160x160.webp","large_url":"/media/…/2-1600x900.webp"}]'
    )
    assert full.read("api/v1/laboratory/laboratories/00123/similar_labs/").decode() == (
        '[{"display_id":"00002","name":"北京","image_url":null,"locality":"",'
        '"country":{"iso_code":"li","slug":"","name":"Liechtenstein","link":null},"url":"/labor/00002/00002/"}]'
    )
    assert full.document("laboratories/00002/gallery") == []


def test_upgrade_options_are_published_by_plan(full):
    assert full.read("api/v1/laboratory/upgrade-options/").decode() == (
        '{"laboratory":{"business":['
        '{"billing":"business:monthly","billing_label":"49 €","freq":"monthly","plan":"business",'
        '"plan_label":"Business","recommend":false},'
        '{"billing":"business:annual","billing_label":"490 €","freq":"annual","plan":"business",'
        '"plan_label":"Business","recommend":true}]}}'
    )
    full.write(upgrade_options=[]).build()
    assert full.document("upgrade-options") == {"laboratory": {"business": []}}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: one.name)
def test_every_document_is_valid_against_its_type_and_in_the_order_of_its_keys(full, endpoint):
    is_of_one = endpoint in PER_LABORATORY
    paths = [endpoint.path_for(lab) for lab in ("00123", "00002")] if is_of_one else [endpoint.path]
    for path in paths:
        data = full.read(path)
        document = TypeAdapter(endpoint.document).validate_json(data, strict=True)
        assert render_json(document) == data  # validation puts keys into the order of the type
        schema = TypeAdapter(endpoint.document).json_schema()
        assert all(
            part.get("required", []) == list(part.get("properties", {})) for part in schema["$defs"].values()
        )


def test_json_has_the_bytes_that_the_original_framework_sends():
    text = "".join(
        map(chr, [*range(0x21), 0x22, 0x5C, 0x7F, 0x85, 0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x1F600])
    )
    expected = json.dumps({"a": [text, 1, None, True]}, ensure_ascii=False, separators=(",", ":"))
    expected = expected.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    assert render_json({"a": [text, 1, None, True]}) == expected.encode()


def test_a_base_path_leads_every_address_and_no_file(site):
    site.file("data/media/a.png", picture()).file("data/site.toml", 'base_path = "/v"\n' + SITE)
    full = ALPHA | {"logo": "a.png", "image": "a.png", "gallery": ["a.png"], "similar_labs": ["00002"]}
    site.write(laboratories=[full, BETA | {"image": "a.png"}]).build()
    text = site.read("api/v1/laboratory/laboratories/00001/").decode()
    addresses = re.findall(r'"(/[^"]*)"', text)
    assert [re.sub("/[0-9a-f]{16}/", "/…/", one) for one in addresses] == [
        "/v/land/deutschland/", "/v/media/…/a-100x80.webp", "/v/media/…/a-200x160.webp", "/v/labor/00001/alpha/",
    ]  # fmt: skip
    (similar,) = site.document("laboratories/00001/similar_labs")
    (shown,) = site.document("laboratories/00001/gallery")
    assert similar["url"] == "/v/labor/00002/beta/"
    for address in (*addresses[1:3], similar["image_url"], *shown.values()):
        assert address.startswith("/v/media/")
        assert (site.out / address.removeprefix("/v/")).is_file()


def test_settings_reach_the_documents(site):
    site.file(
        "data/site.toml",
        SITE + '[words]\nlaboratory = "lab"\ncountry = "country"\n[limits]\nlimit = 5\nsimilar_limit = 0\n'
        '[sections]\nmaterials = "Werkstoffe"\n[stats.projects]\nlabel = "Projekte"\n',
    )
    site.write(laboratories=[ALPHA | {"materials": [12]}, BETA | {"materials": [12]}]).build()
    document = site.document("laboratories/00001")
    assert (document["url"], document["country"]["link"]) == ("/lab/00001/alpha/", "/country/deutschland/")
    assert document["stats"]["projects"] == {
        "key": "completed",
        "value": "",
        "value_level": "gray",
        "label": "Projekte",
    }
    materials = site.document("laboratories/00001/materials")
    assert (materials["title"], materials["limit"]) == ("Werkstoffe", 5)
    assert site.document("laboratories/00001/similar_labs") == []


def test_similar_laboratories_are_computed_where_the_record_names_none(site):
    site.write(
        laboratories=[
            ALPHA | {"materials": [12]},
            BETA | {"materials": [12]},
            laboratory("00003", similar_labs=[]),
        ]
    )
    site.build()
    assert [one["display_id"] for one in site.document("laboratories/00001/similar_labs")] == ["00002"]
    assert site.document("laboratories/00003/similar_labs") == []


@pytest.mark.parametrize(
    ("written", "published"),
    [("4.5", "4.50"), (4, "4.00"), ("4.50", "4.50"), (4.25, "4.25"), ("0", "0.00"), ("04.1", "4.10")],
)
def test_a_rating_has_two_decimals(site, written, published):
    site.write(laboratories=[ALPHA | {"rating": written}]).build()
    assert site.document("laboratories/00001")["rating"] == published


def test_error_documents_are_in_the_language_of_the_site(site):
    site.build()
    assert site.read("", "404.json").decode() == '{"detail":"Nicht gefunden."}'
    assert site.read("", "405.json").decode() == '{"detail":"Methode nicht erlaubt."}'
    site.file("data/site.toml", 'language = "en"\n' + SITE).build()
    assert site.read("", "404.json").decode() == '{"detail":"Not found."}'


def test_each_section_of_a_laboratory_has_an_address_of_its_own():
    paths = [path for endpoint in ENDPOINTS for path in endpoint.path_templates]
    assert len(set(paths)) == len(paths)
    assert all(path.startswith("/api/v1/") and path.endswith("/") for path in paths)
