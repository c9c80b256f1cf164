"""Where labgen's own lists in out/ are damaged, a build finds its files again, and says what to do where it cannot."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ALPHA, BETA, SITE, Project, laboratory

from labgen.output.errors import OutputError
from labgen.output.file_lists import LISTS, MARKER

Damage = Callable[[Path], object]


def each(change: Damage) -> Damage:
    """Return a damage to each list of units."""
    return lambda out: [change(path) for path in sorted((out / LISTS).glob("[0-9a-f]*.json"))]


DAMAGES: dict[str, Damage] = {
    "one is garbage": lambda out: next((out / LISTS).glob("[0-9a-f]*.json")).write_text("x"),
    "all are garbage": each(lambda path: path.write_bytes(b"\0" * 100)),
    "all are cut off": each(lambda path: path.write_bytes(path.read_bytes()[:-5])),
    "all are of another kind": each(lambda path: path.write_text('{"in": 3}')),
    "all list nothing": each(lambda path: path.write_text("[]")),
    "all name another file": each(
        lambda path: path.write_bytes(path.read_bytes().replace(b"index.json", b"jndex.json", 1))
    ),
    "that of the site names another file": lambda out: (out / LISTS / "site.json").write_bytes(
        (out / LISTS / "site.json").read_bytes().replace(b"openapi.json", b"ppenapi.json")
    ),
    "one is lost": lambda out: next((out / LISTS).glob("[0-9a-f]*.json")).unlink(),
    "all are lost": each(Path.unlink),
    "that of the site is lost": lambda out: (out / LISTS / "site.json").unlink(),
    "that of the site is empty": lambda out: (out / LISTS / "site.json").write_bytes(b""),
    "the folder is lost": lambda out: shutil.rmtree(out / LISTS),
    "the marker is lost": lambda out: (out / MARKER).unlink(),
}
SETTINGS = f'hosts = ["nginx"]\ncopies = ["gz"]\n{SITE}'
LABORATORIES = [ALPHA, BETA, *(laboratory(f"{number:05}") for number in range(3, 6))]


@pytest.fixture
def hosted(site: Project) -> Project:
    """A site with compressed copies and files for a host, and a file of its keeper in out/."""
    site.file("data/site.toml", SETTINGS)
    site.write(laboratories=LABORATORIES).build()
    return site.file("out/CNAME", "labs.example")


CHANGED = [ALPHA | {"name": "Neu"}, *LABORATORIES[1:-1]]


@pytest.fixture(scope="module")
def cold(tmp_path_factory) -> dict[str, bytes]:
    site = Project(tmp_path_factory.mktemp("cold")).sound().file("data/site.toml", SETTINGS)
    return built_anew(site.write(laboratories=CHANGED), tmp_path_factory.mktemp("anew"))


def built_anew(site: Project, root: Path) -> dict[str, bytes]:
    """Return what a build into a new folder writes, and the keeper's file."""
    shutil.copytree(site.root / "data", root / "data", dirs_exist_ok=True)
    other = Project(root)
    other.build()
    return other.tree() | {"CNAME": b"labs.example"}


@pytest.mark.parametrize(
    ("name", "has_memory"),
    [
        *((name, True) for name in DAMAGES),
        ("one is lost", False),
        ("all are lost", False),
        ("the folder is lost", False),
    ],
)
def test_a_build_finds_its_files_again_where_its_lists_are_damaged(hosted, cold, name, has_memory):
    DAMAGES[name](hosted.out)
    if not has_memory:
        shutil.rmtree(hosted.root / ".labgen")
    hosted.write(laboratories=CHANGED)
    written = hosted.build(are_removals_allowed=True).written
    assert written.foreign == ("CNAME",)
    assert hosted.tree() == cold
    assert hosted.build().written.written_count == 0


IN_PACKS = [laboratory(f"{number:05}") for number in range(1, 10)]


@pytest.fixture
def packed(site: Project) -> Project:
    """A site with packs, of which a ninth laboratory needs more, and a file of its keeper in out/."""
    site.file("data/site.toml", f'hosts = ["cloudflare"]\npacks = ["laboratories"]\n{SITE}')
    site.write(laboratories=IN_PACKS[:8]).build()
    return site.file("out/CNAME", "labs.example")


