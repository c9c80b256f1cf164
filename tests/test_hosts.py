"""What labgen writes for each host, on the real programs: every row of the table, and what each must miss."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from conftest import Project
from servers import failures, free_port, replaced, require, running

from labgen.hosts import PROFILES

AS_ROOT = "user root;\n" if os.geteuid() == 0 else ""
"""The folders of tests are their user's alone."""


def nginx(out: Path, folder: Path) -> AbstractContextManager[int]:
    port = free_port()
    own = out / ".hosts/nginx"
    config = folder / "nginx.conf"
    config.write_text(
        AS_ROOT
        + replaced(
            own / "nginx.conf",
            (r"/tmp/", f"{folder}/"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{port}"),
            (r"root \.;", f"root {out};"),
            (r"include http\.conf", f"include {own}/http.conf"),
            (r"include server\.conf", f"include {own}/server.conf"),
        )
    )
    return running([require("nginx"), "-p", str(folder), "-c", str(config)], port, folder / "nginx.log")


SERVERS = {"nginx": nginx}


@pytest.fixture(scope="module", params=SERVERS)
def host(request) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def hosted(host, tmp_path_factory) -> Project:
    """A project that is built for a host."""
    project = Project(tmp_path_factory.mktemp("hosted")).sound()
    assert project.build(hosts=(host,)).written
    return project


@pytest.fixture(scope="module")
def port(host, hosted, tmp_path_factory) -> Iterator[int]:
    with SERVERS[host](hosted.out, tmp_path_factory.mktemp("server")) as port:
        yield port


def test_a_host_passes_all_rows_but_those_that_its_profile_names(host, hosted, port):
    wrong = failures(port, hosted.out)
    missed = PROFILES[host].misses
    assert {name: texts for name, texts in wrong.items() if name not in missed} == {}
    assert missed <= wrong.keys(), "these are passed after all"
