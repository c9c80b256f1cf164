import pytest

from labgen.model.summaries import facets_of, ids_of
from labgen.model.values import MAX_ID


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
