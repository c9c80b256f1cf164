"""What each document shows of the records: all that its endpoint names, and nothing else."""

import copy
from typing import Any

import pytest
from conftest import Project, picture
from draw_records import (
    DEAL_STATUSES,
    IMAGES,
    SETTINGS,
    VERIFICATION_STATUSES,
    Drawer,
    all_records,
    records_in,
)
from typing_extensions import get_type_hints

from labgen.api.sections import ENDPOINTS, PAGED, PER_LABORATORY, PER_SITE
from labgen.model.catalogues import REFERENCES, SHARED_LISTS
from labgen.model.directory import Part
from labgen.model.record_fields import keys_of
from labgen.model.records import LaboratoryRecord, Record
from labgen.pipeline.plan import all_lists
from labgen.problems.problem import count_errors
from labgen.render.encode_json import render_json
from labgen.source.load import load
from labgen.system.input_files import find_inputs

Source = dict[str, list[dict[str, Any]]]
"""All that is written: the shared lists by stem, and the laboratories."""

MODELS = all_records()
FIELDS = [(model, name) for model in MODELS for name in model.model_fields]


@pytest.fixture(scope="module")
def drawn() -> tuple[Drawer, Source]:
    drawer = Drawer()
    return drawer, drawer.lists() | {"laboratories": drawer.laboratories(3)}


def documents(site: Project, source: Source) -> dict[str, bytes]:
    """Return the documents of each endpoint."""
    site.write(**source)
    loaded = load(site.root, find_inputs(site.root))
    assert not count_errors(loaded.problems), loaded.problems
    directory, summaries = loaded.shared.directory, loaded.summaries
    shown = all_lists(summaries, 8, 1).shown
    cards = [one.card for one in summaries.values()]
    similar = [tuple(summaries[other].card for other in shown[one].display_ids) for one in summaries]
    laboratories = loaded.laboratories(list(summaries), similar)
    found = {one.name: [one.make(lab, directory) for lab in laboratories] for one in PER_LABORATORY}
    found |= {one.name: [one.make(directory)] for one in PER_SITE}
    found |= {one.name: [one.make(Part(1, 1, len(cards)), cards, directory)] for one in PAGED}
    return {name: render_json(made) for name, made in found.items()}


def changed(drawer: Drawer, source: Source, model: type[Record], name: str) -> Source:
    """Return the source with another value in one field of all records of a kind."""
    source = copy.deepcopy(source)
    key, stem = keys_of(model)[name], MODELS[model]
    listed = next((one for one in SHARED_LISTS if one.stem == stem and one.record is model), None)
    values = {
        "deal_status": DEAL_STATUSES[1],
        "verification_status": VERIFICATION_STATUSES[1],
        "focus": {IMAGES[0]: [60, 70]},
        "published_on": "2019-01-01",  # equal dates: in the order of the display_ids
    }
    hint, renamed = get_type_hints(model, include_extras=True)[name], {}
    top = model if listed else LaboratoryRecord
    for one in source[stem or "laboratories"]:
        for record in records_in(top, one, model):
            old = new = record.get(key)
            while new == old:
                new = old[:-1] if isinstance(old, list) else values.get(name) or drawer.value(hint)
            record[key] = renamed[str(old)] = new
    if listed and listed.key == key:
        rename(source, listed.stem, renamed)
    if (model, name) == (LaboratoryRecord, "display_id"):
        for lab in source["laboratories"]:
            lab["similar_labs"] = [renamed[one] for one in lab["similar_labs"]]
    return source


def rename(source: Source, stem: str, renamed: dict[str, Any]) -> None:
    """Name entries of a list by their new keys."""
    for path in (one.path for one in REFERENCES if one.stem == stem):
        for lab in source["laboratories"]:
            *outer, last = path
            for record in [lab] if not outer else lab[outer[0]]:
                if isinstance(record.get(last), list):
                    record[last] = [renamed[str(one)] for one in record[last]]
                elif last in record:
                    record[last] = renamed[str(record[last])]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Project:
    site = Project(tmp_path_factory.mktemp("site")).file("data/site.toml", SETTINGS)
    for name in IMAGES:
        site.file(f"data/media/{name}", picture(size=(8, 8)))
    return site


@pytest.fixture(scope="module")
def before(site, drawn) -> dict[str, bytes]:
    return documents(site, drawn[1])


@pytest.mark.parametrize(("model", "name"), FIELDS, ids=[f"{one.__name__}.{name}" for one, name in FIELDS])
def test_a_document_depends_on_the_fields_that_its_endpoint_names_and_on_no_others(
    site, drawn, before, model, name
):
    naming = {one.name for one in ENDPOINTS if name in one.shows.get(model, ())}
    is_unpublished = name in model.unpublished
    assert bool(naming) is not is_unpublished, "an endpoint shows it, or the record says that none does"
    if is_unpublished and not model.model_fields[name].is_required():
        return  # it has no value of its own
    drawer, source = drawn
    after = documents(site, changed(drawer, source, model, name))
    assert {one for one in before if before[one] != after[one]} == naming
