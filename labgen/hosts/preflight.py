"""Check before a deployment whether a site exceeds the limits of its hosts."""

from collections import Counter
from collections.abc import Iterable, Sequence

from labgen.hosts.profile import Measure, Profile
from labgen.problems.problem import Place, Problem, Severity


def preflight(
    profiles: Sequence[Profile], sizes: Iterable[tuple[str, int]], *, is_allowed: bool
) -> list[Problem]:
    """Return what is beyond the limits of hosts; `sizes` are all files of the site and their bytes.

    With `is_allowed`, these are warnings.
    """
    if not any(one.limits for one in profiles):
        return []
    found = list(sizes)
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
            f"{measured[limit.of][0]:,} {limit.of} are more than {profile.title} takes: {limit.most:,}",
            Place(measured[limit.of][1]),
            f"{limit.help}; `--allow-over-limit` builds all the same",
            severity,
        )
        for profile in profiles
        for limit in profile.limits
        if measured[limit.of][0] > limit.most
    ]


def _fullest(names: Iterable[str]) -> tuple[str, int]:
    """Return the folder that has the most entries, and how many."""
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
