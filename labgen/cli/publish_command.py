"""Define the command `labgen publish`."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.group import fail, main
from labgen.cli.options import (
    connections_option,
    max_deletes_option,
    out_option,
    project_option,
    quiet_option,
)
from labgen.cli.verify_command import verify_address
from labgen.problems.text import plural, say, text_of
from labgen.report.bar import ProgressBar
from labgen.report.text import echo

if TYPE_CHECKING:
    from labgen.model.settings import SiteRecord
    from labgen.publish.publish import Published
    from labgen.publish.releases import Release
    from labgen.publish.target import Target


@main.command("publish")
@click.argument("address", metavar="TARGET")
@project_option
@out_option("The built site", "out/")
@click.option("-n", "--dry-run", "is_dry", is_flag=True, help="Show what would be sent and removed.")
@max_deletes_option
@click.option("--all", "is_whole", is_flag=True, help="Send all files, ignoring the target's manifest.")
@click.option("--take-over", is_flag=True, help="Publish to a target that holds other files.")
@click.option("--rollback", is_flag=True, help="Go back to the release before, kept at the target.")
@click.option(
    "--break-lease", is_flag=True, help="Publish although another publication has not ended: it was killed."
)
@connections_option(default=16, most=64)
@click.option(
    "--url", help="The address of the site, to verify it afterwards (default: that in data/site.toml)."
)
@click.option("--no-verify", is_flag=True, help="Do not verify the site after publishing it.")
@click.option("-v", "--verbose", is_flag=True, help="List every file.")
@quiet_option
def publish_command(  # noqa: PLR0913
    *,
    address: str,
    root: Path,
    out: Path | None,
    is_dry: bool,
    max_deletes: int,
    is_whole: bool,
    take_over: bool,
    rollback: bool,
    break_lease: bool,
    connections: int,
    url: str | None,
    no_verify: bool,
    verbose: bool,
    quiet: bool,
) -> None:
    """Send the changed files of the built site to TARGET.

    TARGET is an object store (s3://bucket/path, gs://bucket/path, az://container/path; credentials come from
    the environment) or a folder for rsync (host:/path, /path). Differences are found by the manifest at the
    target. New files are sent first, then replaced ones, then the manifest; deleted files are removed at the
    end. An interrupted publication resumes where it stopped; a second one at the same time is refused.
    Finally, the site is verified if its address is known.
    """
    from labgen.model.settings import LimitsRecord
    from labgen.publish.publish import Options, publish, roll_back
    from labgen.publish.releases import read_releases, releases_before
    from labgen.publish.target import PublishError

    if not address.strip():
        fail(say("no target is named"), say("is a variable of the shell empty?"), code=2)
    out = out or root / "out"
    with ProgressBar(is_shown=not quiet and sys.stderr.isatty()) as progress:
        try:
            site = settings_of(root)
            kept = site.limits.releases if site else LimitsRecord().releases
            options = Options(
                max_deletes, is_dry, is_whole, take_over, break_lease, kept, progress=progress.update
            )
            target = target_of(address, out, connections)
            done = roll_back(root, target, options) if rollback else publish(root, out, target, options)
            has_changed = rollback or done.plan.sent or done.plan.gone
            releases = releases_before(target, read_releases(target)) if has_changed else []
        except PublishError as error:
            fail(text_of(error), error.hint)
    if verbose or is_dry:
        _name_files(done, is_dry=is_dry)
    if not quiet:
        echo(_summary_line(done, is_dry=is_dry))
        if releases:
            echo(_kept_line(releases))
    # after a rollback, the site is not what out/ is
    address_of_site = url or site_address(root)
    if address_of_site and not (is_dry or no_verify or rollback):
        verify_address(address_of_site, root, out, quiet=quiet)


def target_of(address: str, out: Path, connections: int) -> "Target":
    """Return the object store or the rsync folder to which TARGET refers."""
    from labgen.publish.folders import RsyncFolder
    from labgen.publish.object_stores import ObjectStore

    if re.match(r"[a-z0-9]+://", address) and not address.startswith("rsync://"):
        return ObjectStore(address, connections)
    return RsyncFolder(address, out)


def site_address(root: Path) -> str:
    """Return the URL of the site from the settings, "" if they have none."""
    site = settings_of(root)
    return site.base_url + site.base_path if site and site.base_url else ""


def settings_of(root: Path) -> "SiteRecord | None":
    """Return the settings of a project, if they are there and valid."""
    from labgen.source.read_settings import load_settings
    from labgen.system.input_files import DATA

    return load_settings(root.resolve() / DATA)[0]


def _kept_line(releases: "list[Release]") -> str:
    size = sum(sum(one.sizes.values()) for one in releases)
    return say(
        "kept at the target for --rollback: {releases}, {size:.1f} MB",
        releases=plural(len(releases), "release"),
        size=size / 1e6,
    )


def _name_files(done: "Published", *, is_dry: bool) -> None:
    plan = done.plan
    for verb, names in (("new", plan.new), ("replace", plan.replaced), ("remove", plan.gone)):
        for name in names:
            echo(say("{verb} {name}", verb=verb, name=name), err=not is_dry)


def _summary_line(done: "Published", *, is_dry: bool) -> str:
    plan = done.plan
    would = say("would be ") if is_dry else ""
    text = say(
        "{files} {would}sent ({count:,} new, {count_2:,} replaced)",
        files=plural(plan.sent, "file"),
        would=would,
        count=len(plan.new),
        count_2=len(plan.replaced),
    )
    before = say(", {before:,} had been sent before", before=done.before) if done.before else ""
    cost = say(
        "by {requests} ({size:,} bytes sent)", requests=plural(done.requests, "request"), size=done.size
    )
    return say(
        "{text}, {count:,} {would}removed{before}, {cost}",
        text=text,
        count=len(plan.gone),
        would=would,
        before=before,
        cost=cost,
    )
