"""The endpoints: one module a kind, and this list, from which everything else is derived."""

from labgen.api.endpoint import Endpoint, Paged, PerLaboratory, PerSite
from labgen.api.sections import (
    facets,
    gallery,
    job_listings,
    laboratories,
    laboratory,
    landings_links,
    new,
    resources,
    reviews,
    similar_labs,
    upgrade_options,
)
from labgen.model.directory import Directory

ENDPOINTS: tuple[Endpoint, ...] = (
    laboratories.ENDPOINT,
    laboratory.ENDPOINT,
    gallery.ENDPOINT,
    similar_labs.ENDPOINT,
    *facets.ENDPOINTS,
    resources.ENDPOINT,
    landings_links.ENDPOINT,
    job_listings.ENDPOINT,
    reviews.ENDPOINT,
    new.ENDPOINT,
    upgrade_options.ENDPOINT,
)

PER_LABORATORY = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerLaboratory))
PAGED = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, Paged))
PER_SITE = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerSite))
SECTION_NAMES = tuple(endpoint.name for endpoint in ENDPOINTS)


def appears(endpoint: Endpoint, directory: Directory) -> bool:
    """Say whether a site has an endpoint at all."""
    return not endpoint.is_optional or endpoint.name in directory.appearing


def endpoints_of(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints that a site has."""
    return tuple(endpoint for endpoint in ENDPOINTS if appears(endpoint, directory))


def per_laboratory(directory: Directory) -> tuple[PerLaboratory, ...]:
    """Return the endpoints that a site has for each laboratory."""
    return tuple(endpoint for endpoint in PER_LABORATORY if appears(endpoint, directory))


def per_site(directory: Directory) -> tuple[PerSite, ...]:
    """Return the endpoints that a site has once."""
    return tuple(endpoint for endpoint in PER_SITE if appears(endpoint, directory))
