"""What tests share: a project in a temporary folder, written from values that stand in the test."""

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from draw_records import Drawer
from PIL import Image
from words import has_letters

from labgen.api.sections import PER_LABORATORY
from labgen.cli import main
from labgen.memory.database import Memory, open_empty
from labgen.model.catalogues import ACCREDITATION_STANDARDS, CATALOGUES, REFERENCES
from labgen.model.catalogues import COUNTRIES as COUNTRY_LIST
from labgen.model.directory import Directory
from labgen.output.file_lists import LISTS
from labgen.pipeline.build import build, check
from labgen.pipeline.build_options import Options
from labgen.pipeline.load_data import Source, load
from labgen.pipeline.rebuild import compare_files
from labgen.pipeline.result import Outcome
from labgen.problems.problem import Located, Problem
from labgen.problems.text import Text
from labgen.report.translate import FOLDER, LANGUAGES, load_words
from labgen.system.input_files import find_inputs
from labgen.system.workers import cores

IN_MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory. Tests build thousands of sites; those that wait for a disk take up to thrice as long."""


def has_room(folder: Path) -> bool:
    """Say whether a folder is there, has 4 GB left, and lets programs run."""
    return (
        folder.is_dir()
        and shutil.disk_usage(folder).free > 4 << 30
        and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    )


if sys.platform == "linux" and has_room(IN_MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))

sys.dont_write_bytecode = (
    False  # tests start labgen hundreds of times: it is compiled once, as on all machines
)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["LABGEN_LANG"] = "en"  # whatever the language of this machine: tests compare English messages

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

LANGUAGE_WORDS = [load_words(FOLDER / f"{language}.po") for language in LANGUAGES]


def untranslated(text: str) -> list[str]:
    """Return the parts of a text of labgen that a language has no words for, or that are no texts of `say`."""
    if not isinstance(text, Text):  # a command is the same in all languages
        return [text] if any(map(str.isalpha, text)) and not text.startswith(("pip ", "labgen ")) else []
    inner = [value for value in text.values.values() if isinstance(value, Text)]
    own = [text.template] if has_letters(text.template) else []
    lacking = [one for one in own if any(("", one) not in catalogue.texts for catalogue in LANGUAGE_WORDS)]
    return lacking + [one for value in inner for one in untranslated(value)]


def _translatable(self: Problem, *args: Any, **kwargs: Any) -> None:
    """Make a problem; what labgen says in it must be there in all languages."""
    _make_problem(self, *args, **kwargs)
    if sys._getframe(1).f_globals.get("__name__", "").startswith("labgen."):
        for text in (self.message, self.hint, self.cause.clause if self.cause else ""):
            assert untranslated(text) == [], f"say() it, and write its German into de.po: {text!r}"


_make_problem = Problem.__init__
Problem.__init__ = _translatable  # type: ignore[method-assign]

EXHAUSTIVE = "LABGEN_EXHAUSTIVE" in os.environ


def of_each(rows: list[Any], kind: Callable[[Any], object]) -> list[Any]:
    """Return all rows of a table where all is tried, and otherwise the last one of each kind."""
    return rows if EXHAUSTIVE else [*{kind(one): one for one in rows}.values()]


"""Whether cases are tried in all combinations and many random turns, as `.ci/run` asks for; else each kind of case is."""

SITE = """
name = "Verzeichnis"
[deal_statuses]
premium = "Premium"
[verification_statuses]
partner = "Partner"
"""
COUNTRIES = [
    {"iso_code": "de", "slug": "deutschland", "name": "Deutschland"},
    {"iso_code": "li", "slug": "", "name": "Liechtenstein"},
]
UPGRADE_OPTIONS = [
    {
        "plan": "business",
        "plan_label": "Business",
        "freq": "monthly",
        "billing_label": "49 €",
        "recommend": False,
    },
    {
        "plan": "business",
        "plan_label": "Business",
        "freq": "annual",
        "billing_label": "490 €",
        "recommend": True,
    },
]
MATERIALS = [{"id": 12, "title": "Stahl"}, {"id": 471, "title": "Edelstahl"}]


def laboratory(display_id: str, **fields: Any) -> dict[str, Any]:
    """Return the shortest sound record, with the given fields."""
    record = {
        "display_id": display_id,
        "name": f"Labor {display_id}",
        "country": "de",
        "deal_status": "premium",
        "verification_status": "partner",
    }
    return record | fields


def picture(colour: str = "red", size: tuple[int, int] = (1600, 900), kind: str = "PNG", **how: Any) -> bytes:
    """Return an original in one colour, large enough for all that is made of it."""
    written = BytesIO()
    Image.new("RGB", size, colour).save(written, kind, **how)
    return written.getvalue()


ALPHA = laboratory("00001", name="Alpha")
BETA = laboratory("00002", name="Beta")

CATEGORIES: dict[str, list[dict[str, Any]]] = {
    "test_categories": [{"id": 1, "title": "Zugprüfung"}, {"id": 2, "title": "Ätzprüfung"}],
    "equipments": [{"id": 1, "title": "Zugprüfmaschine"}],
    "material_categories": [{"id": 1, "title": "Metalle"}],
}
EXTRAS: dict[str, Any] = {
    "published_on": "2024-03-01",
    "test_categories": [1, 2],
    "equipments": [1],
    "material_categories": [1],
    "resources": [
        {"id": 7, "title": "Merkblatt", "summary": "Zwei\r\nZeilen", "url": "https://a.example/merkblatt.pdf"},
        {"id": 3, "title": "Normen", "url": "/api/v1/laboratory/laboratories/00002/standards/"},
    ],
    "landings_links": [{"title": "Zugversuche", "link": "/zugversuche/"}],
    "job_listings": [
        {"id": 2, "title": "Laborant (m/w/d)", "published_on": "2024-05-01"},
        {"id": 9, "title": "Prüfer", "published_on": "2024-06-01", "valid_through": "2024-06-30",
         "country": "li", "locality": "Vaduz", "url": "https://a.example/9"},
        {"id": 1, "title": "Leitung", "published_on": "2024-05-01"},
    ],
    "rating": "4.33",
    "reviews": [
        {"id": 1, "rating": 4, "created_on": "2024-01-31"},
        {"id": 2, "rating": "4.5", "created_on": "2024-02-01", "title": "Gern wieder", "text": "Schnell;;\r\n<gut>", "author": "E. M."},
        {"id": 3, "rating": "4.5", "created_on": "2024-01-31"},
    ],
}  # fmt: skip
"""Data for all sections that not every directory has; the lists that it names are `CATEGORIES`."""


DRAWN = ("gezeichnet/1.png", "gezeichnet/2.png")
"""The names of the pictures in `EXTRAS`, which are there in each project that names them."""


def _complete() -> None:
    """Draw data for the sections that nothing is written for here, and the catalogues that they name."""
    drawer = Drawer(DRAWN, countries=[one["iso_code"] for one in COUNTRIES])
    needed = {one.listed for one in REFERENCES if one.path[:-1] and not one.is_list}
    needed -= {COUNTRY_LIST, ACCREDITATION_STANDARDS}
    needed |= {one.catalogue for one in PER_LABORATORY if one.is_optional and one.catalogue}
    for catalogue in CATALOGUES:
        if catalogue in needed:
            CATEGORIES.setdefault(catalogue.stem, [drawer.record(catalogue.record)])
        drawer.keys[catalogue.stem] = [entry["id"] for entry in CATEGORIES.get(catalogue.stem, ())]
    EXTRAS.update(drawer.optional() | EXTRAS)


_complete()


@dataclass
class Project:
    """A project in a folder; its methods return it, so that calls can be chained."""

    root: Path

    @property
    def out(self) -> Path:
        return self.root / "out"

    def sound(self) -> "Project":
        """Write a small project without mistakes."""
        self.file("data/site.toml", SITE)
        return self.write(
            countries=COUNTRIES,
            materials=MATERIALS,
            upgrade_options=UPGRADE_OPTIONS,
            laboratories=[ALPHA, BETA],
        )

    def write(self, *, laboratories: list[dict[str, Any]] | None = None, **lists: Any) -> "Project":
        """Write lists as JSON, and one file a laboratory; the laboratories replace all there were."""
        for name, content in lists.items():
            self.file(f"data/{name}.json", json.dumps(content, ensure_ascii=False))
        if laboratories is not None:
            for path in (self.root / "data/laboratories").glob("*"):
                path.unlink()
            for record in laboratories:
                text = json.dumps(record, ensure_ascii=False, indent=2)
                self.file(f"data/laboratories/{record['display_id']}.json", text)
                for name in (one for one in DRAWN if one in text):
                    self.file(f"data/media/{name}", picture())
        return self

    def file(self, name: str, content: str | bytes) -> "Project":
        """Write one file, with the folders around it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def without_folder(self, name: str) -> "Project":
        """Remove a folder of files."""
        for path in (self.root / name).iterdir():
            path.unlink()
        (self.root / name).rmdir()
        return self

    def without(self, name: str) -> "Project":
        """Remove a file."""
        (self.root / name).unlink()
        return self

    def build(self, **options: Any) -> Outcome:
        return build(self.root, self.out, Options(**options))

    def check(self, **options: Any) -> Outcome:
        return check(self.root, Options(**options))

    def read(self, path: str, name: str = "index.json") -> bytes:
        """Return one of the files of a path of the site."""
        return (self.out / path.strip("/") / name).read_bytes()

    def document(self, path: str) -> Any:
        """Return the document of a path below the API's root."""
        return json.loads(self.read(f"api/v1/laboratory/{path}"))

    def tree(self) -> dict[str, bytes]:
        """Return all files under out/ by name."""
        files = (path for path in self.out.rglob("*") if path.is_file())
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in files}

    def published(self) -> dict[str, bytes]:
        """Return the files under out/ by name, but for what labgen says there of itself."""
        return {name: data for name, data in self.tree().items() if not name.startswith(LISTS)}


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """A folder with nothing in it."""
    return Project(tmp_path)


