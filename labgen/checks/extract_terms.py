"""Extract the search terms of a laboratory when it is read for a build."""

from labgen.api.search_facets import own_values
from labgen.model.records import LaboratoryRecord
from labgen.model.settings import SearchRecord
from labgen.search.words import certificate_terms, certificate_words, text_terms
from labgen.search_index.index_input import Terms


def terms_of(record: LaboratoryRecord, settings: SearchRecord) -> Terms:
    """Return the search terms of a laboratory, except entries of catalogues. Contact data is not included."""
    beside = [f"{one.accreditation_body} {one.number.partition('(')[2]}" for one in record.accreditations]
    shown = (record.name, record.locality, record.postal_code, record.display_id, *beside)
    words = [certificate_words(one.number) for one in record.accreditations]
    numbers = [certificate_terms(one.number) for one in record.accreditations]
    return Terms(
        own_values(record),
        tuple(frozenset().union(*map(text_terms, shown), *words)),
        tuple(text_terms(record.about)) if settings.texts else (),
        tuple(frozenset().union(*numbers)),
    )
