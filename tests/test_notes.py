"""A keeper may write notes into every record; they are never published."""

import json

import pytest
from conftest import ALPHA, BETA, CATEGORIES, COUNTRIES, EXTRAS, MATERIALS, SITE, UPGRADE_OPTIONS, lines

NOTE = {"_note": "Frau Geheim anrufen: a@b.example"}


def noted(value):
    """Return a value with a note in each of its records."""
    if isinstance(value, list):
        return [noted(one) for one in value]
    return {key: noted(one) for key, one in value.items()} | NOTE if isinstance(value, dict) else value


def test_a_note_in_any_record_is_not_published_and_does_not_change_a_byte(site):
    site.file("data/media/a.png", b"")
    record = (
        ALPHA
        | EXTRAS
        | {"contact_person": {"email": "a@b.example"}, "stats": {"projects": {"value": "viele"}}}
    )
    site.write(**CATEGORIES, laboratories=[record, BETA]).without("data/media/a.png").build()
    before = site.tree()
    site.write(countries=noted(COUNTRIES), materials=noted(MATERIALS), upgrade_options=noted(UPGRADE_OPTIONS))
    site.write(laboratories=[noted(record), noted(BETA)], **noted(CATEGORIES) | {})
    site.write(**{name: noted(one) for name, one in CATEGORIES.items()})
    site.file("data/site.toml", f'_note = "Geheim"\n{SITE}[limits]\n_note = "Geheim"\n')
    (site.root / "data/_note.json").unlink(missing_ok=True)
    outcome = site.build()
    assert (outcome.errors, outcome.written.written) == (0, ())
    assert not any(b"Geheim" in data or b"_note" in data for data in site.tree().values())
    assert site.tree().keys() == before.keys()


def test_a_column_of_notes_is_not_published(site):
    site.file("data/equipments.csv", "id,title,_note\n1,Presse,Geheim\n2,Ofen,\n").write(
        laboratories=[ALPHA | {"equipments": [1]}, BETA]
    )
    assert site.build().found == []
    assert b"Geheim" not in b"".join(site.tree().values())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"_note": 7}, "wrong-type data/laboratories/00001.json:7:12 7"),
        ({"note": "x"}, 'unknown-field data/laboratories/00001.json:7:3 "note"'),
    ],
)
def test_a_note_is_a_text_and_has_its_name(site, fields, expected):
    assert lines(site.write(laboratories=[ALPHA | fields, BETA]).check()) == [expected]


def test_the_right_name_of_a_note_is_offered(site):
    site.file("data/laboratories/00001.json", json.dumps(ALPHA | {"note": "x"}))
    assert site.check().found[0].hint == "did you mean `_note`?"
