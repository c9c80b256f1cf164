"""`labgen publish --rollback`: the release before is published again, from what the target keeps of it."""

import shutil
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from random import Random

import obstore
import pytest
from click.testing import CliRunner
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, Project, laboratory, picture
from obstore.store import MemoryStore
from publishers import AT_ONCE, PLACES, Files, Killed, Place, Publisher, for_each, needs_rsync, without_marks
from test_publish import require_whole

from labgen.cli import main
from labgen.model.site_paths import RELEASES
from labgen.publish.publish import publish
from labgen.publish.target import PublishError

EACH = 4 if EXHAUSTIVE else 12
"""How many steps lie between the moments at which publications are killed."""
WALKS = 96 if EXHAUSTIVE else 12
"""How many random sequences of publications and rollbacks are tried in a store; rsync takes longer."""
KEPT = 3
LOST = "api/v1/laboratory/laboratories/00001/index.json"


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> list[Project]:
    """Eleven states of a site, of which each differs from the next: by names, pictures, laboratories, hosts' copies."""
    base = Project(tmp_path_factory.mktemp("site")).sound()
    found = []
    for number in range(11):
        title = "Neu" if number % 4 == 1 else "Alt"
        base.file("data/site.toml", f'hosts = ["nginx"]\n{SITE.replace("Verzeichnis", title)}')
        base.file("templates/static/prüfung.css", f"p {{ margin: {number}px }}")
        base.file("data/media/a.png", picture(("red", "blue", "green")[number % 3]))
        others = [laboratory(f"{one:05}") for one in range(3, 3 + number % 3)]
        base.write(laboratories=[ALPHA | {"name": f"A {number}", "image": "a.png"}, BETA, *others]).build()
        copy = tmp_path_factory.mktemp(f"release{number}")
        shutil.copytree(base.root, copy, dirs_exist_ok=True)
        found.append(Project(copy))
    return found


@pytest.fixture(scope="module", params=PLACES)
def published(request, tmp_path_factory, releases) -> list[Place]:
    """Places at which the first release, the first two, and so on are published."""
    folder = tmp_path_factory.mktemp("published")
    place = Place(MemoryStore() if request.param == "store" else folder / "now")
    return [
        publish_all(place, release).copied(folder / str(number))
        for number, release in enumerate(releases[:3])
    ]


@pytest.fixture
def after(published, tmp_path) -> Callable[[int], Place]:
    """Return copies of the place at which so many releases are published."""
    count = iter(range(10**9))
    return lambda number: published[number - 1].copied(tmp_path / f"target{next(count)}")


@pytest.fixture(scope="module")
def moments(published, tmp_path_factory, releases) -> range:
    """The numbers of steps after which a rollback is killed."""
    place = published[2].copied(tmp_path_factory.mktemp("steps") / "target")
    return Publisher(releases[2], place, is_back=True).moments(EACH)


def publish_all(place: Place, *sites: Project) -> Place:
    for site in sites:
        done = Publisher(site, place, releases=KEPT).steps()
        assert done.error is None, done.error
    return place


def go_back(place: Place, site: Project) -> BaseException | None:
    return Publisher(site, place, is_back=True).steps().error


def seen(place: Place) -> Files:
    return without_marks(place.held())


def test_after_each_of_ten_publications_the_release_before_comes_back_and_readers_see_it_whole(
    releases, after
):
    place = after(1)
    for old, new in pairwise(releases if EXHAUSTIVE else releases[:4]):
        publish_all(place, new)
        back = Publisher(new, place, is_back=True)
        while not back.is_done:
            back.steps(4 if place.is_folder else 1)
            require_whole(seen(place), place.goal(old), place.goal(new))
        assert back.error is None, back.error
        assert seen(place) == place.goal(old)
        publish_all(place, new)  # the next publication makes it what out/ is
        assert seen(place) == place.goal(new)


def test_one_goes_back_as_far_as_releases_are_kept_and_no_further(releases, after):
    place = publish_all(after(3), *releases[3:6])
    for before in (4, 3, 2):
        assert go_back(place, releases[5]) is None
        assert seen(place) == place.goal(releases[before])
    assert "keeps no release to go back to" in str(go_back(place, releases[5]))
    assert seen(place) == place.goal(releases[2])
    publish_all(place, releases[7])
    assert go_back(place, releases[7]) is None
    assert seen(place) == place.goal(releases[2])


def test_a_rollback_that_is_killed_anywhere_leaves_nothing_broken_and_the_next_one_ends_it(
    releases, after, moments
):
    def kill(moment: int) -> None:
        place = after(3)
        killed = Publisher(releases[2], place, is_back=True).steps(moment).kill()
        assert isinstance(killed.error, Killed | None)
        require_whole(seen(place), place.goal(releases[1]), place.goal(releases[2]))
        if killed.error:
            assert go_back(place, releases[2]) is None
        assert seen(place) == place.goal(releases[1]), moment
        assert go_back(place, releases[2]) is None
        assert seen(place) == place.goal(releases[0]), moment

    for_each(moments, kill)


