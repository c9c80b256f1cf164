"""Hold the lease of a target, so that one publication at a time changes it.

Each publication writes a mark of its own to the target, and then lists all marks. A listing shows what was
written before, so of two publications, at least one sees the other. Targets need no conditional writes: the
same works in object stores and over rsync. A mark also lists the files that its publication changes. It stays
where a publication ends early, and the next one sends those files again, so two publications that overlap
in spite of the lease leave nothing behind that does not heal.
"""

import getpass
import platform
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock

import orjson

from labgen.model.site_paths import MARK, STATE
from labgen.output.file_lists import PARSE_ERRORS, Units, files_of, parse_units, render_units
from labgen.problems.text import say
from labgen.publish.proof import held_file, is_abandoned, remove_abandoned
from labgen.publish.target import Names, PublishError, Target

JSON, ALIVE = ".json", ".alive"
"""The suffixes of a mark, and of the file beside it that is written anew as long as its publication lives."""
EXPIRY = timedelta(hours=1)
"""How old the last sign of a publication is when others take its place, by the clock of the target."""
RENEWAL = 60.0
"""Seconds after which a publication looks whether it still has the lease, and renews it."""
TURNS, TURN = 10, 0.5
"""How often, and after how many seconds, a publication looks whether others withdraw that began with it."""
PLANS, CHANGES, STOPPED = "plans", "changes", "stopped"
"""The states of a publication: it has changed nothing yet, changes files, or ended before it was complete."""
Times = Mapping[str, datetime]


@dataclass(frozen=True, slots=True)
class Terms:
    """When a lease of others counts no more: `is_broken` if the user says so, otherwise after `expiry`.

    With `is_whole`, marks that cannot be read count no more either.
    """

    is_broken: bool = False
    is_whole: bool = False
    expiry: timedelta = EXPIRY


@dataclass(frozen=True, slots=True)
class Mark:
    """The contents of a mark: who publishes, the file that proves it, and the files that are changed."""

    by: str
    machine: str
    proof: str
    state: str = PLANS
    units: Units = field(default_factory=dict)

    @property
    def has_begun(self) -> bool:
        """Whether the publication may have changed files."""
        return self.state != PLANS

    def render(self) -> bytes:
        """Return the bytes of the mark."""
        head = {"by": self.by, "machine": self.machine, "proof": self.proof, "state": self.state}
        return orjson.dumps({**head, "units": orjson.Fragment(render_units(self.units))})


def parse_mark(data: bytes) -> Mark:
    """Parse the bytes of a mark. Raises one of `PARSE_ERRORS`."""
    content = orjson.loads(data)
    texts = {key: str(content[key]) for key in ("by", "machine", "proof", "state")}
    return Mark(**texts, units=parse_units(content["units"]))


def read_marks(target: Target, names: Iterable[str], *, is_whole: bool = False) -> dict[str, Mark]:
    """Return the marks that exist. Raises `PublishError` if one is invalid; with `is_whole`, it is empty."""
    found = {}
    wanted = [name for name in names if name.endswith(JSON)]
    for name, data in (target.read(wanted) if wanted else {}).items():
        try:
            found[name] = parse_mark(data)
        except PARSE_ERRORS:
            if not is_whole:
                raise PublishError(
                    say("{name} at {address} cannot be read", name=name, address=target.address), SEND_ALL
                ) from None
            found[name] = Mark("", "", "", STOPPED)
    return found


SEND_ALL = say("--all sends all files anew")


def unfinished(marks: Iterable[Mark]) -> frozenset[str] | None:
    """Return the files that publications have changed, or were about to; `None` if there were none."""
    begun = [mark for mark in marks if mark.has_begun]
    return frozenset(name for mark in begun for name in files_of(mark.units)) if begun else None


