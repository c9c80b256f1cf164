"""The site's manifest: what it lists, and that a warm build writes what a cold one does."""

import json
import shutil

import pytest
from click.testing import CliRunner
from conftest import ALPHA, BETA, SITE, Project, laboratory, picture

from labgen.cli import main
from labgen.output import published_manifest
from labgen.output.published_manifest import (
    INDEX,
    PAGES_TOGETHER,
    InvalidManifestError,
    files_in,
    hex_digest,
    parse_index,
    parse_part,
    part_count,
    part_of,
)

LABORATORIES = "api/v1/laboratory/laboratories"


@pytest.fixture
def parted(site, monkeypatch):
    """A site whose manifest has a part for every second laboratory, with a picture and a host's files."""
    monkeypatch.setattr(published_manifest, "LABORATORIES_IN_PART", 2)
    site.file("data/media/a.png", picture())
    site.file(
        "data/site.toml",
        f'hosts = ["nginx", "apache"]\n[limits]\npage_size = 2\n{SITE}'.replace("name =", "#"),
    )
    site.write(
        laboratories=[ALPHA | {"image": "a.png"}, BETA, *(laboratory(f"{one:05}") for one in range(3, 9))]
    )
    return site


def parts_of(site: Project) -> dict[str, dict[str, dict[str, str]]]:
    index = parse_index((site.out / INDEX).read_bytes())
    parts = {part: (site.out / part).read_bytes() for part in index.parts}
    assert {part: hex_digest(data) for part, data in parts.items()} == index.parts
    return {part: parse_part(data) for part, data in parts.items()}


def manifest_files(site: Project) -> dict[str, bytes]:
    return {name: data for name, data in site.tree().items() if name.startswith("manifest/")}


def test_each_published_file_is_listed_with_its_digest(parted):
    parted.build()
    own = {
        ".htaccess",
        *(name for name in parted.tree() if name.startswith((".", "manifest/")) or name.endswith(".gz")),
    }
    expected = {name: hex_digest(data) for name, data in parted.tree().items() if name not in own}
    assert files_in(parts_of(parted).values()) == expected
    assert any(name.startswith("media/") for name in expected)


def _rename(site: Project) -> None:
    site.write(
        laboratories=[
            ALPHA | {"name": "Neu", "image": "a.png"},
            BETA,
            *(laboratory(f"{one:05}") for one in range(3, 9)),
        ]
    )


def _add(site: Project) -> None:
    site.write(laboratories=[ALPHA, BETA, *(laboratory(f"{one:05}") for one in range(3, 13))])


def _remove(site: Project) -> None:
    site.write(laboratories=[ALPHA, *(laboratory(f"{one:05}") for one in range(5, 9))])


def _lose_part(site: Project) -> None:
    _rename(site)
    (site.out / "manifest/0000.json").unlink()
    (site.out / "manifest/0001.json").write_bytes(b"{}")


def _lose_index(site: Project) -> None:
    _rename(site)
    (site.out / INDEX).write_bytes(b"[]")


def _switch_off(site: Project) -> None:
    site.file("data/site.toml", f"manifest = false\n{SITE}")


@pytest.mark.parametrize("edit", [_rename, _add, _remove, _lose_part, _lose_index, _switch_off])
def test_a_warm_build_writes_the_manifest_of_a_cold_one(parted, edit, tmp_path_factory):
    parted.build()
    edit(parted)
    parted.build(are_removals_allowed=True)
    cold = Project(tmp_path_factory.mktemp("cold"))
    shutil.copytree(parted.root / "data", cold.root / "data")
    cold.build()
    if edit is _lose_part:  # what a build keeps it does not look at
        parted.out.joinpath("manifest/0001.json").write_bytes(cold.read("manifest", "0001.json"))
    assert manifest_files(parted) == manifest_files(cold)
    assert bool(manifest_files(parted)) == (edit is not _switch_off)


def test_an_edit_writes_the_parts_that_list_what_changed(parted):
    parted.build()
    before = parts_of(parted)
    written = (
        parted.file("data/laboratories/00008.json", json.dumps(laboratory("00008", about="Neu")))
        .build()
        .written
    )
    after = parts_of(parted)
    changed = {part for part in before if before[part] != after[part]}
    assert {
        name for name in written.written if name.startswith("manifest/") and not name.endswith(".gz")
    } == {INDEX, *changed}
    assert 0 < len(changed) < len(before) == 4


def test_parts_are_a_power_of_two():
    assert [part_count(number) for number in (0, 1, 32, 33, 64, 65, 10_000, 100_000)] == [
        1,
        1,
        1,
        2,
        2,
        4,
        512,
        4096,
    ]


@pytest.mark.parametrize(
    "name", ["../a", "a/../b", "/etc/passwd", "a//b", "", ".", ".ssh/keys", "a/.git", "a\\b", "a\0b", "C:\\a"]
)
@pytest.mark.parametrize("form", [lambda name: {name: {"a": "0" * 32}}, lambda name: {"a": {name: "0" * 32}}])
def test_a_name_that_leaves_the_folder_or_is_hidden_is_refused(name, form):
    if name == "" and form(name) == {"": {"a": "0" * 32}}:
        return  # the root
    with pytest.raises(InvalidManifestError):
        parse_part(json.dumps(form(name)).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format":2,"digest":"sha-256/128","base_path":"","parts":{}}',
        b'{"a":{"b":"xy"}}',
        b'{"a":{"b":1}}',
        b'{"a":1}',
        b"\xff",
    ],
)
def test_what_is_no_manifest_is_refused(data):
    with pytest.raises(InvalidManifestError):
        parse_index(data)
    if data != b"{}":
        with pytest.raises(InvalidManifestError):
            parse_part(data)


def test_a_folder_is_verified_by_its_own_manifest_where_there_is_no_data(site, tmp_path_factory):
    site.build()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    copy = shutil.copytree(site.out, elsewhere / "copy")
    command = ["verify", str(copy), "-C", str(elsewhere)]
    assert CliRunner().invoke(main, command).exit_code == 0
    (copy / "404.json").write_bytes(b"{}")
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert "its bytes are not those that the manifest says\n  --> 404.json" in result.stderr


def test_the_pages_of_a_list_are_in_few_parts():
    """All of them change when a laboratory comes or goes."""
    pages = [f"api/v1/laboratory/laboratories/page/{number}" for number in range(2, 1001)]
    assert len({part_of(page, 4096) for page in pages}) <= 1000 // PAGES_TOGETHER + 1
