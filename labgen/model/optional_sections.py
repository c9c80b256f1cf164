"""What the summaries of all laboratories say together: which sections appear, and who is new."""

from collections.abc import Iterable
from heapq import nlargest

from labgen.model.records import SiteRecord
from labgen.model.summaries import Card, Summary


def appearing(site: SiteRecord, summaries: Iterable[Summary]) -> frozenset[str]:
    """Return the names of the sections that a laboratory has data for, or that the settings ask for."""
    return frozenset(site.publish).union(*{one.further.sections for one in summaries if one.further})


def newest(summaries: Iterable[Summary], limit: int) -> tuple[Card, ...]:
    """Return the laboratories with the latest dates, at most `limit`, the newest first, then by display_id.

    `summaries` are in the order of display_id, which `nlargest` keeps among equals.
    """
    dated = (one for one in summaries if one.further and one.further.published_on)
    return tuple([one.card for one in nlargest(limit, dated, key=_published_on)])


def _published_on(summary: Summary) -> str:
    return summary.further.published_on if summary.further else ""
