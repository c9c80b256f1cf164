"""Several publications of different sites to one target: one at a time, and what overlaps all the same heals."""

import os
import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ALPHA, BETA, EXHAUSTIVE, SITE, Project, laboratory, picture
from obstore.store import MemoryStore
from publishers import AT_ONCE, PLACES, Killed, Place, Publisher, for_each, needs_rsync, without_marks
from test_publish import require_whole

from labgen.cli import main
from labgen.model.site_paths import MARK
from labgen.output.errors import OutputError
from labgen.publish.lease import ALIVE, RENEWAL
from labgen.publish.proof import remove_abandoned
from labgen.publish.publish import publish
from labgen.publish.target import PublishError

EACH = 1 if EXHAUSTIVE else 12
"""How many steps of a publication lie between the moments that are tried."""


@pytest.fixture(scope="module")
def sites(tmp_path_factory) -> list[Project]:
    """A site as it was; with another name on all pages and a new laboratory; and with a laboratory less."""
    base = Project(tmp_path_factory.mktemp("site")).sound()
    found = []
    for number, (name, colour, laboratories) in enumerate(
        (
            ("Alt", "red", [ALPHA, BETA]),
            ("Neu", "blue", [ALPHA, BETA | {"name": "Neu"}, laboratory("00003")]),
            ("Alt", "green", [ALPHA | {"name": "Anders"}]),
        )
    ):
        base.file("data/site.toml", SITE.replace("Verzeichnis", name)).file(
            "data/media/a.png", picture(colour)
        )
        base.write(laboratories=[laboratories[0] | {"image": "a.png"}, *laboratories[1:]]).build()
        copy = tmp_path_factory.mktemp(f"site{number}")
        shutil.copytree(base.root, copy, dirs_exist_ok=True)
        found.append(Project(copy))
    return found


@pytest.fixture(scope="module", params=PLACES)
def published(request, tmp_path_factory, sites) -> Place:
    """A place at which the first of the sites is published."""
    place = Place(MemoryStore() if request.param == "store" else tmp_path_factory.mktemp("target") / "first")
    publish(sites[0].root, sites[0].out, place.target(sites[0]), AT_ONCE)
    return place


@pytest.fixture
def new_place(published, tmp_path) -> Callable[[], Place]:
    """Return copies of that place."""
    count = iter(range(10**9))
    return lambda: published.copied(tmp_path / f"target{next(count)}")


@pytest.fixture(scope="module")
def moments(published, tmp_path_factory, sites) -> range:
    """The numbers of steps after which a publication of the second site can be met."""
    place = published.copied(tmp_path_factory.mktemp("steps") / "target")
    return Publisher(sites[1], place).moments(EACH)


def publish_now(site: Project, place: Place, **options: Any) -> None:
    error = Publisher(site, place, **options).steps().error
    if error:
        raise error


def test_of_two_publications_at_once_the_second_is_refused_and_changes_nothing(sites, new_place, moments):
    _, new, other = sites

    def meet(moment: int) -> None:
        place = new_place()
        first = Publisher(new, place).steps(moment)
        before = without_marks(place.held())
        second = Publisher(other, place).steps()
        if second.error:
            assert re.search(
                r"has been publishing to .* since \d{4}-\d\d-\d\d .* UTC: nothing was changed",
                str(second.error),
            )
            assert without_marks(place.held()) == before
        assert first.steps().error is None
        assert place.held() == place.goal(new)
        publish_now(other, place)
        assert place.held() == place.goal(other)

    for_each(moments, meet)


def test_a_publication_whose_lease_is_taken_ends_with_an_error_and_the_next_one_heals(
    sites, new_place, moments
):
    _, new, other = sites

    def meet(moment: int) -> None:
        place = new_place()
        first = Publisher(new, place).steps(moment)
        assert Publisher(other, place, breaks_lease=True).steps().error is None
        assert place.held() == place.goal(other)
        if first.steps().error is None:  # it had not begun, or was at its end
            assert place.held() in (place.goal(new), place.goal(other))
            return
        assert isinstance(first.error, PublishError)
        publish_now(other, place)
        assert place.held() == place.goal(other), moment

    for_each(moments, meet)


def test_publications_that_do_not_wait_for_one_another_leave_what_heals(sites, new_place, moments):
    _, new, other = sites

    def meet(case: tuple[int, int]) -> None:
        moment, later = case
        place = new_place()
        first = Publisher(new, place).steps(moment)
        second = Publisher(other, place, breaks_lease=True).steps(later)
        first.steps()
        second.steps()
        publish_now(sites[0], place)
        assert place.held() == place.goal(sites[0]), (moment, later)

    for_each(product(moments, (9, 30)), meet)


def test_a_killed_publication_is_followed_at_once_on_the_same_machine(sites, new_place, moments):
    _, new, other = sites
    before = {*new.root.glob(".labgen/publishing-*")}

    def meet(moment: int) -> None:
        place = new_place()
        assert isinstance(Publisher(new, place).steps(moment).kill().error, Killed | None)
        require_whole(without_marks(place.held()), place.goal(sites[0]), place.goal(new))
        publish_now(other, place)
        assert place.held() == place.goal(other)

    for_each(moments, meet)
    left = {*new.root.glob(".labgen/publishing-*")} - before
    assert len(left) <= 1  # of the one that was killed before it wrote its mark


