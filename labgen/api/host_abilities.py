"""Define the abilities of hosts that pages depend on."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from labgen.api.http_contract import JSON_TYPE, METHODS
from labgen.model.site_paths import JSON_FILE

ROWS = {
    "has_paths": "json-for-anything",
    "has_page_query": "page-by-query",
    "has_accept": "page-for-browsers",
    "has_redirect": "slash",
    "has_not_modified": "not-modified",
    "has_json_errors": "unknown-path",
    "has_method_errors": "no-post",
    "has_options": "options",
    "sends_allow": "allow",
    "sends_vary": "vary",
    "sends_common": "headers",
    "has_revalidation": "revalidate",
    "keeps_files": "immutable",
}
"""The row of the contract (`http_contract`) that each ability is about."""


class HostAbilities(NamedTuple):
    """What all hosts of a site can do; without the first, documents are requested by their file names.

    With `has_search`, the list of laboratories takes parameters (`list_query`); no row is about that.
    """

    has_paths: bool = True
    has_page_query: bool = True
    has_accept: bool = True
    has_redirect: bool = True
    has_not_modified: bool = True
    has_json_errors: bool = True
    has_method_errors: bool = True
    has_options: bool = True
    sends_allow: bool = True
    sends_vary: bool = True
    sends_common: bool = True
    has_revalidation: bool = True
    keeps_files: bool = True
    has_search: bool = False

    @classmethod
    def without(cls, missed: AbstractSet[str]) -> "HostAbilities":
        """Return what is left where these rows of the contract are missed by one of the hosts."""
        return cls(**{name: row not in missed for name, row in ROWS.items()})

    @property
    def document_name(self) -> str:
        """What a request for a document has after the path."""
        return "" if self.has_paths else JSON_FILE

    @property
    def document_headers(self) -> tuple[tuple[str, str], ...]:
        """The header fields that every answer with a document carries (specification, section 4)."""
        fields = (
            (self.sends_allow, "Allow", METHODS),
            (True, "Content-Type", JSON_TYPE),
            (self.sends_vary, "Vary", "Accept"),
        )
        return tuple((name, value) for is_sent, name, value in fields if is_sent)
