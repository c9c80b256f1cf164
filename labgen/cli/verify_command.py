"""Define the commands `labgen verify` and `labgen hosts`."""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import SplitResult

import click

from labgen.cli.group import fail, main
from labgen.cli.options import connections_option, known_hosts, out_option, project_option, timeout_option
from labgen.cli.url_options import is_address, require_address, route_to
from labgen.problems.text import say, term
from labgen.report.bar import ProgressBar
from labgen.report.text import echo
from labgen.report.translate import translate
from labgen.system.workers import cores

if TYPE_CHECKING:
    from labgen.verify.checks import Report
    from labgen.verify.verify import HostOptions


WATCHED = 5
"""Files of each kind that a watch asks for."""


@main.command("verify")
@click.argument("target")
@project_option
@out_option("The local build, for an address")
@click.option(
    "--host",
    "host",
    metavar="NAME",
    callback=lambda context, option, name: known_hosts(context, option, (name,) if name else ()),
    help="The host that serves the address (default: the one that the site was built for).",
)
@click.option("--all", "is_whole", is_flag=True, help="Check all laboratories and files, not just a sample.")
@click.option(
    "--sample",
    type=click.IntRange(0),
    default=3,
    help="Number of laboratories to test against the whole contract (default: 3).",
)
@click.option(
    "--files",
    type=click.IntRange(0),
    default=1000,
    help="Number of files to compare of each kind: documents, pages, pictures, copies (default: 1000).",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    help="Output format of the result (default: text).",
)
@click.option("--show-all", is_flag=True, help="Show every failed check.")
@connections_option()
@timeout_option(10.0)
@click.option(
    "--limit",
    type=click.FloatRange(1),
    default=600.0,
    help="Seconds for the whole verification (default: 600).",
)
@click.option(
    "--slow",
    type=click.FloatRange(0),
    default=2.0,
    help="Seconds from which an answer is reported as slow (default: 2).",
)
@click.option(
    "--certificate-days",
    type=click.IntRange(0),
    default=14,
    help="Days that the certificate must be valid for (default: 14).",
)
@click.option(
    "--watch",
    "is_watch",
    is_flag=True,
    help="Ask for a few files only; fail if half of the answers are slow, or the certificate ends.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show only failed checks.")
def verify_command(  # noqa: PLR0913
    *,
    target: str,
    root: Path,
    out: Path | None,
    host: tuple[str, ...],
    is_whole: bool,
    sample: int,
    files: int,
    format_: str,
    show_all: bool,
    connections: int,
    timeout: float,
    limit: float,
    slow: float,
    certificate_days: int,
    is_watch: bool,
    quiet: bool,
) -> None:
    """Verify that TARGET, a folder or an address, is the site that was built.

    In a folder, every file must have the bytes that a build of the data gives, documents must be valid, and
    links must not be dead. At an address (https://…), files and compressed copies must have the bytes of the
    local build, removed documents must be gone, and requests must be answered as the contract says. Of a
    large site, a sample is checked; the last line gives its size. The exit code is 1 if a required check
    fails.
    """
    from labgen.fetch.ask import Politeness
    from labgen.report.verified import render_checks, render_checks_as_json, render_junit
    from labgen.verify.requests import RequestSample
    from labgen.verify.verify import HostOptions

    if is_watch and (is_whole or not is_address(target)):
        fail(say("--watch takes an address, and no --all"), code=2)
    with ProgressBar(is_shown=not quiet and format_ == "text" and sys.stderr.isatty()) as progress:
        if is_address(target):
            politeness = Politeness(connections, timeout, limit=limit, slow=slow)
            if is_watch:
                sample, files = 0, WATCHED
            much = RequestSample(None, None) if is_whole else RequestSample(sample, files)
            tried = partial(progress.update, "tried")
            options = HostOptions(
                host[0] if host else "",
                much,
                politeness,
                certificate_days=certificate_days,
                is_watch=is_watch,
                progress=tried,
            )
            report = _of_address(target, root, out or root / "out", options)
        else:
            report = _of_folder(root, Path(target))
    match format_:
        case "json":
            echo(render_checks_as_json(report))
        case "junit":
            echo(render_junit(report))
        case _:
            if text := render_checks(report, show_all=show_all):
                echo(text, err=True)
    _end(report, format_, quiet=quiet)


