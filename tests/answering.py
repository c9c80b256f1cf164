"""Hosts as a browser sees them, without a port: one of each class, and what answers as it does."""

from collections.abc import Callable, Mapping
from pathlib import Path

from stand_ins import Asked, Host, github_pages, plain_files

from labgen.contract.http_contract import BROWSER
from labgen.serve.answer import Site

Ask = Callable[[str], tuple[int, Mapping[str, str], bytes]]
"""Takes a target, and gives a status, header fields by lower-case name, and a body."""


def full_host(out: Path, base_path: str = "") -> Ask:
    """Return the preview, which answers as a full host does."""
    site = Site(out, base_path)

    def ask(target: str) -> tuple[int, Mapping[str, str], bytes]:
        answer = site.answer("GET", target, {"accept": BROWSER})
        return answer.status, {name.lower(): value for name, value in answer.fields}, answer.body

    return ask


def stand_in(make: Callable[[Path, str], Host]) -> Callable[..., Ask]:
    """Return a stand-in for a host in the cloud."""

    def host(out: Path, base_path: str = "") -> Ask:
        answer = make(out, base_path)

        def ask(target: str) -> tuple[int, Mapping[str, str], bytes]:
            path, _, query = target.partition("?")
            return answer(Asked("GET", path, query, {"accept": BROWSER}))

        return ask

    return host


HOSTS = {"nginx": full_host, "files": stand_in(plain_files), "github-pages": stand_in(github_pages)}
