"""The endpoints: one module a kind, and this list, from which everything else is derived."""

from labgen.registry import Endpoint, Paged, PerLaboratory, PerSite
from labgen.sections import facets, gallery, laboratories, laboratory, similar_labs, upgrade_options

ENDPOINTS: tuple[Endpoint, ...] = (
    laboratories.ENDPOINT,
    laboratory.ENDPOINT,
    gallery.ENDPOINT,
    similar_labs.ENDPOINT,
    facets.MATERIALS,
    facets.TEST_METHODS,
    facets.ACCREDITATIONS,
    facets.CERTIFICATIONS,
    facets.STANDARDS,
    upgrade_options.ENDPOINT,
)

PER_LABORATORY = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerLaboratory))
PAGED = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, Paged))
PER_SITE = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerSite))
SECTION_NAMES = tuple(endpoint.name for endpoint in ENDPOINTS)