def directory_of(site: Project) -> Directory:
    """Return what all documents of a project share."""
    with open_empty(None) as memory:
        return load(site.root, compare_files(find_inputs(site.root), {}), memory).shared.directory


@pytest.fixture
def site(tmp_path: Path) -> Project:
    """A sound project with two laboratories."""
    return Project(tmp_path).sound()


@pytest.fixture
def run(site, monkeypatch):
    """Run labgen in the project's folder."""
    monkeypatch.chdir(site.root)
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def labgen(*arguments: str) -> Result:
        result = CliRunner().invoke(main, arguments)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return labgen


def lines(outcome: Outcome) -> list[str]:
    """Return the problems as `severity code file:line:column`, with the underlined text."""
    return [line(one) for one in outcome.problems]


def line(one: Located) -> str:
    problem, span = one.problem, one.span
    where = f"{problem.place.file}:{span.line}:{span.column}" if span else problem.place.file
    marked = one.source_line[span.column - 1 : span.column - 1 + span.length] if span else ""
    return f"{problem.code} {where} {marked}".rstrip()


def codes(outcome: Outcome) -> list[str]:
    return [one.problem.code for one in outcome.problems]


def copy_of_sample(root: Path) -> Path:
    """Copy the sample directory's data into a folder, with three pages of laboratories."""
    shutil.copytree(ROOT / "data", root / "data")
    settings = root / "data/site.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("[limits]\n", "[limits]\npage_size = 10\n"), encoding="utf-8")
    made = ROOT / ".labgen/renditions"  # by what built the sample before, and now need not be made again
    for rendition in made.glob("*-*x*"):
        shutil.copytree(rendition, root / rendition.relative_to(ROOT), dirs_exist_ok=True)
    return root