class Lease:
    """The lease of a target. `left` are the marks of publications that ended before they were complete."""

    def __init__(self, target: Target, proof: Path, terms: Terms, clock: Callable[[], float]) -> None:
        self.target = target
        self.terms = terms
        self.clock = clock
        self.names: Names = (_new_name(),)
        self.mark = Mark(_user(), platform.node(), str(proof))
        self.left: dict[str, Mark] = {}
        self.seen = clock()
        self.lock = Lock()

    @property
    def name(self) -> str:
        """The name of the newest mark."""
        return self.names[0]

    def take(self, pause: Callable[[float], None]) -> None:
        """Take the lease. Raises `PublishError` if another publication has it.

        Of those that begin at once, the one with the first name waits until the others have withdrawn.
        """
        broken = self.target.times(MARK) if self.terms.is_broken else {}
        self.target.write(self.name, self.mark.render())
        for _ in range(TURNS):
            times = self.target.times(MARK)
            if self.name not in times:
                message = say(
                    "{address} does not list what was written there: nothing was changed",
                    address=self.target.address,
                )
                raise PublishError(
                    message,
                    say("if no other publication has taken it over, somebody else removes files there"),
                )
            held = self._held_by_others(times, broken)
            if not held:
                return
            first = min(held)
            if first < self.name or any(mark.has_begun for mark in held.values() if mark):
                break
            pause(TURN)
        raise self._held_error(held, times)

    def _held_by_others(self, times: Times, broken: Times) -> dict[str, Mark | None]:
        """Return the marks that count, `None` for one that cannot be read now; put the others into `left`."""
        names = [name for name in times if name.endswith(JSON) and name != self.name]
        marks = read_marks(self.target, names, is_whole=self.terms.is_whole)
        self.left = {
            name: mark for name, mark in marks.items() if name in broken or self._is_over(name, mark, times)
        }
        return {name: marks.get(name) for name in names if name not in self.left}

    def _is_over(self, name: str, mark: Mark, times: Times) -> bool:
        """Return whether a publication has ended: it says so, was killed here, or gives no sign."""
        last = max(times[name], times.get(_alive(name), times[name]))
        is_killed = mark.machine == self.mark.machine and is_abandoned(Path(mark.proof))
        return mark.state == STOPPED or is_killed or times[self.name] - last >= self.terms.expiry

    def _held_error(self, held: Mapping[str, Mark | None], times: Times) -> PublishError:
        name = min(held, key=lambda one: times[one])
        mark = held[name]
        since = f"{times[name].astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        who = mark.by if mark else say("another publication")
        patience = say("{total_seconds:.0f} minutes", total_seconds=self.terms.expiry.total_seconds() / 60)
        return PublishError(
            say(
                "{who} has been publishing to {address} since {since}: nothing was changed",
                who=who,
                address=self.target.address,
                since=since,
            ),
            say(
                "publish again when that has ended; if it was killed, --break-lease takes "
                "its place at once, and any publication does {patience} after its last sign",
                patience=patience,
            ),
        )

    def begin(self, units: Units) -> None:
        """List the files to be changed, which include those of `left`. Raises `PublishError` as `require`.

        A second mark takes the place of the first when it is proved that the first was there all the time.
        """
        mark = replace(self.mark, state=CHANGES, units=units)
        first, self.names = self.names[0], (_new_name(), *self.names)
        self.target.write(self.names[0], mark.render())
        self.require()
        self.mark, self.names = mark, self.names[:1]
        self._forget(first)

    def require(self) -> None:
        """Raise `PublishError` if this publication has lost the lease, or another changes files as well."""
        times = self.target.times(MARK)
        if not times.keys() >= {*self.names}:
            raise PublishError(
                say("another publication has taken {address} over", address=self.target.address), AGAIN
            )
        if self.left.keys() - times.keys():  # it was not over, and has changed what the plan was made from
            raise PublishError(
                say("another publication to {address} has ended meanwhile", address=self.target.address),
                AGAIN,
            )
        others = [name for name in times if name not in self.names]
        for name, mark in read_marks(self.target, others, is_whole=self.terms.is_whole).items():
            if mark.has_begun and mark != self.left.get(name):
                raise PublishError(
                    say(
                        "{by} has changed files at {address} as well", by=mark.by, address=self.target.address
                    ),
                    AGAIN,
                )

    def keep(self) -> None:
        """Renew the lease from time to time. Raises `PublishError` as `require`."""
        with self.lock:
            if abs(self.clock() - self.seen) >= RENEWAL:
                self.require()
                self.target.write(_alive(self.name), secrets.token_hex(8).encode())
                self.seen = self.clock()

    def release(self) -> None:
        """End a publication that is complete, or changed nothing."""
        self._forget(*self.names)

    def give_up(self) -> None:
        """End a publication that is not complete: its mark stays, so that the next one sends its files.

        If others removed the mark, it comes back by another name: the journal is no longer true.
        """
        if not self.mark.has_begun:
            self.target.remove(self.names)
            return
        name = self.name if self.name in self.target.times(MARK) else _new_name()
        self.target.write(name, replace(self.mark, state=STOPPED).render())

    def _forget(self, *own: str) -> None:
        """Remove the marks of publications that ended before, and what stands beside no mark."""
        times = self.target.times(MARK)
        old = {*own, *self.left}
        if names := tuple(name for name in times if _mark_of(name) in old or _mark_of(name) not in times):
            self.target.remove(names)
        for mark in self.left.values():
            if mark.machine == self.mark.machine:
                remove_abandoned(Path(mark.proof))
        self.left = {}


AGAIN = say("publish again: the next publication makes the target what out/ is")


@contextmanager
def leased(
    root: Path, target: Target, terms: Terms, clock: Callable[[], float], pause: Callable[[float], None]
) -> Iterator[Lease]:
    """Hold the lease of a target. Raises `PublishError` if others have it, or take it."""
    with held_file(root.resolve() / STATE) as proof:
        lease = Lease(target, proof, terms, clock)
        try:
            lease.take(pause)
            yield lease
            if lease.mark.has_begun:
                lease.require()
        except BaseException:
            with suppress(PublishError):
                lease.give_up()
                proof.unlink()
            raise
        lease.release()
        proof.unlink()


def _new_name() -> str:
    return f"{MARK}-{secrets.token_hex(8)}{JSON}"


def _alive(name: str) -> str:
    return name.removesuffix(JSON) + ALIVE


def _mark_of(name: str) -> str:
    return name.removesuffix(ALIVE) + JSON if name.endswith(ALIVE) else name


def _user() -> str:
    """Return the user and the machine, to be shown to others."""
    try:
        return f"{getpass.getuser()}@{platform.node()}"
    except (OSError, KeyError):  # a container's user may have no name
        return platform.node()
