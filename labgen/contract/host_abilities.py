"""Define the abilities of hosts that pages depend on, and the rows of the contract that test them."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple

from labgen.contract.http_contract import JSON_TYPE, METHODS
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
"""The row of the contract (`http_contract`) that tests each ability."""


class HostAbilities(NamedTuple):
    """The abilities that all hosts of a site have.

    Without `has_paths`, documents are requested by their file names. With `has_search`, the list of
    laboratories accepts query parameters (`list_query`); no row tests that.
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
        """Return the abilities that remain if any host of the site fails these rows of the contract."""
        return cls(**{name: row not in missed for name, row in ROWS.items()})

    @property
    def document_name(self) -> str:
        """The file name that a request for a document has after the path, or ""."""
        return "" if self.has_paths else JSON_FILE

    @property
    def document_headers(self) -> tuple[tuple[str, str], ...]:
        """The header fields of every response with a document (specification, section 4)."""
        fields = (
            (self.sends_allow, "Allow", METHODS),
            (True, "Content-Type", JSON_TYPE),
            (self.sends_vary, "Vary", "Accept"),
        )
        return tuple((name, value) for is_sent, name, value in fields if is_sent)