@contextmanager
def loaded(root: Path) -> Iterator[tuple[Source, Memory]]:
    """Load a project of which nothing is remembered."""
    with open_empty(None) as memory:
        yield load(root, compare_files(find_inputs(root), {}), memory), memory


@pytest.fixture
def forgetful(monkeypatch):
    """The builds that found nothing that they could use."""
    found: list[Path | None] = []
    begin = open_empty

    def noted(file: Path | None):
        found.append(file)
        return begin(file)

    monkeypatch.setattr("labgen.pipeline.build.open_empty", noted)
    return found


ROOT = Path(__file__).resolve().parent.parent
from_checkout = pytest.mark.skipif(
    not (ROOT / "labgen").is_dir(), reason="it reads the repository, which is not beside the tests"
)


def files_of(template: str) -> str:
    """Return what finds the documents of a path of OpenAPI, with parameters in braces, in out/."""
    names = (
        template.strip("/")
        .replace("{display_id}", "[0-9]*")
        .replace("{page}", "[0-9]*")
        .replace("{catalogue}", "[!cl]*")
        .replace("{part}", "[0-9]*")
    )
    return f"{names}/index.json"


def laboratories_of(files: Iterable[str]) -> set[str]:
    """Return the laboratories that files of the API are of."""
    folders = {file.split("/")[4] for file in files if file.startswith("api/v1/laboratory/laboratories/")}
    return {folder for folder in folders if folder.isdigit()}


