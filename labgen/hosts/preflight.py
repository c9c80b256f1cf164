"""Check before a deployment whether a site exceeds the limits of its hosts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from labgen.hosts.capacity import WAYS, Kinds, capacity, count_by_kind
from labgen.hosts.profile import Limit, Measure, Profile
from labgen.problems.problem import Place, Problem, Severity
from labgen.problems.text import joined, say, term

Sizes = Sequence[tuple[str, int]]
"""The files of a site, each with its size in bytes."""


def preflight(
    profiles: Sequence[Profile],
    sizes: Iterable[tuple[str, int]],
    kinds: Kinds = (),
    *,
    is_allowed: bool,
) -> list[Problem]:
    """Return a problem for each limit of a host that a site exceeds; `sizes` has all files of the site.

    With `is_allowed`, the problems are warnings. Files of the given `kinds` are in packs, and are not
    deployed to hosts that cut packs.
    """
    if not any(one.limits for one in profiles):
        return []
    every = list(sizes)
    deployed = [one for one in every if not any(kind.key_of(one[0]) for kind in kinds)] if kinds else every
    return [
        problem
        for profile in profiles
        for problem in _beyond(
            profile, deployed if profile.has_pack_function else every, every, is_allowed=is_allowed
        )
    ]


def _beyond(profile: Profile, found: Sizes, every: Sizes, *, is_allowed: bool) -> list[Problem]:
    """Return a problem for each exceeded limit of a host; `found` are the files that are deployed to it."""
    largest = max(found, key=lambda one: one[1], default=("", 0))
    fullest, entries = _fullest(name for name, _ in found)
    measured = {
        Measure.FILES: (len(found), "out"),
        Measure.FILE_SIZE: (largest[1], f"out/{largest[0]}"),
        Measure.SITE_SIZE: (sum(size for _, size in found), "out"),
        Measure.FOLDER_FILES: (entries, f"out/{fullest}".rstrip("/")),
    }
    severity: Severity = "warning" if is_allowed else "error"
    return [
        Problem(
            "over-limit",
            say(
                "{measured:,} {of} are more than {title} takes: {most:,}",
                measured=measured[limit.of][0],
                of=term(limit.of),
                title=profile.title,
                most=limit.most,
            ),
            Place(measured[limit.of][1]),
            say(
                "{fitting}{help}; `--allow-over-limit` builds all the same",
                fitting=_fitting(profile, limit, every),
                help=term(limit.help),
            ),
            severity,
        )
        for limit in profile.limits
        if measured[limit.of][0] > limit.most
    ]


def _fitting(profile: Profile, limit: Limit, every: Sizes) -> str:
    """Return a clause that says how many laboratories fit, as files and in packs; "" if it is unknown."""
    counts = count_by_kind(name for name, _ in every)
    fitting = [capacity(counts, limit, limit.most, kinds) for _, kinds in WAYS]
    if not profile.has_pack_function or None in fitting:
        return ""
    ways = [
        say("{number:,} {way}", number=number, way=term(way))
        for number, (way, _) in zip(fitting, WAYS, strict=True)
    ]
    known = joined(ways, by=", ")
    return say("about so many laboratories fit (setting `packs`): {known}; ", known=known)


def _fullest(names: Iterable[str]) -> tuple[str, int]:
    """Return the folder with the most entries, and their number."""
    entries: Counter[str] = Counter()
    seen: set[str] = set()
    for name in names:
        while name not in seen:
            seen.add(name)
            folder = name.rpartition("/")[0]
            entries[folder] += 1
            name = folder  # noqa: PLW2901 - up to the root
            if not name:
                break
    return entries.most_common(1)[0] if entries else ("", 0)
