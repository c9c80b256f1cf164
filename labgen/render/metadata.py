"""Build the metadata of pages for search engines and other sites: `<head>` elements and JSON-LD."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson

from labgen.api.document_parts import logo_path, website_path
from labgen.api.sections import facets
from labgen.model.directory import Directory, Laboratory
from labgen.model.pictures import LOGO_2X
from labgen.model.site_paths import JSON_FILE, PAGE_FILE
from labgen.render.formats import NO_RATING


class Metadata(NamedTuple):
    """The metadata in the head of a page, as templates see it (`meta`): texts, or slots for them.

    `path` and `file` make the canonical URL of the page; `json_href` leads to its document. `data` is
    JSON-LD, or "", `image` the path of a picture for previews of the page elsewhere, or "".
    """

    title: Any
    description: Any
    path: Any
    file: str = ""
    json_href: Any = ""
    data: Any = ""
    image: Any = ""


class Crumb(NamedTuple):
    """A step of breadcrumbs: its title, and the path of its page with the file's name."""

    title: str
    path: str


def metadata_of(page: Any) -> Metadata:
    """Return the metadata of the page of a document."""
    return Metadata(page.title, page.about, page.path, PAGE_FILE, JSON_FILE)


def json_ld(*things: dict[str, Any] | None) -> bytes:
    """Return the objects except None as JSON-LD, escaped so that it cannot end its `<script>` element."""
    graph = {"@context": "https://schema.org", "@graph": [one for one in things if one]}
    data = orjson.dumps(graph)
    for byte in b"<>&":
        data = data.replace(bytes([byte]), b"\\u%04x" % byte)
    return data.replace("\u2028".encode(), b"\\u2028").replace("\u2029".encode(), b"\\u2029")


def breadcrumbs(crumbs: Iterable[Crumb], directory: Directory) -> dict[str, Any]:
    """Return breadcrumbs as JSON-LD; URLs are absolute if the settings have `base_url`."""
    start = directory.site.base_url + directory.site.base_path
    items = [
        {"@type": "ListItem", "position": position, "name": one.title, "item": start + one.path}
        for position, one in enumerate(crumbs, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": items}


def organization(lab: Laboratory, directory: Directory) -> dict[str, Any]:
    """Return a laboratory as an organization with its certificates (schema.org)."""
    record, site = lab.record, directory.site
    found = {
        "@type": "Organization",
        "@id": f"{site.base_url}{website_path(lab, directory)}#organization",
        "name": record.name,
        "identifier": lab.display_id,
        "url": record.website,
        "logo": site.base_url + logo_path(lab, directory, LOGO_2X),
        "description": record.about,
        "address": _filled(
            {
                "@type": "PostalAddress",
                "streetAddress": record.address,
                "postalCode": record.postal_code,
                "addressLocality": record.locality,
                "addressCountry": record.country.upper(),
            }
        ),
        "hasCertification": _certificates(lab, directory),
        "aggregateRating": _rating(lab),
    }
    return _filled(found)


def _rating(lab: Laboratory) -> dict[str, Any] | None:
    """Return the rating of a laboratory; search engines take only one whose reviews are on the page."""
    count = len(lab.record.reviews)
    if not count or lab.record.rating == NO_RATING:
        return None
    return {"@type": "AggregateRating", "ratingValue": lab.record.rating, "reviewCount": count}


def website(directory: Directory) -> bytes:
    """Return the site as JSON-LD."""
    site, words = directory.site, directory.language.words
    address = f"{site.base_url}{site.base_path}/"
    found = {"@type": "WebSite", "name": site.name, "description": words["front_about"], "url": address}
    return json_ld(found | {"inLanguage": directory.language.code})


def _certificates(lab: Laboratory, directory: Directory) -> list[dict[str, Any]]:
    accredited = facets.ACCREDITATIONS.make(lab, directory)["items"]
    certified = facets.CERTIFICATIONS.make(lab, directory)["items"]
    return [
        *(_certificate(one["title"], one["accreditation_body"], one["number"]) for one in accredited),
        *(_certificate(one["title"]) for one in certified),
    ]


def _certificate(name: str, issuer: str = "", number: str = "") -> dict[str, Any]:
    issued_by = {"@type": "Organization", "name": issuer} if issuer else None
    found = {"@type": "Certification", "name": name, "issuedBy": issued_by}
    return _filled(found | {"certificationIdentification": number})


def _filled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}
