import pytest
from pydantic import Field

from labgen.api.sections import facets
from labgen.formats.format import ParsedValue
from labgen.model.catalogues import CATALOGUES
from labgen.model.record_fields import field_names, is_optional, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.summaries import facets_of, ids_of
from labgen.model.tables import table_of
from labgen.model.values import MAX_ID, Id, Line
from labgen.source.read_laboratory import STAND_INS
from labgen.source.tables.cells import NO_KEYS
from labgen.source.tables.columns import rows_to_records


@pytest.mark.parametrize("catalogues", [8, 9, 10, 20, 1024])
def test_facets_tell_the_entries_of_any_number_of_catalogues_apart(catalogues):
    ids = [0, 1, 4, 5, 2**32, MAX_ID]
    facets = [facet for catalogue in range(catalogues) for facet in facets_of(catalogue, ids)]
    assert len(set(facets)) == len(facets)
    assert [ids_of(catalogue, facets) for catalogue in range(catalogues)] == [ids] * catalogues


def test_a_facet_fits_a_signed_number_of_64_bits():
    assert facets_of(1023, [MAX_ID]) == [2**63 - 1]


def test_a_catalogue_that_facets_have_no_room_for_is_refused():
    with pytest.raises(ValueError, match="1024"):
        facets_of(1024, [1])


def test_what_labgen_proposes_and_the_materials_are_published_by_title_as_the_decisions_say():
    by_title = {one.stem for one in CATALOGUES if one.is_by_title}
    proposed = {one.catalogue.stem for one in facets.ENDPOINTS if one.catalogue and one.spec_section is None}
    assert by_title == {"materials"} | proposed


class Hours(Record):
    id: Id
    start: Line = Field(alias="from")
    places: int | None = Field(None, alias="class")


def test_columns_are_named_by_the_keys_that_a_person_writes():
    header = ParsedValue((0,), ["id", "form"])
    _, problems, is_usable = rows_to_records(
        [header, ParsedValue((1,), {"id": "1", "form": "8"})], "hours.csv", table_of("hours", Hours), NO_KEYS
    )
    assert [(one.code, one.hint) for one in problems] == [("unknown-field", "did you mean `from`?")]
    assert not is_usable
    row = {"id": "1", "from": "8", "class": "3"}
    entries, problems, _ = rows_to_records(
        [ParsedValue((0,), list(row)), ParsedValue((1,), row)], "hours.csv", table_of("hours", Hours), NO_KEYS
    )
    assert (entries[0].value, problems) == ({"id": 1, "from": "8", "class": 3}, [])
    assert Hours.model_validate(entries[0].value, strict=True).places == 3


def test_fields_are_found_by_the_keys_that_a_person_writes():
    assert field_names(Hours) == ("_note", "id", "from", "class")
    assert [is_optional(Hours, (key,)) for key in ("from", "class", "start")] == [False, True, False]


def test_a_laboratory_with_mistakes_can_be_looked_at_whatever_is_required():
    required = {key for key, field in written_fields(LaboratoryRecord).items() if field.is_required()}
    assert STAND_INS.keys() == required