def pages_of(outcome: Outcome) -> set[str]:
    """Return the written files that belong to the API."""
    assert outcome.written
    return {file for file in outcome.written.written if file.startswith("api/")}


@pytest.fixture
def unprivileged(tmp_path_factory):
    """Run the test without root's right to read and write everything.

    What a build loads (modules, codecs) is loaded before: root alone may be able to read it.
    """
    Project(tmp_path_factory.mktemp("loaded")).sound().build()
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(was)


@pytest.fixture
def open_site(unprivileged):
    """A sound project of a user who is not root, in folders that are not private to root."""
    with tempfile.TemporaryDirectory() as folder:
        yield Project(Path(folder)).sound()


NOBODY = 65534


def unmount(folder: Path) -> None:
    """Unmount a file system. A process that ends closes its files before it leaves its folder: try for 5 seconds."""
    for _ in range(50):
        if subprocess.run(["umount", str(folder)], check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError(f"{folder} is in use")


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    """A file system of its own in a folder; skips where this process may not mount one."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this process may not mount a file system")
    try:
        yield folder
    finally:
        unmount(folder)


@pytest.fixture(scope="session")
def windows() -> Iterator[Any]:
    """Debian's browsers, which take seconds to start: once for all tests."""
    from browsers import all_windows

    with all_windows() as windows:
        yield windows


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests of pages in Chromium; those that say so, or all, in Firefox too."""
    is_said = any("window" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "window" in metafunc.fixturenames and not is_said:
        in_both = EXHAUSTIVE or metafunc.definition.get_closest_marker("both_browsers")
        browsers = ["chromium", "firefox"] if in_both else ["chromium"]
        metafunc.parametrize("window", browsers, indirect=True, scope="module")


@pytest.fixture(scope="module")
def window(request, windows) -> Iterator[Any]:
    """Debian's browsers, each in its turn."""
    yield windows[request.param]
    windows[request.param].rest()


def in_browsers(cases: Sequence[Any], few: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return a browser and a case each: both with all cases, or Chromium with a few and Firefox with the first of them.

    For tests of one thing on many pages; these take `("window", …)` as parameters, indirectly.
    """
    if EXHAUSTIVE:
        return [(browser, one) for browser in ("chromium", "firefox") for one in cases]
    assert {*few} <= {*cases}
    return [*(("chromium", one) for one in few), ("firefox", few[0])]


def pytest_xdist_auto_num_workers() -> int:
    """Run two processes more than there are cores, because tests wait: for browsers, for servers, for moments."""
    return cores() + 2


def pytest_collection_finish() -> None:
    """Leave what is there for all tests out of each garbage collection: a tenth of the time of many builds."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in browsers first, so that one process runs them while the others take what comes after them."""
    items.sort(key=lambda item: "windows" not in getattr(item, "fixturenames", ()))


@pytest.fixture
def opened(window) -> Iterator[Callable[..., Any]]:
    """Open pages in a browser; whatever it has to complain about fails the test."""
    yield window.open
    window.close_pages()
    complaints, window.complaints = window.complaints, []
    assert complaints == []


@pytest.fixture
def visited(window) -> Iterator[Callable[..., Any]]:
    """Look at pages one after the other in one tab, which is quicker than to open each; for tests that change nothing."""
    yield window.visit
    complaints, window.complaints = window.complaints, []
    assert complaints == []


@pytest.fixture(scope="session")
def sample(tmp_path_factory) -> Iterator[str]:
    """The address of the sample directory, which is served as a full host would."""
    from browsers import serving

    out = tmp_path_factory.mktemp("sample")
    assert not build(ROOT, out).errors
    with serving(out) as address:
        yield address
