"""Stop a build that would remove unusually many laboratories, or publish them without their zeros."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from labgen.model.tables import DISPLAY_ID
from labgen.problems.problem import Place, Problem
from labgen.problems.text import first_of, plural, say
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
        message = say(
            "{count:,} of {total} would be removed: {lost}",
            count=len(lost),
            total=total,
            lost=first_of(lost, NAMED),
        )
        hint = say("bring them back; if they are meant to go: {allowed}", allowed=ALLOWED)
        problems.append(Problem("many-removals", message, Place(source), hint, explains=(DISPLAY_ID,)))
    return problems


def published_laboratories(units: Iterable[str]) -> set[str]:
    """Return the display_ids of the laboratories among a site's units."""
    return set(filter(None, map(laboratory_in, units)))


ALLOWED = "labgen build --allow-removals"


def _lost_zeros(shorter: Mapping[str, str], source: str) -> Problem:
    """Report that laboratories would get other addresses; `shorter` maps the old display_ids to the new."""
    count = plural(len(shorter), "laboratory", "laboratories")
    renamed = [say("{one} is now {short}", one=one, short=short) for one, short in shorter.items()]
    names = first_of(renamed, NAMED)
    message = say(
        "{count} would get another address, because `display_id` lost its zeros: {names}",
        count=count,
        names=names,
    )
    is_table = is_bulk(source) and not source.endswith(LINES)
    back = (
        ZEROS_BACK.filled(digits=max(map(len, shorter))) if is_table else say("write them again, in quotes")
    )
    hint = say("{back}; if that is meant: {allowed}", back=back, allowed=ALLOWED)
    return Problem("lost-zeros", message, Place(source), hint, explains=(DISPLAY_ID,))
