"""Stop a build that would remove unusually many laboratories."""

from collections.abc import Sequence

from labgen.problems.problem import Place, Problem, plural

ALWAYS = 5
"""Number of laboratories that may always be removed."""
NAMED = 5
"""Maximum number of laboratories in the message."""


def check_removals(gone: Sequence[str], had: int, percent: int, source: str) -> list[Problem]:
    """Report an error if more than `percent` of the laboratories would be removed.

    `source` is the file or the folder that holds the laboratories.
    """
    if len(gone) <= ALWAYS or len(gone) * 100 <= had * percent:
        return []
    named = ", ".join(gone[:NAMED])
    more = f" and {len(gone) - NAMED:,} more" if len(gone) > NAMED else ""
    total = plural(had, "laboratory", "laboratories")
    message = f"{len(gone):,} of {total} would be removed: {named}{more}"
    hint = "bring them back; if they are meant to go: labgen build --allow-removals"
    return [Problem("many-removals", message, Place(source), hint)]
