"""`labgen sync` mirrors a site by its manifest: what differs is fetched, verified, and never half there."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, SITE, Project, laboratory, picture
from stand_ins import Answer, Asked, serving

from labgen.cli import main
from labgen.output.published_manifest import INDEX, hex_digest

Files = dict[str, bytes]


def built(site: Project, **fields: str) -> Files:
    """Return what a host publishes of a site of three laboratories with a picture."""
    site.file("data/media/a.png", picture(fields.pop("colour", "red")))
    site.write(laboratories=[ALPHA | {"image": "a.png"} | fields, BETA, laboratory("00003")])
    site.build()
    return {name: data for name, data in site.tree().items() if not name.startswith(".")}


@pytest.fixture(scope="module")
def versions(tmp_path_factory) -> tuple[Files, Files, Files]:
    """A site as it was first, with another name and picture of a laboratory, and without another one."""
    site = Project(tmp_path_factory.mktemp("versions")).sound().file("data/site.toml", SITE)
    first, second = built(site), built(site, name="Neu", colour="blue")
    site.write(laboratories=[ALPHA | {"image": "a.png", "name": "Neu"}, BETA]).build()
    return first, second, {name: data for name, data in site.tree().items() if not name.startswith(".")}


class Host:
    """Serves files with ETags, and counts what it is asked for; `breaks_at` is the request it fails at."""

    def __init__(self, files: Files) -> None:
        self.files = dict(files)
        self.asked: list[str] = []
        self.breaks_at = 10**9

    def __call__(self, asked: Asked) -> Answer:
        name = asked.path.removeprefix("/labs/")
        self.asked.append(name)
        if len(self.asked) >= self.breaks_at:
            return Answer(410, {})
        data = self.files.get(name)
        if data is None:
            return Answer(404, {})
        etag = f'"{hashlib.sha256(data).hexdigest()}"'
        if asked.fields.get("if-none-match") == etag:
            return Answer(304, {"ETag": etag})
        return Answer(200, {"ETag": etag}, data)


@contextmanager
def hosting(files: Files) -> Iterator[tuple[Host, str]]:
    host = Host(files)
    with serving(host) as port:
        yield host, f"http://127.0.0.1:{port}/labs"


def sync(url: str, folder: Path, *options: str) -> Result:
    result = CliRunner().invoke(main, ["sync", url, str(folder), *options])
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result


def copied(folder: Path) -> Files:
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in found.items() if not name.startswith(".")}


def test_a_mirror_has_the_files_of_the_site_and_asks_once_where_nothing_changed(versions, tmp_path):
    with hosting(versions[0]) as (host, url):
        assert sync(url, tmp_path).exit_code == 0
        assert copied(tmp_path) == versions[0]
        host.asked.clear()
        assert "0 fetched, 0 removed" in sync(url, tmp_path).stdout
        assert host.asked == [INDEX]


def test_what_differs_is_fetched_and_nothing_else(versions, tmp_path):
    first, second, third = versions
    with hosting(first) as (host, url):
        sync(url, tmp_path)
        host.files, host.asked = dict(second), []
        sync(url, tmp_path)
        assert sorted(host.asked) == sorted(name for name, data in second.items() if first.get(name) != data)
        assert copied(tmp_path) == second
        host.files = dict(third)
        assert sync(url, tmp_path).exit_code == 0
        assert copied(tmp_path) == third


def test_a_mirror_that_breaks_has_no_document_without_its_page_or_picture_and_goes_on(versions, tmp_path):
    first, second, _ = versions
    with hosting(first) as (host, url):
        sync(url, tmp_path / "first")
        host.files = dict(second)
        changed = sum(first.get(name) != data for name, data in second.items())
        for breaks_at in range(1, changed + 1, 3):
            folder = tmp_path / str(breaks_at)
            shutil.copytree(tmp_path / "first", folder)
            host.asked, host.breaks_at = [], breaks_at
            assert sync(url, folder).exit_code == 1
            there = copied(folder)
            assert all(data in (first.get(name), second.get(name)) for name, data in there.items())
            for name in there:
                if name.endswith("/index.json") and name.startswith("api/"):
                    assert name.replace("index.json", "api.html") in there
                    assert all(one.lstrip("/") in there for one in pictures_in(there[name]))
            done = len([name for name in there if there[name] != first.get(name)])
            host.asked, host.breaks_at = [], 10**9
            assert sync(url, folder).exit_code == 0
            assert copied(folder) == second
            assert len(host.asked) <= changed - done + 2  # the index, and a part of the manifest


def pictures_in(document: bytes) -> set[str]:
    text = document.decode()
    return {one.split('"')[0] for one in text.split('"')[1::2] if one.startswith("/media/")}


def test_a_mirror_killed_at_its_first_file_goes_on(versions, tmp_path):
    with hosting(versions[0]) as (host, url):
        host.breaks_at = 5
        assert sync(url, tmp_path).exit_code == 1
        host.breaks_at = 10**9
        assert sync(url, tmp_path).exit_code == 0
        assert copied(tmp_path) == versions[0]


def test_damage_is_found_where_all_bytes_are_compared(versions, tmp_path):
    with hosting(versions[0]) as (_, url):
        sync(url, tmp_path)
        (tmp_path / "openapi.json").write_bytes(b"{}")
        (tmp_path / "404.json").unlink()
        assert "1 fetched" in sync(url, tmp_path).stdout
        assert "1 fetched" in sync(url, tmp_path, "--check").stdout
        assert copied(tmp_path) == versions[0]


def test_many_removals_change_nothing(versions, tmp_path):
    with hosting(versions[0]) as (host, url):
        sync(url, tmp_path)
        host.files = dict(versions[2])
        result = sync(url, tmp_path, "--max-deletes", "5")
        assert result.exit_code == 1
        assert "would be removed, and --max-deletes is 5: nothing was changed" in result.stderr
        assert copied(tmp_path) == versions[0]


def hostile(parts: dict[str, dict[str, str]]) -> Files:
    part = json.dumps(parts).encode()
    head = {
        "format": 1,
        "digest": "sha-256/128",
        "base_path": "",
        "parts": {"manifest/0000.json": hex_digest(part)},
    }
    return {INDEX: json.dumps(head).encode(), "manifest/0000.json": part}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (hostile({"..": {"evil": hex_digest(b"x")}}) | {"../evil": b"x"}, "cannot be used"),
        (hostile({"a": {"../../evil": hex_digest(b"x")}}) | {"a/../../evil": b"x"}, "cannot be used"),
        (hostile({"": {".ssh/keys": hex_digest(b"x")}}) | {".ssh/keys": b"x"}, "cannot be used"),
        (hostile({"": {"a": hex_digest(b"x")}}) | {"a": b"y"}, "its bytes are not those that the manifest says"),
        (hostile({"": {"a": hex_digest(b"x")}}), "it was answered with 404"),
        (hostile({"": {"a": hex_digest(b"x")}}) | {"manifest/0000.json": b"{}"}, "is not what the index"),
        ({INDEX: b"<html>"}, "it is not the index of a manifest"),
        ({}, "was answered with 404"),
        (hostile({"": {"a": hex_digest(b"x" * 99), "b": hex_digest(b"x")}, "media/a": {"a": hex_digest(b"x" * 999)}}) | {"media/a/a": b"x" * 999, "a": b"x" * 99, "b": b"x"}, "more than 900 bytes were fetched"),
    ],
)  # fmt: skip
def test_a_hostile_host_is_refused_and_nothing_lies_outside_the_folder(files, message, tmp_path):
    with hosting(files) as (_, url):
        result = sync(url, tmp_path / "mirror", "--max-bytes", "900")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not any((tmp_path / name).exists() for name in ("evil", "mirror/.ssh", "mirror/a/evil"))


def test_redirects_are_followed_on_the_site_alone(tmp_path):
    files = hostile({"": {"index.html": hex_digest(b"x")}})

    def host(asked: Asked) -> Answer:
        if asked.path == "/index.html":
            return Answer(307, {"Location": target})
        if asked.path == "/":
            return Answer(200, {}, b"x")
        return Answer(200, {}, files[asked.path.lstrip("/")])

    with serving(host) as port:
        target = "https://other.example/"
        assert "it was answered with 307" in sync(f"http://127.0.0.1:{port}/", tmp_path).stderr
        target = "//["
        assert "it was answered with 307" in sync(f"http://127.0.0.1:{port}/", tmp_path).stderr
        target = "/"
        assert sync(f"http://127.0.0.1:{port}/", tmp_path).exit_code == 0


def test_a_host_that_redirects_to_itself_with_any_bytes_is_given_up(tmp_path):
    with serving(lambda _asked: Answer(302, {"Location": "/\xff"})) as port:
        result = sync(f"http://127.0.0.1:{port}/", tmp_path)
    assert (result.exit_code, "Traceback" in result.output, "302" in result.stderr) == (1, False, True)


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    result = sync("http://127.0.0.1:9", tmp_path)
    assert (result.exit_code, [one.name for one in tmp_path.iterdir()]) == (1, ["thesis.tex"])
    assert "is not empty, and is no mirror" in result.stderr
    assert sync("ftp://a.example", tmp_path / "new").exit_code == 2


def test_a_mirror_does_not_hold_the_password_that_it_was_fetched_with(versions, tmp_path):
    with hosting(versions[0]) as (_, url):
        assert sync(url.replace("//", "//me:secret@"), tmp_path).exit_code == 0
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"secret" in path.read_bytes()]
