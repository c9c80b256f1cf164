"""Stop a build that would remove unusually many laboratories, or publish them without their zeros."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from labgen.problems.problem import Place, Problem, plural
from labgen.render.site_files import laboratory_in
from labgen.source.tables.assemble import ZEROS_BACK
from labgen.system.input_files import LINES, is_bulk

ALWAYS = 5
"""Number of laboratories that may always be removed."""
NAMED = 5
"""Maximum number of laboratories in the message."""


def check_removals(
    gone: Sequence[str], came: Collection[str], had: int, percent: int, source: str
) -> list[Problem]:
    """Report an error if more than `percent` of the laboratories would be removed.

    Also report an error if any of those that are gone came back without the leading zeros of its display_id.
    `source` is the file or the folder that holds the laboratories.
    """
    numbers = {one: one.lstrip("0") or "0" for one in gone}
    shorter = {one: short for one, short in numbers.items() if short != one and short in came}
    lost = [one for one in gone if one not in shorter]
    problems = [_lost_zeros(shorter, source)] if shorter else []
    if len(lost) > ALWAYS and len(lost) * 100 > had * percent:
        total = plural(had, "laboratory", "laboratories")
        message = f"{len(lost):,} of {total} would be removed: {named(lost)}"
        hint = f"bring them back; if they are meant to go: {ALLOWED}"
        problems.append(Problem("many-removals", message, Place(source), hint))
    return problems


def published_laboratories(units: Iterable[str]) -> set[str]:
    """Return the display_ids of the laboratories among a site's units."""
    return set(filter(None, map(laboratory_in, units)))


ALLOWED = "labgen build --allow-removals"


def _lost_zeros(shorter: Mapping[str, str], source: str) -> Problem:
    """Report that laboratories would get other addresses; `shorter` maps the old display_ids to the new."""
    count = plural(len(shorter), "laboratory", "laboratories")
    names = named([f"{one} is now {short}" for one, short in shorter.items()])
    message = f"{count} would get another address, because `display_id` lost its zeros: {names}"
    is_table = is_bulk(source) and not source.endswith(LINES)
    back = ZEROS_BACK.format(digits=max(map(len, shorter))) if is_table else "write them again, in quotes"
    return Problem("lost-zeros", message, Place(source), f"{back}; if that is meant: {ALLOWED}")


def named(some: Sequence[str], most: int = NAMED) -> str:
    """Return the first of some names, and how many more there are."""
    first = ", ".join(some[:most])
    return f"{first} and {len(some) - most:,} more" if len(some) > most else first
