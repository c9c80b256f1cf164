"""The words of the pages and error documents, in each language that a site can have."""

from collections.abc import Mapping

TEXTS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "api": "API",
        "laboratories": "Labore",
        "breadcrumbs": "Pfad",
        "sections": "Abschnitte dieses Labors",
        "request": "Anfrage",
        "response": "Antwort",
        "as_json": "als JSON",
        "not_found": "Nicht gefunden.",
        "not_found_title": "Nicht gefunden",
        "method_not_allowed": "Methode nicht erlaubt.",
        "this_method_not_allowed": 'Methode "{method}" nicht erlaubt.',
    },
    "en": {
        "api": "API",
        "laboratories": "Laboratories",
        "breadcrumbs": "Breadcrumbs",
        "sections": "Sections of this laboratory",
        "request": "Request",
        "response": "Response",
        "as_json": "as JSON",
        "not_found": "Not found.",
        "not_found_title": "Not found",
        "method_not_allowed": "Method not allowed.",
        "this_method_not_allowed": 'Method "{method}" not allowed.',
    },
}
