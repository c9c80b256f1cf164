"""Look up the chosen hosts by name, and report names and combinations that are not possible."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from labgen.contract.host_abilities import HostAbilities
from labgen.hosts import PROFILES, REFUSED
from labgen.hosts.companions import PACKAGES, Companions, unavailable_suffixes
from labgen.hosts.plain import FILES
from labgen.hosts.profile import Files, HostSite, Profile
from labgen.output.packs import Packs
from labgen.problems.hints import closest
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say, term, text_of
from labgen.source.read_settings import SETTINGS_FILE


class UnknownHostError(Exception):
    """Raised for an unknown host, or one that cannot serve the contract; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def profile_of(name: str) -> Profile:
    """Return the profile of a host by its name. Raises `UnknownHostError`."""
    if name in REFUSED:
        raise UnknownHostError(*map(term, REFUSED[name]))
    if name not in PROFILES:
        near = closest(name, tuple(PROFILES))
        hint = say("did you mean {near}?", near=near) if near else say("`labgen hosts` lists them")
        raise UnknownHostError(say("labgen knows no host `{name}`", name=name), hint)
    return PROFILES[name]


class Chosen(NamedTuple):
    """The hosts that a site is built for, their configuration files, and the companions of each file.

    With `has_search`, all of them answer searches. `packs` are empty unless one of them cuts packs.
    """

    profiles: tuple[Profile, ...]
    files: Files
    companions: Companions
    has_search: bool = False
    packs: Packs = ()

    @property
    def abilities(self) -> HostAbilities:
        """The abilities that all of these hosts have; without a host, those of a server of plain files."""
        missed = frozenset[str]().union(*(one.failed_rows for one in self.profiles or (FILES,)))
        return HostAbilities.without(missed)._replace(has_search=self.has_search)


NO_HOSTS = Chosen((), {}, Companions((), ()))


def choose(names: Sequence[str], site: HostSite, place: Place) -> tuple[Chosen, list[Problem]]:
    """Return the hosts with their files, and the problems of the choice; `place` is where it was made."""
    known: dict[Profile, Files] = {}
    problems: list[Problem] = []
    for name in dict.fromkeys(names):
        try:
            profile = profile_of(name)
        except UnknownHostError as error:
            problems.append(Problem("unknown-host", text_of(error), place, error.hint))
            continue
        usable = tuple(suffix for suffix in site.copies if suffix in profile.copies)
        known[profile] = profile.files(site._replace(copies=usable))
    clashes = (_clash(one, other) for one, other in combinations(known.items(), 2))
    way_out = say("build twice, into two folders: --host and --out")
    problems += [Problem("two-hosts", message, place, way_out) for message in clashes if message]
    companions = Companions(tuple(known), site.copies)
    for package in map(PACKAGES.__getitem__, unavailable_suffixes(companions.copies)):
        message = say(
            "compressed copies cannot be made: the package {package} is not installed", package=package
        )
        hint = f"pip install 'labgen[{package}]'"
        problems.append(Problem("missing-package", message, place, hint))
    problems += _unused(site.copies, companions)
    packs = site.packs if any(one.has_pack_function for one in known) else ()
    if site.packs and known and not packs:
        problems.append(_unused_packs(companions.hosts))
    files = {name: data for one in known.values() for name, data in one.items()}
    has_search = site.has_search and bool(known) and all(one.has_search_function for one in known)
    beside = companions.beside(files, has_documents=False)
    return Chosen(tuple(known), beside, companions, has_search, packs), problems


def _unused(copies: Sequence[str], companions: Companions) -> list[Problem]:
    """Return a warning for each requested kind of compressed copies that no chosen host serves.

    Copies that need no package are not checked: they are the default.
    """
    if not companions.hosts:
        return []
    names = " and ".join(one.title for one in companions.hosts)
    return [
        Problem(
            "unused-copies",
            say(
                "`copies` asks for `{suffix}`, which {names} cannot serve",
                suffix=suffix.removeprefix("."),
                names=names,
            ),
            Place(SETTINGS_FILE, ("copies", number)),
            say("leave it out, or take another host: ") + ", ".join(_serving(suffix)),
            "warning",
        )
        for number, suffix in enumerate(copies)
        if suffix in PACKAGES and suffix not in companions.copies
    ]


def _unused_packs(hosts: Sequence[Profile]) -> Problem:
    """Return the warning that none of the chosen hosts has a function that cuts packs."""
    names = " and ".join(one.title for one in hosts)
    cutting = ", ".join(f"`{one.name}`" for one in PROFILES.values() if one.has_pack_function)
    message = say("`packs` is set, which {names} cannot cut: no packs are made", names=names)
    help_ = say("leave it out, or take another host: {cutting}", cutting=cutting)
    return Problem("unused-packs", message, Place(SETTINGS_FILE, ("packs",)), help_, "warning")


def _serving(suffix: str) -> list[str]:
    return [f"`{one.name}`" for one in PROFILES.values() if suffix in one.copies]


def _clash(one: tuple[Profile, Files], other: tuple[Profile, Files]) -> str:
    """Return why one folder cannot be built for two hosts, "" if it can."""
    (first, files), (second, others) = one, other
    if first.alias != second.alias:
        alone, beside = (first, second) if first.alias else (second, first)
        what = say("`{name}` needs an {alias} in each folder", name=alone.name, alias=alone.alias)
        return say("{what}, which would be in the way of `{name}`", what=what, name=beside.name)
    both = [file for file, data in files.items() if others.get(file, data) != data]
    return (
        say(
            "`{name}` and `{name_2}` each need a {both} of their own",
            name=first.name,
            name_2=second.name,
            both=both[0],
        )
        if both
        else ""
    )
