"""From names of hosts to profiles, and what is wrong with the choice."""

from collections.abc import Sequence
from typing import NamedTuple

from labgen.hosts import PROFILES, REFUSED
from labgen.hosts.profile import Files, HostSite, Profile
from labgen.problems import Place, Problem
from labgen.source.hints import closest


class UnknownHostError(Exception):
    """A name that is no host's, or that of a host that cannot serve the contract; `hint` is what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def profile_of(name: str) -> Profile:
    """Return a host. Raises `UnknownHostError`."""
    if name in REFUSED:
        raise UnknownHostError(*REFUSED[name])
    if name not in PROFILES:
        near = closest(name, tuple(PROFILES))
        hint = f"did you mean {near}?" if near else "`labgen hosts` lists them"
        raise UnknownHostError(f"labgen knows no host `{name}`", hint)
    return PROFILES[name]


class Chosen(NamedTuple):
    """The hosts that a site is built for, and their files."""

    profiles: tuple[Profile, ...]
    files: Files


def choose(names: Sequence[str], site: HostSite, place: Place) -> tuple[Chosen, list[Problem]]:
    """Return the hosts and their files; two of them may need the same file with other contents."""
    profiles: list[Profile] = []
    problems: list[Problem] = []
    files: dict[str, bytes] = {}
    owners: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            profile = profile_of(name)
        except UnknownHostError as error:
            problems.append(Problem("unknown-host", str(error), place, error.hint))
            continue
        usable = tuple(suffix for suffix in site.copies if suffix in profile.copies)
        found = profile.files(site._replace(copies=usable))
        both = [file for file, data in found.items() if file in files and files[file] != data]
        if both:
            message = f"`{owners[both[0]]}` and `{name}` each need a {both[0]} of their own"
            problems.append(
                Problem("two-hosts", message, place, "build twice, into two folders: --host and --out")
            )
        if other := next((one for one in profiles if one.alias or profile.alias), None):
            with_alias, without = (profile, other) if profile.alias else (other, profile)
            what = f"`{with_alias.name}` needs an {with_alias.alias} in each folder"
            message = f"{what}, which would be in the way of `{without.name}`"
            problems.append(
                Problem("two-hosts", message, place, "build twice, into two folders: --host and --out")
            )
        files.update(found)
        owners.update(dict.fromkeys(found, name))
        profiles.append(profile)
    return Chosen(tuple(profiles), files), problems
