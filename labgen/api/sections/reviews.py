"""Define the section for customer reviews of a laboratory (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import Count, Date, TwoDecimals
from labgen.api.endpoint import own_list


class Review(TypedDict):
    """What a customer says."""

    id: Annotated[Count, "Whole number, once among the laboratory's reviews."]
    rating: Annotated[TwoDecimals, "Decimal number with two decimals, as in the laboratory's own rating."]
    title: Annotated[str, "Title of the review. May be empty."]
    text: Annotated[str, "Plain text. May be empty; may hold line breaks."]
    author: Annotated[str, "Name as clients show it. May be empty."]
    created_on: Annotated[Date, "Date, as YYYY-MM-DD."]


ENDPOINT = own_list(
    "reviews",
    title="Reviews",
    about="What customers say of the laboratory, the newest first.",
    item=Review,
    newest_by="created_on",
)
