"""Stop a build that would remove unusually many laboratories."""

from collections.abc import Sequence

from labgen.problems.problem import Place, Problem, plural
from labgen.system.input_files import DATA, LABORATORIES

ALWAYS = 5
"""Laboratories that a build may remove whatever their share is."""
NAMED = 5
"""Laboratories that a problem names."""


def check_removals(gone: Sequence[str], had: int, percent: int) -> list[Problem]:
    """Report that more than a share of the laboratories would be removed: which, and of how many."""
    if len(gone) <= ALWAYS or len(gone) * 100 <= had * percent:
        return []
    named = ", ".join(gone[:NAMED])
    more = f" and {len(gone) - NAMED:,} more" if len(gone) > NAMED else ""
    total = plural(had, "laboratory", "laboratories")
    message = f"{len(gone):,} of {total} would be removed: {named}{more}"
    hint = "bring them back; if they are meant to go: labgen build --allow-removals"
    return [Problem("many-removals", message, Place(f"{DATA}/{LABORATORIES}"), hint)]