def elsewhere(patch: pytest.MonkeyPatch, name: str) -> None:
    """Do as on another machine."""
    patch.setattr("labgen.publish.lease.platform.node", lambda: name)


def test_a_publication_killed_on_another_machine_is_followed_when_its_lease_expires(
    sites, new_place, monkeypatch
):
    _, new, other = sites
    for options in ({"expiry": timedelta(0)}, {"breaks_lease": True}):
        place = new_place()
        elsewhere(monkeypatch, "first")
        Publisher(new, place).steps(15).kill()
        elsewhere(monkeypatch, "second")
        with pytest.raises(PublishError, match="@first has been publishing") as refused:
            publish_now(other, place)
        assert "--break-lease takes its place at once" in refused.value.hint
        assert "60 minutes after its last sign" in refused.value.hint
        publish_now(other, place, **options)
        assert place.held() == place.goal(other)


@needs_rsync
def test_the_age_of_a_lease_is_that_of_its_last_sign_by_the_clock_of_the_target(sites, tmp_path, monkeypatch):
    _, new, other = sites
    place = Place(tmp_path / "target")
    elsewhere(monkeypatch, "first")
    Publisher(new, place).steps(15).kill()
    elsewhere(monkeypatch, "second")
    [mark] = (tmp_path / "target").glob(f"{MARK}*")
    os.utime(mark, (0, 0))
    alive = mark.with_suffix(ALIVE)
    alive.touch()
    with pytest.raises(PublishError, match="has been publishing"):
        publish_now(other, place)
    os.utime(alive, (0, 0))
    publish_now(other, place)
    assert place.held() == place.goal(other)


def test_a_long_publication_renews_its_lease(sites, new_place):
    place, now = new_place(), [0.0]
    publisher = Publisher(sites[1], place, clock=lambda: now[0])
    signs = set()
    while not publisher.is_done:
        publisher.steps(1)
        now[0] += RENEWAL / 4
        signs |= {data for name, data in place.held().items() if name.endswith(ALIVE)}
    assert len(signs) > 2
    assert place.held() == place.goal(sites[1])


def test_of_three_publications_that_begin_together_one_is_done(sites, new_place):
    place = new_place()
    publishers = [Publisher(site, place) for site in sites]
    while any(not one.is_done for one in publishers):
        for one in publishers:
            one.steps(1)
    [winner] = [one for one in publishers if one.error is None]
    assert place.held() == place.goal(winner.site)


def test_a_site_is_published_to_two_targets_side_by_side(sites, new_place):
    places = [new_place(), new_place()]
    publishers = [Publisher(sites[1], place).steps(5) for place in places]
    with pytest.raises(OutputError, match="another build or publication is using"):
        sites[1].build()
    for one in publishers:
        assert one.steps().error is None
        assert one.place.held() == one.place.goal(sites[1])


def test_a_failed_publication_leaves_no_lease_behind(sites, new_place, monkeypatch):
    _, new, other = sites
    elsewhere(monkeypatch, "first")
    for moment in (2, 15):
        place = new_place()
        publisher = Publisher(new, place).steps(moment)
        for request in ("read", "send"):
            monkeypatch.setattr(publisher.target, request, fail, raising=False)
        publisher.steps()
        elsewhere(monkeypatch, "second")
        publish_now(other, place)
        assert place.held() == place.goal(other)


def test_what_a_target_says_of_a_process_here_removes_no_file_but_that_of_a_publication(tmp_path):
    for name in ("data/site.toml", ".labgen/publish-0", "publishing-0123456789abcdef"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
        remove_abandoned(file)
        assert file.exists()


def fail(*_: object) -> None:
    raise PublishError("no answer")


def test_a_publication_that_is_killed_while_the_manifest_gets_more_parts_loses_no_file(tmp_path):
    laboratories = [laboratory(f"{number:05}") for number in range(1, 34)]
    few, many, fewer = sites = [Project(tmp_path / name) for name in ("few", "many", "fewer")]
    for site, count in zip(sites, (32, 33, 20), strict=True):
        site.sound().write(laboratories=laboratories[:count]).build()
    place = Place(MemoryStore())
    publish_now(few, place)
    for moment in Publisher(many, place).moments(1 if EXHAUSTIVE else 3)[-18:]:
        place = Place(MemoryStore())
        publish_now(few, place)
        Publisher(many, place).steps(moment).kill()
        publish_now(fewer, place)
        assert place.held() == place.goal(fewer), moment


@needs_rsync
def test_a_folder_that_is_being_published_to_is_verified_as_if_it_were_not(sites, tmp_path):
    _, new, _ = sites
    place = Place(tmp_path / "target")
    publish_now(new, place)
    [mark] = [name for name in held_while_publishing(sites[2], place) if name.startswith(MARK)]
    (tmp_path / "target" / mark).write_text("{}")
    command = ["verify", str(tmp_path / "target"), "-C", str(new.root)]
    assert "foreign-file" not in CliRunner().invoke(main, command).output


def held_while_publishing(site: Project, place: Place) -> set[str]:
    """Return the names of what is there when a publication has taken the lease; it then fails."""
    publisher = Publisher(site, place).steps(4)
    names = {*place.held()}
    publisher.kill()
    return names


def test_a_project_that_cannot_be_written_is_a_sentence(sites, tmp_path):
    (tmp_path / ".labgen").touch()
    with pytest.raises(PublishError, match="cannot be written"):
        publish(tmp_path, sites[0].out, Place(MemoryStore()).target(sites[0]), AT_ONCE)
