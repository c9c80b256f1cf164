"""Null, an empty text and a field that is left out say the same: nothing."""

import json

import pytest
from conftest import ALPHA, BETA, CATEGORIES, EXTRAS, SITE, codes

from labgen.model.record_fields import field_names, is_optional
from labgen.model.records import LaboratoryRecord

OPTIONAL = [name for name in field_names(LaboratoryRecord) if is_optional(LaboratoryRecord, (name,))]


@pytest.mark.parametrize("nothing", [None, ""])
def test_null_or_an_empty_text_in_every_optional_field_publishes_what_no_field_does(site, nothing):
    site.build()
    before = site.tree()
    record = ALPHA | dict.fromkeys(OPTIONAL, nothing)
    outcome = site.write(
        laboratories=[
            record,
            BETA | {"contact_person": dict.fromkeys(["first_name", "email", "phone"], nothing)},
        ]
    ).build()
    assert (outcome.found, outcome.written.written, site.tree().keys()) == ([], (), before.keys())


@pytest.mark.parametrize("nothing", [None, ""])
def test_so_it_is_in_the_lists_of_a_laboratory_and_in_catalogues(site, nothing):
    further = json.loads(json.dumps(EXTRAS))
    site.write(**CATEGORIES, laboratories=[ALPHA | further, BETA])
    site.build()
    before = site.tree()
    further["job_listings"][0] |= {
        "url": nothing,
        "valid_through": nothing,
        "country": nothing,
        "locality": nothing,
    }
    further["resources"][1] |= {"summary": nothing}
    further["reviews"][0] |= {"title": nothing, "text": nothing, "author": nothing}
    site.write(
        laboratories=[ALPHA | further, BETA],
        materials=[{"id": 12, "title": "Stahl", "search_val": nothing}, {"id": 471, "title": "Edelstahl"}],
    )
    assert site.build().written.written == ()
    assert site.tree() | {".labgen-site.json": b""} == before | {".labgen-site.json": b""}


def test_null_is_an_empty_text_where_one_may_stand(site):
    one = {"id": 1, "accreditation_standard": 1, "accreditation_body": None, "number": None}
    site.write(accreditation_standards=[{"id": 1, "title": "a", "search_val": "b", "standard": "c"}])
    assert site.write(laboratories=[ALPHA | {"accreditations": [one]}, BETA]).build().found == []
    (item,) = site.document("laboratories/00001/accreditations")["items"]
    assert (item["accreditation_body"], item["number"]) == ("", "")


@pytest.mark.parametrize("name", ["display_id", "name", "country", "deal_status", "verification_status"])
def test_a_field_that_must_be_written_is_not_null(site, name):
    assert codes(
        site.write(laboratories=[BETA])
        .file("data/laboratories/1.json", json.dumps(ALPHA | {name: None}))
        .check()
    ) == ["wrong-type"]


def test_a_list_holds_no_null_and_no_empty_text(site):
    site.write(laboratories=[ALPHA | {"materials": [None], "gallery": [""]}, BETA])
    assert codes(site.check()) == ["wrong-type", "invalid-path"]


def test_lists_with_nulls_are_read_again_as_they_were_read_first(site):
    site.write(
        equipments=[{"id": 1, "title": "a", "search_val": None}],
        laboratories=[ALPHA | {"equipments": [1]}, BETA],
    ).build()
    assert site.write(laboratories=[ALPHA | {"equipments": [1], "name": "Neu"}, BETA]).build().found == []
    assert site.document("laboratories/00001/equipments")["items"] == [
        {"id": 1, "search_val": "1", "title": "a"}
    ]


def test_an_empty_setting_is_as_one_that_is_not_written(site):
    site.build()
    site.file("data/site.toml", f'language = ""\nimage_format = ""\n{SITE}')
    assert site.build().written.written == ()
