"""Run the two verifications of `labgen verify`: of a folder, and of a live host."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from urllib.parse import SplitResult

from labgen.api.sections.upgrade_options import ENDPOINT as UPGRADE_OPTIONS
from labgen.contract.http_contract import REDIRECTS, Level, Request
from labgen.fetch.ask import OVERLOADED, GivenUpError, PoliteClient, Politeness
from labgen.fetch.client import STRAIGHT, Beginning, Client, NoAnswerError, Route
from labgen.fetch.urls import split_untrusted, without_credentials
from labgen.hosts import PROFILES
from labgen.hosts.profile import Profile
from labgen.model.site_paths import JSON_FILE
from labgen.output.file_lists import BuiltSite
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.quick_check import quick_check
from labgen.pipeline.result import Outcome
from labgen.problems.text import say, text_of
from labgen.verify.checks import Check, Fault, Report, Share
from labgen.verify.folder import built_site_of, verify_bytes, verify_digests, verify_files
from labgen.verify.judge import Judge
from labgen.verify.remedies import REMEDIES
from labgen.verify.requests import RequestSample, Stage, make_stages, read_site, watch_stages
from labgen.verify.traffic import (
    certificate_check,
    counts_of,
    latency_check,
    remarks_on,
    traffic_checks,
)
from labgen.verify.try_asks import try_asks


def verify_folder(root: Path | None, out: Path, options: Options) -> Report:
    """Verify a folder, and return the report.

    With a project, the bytes are compared with a build of its data; if the data has errors, only they are
    reported. Raises `OutputError` if the folder holds no site.
    """
    started = time.monotonic()
    built = built_site_of(out)
    own = set(built.files())
    checks: list[Check] = []
    if root:
        options = replace(options, hosts=options.hosts or built.hosts)
        outcome = build(root, out, options, quick_check(root, out, options.hosts, is_dry=True))
        if outcome.written is None:
            return Report(str(out), list(_in_data(outcome)), time.monotonic() - started, NOTHING)
        checks += verify_bytes(out, outcome.written, own, built.folders)
    else:
        checks += (
            Check(
                "foreign",
                Level.MUST,
                file,
                (Fault("foreign-file", say("labgen did not write it"), say("remove it")),),
            )
            for file in sorted(_strangers(out, built.folders) - own)
        )
        checks += verify_digests(out)
    checks += verify_files(out, built)
    return Report(str(out), checks, time.monotonic() - started)


DAY = 86_400
"""Seconds of a day."""
NOTHING = say("the data has errors: nothing was verified")


def _in_data(outcome: Outcome) -> Iterator[Check]:
    """Yield a failed check for each error in the data."""
    for one in outcome.problems:
        if one.problem.severity == "error":
            where = f":{one.span.line}:{one.span.column}" if one.span else ""
            fault = Fault(one.problem.code, one.problem.message, one.problem.hint)
            yield Check(one.problem.code, Level.MUST, f"{one.problem.place.file}{where}", (fault,))


def _strangers(out: Path, folders: Sequence[str]) -> set[str]:
    """Return all files among documents, where hosts would serve those of other programs as labgen's."""
    below = chain.from_iterable((out / folder).rglob("*") for folder in folders)
    return {path.relative_to(out).as_posix() for path in below if not path.is_dir()}


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What to verify on a host, and how; `host` is its name, "" if it is not known.

    A certificate must be valid for so many `certificate_days` more. A watch only asks for files, and fails if
    the certificate is not, or if half of the answers are slow.
    """

    host: str = ""
    sample: RequestSample = field(default_factory=RequestSample)
    politeness: Politeness = field(default_factory=Politeness)
    route: Route = STRAIGHT
    certificate_days: int = 14
    is_watch: bool = False
    progress: Callable[[int, int], None] = lambda _done, _all: None


def verify_url(url: SplitResult, out: Path, options: HostOptions, removed: Sequence[str] = ()) -> Report:
    """Verify a live host, and return the report; `removed` are documents that builds have removed.

    Raises `OutputError` if nothing was built.
    """
    started = time.monotonic()
    built = built_site_of(out)
    target = without_credentials(url).geturl()
    client = Client(url, options.politeness.timeout, options.route, started + options.politeness.limit)
    asker = PoliteClient(client, options.politeness, first_request(built.base_path))
    try:
        if fault := _connection_fault(asker, url):
            check = Check("connection", Level.MUST, target, (fault,))
            return Report(target, [check], time.monotonic() - started, say("nothing was verified"))
        profile = PROFILES.get(options.host or (built.hosts[0] if len(built.hosts) == 1 else ""))
        site = read_site(out, built, options.sample)
        stages = watch_stages(site) if options.is_watch else make_stages(site, profile, removed)
        judge = Judge(out, built, url, profile)
        checks, shares, note = _all_checks(asker, stages, judge, options.progress)
        checks += traffic_checks(asker.traffic, options.politeness.slow)
        days = (client.certificate_end - time.time()) / DAY
        if url.scheme == "https":
            level = Level.MUST if options.is_watch else Level.SHOULD
            checks.append(certificate_check(days, options.certificate_days, level, target))
        if options.is_watch:
            checks.append(latency_check(asker.traffic, options.politeness.slow, target))
    finally:
        client.close()
    advice = _advice(checks, built, profile)
    remarks, traffic = tuple(remarks_on(judge.unread)), counts_of(asker.traffic, days)
    return Report(target, checks, time.monotonic() - started, note, shares, advice, remarks, traffic)


def _advice(checks: Sequence[Check], built: BuiltSite, profile: Profile | None) -> str:
    """Return advice for a host that serves the files but ignores the rest of the contract."""
    by_path = [one for one in checks if one.name == "json"]
    if not all(one.is_failed for one in by_path) or all(map(_is_silent, by_path)):
        return ""
    if all(_is_foreign(one) for one in checks if one.name == "json-file"):
        return say("something answers in place of the site: a login, a firewall, or another site")
    if profile:
        what = say(
            "is the configuration for {title} in place? If this is another host, --host names it",
            title=profile.title,
        )
    elif built.hosts:
        what = say("--host says which of {hosts} this is", hosts=", ".join(built.hosts))
    else:
        what = say("`labgen build --host NAME` writes what a host needs, `labgen hosts` lists them")
    return say("no path is answered as the contract says: {what}", what=what)


def _all_checks(
    asker: PoliteClient, stages: Sequence[Stage], judge: Judge, progress: Callable[[int, int], None]
) -> tuple[list[Check], tuple[Share, ...], str]:
    """Return the checks of all requests, the shares of the site that they cover, and why any are missing."""
    checks: list[Check] = []
    shares: list[Share] = []
    total = sum(len(ask.rows) for stage in stages for ask in stage.asks)
    done = 0
    note = ""
    for stage in stages:
        asked = 0
        try:
            for tried in try_asks(asker, stage.asks, judge.out):
                checks += judge.checks(tried)
                asked, done = asked + 1, done + len(tried.ask.rows)
                progress(done, total)
        except GivenUpError as error:
            note = say(
                "{total:,} of {total_2:,} checks were not made: {error}",
                total=total - done,
                total_2=total,
                error=error,
            )
        if stage.share and stage.share.whole:
            shares.append(stage.share.after(asked, len(stage.asks)))
        if stage is stages[0] and checks and all(_is_lost(one) for one in checks):
            note = say(
                "not one of {count:,} files is there: is this the address of the site?", count=len(checks)
            )
        if note:
            break
    return checks, tuple(shares), note


def _is_lost(check: Check) -> bool:
    return any(fault.code == "lost-file" for fault in check.faults)


def _is_silent(check: Check) -> bool:
    return any(fault.code == "no-answer" for fault in check.faults)


def _is_foreign(check: Check) -> bool:
    """Return whether the response to a request for a JSON file is a page or a redirect."""
    return "text/html" in check.sent or any(fault.code == "files" for fault in check.faults)


def first_request(base_path: str) -> Request:
    """Return the request that finds out whether the host responds at all."""
    return Request("GET", f"{base_path}{UPGRADE_OPTIONS.path}{JSON_FILE}")


def _connection_fault(asker: PoliteClient, url: SplitResult) -> Fault | None:
    """Return the fault if the host cannot be verified at this URL: silent, overloaded, protected, moved."""
    try:
        received = asker.ask(asker.known, Beginning)
    except (NoAnswerError, GivenUpError) as error:
        code = error.code if isinstance(error, NoAnswerError) else "no-answer"
        if asker.overload_count:
            return Fault("overloaded", text_of(error), say("try again later"))
        address = without_credentials(url).geturl()
        text = (
            say("nobody answers at {address}: {error}", address=address, error=error)
            if code == "no-answer"
            else text_of(error)
        )
        return Fault(code, text, REMEDIES.get(code, ""))
    if received.status in OVERLOADED:
        return Fault(
            "overloaded", say("the host answers {status}", status=received.status), say("try again later")
        )
    if received.status in PASSWORD:
        return Fault(
            "needs-password", say("the host asks for a name and a password"), "https://name:password@…"
        )
    there = split_untrusted(received.fields.get("location", ""))
    if received.status in REDIRECTS and there.netloc and there[:2] != url[:2]:
        address = f"{there.scheme or url.scheme}://{there.netloc}"
        return Fault(
            "moved-site",
            say("the host sends everybody to {address}", address=address),
            say("labgen verify {address}", address=address),
        )
    return None


PASSWORD = frozenset({401, 407})