def test_after_a_publication_or_a_rollback_that_was_killed_another_one_keeps_releases_that_are_whole(
    releases, after, moments
):
    def kill(case: tuple[bool, int]) -> None:
        is_back, moment = case
        place = after(3)
        Publisher(releases[4], place, is_back=is_back, releases=KEPT).steps(moment).kill()
        publish_all(place, releases[5])
        assert seen(place) == place.goal(releases[5])
        found = []
        while go_back(place, releases[5]) is None:
            found.append([number for number in range(5) if seen(place) == place.goal(releases[number])])
        ways = [[[4], [2], [1]], [[2], [1], [0]], [[1], [0]], [[0]]]  # 4 where it was complete
        assert found in ways, (is_back, moment, found)

    for_each(product((False, True), moments), kill)


def test_a_publication_that_was_killed_amid_is_taken_back(releases, after, moments):
    def kill(moment: int) -> None:
        place = after(2)
        Publisher(releases[2], place, releases=KEPT).steps(moment).kill()
        has_begun = any(b'"changes"' in data for name, data in place.held().items() if name.endswith(".json"))
        was_changed = has_begun or seen(place) == place.goal(releases[2])
        assert go_back(place, releases[2]) is None
        assert seen(place) == place.goal(releases[1 if was_changed else 0]), moment

    for_each(moments, kill)


def test_whatever_was_killed_one_goes_back_to_a_release_that_is_whole(releases, after):
    walks, steps = (WALKS // 12, 60) if after(1).is_folder else (WALKS, 300)

    def walk(seed: int) -> None:
        chance = Random(seed)
        place = after(1)
        for _ in range(10):
            is_back = chance.random() < 0.4
            publisher = Publisher(chance.choice(releases), place, is_back=is_back, releases=KEPT)
            publisher.steps(chance.choice((10**9, chance.randrange(steps)))).kill()
            if isinstance(publisher.error, PublishError):
                assert "keeps no release to go back to" in str(publisher.error)
            elif publisher.error is None:
                goals = releases if is_back else [publisher.site]
                assert [one for one in goals if place.goal(one) == seen(place)], seed

    for_each(range(walks), walk)


def test_of_a_release_that_is_damaged_nothing_is_published(releases, after):
    place = after(2)
    files = [
        file for number, file in enumerate(kept_files(place)) if file == LOST or number % (4 * EACH) == 0
    ]

    def damage(case: tuple[int, str]) -> None:
        number, file = case
        damaged = after(2)
        change(damaged, kept_files(damaged)[file], is_removed=number % 2 == 0)
        before = seen(damaged)
        error = go_back(damaged, releases[1])
        assert seen(damaged) == (before if error else place.goal(releases[0])), file
        if file == LOST:
            assert "1 file of the release before are no longer" in str(error)
            assert LOST in str(error)
        publish(releases[0].root, releases[0].out, damaged.target(releases[0]), AT_ONCE)  # as the hint says
        assert seen(damaged) == place.goal(releases[0])

    for_each(enumerate(files), damage)


def kept_files(place: Place) -> dict[str, str]:
    """Return the names of what the one release keeps, by the names that it had."""
    return {name.split("/", 2)[2]: name for name in place.held() if name.startswith(RELEASES)}


def change(place: Place, name: str, *, is_removed: bool) -> None:
    """Remove a file, or change its last byte."""
    data = place.held()[name]
    damaged = data[:-1] + bytes([data[-1] ^ 1])
    if isinstance(place.store, Path):
        (place.store / name).unlink() if is_removed else (place.store / name).write_bytes(damaged)
    else:
        obstore.delete(place.store, name) if is_removed else obstore.put(place.store, name, damaged)


def test_a_publication_without_a_change_keeps_nothing_and_asks_as_little_as_before(releases, after):
    place = after(1)
    asked = [place.target(releases[0]) for _ in range(2)]
    for target, kept in zip(asked, (0, KEPT), strict=True):
        publish(releases[0].root, releases[0].out, target, type(AT_ONCE)(releases=kept))
    assert asked[0].requests == asked[1].requests
    assert not any(name.startswith(RELEASES) for name in place.held())


@needs_rsync
def test_the_command_goes_back_and_says_what_is_kept(releases, tmp_path):
    target = tmp_path / "labs"

    def run(site: Project, *options: str) -> str:
        arguments = ["publish", str(target), "-C", str(site.root), "-o", str(site.out), *options]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        return result.output

    run(releases[0])
    assert "kept at the target for --rollback: 1 release, 0." in run(releases[1])
    assert "would be sent" in run(releases[1], "--rollback", "--dry-run")
    assert seen(Place(target)) == releases[1].tree()
    run(releases[1], "--rollback")
    assert seen(Place(target)) == releases[0].tree()
    linked = next(target.glob(f"{RELEASES}/*/index.html"), None)
    assert linked is None or linked.stat().st_mode & 0o777 == 0o644
