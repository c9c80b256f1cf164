"""The option `--against`: what a build compares the data with, where it remembers nothing itself."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from labgen.cli.group import fail
from labgen.cli.url_options import is_address, require_address, route_to
from labgen.problems.text import cause_of, say

if TYPE_CHECKING:
    from labgen.memory.sources import FingerprintTables

against_option = click.option(
    "--against",
    metavar="SITE",
    help="Compare the data with this published site, not with the last build here: its address, a "
    "folder, or its manifest/index.json.",
)
FIRST = say("for the first publication, leave out --against")
OK = 200
SECONDS = 30.0


def read_against(site: str) -> "FingerprintTables":
    """Return the fingerprints that a site publishes; exit with an error if it cannot be read."""
    from labgen.output.file_lists import PARSE_ERRORS
    from labgen.output.published_manifest import InvalidManifestError, parse_index
    from labgen.pipeline.published_columns import published_fingerprints

    data = _fetched(site) if is_address(site) else _read(Path(site))
    try:
        if tables := published_fingerprints(parse_index(data).columns):
            return tables
    except InvalidManifestError as error:
        fail(say("the manifest of {site} cannot be used: {error}", site=site, error=error), FIRST)
    except PARSE_ERRORS:
        fail(say("the manifest of {site} cannot be used: its columns are damaged", site=site), FIRST)
    hint = say("it has fewer than 20 laboratories, or an older labgen built it: leave out --against once")
    return fail(say("the manifest of {site} has nothing to compare with", site=site), hint)


def _fetched(address: str) -> bytes:
    """Return the index of the manifest of a live site."""
    from labgen.contract.http_contract import Request
    from labgen.fetch.ask import GivenUpError, PoliteClient, Politeness
    from labgen.fetch.client import Client, NoAnswerError
    from labgen.output.published_manifest import INDEX

    url = require_address(address.removesuffix(INDEX), "site")
    with closing(Client(url, SECONDS, route_to(url))) as client:
        request = Request("GET", f"{url.path.rstrip('/')}/{INDEX}")
        try:
            received = PoliteClient(client, Politeness(limit=2 * SECONDS), request).ask(request)
        except (NoAnswerError, GivenUpError) as error:
            hint = say("try again; without --against, nothing is compared, as for the first publication")
            fail(say("{hostname}: {error}", hostname=url.hostname, error=error), hint)
    if received.status != OK:
        fail(
            say(
                "{hostname} answered {status} for {index}",
                hostname=url.hostname,
                status=received.status,
                index=INDEX,
            ),
            say("check that this is the address of a site; {first}", first=FIRST),
        )
    return received.body


def _read(path: Path) -> bytes:
    """Return the index of the manifest in the folder of a site, or the file itself."""
    from labgen.output.published_manifest import INDEX

    file = path / INDEX if path.is_dir() else path
    try:
        return file.read_bytes()
    except OSError as error:
        return fail(
            say(
                "{file} cannot be read: {strerror}",
                file=click.format_filename(file),
                strerror=cause_of(error),
            ),
            FIRST,
        )
