"""The two proofs: of a folder, and of a live host."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from labgen.api.endpoint import Paged, PerLaboratory, PerSite
from labgen.api.http_answers import complaints
from labgen.api.http_contract import Level, Row, all_rows
from labgen.hosts import PROFILES
from labgen.hosts.profile import Profile
from labgen.model.site_paths import JSON_FILE
from labgen.output.manifest import Manifest
from labgen.pipeline.build import Options, build
from labgen.pipeline.quick_check import glance
from labgen.pipeline.result import Outcome
from labgen.verify.checks import Check, Report
from labgen.verify.folder import (
    HOST_INDEX,
    documents_of,
    endpoints_of,
    manifest_of,
    verify_bytes,
    verify_files,
)
from labgen.verify.live import STRAIGHT, Client, Politeness, Route, Tried, try_rows
from labgen.verify.remedies import help_for

SAMPLE = 3
"""Laboratories whose paths are tried, where not all are."""


def verify_folder(root: Path | None, out: Path, options: Options) -> Report:
    """Return what is wrong in a folder.

    With a project, the bytes are compared with what its data makes, or its errors are all that is said.
    Raises `OutputError` where the folder holds no site.
    """
    started = time.monotonic()
    manifest = manifest_of(out)
    checks: list[Check] = []
    if root:
        options = replace(options, hosts=options.hosts or manifest.hosts)
        outcome = build(root, out, options, glance(root, out, options.hosts))
        if outcome.written is None:
            return Report(str(out), list(_in_data(outcome)), time.monotonic() - started, NOTHING)
        checks += verify_bytes(out, outcome.written)
    else:
        own = set(manifest.files())
        checks += (
            Check("foreign", Level.MUST, file, ("labgen did not write it",), help="remove it")
            for file in sorted(_strangers(out) - own)
        )
    checks += verify_files(out, manifest)
    return Report(str(out), checks, time.monotonic() - started)


NOTHING = "the data has errors: nothing was verified"


def _in_data(outcome: Outcome) -> Iterator[Check]:
    """Yield the errors of the data."""
    for one in outcome.problems:
        if one.problem.severity == "error":
            where = f":{one.span.line}:{one.span.column}" if one.span else ""
            subject, message = f"{one.problem.place.file}{where}", one.problem.message
            yield Check(one.problem.code, Level.MUST, subject, (message,), help=one.problem.hint)


def _strangers(out: Path) -> set[str]:
    """Return all files below /api/: whatever is not labgen's there would be served as if it were."""
    return {path.relative_to(out).as_posix() for path in (out / "api").rglob("*") if not path.is_dir()}


@dataclass(frozen=True, slots=True)
class Wish:
    """What of a host is looked at: its name, "" if it is not known; how many laboratories (None: all)."""

    host: str = ""
    laboratories: int | None = SAMPLE
    politeness: Politeness = field(default_factory=Politeness)
    route: Route = STRAIGHT
    progress: Callable[[int, int], None] = lambda _done, _all: None


def sample(manifest: Manifest, laboratories: int | None) -> list[str]:
    """Return the paths to try: those that a site has once, and some of lists and laboratories."""
    documents = documents_of(manifest)
    by_kind = {kind: [path for path, one in documents.items() if isinstance(one, kind)] for kind in KINDS}
    _, each = endpoints_of(manifest)
    some = by_kind[PerLaboratory]
    groups = [some[at : at + len(each)] for at in range(0, len(some), len(each))]
    lists = _spread(by_kind[Paged], laboratories)
    return by_kind[PerSite] + lists + [path for group in _spread(groups, laboratories) for path in group]


KINDS = (PerSite, Paged, PerLaboratory)
Value = TypeVar("Value")


def _spread(values: list[Value], most: int | None) -> list[Value]:
    """Return so many of the values, as far from each other as can be, the first and the last among them."""
    if most is None or len(values) <= most:
        return values
    step = (len(values) - 1) / max(most - 1, 1)
    return [values[round(number * step)] for number in range(most)]


def verify_url(url: str, out: Path, wish: Wish) -> Report:
    """Return what is wrong with what a host serves.

    Raises `OutputError` where nothing was built, and `NoAnswerError` where there is nobody.
    """
    started = time.monotonic()
    manifest = manifest_of(out)
    parts = urlsplit(url)
    profile = PROFILES.get(wish.host or (manifest.hosts[0] if len(manifest.hosts) == 1 else ""))
    rows = list(all_rows(sample(manifest, wish.laboratories), manifest.base_path))
    files = _configuration(out, manifest, profile)
    client = Client(parts, wish.politeness, wish.route)
    client.ask(rows[0].request)
    checks = [
        _checked(tried, out, profile, files)
        for tried in try_rows(client, rows, lambda done: wish.progress(done, len(rows)))
    ]
    note = ""
    if len(checks) < len(rows):
        why = (
            "the time is over" if time.monotonic() > client.deadline else "the host does not answer any more"
        )
        note = f"{len(rows) - len(checks):,} of {len(rows):,} checks were not made: {why}"
    return Report(_visible(parts), checks, time.monotonic() - started, note)


def _visible(url: SplitResult) -> str:
    """Return an address without a name and a password."""
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def _configuration(out: Path, manifest: Manifest, profile: Profile | None) -> Mapping[str, str]:
    """Return the texts of what a host reads, as far as it was built."""
    if profile is None:
        return {}
    own = sorted(name for name in manifest.units.get("", ()) if _is_configuration(name))
    return {name: (out / name).read_text(encoding="utf-8", errors="replace") for name in own}


def _is_configuration(name: str) -> bool:
    return name.startswith((".", "_", "netlify/")) or name == "vercel.json"


def _checked(tried: Tried, out: Path, profile: Profile | None, files: Mapping[str, str]) -> Check:
    row, received = tried.row, tried.received
    subject = _subject(row)
    is_excused = bool(profile and row.name in profile.misses)
    if received is None:
        return Check(row.name, row.level, subject, (tried.problem,), is_excused=is_excused)
    body = (out / row.expected.file).read_bytes() if row.expected.file else None
    wrong = complaints(row.expected, received, body)
    if not wrong:
        return Check(row.name, row.level, subject)
    sent = f"HTTP {received.status}, {received.fields.get('content-type', 'no Content-Type')}, "
    sent += f"{len(received.body):,} bytes"
    if "location" in received.fields:
        sent += f", Location: {received.fields['location']}"
    mending = help_for(row, wrong, profile, files)
    if row.expected.file and row.expected.file.endswith(JSON_FILE) and received.body[:1] == b"<":
        mending += f"\nis there an {HOST_INDEX} in the folder?"
    return Check(row.name, row.level, subject, tuple(wrong), sent, mending, is_excused)


def _subject(row: Row) -> str:
    method, target, headers = row.request
    shown = "".join(f", {name}: {value}" for name, value in headers)
    return f"{method} {target}{shown}{', with its ETag' if row.first else ''}"
