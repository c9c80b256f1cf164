"""Symbolic links in the folders that labgen reads: none publishes what lies elsewhere, none is followed in circles."""

import os
import shutil

import pytest
from click.testing import CliRunner, Result
from conftest import ALPHA, BETA, Project, codes, lines, picture

from labgen.cli import main
from labgen.output.errors import OutputError
from labgen.pipeline.build import build
from labgen.serve.answer import Site
from labgen.system.input_files import find_inputs

SECRET = b"secret of the machine"


@pytest.fixture
def outside(tmp_path_factory):
    """A folder that is not the project's, with a secret under several names."""
    folder = tmp_path_factory.mktemp("outside")
    for name in ("x.txt", "x.png", "x.html", "static/x.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(SECRET)
    return folder


def link(site: Project, name: str, target: object) -> Project:
    (site.root / name).parent.mkdir(parents=True, exist_ok=True)
    (site.root / name).symlink_to(str(target))
    return site


def labgen(site: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "-C", str(site.root)])


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("templates", ""), ("templates/static", "static"), ("templates/static/x.txt", "x.txt"), ("templates/parts", ""),
        ("templates/page.html", "x.html"), ("templates/parts/deep/x.html", "x.html"), ("templates/static/all", ""),
    ],
)  # fmt: skip
def test_a_link_in_templates_that_leaves_the_project_publishes_nothing(site, outside, name, target):
    link(site, name, outside / target)
    assert lines(site.check()) == lines(site.build()) == [f"outside-project {name}"]
    assert not site.out.exists()


def test_a_link_to_a_link_that_leaves_the_project_publishes_nothing(site, outside):
    link(link(site, "assets/x.txt", outside / "x.txt"), "templates/static/x.txt", "../../assets/x.txt")
    assert lines(site.build()) == ["outside-project templates/static/x.txt"]


@pytest.mark.parametrize("target", ["/dev/zero", "/proc/self/environ", "/"])
def test_a_link_in_templates_to_what_never_ends_is_not_read(site, target):
    link(site, "templates/static/x", target)
    assert lines(site.check()) == ["outside-project templates/static/x"]


@pytest.mark.parametrize("target", ["../.env", "../.git/config", "..", "../.labgen"])
def test_a_link_in_templates_to_what_is_hidden_in_the_project_publishes_nothing(site, target):
    site.file(".env", SECRET).file(".git/config", SECRET).build()
    link(site, "templates/parts", target)
    assert lines(site.build()) == ["outside-project templates/parts"]


def test_a_link_in_templates_that_stays_in_the_project_is_published(site):
    link(site.file("assets/x.css", "a{}"), "templates/static/x.css", "../../assets/x.css")
    assert "a{}" in {data.decode(errors="replace") for data in site.build() and site.tree().values()}


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.mknod(path, 0o140600)], ids=["pipe", "socket"])
@pytest.mark.parametrize("name", ["templates/static/x", "templates/page.html"])
def test_a_pipe_or_a_socket_in_templates_is_a_problem_and_not_waited_for(site, make, name):
    site.file("assets/other", "")
    make(site.root / "assets/x")
    link(site, name, site.root / "assets/x")
    assert lines(site.check()) == [f"not-a-file {name}"]


def test_a_picture_behind_a_folder_that_leaves_the_media_is_not_published(site, outside):
    (outside / "x.png").write_bytes(picture())
    link(site, "data/media/all", outside).write(laboratories=[ALPHA | {"logo": "all/x.png"}, BETA])
    assert (
        lines(site.check())
        == lines(site.build())
        == ['outside-data data/laboratories/00001.json:7:11 "all/x.png"']
    )


def test_a_folder_that_leaves_the_media_is_not_looked_through(site, outside):
    link(site.file("data/media/README.md", ""), "data/media/all", outside)
    assert codes(site.build()) == []


@pytest.mark.parametrize("folder", ["data/media", "templates"])
def test_folders_that_link_to_one_another_are_looked_through_in_few_steps(site, folder):
    names = [f"f{number}" for number in range(9)]
    for one in names:
        site.file(f"{folder}/{one}/x.txt", "")
        for other in names:
            link(site, f"{folder}/{one}/to-{other}", f"../{other}")
    assert len(find_inputs(site.root).shared) < 2000


