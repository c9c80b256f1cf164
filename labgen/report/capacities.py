"""Render a table of how many laboratories fit on each host that has limits."""

from collections.abc import Iterable

from labgen.hosts import PROFILES
from labgen.hosts.capacity import MOST, WAYS, capacity, count_by_kind
from labgen.problems.text import plural, say, term
from labgen.report.translate import translate


def render_capacities(names: Iterable[str]) -> str:
    """Return the table, estimated from the files of a built site; "" if that has no laboratories."""
    counts = count_by_kind(names)
    if not counts.laboratories:
        return ""
    head = (say("host"), say("takes"), *(term(way) for way, _ in WAYS))
    rows: list[tuple[str, ...]] = [tuple(map(translate, head))]
    for profile in PROFILES.values():
        for limit in profile.limits:
            for most in filter(None, (limit.most, limit.paid)):
                ways = [kinds for _, kinds in WAYS if profile.has_pack_function or not kinds]
                found = [capacity(counts, limit, most, kinds) for kinds in ways]
                if None not in found:
                    cells = [_about(number) for number in found] + ["-"] * (len(WAYS) - len(found))
                    takes = translate(say("{most:,} {of}", most=most, of=term(limit.of)))
                    rows.append((profile.name, takes, *cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([host.ljust(widths[0]), takes.ljust(widths[1]), *map(str.rjust, cells, widths[2:])])
        for host, takes, *cells in rows
    ]
    own, pictures = (some / counts.laboratories for some in (counts.of_laboratories, counts.pictures))
    site = plural(counts.laboratories, "laboratory", "laboratories")
    each = say("{own:.0f} documents and pages and {pictures:.1f} pictures", own=own, pictures=pictures)
    title = say(
        "laboratories that fit, estimated from this site ({site}, each with {each}):", site=site, each=each
    )
    return "\n".join(["", translate(title), *lines])


def _about(number: int | None) -> str:
    return translate(say("over {most:,}", most=MOST) if number == MOST else say("{number:,}", number=number))