def _of_address(target: str, root: Path, out: Path, options: "HostOptions") -> "Report":
    from labgen.memory.removed_documents import read_removed, removed_list_path
    from labgen.verify.folder import built_site_of
    from labgen.verify.verify import verify_url

    url = _require_address(target, built_site_of(out).base_path)
    route = route_to(url)
    return verify_url(url, out, replace(options, route=route), read_removed(removed_list_path(root, out)))


def verify_address(target: str, root: Path, out: Path, *, quiet: bool) -> NoReturn:
    """Verify a site that was just published, print the result, and exit."""
    from labgen.report.verified import render_checks
    from labgen.verify.verify import HostOptions

    report = _of_address(target, root, out, HostOptions())
    if text := render_checks(report, show_all=False):
        echo(text, err=True)
    _end(report, "text", quiet=quiet)


def _of_folder(root: Path, folder: Path) -> "Report":
    from labgen.output.open_folder import require_finished
    from labgen.pipeline.build_options import Options
    from labgen.verify.verify import verify_folder

    if not folder.is_dir():
        fail(
            say("there is no folder {folder}", folder=click.format_filename(folder)),
            say("an address begins with https://"),
            2,
        )
    require_finished(folder)
    options = Options(
        jobs=cores(),
        on_staged=lambda *_: None,
        is_whole=True,
        are_limits_off=True,
        are_removals_allowed=True,
        are_changes_allowed=True,
    )
    return verify_folder(root if (root / "data").is_dir() else None, folder, options)


def _end(report: "Report", format_: str, *, quiet: bool) -> NoReturn:
    """Print the result, and exit."""
    for note in filter(None, (report.note, report.advice, *report.remarks)):
        echo(say("note: {note}", note=note), err=True)
    if not quiet:
        echo(report.summary(), err=format_ != "text" or not report.is_passed)
    sys.exit(0 if report.is_passed else 1)


def _require_address(target: str, base_path: str) -> SplitResult:
    """Return the parts of a site's URL; exit with an error if it is invalid or its path is not the site's."""
    parts = require_address(target, "site")
    if parts.path.rstrip("/") not in ("", base_path):
        where = (
            say("`base_path` in data/site.toml is {base_path}", base_path=repr(base_path))
            if base_path
            else say("data/site.toml has no `base_path`")
        )
        fail(
            say("the site was not built for the path {path}: {where}", path=parts.path, where=where),
            say("give scheme and host alone"),
            2,
        )
    return parts


@main.command("hosts")
@click.argument("names", metavar="[NAME]...", nargs=-1, callback=known_hosts)
@project_option
@out_option("The built site to estimate from")
def hosts_command(names: tuple[str, ...], root: Path, out: Path | None) -> None:
    """List the hosts that a site can be built for.

    Where there is a built site, a table says how many laboratories like its own fit on hosts with a limit.

    With NAME, show what is written for a host, and the commands of each deployment to it. How the first one
    is prepared stands in the guide to deployment.
    """
    from labgen.hosts import PROFILES, REFUSED
    from labgen.output.file_lists import read_built_site
    from labgen.report.capacities import render_capacities

    for name in names:
        profile = PROFILES[name]
        click.echo("\n".join([f"# {profile.title}: {_without_quotes(profile.does)}", *profile.commands]))
    if names:
        return
    width = max(map(len, PROFILES))
    for profile in PROFILES.values():
        host_class = translate(term(profile.host_class))
        click.echo(f"{profile.name:{width}}  {host_class:19}  {_without_quotes(profile.does)}")
        if profile.cannot:
            click.echo(f"{'':{width}}  {'':19}  {translate(term(profile.cannot))}")
    for name, (reason, _) in REFUSED.items():
        echo(say("{name}: refused. {reason}", name=name, reason=term(reason)))
    searching = ", ".join(one.name for one in PROFILES.values() if one.has_search_function)
    echo(
        say(
            "searches of the list are answered by: {searching}; "
            "others refuse them, or answer all laboratories",
            searching=searching,
        )
    )
    if built := read_built_site(out or root / "out"):
        click.echo(render_capacities(built.files()))


def _without_quotes(text: str) -> str:
    return translate(term(text)).replace("`", "")