def test_a_picture_behind_two_links_is_a_problem_because_its_edits_would_not_be_seen(site):
    link(site.file("data/media/a/x.png", picture()), "data/media/b/to-a", "../a")
    link(site, "data/media/to-b", "b").write(laboratories=[ALPHA | {"logo": "to-b/to-a/x.png"}, BETA])
    assert codes(site.check()) == ["unreadable-file"]


def test_a_template_behind_two_links_is_a_problem_because_its_edits_would_not_be_seen(site):
    link(link(site.file("a/x.html", ""), "b/to-a", "../a"), "templates/to-b", "../b")
    assert lines(site.check()) == ["unreadable-file templates/to-b/to-a"]


LOOPS = [
    "out", "templates", "templates/x", "templates/x.html", "templates/static", "templates/static/x", "data/x.json", "data/site.toml",
    "data/media", "data/media/x.png", "data/laboratories", "data/laboratories/x.json", "data/laboratories.jsonl",
    ".labgen", ".labgen/staging-out", ".labgen/renditions", ".labgen/preview",
]  # fmt: skip


@pytest.mark.parametrize("command", ["build", "check", "verify"])
@pytest.mark.parametrize("name", LOOPS)
def test_a_link_to_itself_is_no_traceback(site, command, name):
    site.file("data/media/README.md", "")
    path = site.root / name
    if path.is_dir():
        path.rename(site.root / "moved")
    path.unlink(missing_ok=True)
    link(site, name, path.name)
    done = labgen(site, command, *([str(site.out)] if command == "verify" else []))
    assert isinstance(done.exception, SystemExit | None)


def test_an_out_that_is_a_link_to_itself_is_a_sentence(site):
    link(site, "out", "out")
    done = labgen(site, "build")
    assert (done.exit_code, done.stderr) == (
        1, f"error: {site.out} cannot be written: too many levels of symbolic links; nothing in it was changed\n",
    )  # fmt: skip


@pytest.mark.parametrize("name", [".labgen", ".labgen/renditions"])
def test_renditions_are_neither_read_nor_written_through_a_link(site, outside, name):
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"logo": "a.png"}, BETA])
    link(site, name, outside)
    with pytest.raises(OutputError, match="is not a folder, but labgen needs one there"):
        build(site.root, outside.parent / "elsewhere")
    assert sorted(path.name for path in outside.iterdir()) == ["static", "x.html", "x.png", "x.txt"]


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_rendition_that_is_a_link_is_made_anew(site, outside, is_folder):
    site.file("data/media/a.png", picture()).write(laboratories=[ALPHA | {"logo": "a.png"}, BETA]).build()
    before = site.tree()
    (kept,) = (site.root / ".labgen/renditions").iterdir()
    names = [path.name for path in kept.iterdir()]
    for path in kept.iterdir():
        path.unlink()
    for name in names:
        (outside / name).write_bytes(SECRET)
        link(site, f".labgen/renditions/{kept.name}/{name}", outside / name)
    if is_folder:
        kept.rename(site.root / "moved")
        kept.symlink_to(outside)
    shutil.rmtree(site.out)
    assert site.build().errors == 0
    assert site.tree() == before


def test_the_preview_serves_nothing_behind_a_linked_folder(site, outside):
    site.build()
    (site.out / "static").rename(site.root / "moved")
    (site.out / "static").symlink_to(outside)
    assert Site(site.out).answer("GET", "/static/x.txt", {}).status == 404


def test_a_contact_in_a_file_that_templates_include_is_not_published(site):
    site.file("templates/parts/x.html", "labor@alpha.example").file(
        "templates/404.html", '{% include "parts/x.html" %}'
    )
    site.write(laboratories=[ALPHA | {"contact_person": {"email": "labor@alpha.example"}}])
    assert lines(site.check()) == ["contact-in-text templates/parts/x.html"]


def test_a_device_in_the_folder_that_is_verified_is_not_read_without_end(site):
    site.build()
    (site.out / "404.json").unlink()
    link(site, "out/404.json", "/dev/zero")
    link(
        site.without("out/api/v1/laboratory/laboratories/00001/index.json"),
        "out/api/v1/laboratory/laboratories/00001/index.json",
        "/dev/zero",
    )
    done = labgen(site, "verify", str(site.out))
    assert (done.exit_code, "00001/index.json" in done.stderr) == (1, True)
