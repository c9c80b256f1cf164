"""What each document shows of the records: all that its endpoint names, and nothing else."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, get_args, get_origin

import pytest
from conftest import Project, loaded, picture
from draw_records import (
    DEAL_STATUSES,
    FOCUSED,
    IMAGES,
    SETTINGS,
    VERIFICATION_STATUSES,
    Drawer,
    records_in,
)
from typing_extensions import get_type_hints

from labgen.api.sections import ENDPOINTS, PAGED, PER_LABORATORY, PER_SITE
from labgen.memory.remembered_laboratories import cards as cards_of
from labgen.memory.remembered_laboratories import display_ids, places, shown_cards
from labgen.model.catalogues import RECORDS, SHARED_LISTS, SharedList, paths_to
from labgen.model.directory import PagePosition
from labgen.model.record_fields import keys_of
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.values import RefersTo
from labgen.pipeline.similar_lists import update_similar_lists
from labgen.problems.problem import count_errors
from labgen.render.encode_json import render_json

Source = dict[str, list[dict[str, Any]]]
"""All that is written: the shared lists by stem, and the laboratories."""

FIELDS = sorted(((model, name) for model in RECORDS for name in model.model_fields), key=str)


@pytest.fixture(scope="module")
def drawn() -> tuple[Drawer, Source]:
    drawer = Drawer()
    return drawer, drawer.lists() | {"laboratories": drawer.laboratories(3)}


def documents(site: Project, source: Source) -> dict[str, bytes] | None:
    """Return the documents of each endpoint, or None where the data has errors."""
    site.write(**source)
    with loaded(site.root) as (found_source, memory):
        if count_errors(found_source.problems):
            return None
        directory, ids = found_source.shared.directory, display_ids(memory)
        update_similar_lists(memory, found_source.changes, (), 8, 1)
        cards, shown = list(cards_of(memory, ids).values()), shown_cards(memory, ids)
        at = places(memory, "display_id", ids)
        laboratories = found_source.laboratories([at[one] for one in ids], [shown[one] for one in ids])
    found = {one.name: [one.make(lab, directory) for lab in laboratories] for one in PER_LABORATORY}
    found |= {one.name: [one.make(directory)] for one in PER_SITE}
    found |= {one.name: [one.make(PagePosition(1, 1, len(cards)), cards, directory)] for one in PAGED}
    return {name: render_json(made) for name, made in found.items()}


def changed(source: Source, model: type[Record], name: str, new: Callable[[Any], Any]) -> Source:
    """Return the source with another value in one field of all records of a kind."""
    source = copy.deepcopy(source)
    tops = {"laboratories": LaboratoryRecord} | {one.stem: one.record for one in SHARED_LISTS}
    key, renamed = keys_of(model)[name], {}
    for stem, top in tops.items():
        for written in source[stem]:
            for record in records_in(top, written, model):
                old = record.get(key)
                record[key] = renamed[str(old)] = new(old)
    for listed in SHARED_LISTS:
        if (listed.record, listed.key) == (model, key):
            rename(source, listed, renamed)
    if (model, name) == (LaboratoryRecord, "display_id"):
        for lab in source["laboratories"]:
            lab["similar_labs"] = [renamed[one] for one in lab["similar_labs"]]
    return source


def rename(source: Source, listed: SharedList[Any], renamed: dict[str, Any]) -> None:
    """Name entries of a list by their new keys."""
    for path in paths_to(listed):
        for lab in source["laboratories"]:
            *outer, last = path
            for record in lab[outer[0]] if outer else [lab]:
                if isinstance(record.get(last), list):
                    record[last] = [renamed[str(one)] for one in record[last]]
                elif last in record:
                    record[last] = renamed[str(record[last])]


OTHERS = {
    "deal_status": DEAL_STATUSES[1],
    "verification_status": VERIFICATION_STATUSES[1],
    "focus": {name: [60, 70] for name in FOCUSED},
    "published_on": "2019-01-01",  # equal dates: in the order of the display_ids
}
"""Other values of fields that a value of the same type would not do for."""


def another(drawer: Drawer, model: type[Record], name: str, old: Any) -> Any:
    """Return another sound value of a field."""
    if isinstance(old, list):
        return old[:-1]
    if (name in OTHERS) and OTHERS[name] != old:
        return OTHERS[name]
    return drawer.another(model, name, old)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Project:
    site = Project(tmp_path_factory.mktemp("site")).file("data/site.toml", SETTINGS)
    for name in IMAGES:
        site.file(f"data/media/{name}", picture(size=(8, 8)))
    return site


@pytest.fixture(scope="module")
def before(site, drawn) -> dict[str, bytes]:
    made = documents(site, drawn[1])
    assert made
    return made


each_field = pytest.mark.parametrize(
    ("model", "name"), FIELDS, ids=[f"{one.__name__}.{name}" for one, name in FIELDS]
)


@each_field
def test_a_document_depends_on_the_fields_that_its_endpoint_names_and_on_no_others(
    site, drawn, before, model, name
):
    naming = {one.name for one in ENDPOINTS if name in one.shows.get(model, ())}
    is_unpublished = name in model.unpublished
    assert bool(naming) is not is_unpublished, "an endpoint shows it, or the record says that none does"
    if is_unpublished and not model.model_fields[name].is_required():
        return  # it has no value of its own
    drawer, source = drawn
    after = documents(site, changed(source, model, name, partial(another, drawer, model, name)))
    assert after, "the data has errors"
    assert {one for one in before if before[one] != after[one]} == naming


@each_field
def test_a_value_that_the_checks_let_pass_breaks_no_document(site, drawn, model, name):
    """A field that names entries of a list is marked so: else a name of nothing would end in a KeyError."""
    drawer, source = drawn
    value = drawer.value(unmarked(get_type_hints(model, include_extras=True)[name]))
    documents(site, changed(source, model, name, lambda _: value))


def unmarked(hint: Any) -> Any:
    """Return a type without the mark that its values name entries of a list."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *extras = get_args(hint)
    others = [one for one in extras if not isinstance(one, RefersTo)]
    return Annotated[kind, *others] if others else kind
