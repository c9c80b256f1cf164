"""The options of a build or a check."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from labgen.memory.sources import FingerprintTables
from labgen.output.units import UnitSample
from labgen.output.written import Written
from labgen.system.progress import Progress, silent
from labgen.system.timings import Timings

StagedCallback = Callable[[Path, Written], None]
"""Accepts the folder of staged files (under their names in out/), and what a build would write."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a command: warnings as errors, number of processes, progress callback, timings.

    `hosts`, if not empty, replace those in the settings; `are_limits_off` allows a site to exceed the limits
    of its hosts, `are_removals_allowed` allows a build to remove many laboratories, `are_changes_allowed` any
    change of columns, `allowed_changes` those of some (see `guard`). The data is compared with `against`, or
    with what the last build remembered. `on_staged` makes a build a dry run:
    out/ is left alone, and `on_staged` is called with the folder of staged files and the expected result.
    With `is_whole`, the remembered state is ignored, and all files in out/ are compared with rendered ones.
    The units in `sample` are made anew, although they are known to be current.
    """

    is_strict: bool = False
    jobs: int = 1
    progress: Progress = silent
    timings: Timings = field(default_factory=Timings)
    hosts: tuple[str, ...] = ()
    are_limits_off: bool = False
    are_removals_allowed: bool = False
    are_changes_allowed: bool = False
    allowed_changes: tuple[str, ...] = ()
    against: FingerprintTables | None = None
    on_staged: StagedCallback | None = None
    is_whole: bool = False
    sample: UnitSample | None = None

    @property
    def is_dry(self) -> bool:
        """Whether out/ is left alone."""
        return self.on_staged is not None


DEFAULTS = Options()