@pytest.mark.parametrize("name", DAMAGES)
def test_a_build_finds_its_packs_again_where_its_lists_are_damaged(packed, tmp_path, name):
    DAMAGES[name](packed.out)
    packed.write(laboratories=[IN_PACKS[0] | {"name": "Neu"}, *IN_PACKS[1:8]]).build()
    assert packed.tree() == built_anew(packed, tmp_path / "cold")


def test_a_build_that_changes_the_number_of_packs_finds_them_again(packed, tmp_path):
    DAMAGES["all are lost"](packed.out)
    packed.write(laboratories=IN_PACKS).build()
    assert packed.tree() == built_anew(packed, tmp_path / "cold")


def test_a_file_for_a_host_that_nothing_proves_is_named_and_moving_it_away_helps(packed, tmp_path):
    DAMAGES["the folder is lost"](packed.out)
    packed.write(laboratories=IN_PACKS)
    with pytest.raises(OutputError, match=r"`\.hosts/cloudflare/worker\.js` in .* is not labgen's"):
        packed.build()
    (packed.out / ".hosts/cloudflare/worker.js").unlink()
    packed.build()
    assert packed.tree() == built_anew(packed, tmp_path / "cold")


def test_a_pack_that_was_changed_by_hand_is_not_taken_for_labgens(packed):
    pack = min(packed.out.glob("api/packs/laboratories/*/*.pack"))
    shutil.rmtree(packed.out / LISTS)
    for data in (pack.read_bytes()[:-1], b"[]\n", b"{}", b"mine"):
        pack.write_bytes(data)
        with pytest.raises(OutputError, match="is not labgen's"):
            packed.build()
        assert pack.read_bytes() == data


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_lists_are_written_again_though_nothing_changed(hosted, name):
    before = hosted.tree()
    DAMAGES[name](hosted.out)
    hosted.build()
    hosted.write(laboratories=[ALPHA | {"name": "Neu"}, *LABORATORIES[1:]]).build()
    hosted.write(laboratories=LABORATORIES).build()
    assert hosted.tree() == before


def test_a_file_of_the_site_that_was_changed_by_hand_is_not_taken_for_labgens(hosted):
    shutil.rmtree(hosted.out / LISTS)
    (hosted.out / "openapi.json").write_text("mine")
    with pytest.raises(OutputError, match=r"`openapi.json` in .* is not labgen's"):
        hosted.build()
    assert (hosted.out / "openapi.json").read_text() == "mine"


def without_marker_and_lists(out: Path) -> None:
    (out / MARKER).unlink()
    (out / LISTS / "site.json").write_text("x")


def a_file_in_place_of_lists(out: Path) -> None:
    shutil.rmtree(out / LISTS)
    (out / LISTS).write_text("x")


def a_link_in_place_of_lists(out: Path) -> None:
    shutil.rmtree(out / LISTS)
    (out / LISTS).symlink_to("api")


@pytest.mark.parametrize(
    ("damage", "message", "hint"),
    [
        (lambda out: (out / MARKER).write_text("{"), "is damaged", "remove it"),
        (without_marker_and_lists, "are damaged", "move"),
        (a_file_in_place_of_lists, "is not the folder", "remove it"),
        (a_link_in_place_of_lists, "is not the folder", "remove it"),
    ],
)
def test_where_lists_cannot_be_used_the_message_says_what_to_do_and_that_helps(hosted, damage, message, hint):
    damage(hosted.out)
    hosted.write(laboratories=[ALPHA | {"name": "Neu"}, *LABORATORIES[1:]])
    before = hosted.tree()
    with pytest.raises(OutputError, match=message) as raised:
        hosted.build()
    assert hint in raised.value.hint
    assert hosted.tree() == before
    if hint == "move":
        hosted.out.rename(hosted.root / "moved")
    elif "folder" in message:
        (hosted.out / LISTS).unlink()
    else:
        (hosted.out / MARKER).unlink()
    assert hosted.build().errors == 0
