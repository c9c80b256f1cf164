"""The writer of projects: what it writes is what labgen reads."""

import tomllib
from typing import Any

import pytest
from conftest import COUNTRIES, MATERIALS, UPGRADE_OPTIONS

from labgen.importing.write_project import Project, settings_text, write_project
from labgen.output.errors import OutputError
from labgen.pipeline.build import check

SETTINGS = {
    "name": 'Das "Verzeichnis"\\',
    "deal_statuses": {"premium": "Premium", "ohne Tarif": "–"},
    "verification_statuses": {"partner": "Partner"},
    "limits": {"limit": 9},
    "hosts": ["nginx"],
    "stats": {"projects": {"key": "completed", "value": "viele"}},
    "accept": [{"code": "markup", "files": ["data/*"], "reason": "so"}],
    "noindex": False,
}
LABORATORY = {
    "stats": None,
    "rating": "0.00",
    "website": "",
    "gallery": [],
    "similar_labs": [],
    "contact_person": {"email": "", "first_name": "Eva"},
    "name": "Alpha",
    "display_id": "00001",
    "country": "de",
    "deal_status": "premium",
    "verification_status": "partner",
    "materials": [12],
}


def test_settings_are_read_as_they_were(tmp_path):
    assert tomllib.loads(settings_text(SETTINGS)) == SETTINGS


def test_a_written_project_has_no_problems_and_no_empty_values(tmp_path):
    lists: dict[str, list[dict[str, Any]]] = {
        "countries": COUNTRIES,
        "materials": MATERIALS,
        "upgrade_options": UPGRADE_OPTIONS,
    }
    assert write_project(tmp_path / "p", Project(SETTINGS, lists, [LABORATORY])) == 6
    assert (tmp_path / "p/data/laboratories/00001.json").read_text() == (
        '{\n  "display_id": "00001",\n  "name": "Alpha",\n  "country": "de",\n  "deal_status": "premium",\n'
        '  "verification_status": "partner",\n  "contact_person": {\n    "first_name": "Eva"\n  },\n'
        '  "similar_labs": [],\n  "materials": [\n    12\n  ]\n}\n'
    )
    assert (tmp_path / "p/data/materials.csv").read_text() == "id,title\n12,Stahl\n471,Edelstahl\n"
    assert check(tmp_path / "p").problems == ()


def test_a_folder_with_data_is_not_touched(tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(OutputError, match="already holds data/"):
        write_project(tmp_path, Project(SETTINGS, {}, [LABORATORY]))
    assert list(tmp_path.iterdir()) == [tmp_path / "data"]


@pytest.mark.parametrize("name", ["../x.json", "data/media/../../../x.png", "/tmp/x"])
def test_no_file_is_written_outside_of_the_project(tmp_path, name):
    with pytest.raises(OutputError, match="leads out of the project"):
        write_project(tmp_path / "p", Project(SETTINGS, {}, [LABORATORY], [(name, b"")]))
    assert list(tmp_path.iterdir()) == []
