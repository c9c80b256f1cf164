"""Make the missing renditions of a site's pictures, on all cores, and report originals that cannot be used.

Nothing here imports Pillow before there is a picture to decode.
"""

import multiprocessing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from labgen.formats.read_files import check_file
from labgen.images.sizes import is_enlarged, needed_for
from labgen.images.store import Store
from labgen.model.picture_fields import IN_WORDS, PICTURE_FIELDS
from labgen.model.pictures import Picture, Size, Use
from labgen.model.renditions import RenditionPaths
from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.system.input_files import DATA, MEDIA, Stamps, digest_of, is_ignored, read_bytes
from labgen.system.progress import Progress
from labgen.system.workers import spread

if TYPE_CHECKING:
    from labgen.images.decode import Upright

LARGE_PIXELS = 25_000_000
"""Originals with more pixels are decoded one at a time, in all processes together, to limit memory use."""
_FOLDER = f"{DATA}/{MEDIA}/"


class Task(NamedTuple):
    """An original to examine in one use: its name, its digest, and pictures without renditions, by key."""

    name: str
    digest: bytes
    pictures: Mapping[str, Picture]


class Examined(NamedTuple):
    """The result of examining an original: its upright size, or the problem with it."""

    task: Task
    size: Size | None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Workshop:
    """The parameters for making renditions. Without `is_kept`, originals are only decoded, for `check`."""

    root: Path
    renditions: RenditionPaths
    store: Store
    is_kept: bool
    jobs: int
    progress: Progress

    def make(self, named: Iterable[Picture]) -> "Pictures":
        """Make the missing renditions of the pictures, and report problems with originals.

        Files that must not be opened are skipped: the records that refer to them have been reported.
        """
        keys = {one: self.renditions.key(one) for one in sorted(named) if is_openable(self.root, one.name)}
        sizes = self.store.originals()
        tasks = self._tasks({one: key for one, key in keys.items() if key not in sizes})
        if tasks and (problem := missing_package(self.renditions.image_format)):
            return Pictures(keys.values(), sizes, [problem], self)
        found: dict[Problem, None] = {}  # once, if an original has several uses
        for examined in self._examine(tasks):
            if examined.problem:
                found[examined.problem] = None
            elif examined.size:
                sizes |= dict.fromkeys(examined.task.pictures, examined.size)
        problems = [*found, *_small({one: sizes[key] for one, key in keys.items() if key in sizes})]
        return Pictures(keys.values(), sizes, problems, self)

    def make_again(self, one: Picture) -> None:
        """Make the renditions of a picture again. Raises OSError if the original is unusable or changed."""
        key = self.renditions.key(one)
        self.store.drop(key)
        for examined in self._examine(self._tasks({one: key})):
            if examined.problem:
                raise OSError(examined.problem.message)

    def _tasks(self, missing: Mapping[Picture, str]) -> list[Task]:
        """Return a task for each use of an original, so that what else is missing changes no byte."""
        by_use: dict[tuple[str, Use], dict[str, Picture]] = {}
        for one, key in missing.items():
            by_use.setdefault((one.name, one.use), {})[key] = one
        digests = self.renditions.digests
        return [Task(name, digests[name], pictures) for (name, _), pictures in by_use.items()]

    def _examine(self, tasks: Sequence[Task]) -> Iterable[Examined]:
        work = _worker(self)
        found = spread(lambda some: map(work, some), tasks, self.jobs, few=FEW, batch=1)
        for done, examined in enumerate(found, 1):
            self.progress("scaled" if self.is_kept else "decoded", done, len(tasks))
            yield examined


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures of a site: their keys, the sizes of their originals by key, and the problems."""

    keys: Collection[str] = ()
    sizes: Mapping[str, Size] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    workshop: Workshop | None = None

    def rendition(self, one: Picture, size: Size) -> bytes:
        """Return a rendition from the store; if the stored one is damaged, it is made again.

        Raises OSError, or KeyError if there is no such rendition.
        """
        assert self.workshop  # noqa: S101 - there are pictures
        renditions, store = self.workshop.renditions, self.workshop.store
        key, file = renditions.key(one), renditions.file(size)
        try:
            return store.read(key, self.sizes[key], file)
        except OSError:
            self.workshop.make_again(one)
        return store.read(key, self.sizes[key], file)


FEW = 4
"""With fewer originals, one process is faster than starting several."""


def is_openable(root: Path, name: str) -> bool:
    """Return whether an original may be opened: a regular file below data/media/."""
    return not check_file(root / DATA / MEDIA / name, name, root / DATA / MEDIA)


def missing_package(image_format: str) -> Problem | None:
    """Return the problem if Pillow is missing or cannot write WebP, or None."""
    place = Place(_FOLDER.rstrip("/"))
    if find_spec("PIL") is None:
        message = say("pictures cannot be scaled: the package pillow is not installed")
        return Problem("missing-package", message, place, say("install it: pip install pillow"))
    from PIL import features

    if image_format == "webp" and not features.check("webp"):
        message = say("pictures cannot be written: this Pillow was built without WebP")
        hint = say('install the wheel (pip install pillow), or set `image_format = "jpeg"`')
        return Problem("missing-package", message, place, hint)
    return None


def _worker(workshop: Workshop) -> Callable[[Task], Examined]:
    """Return the function that examines an original, in any of the processes."""
    alone = multiprocessing.get_context("fork").Lock()

    def work(task: Task) -> Examined:
        from labgen.images.decode import UnfitImageError

        try:
            size, upright = _decoded(workshop.root, task, alone)
        except UnfitImageError as error:
            message = say("`{shown}` cannot be used: {error}", shown=_shown(task), error=error)
            return Examined(task, None, Problem(error.code, message, Place(_shown(task)), error.hint))
        except OSError:
            message = say("`{shown}` was changed while the site was built", shown=_shown(task))
            changed = Problem("source-changed", message, Place(_shown(task)), say("build again"))
            return Examined(task, None, changed)
        if workshop.is_kept:
            _keep(workshop, task, size, upright)
        return Examined(task, size)

    return work


def _decoded(root: Path, task: Task, alone: AbstractContextManager[object]) -> tuple[Size, "Upright"]:
    """Return an original's upright size and the decoded picture. Raises `UnfitImageError`, or OSError."""
    from labgen.images.decode import decode, open_original

    original = open_original(_read(root, task), task.name)
    (use,) = {one.use for one in task.pictures.values()}
    needed = needed_for(original.size, PICTURE_FIELDS[use].declared)
    is_large = original.size.width * original.size.height > LARGE_PIXELS
    with alone if is_large else nullcontext():
        return original.size, decode(original, needed)


def _keep(workshop: Workshop, task: Task, original: Size, upright: "Upright") -> None:
    """Make the renditions of an original, and store them."""
    from labgen.images.scale import render

    renditions = workshop.renditions
    for key, one in task.pictures.items():
        declared = PICTURE_FIELDS[one.use].declared
        files = {
            renditions.file(size): render(upright, declared, one.focus, size, renditions.image_format)
            for size in declared.sizes
        }
        workshop.store.put(key, original, files)


def _read(root: Path, task: Task) -> bytes:
    """Return an original's bytes.

    Raises `UnfitImageError` if there are too many, OSError if they changed since their digest was computed.
    """
    from labgen.images.decode import MAX_BYTES, UnfitImageError

    file = root / DATA / MEDIA / task.name
    size = file.stat().st_size
    if size > MAX_BYTES:
        reason = say("it has {size:,} bytes, and {max_bytes:,} are the most", size=size, max_bytes=MAX_BYTES)
        raise UnfitImageError("image-too-large", reason, say("save it as a smaller JPEG"))
    data = read_bytes(file)
    if digest_of(data) != task.digest:
        raise OSError
    return data


def _shown(task: Task) -> str:
    return f"{_FOLDER}{task.name}"


def _small(sizes: Mapping[Picture, Size]) -> list[Problem]:
    """Return a warning for each original that is smaller than its largest rendition."""
    declared = {one: PICTURE_FIELDS[one.use].declared for one in sizes}
    small = {one: declared[one].sizes[-1] for one, size in sizes.items() if is_enlarged(size, declared[one])}
    largest: dict[str, Picture] = {}
    for one in sorted(small, key=lambda picture: small[picture]):
        largest[one.name] = one
    return [
        Problem(
            "small-image",
            say(
                "`{folder}{name}` has {sizes} pixels: enlarged to {small}, it is blurred",
                folder=_FOLDER,
                name=name,
                sizes=sizes[one],
                small=small[one],
            ),
            Place(f"{_FOLDER}{name}"),
            say("put one there of at least {small} pixels", small=small[one]),
            severity="warning",
        )
        for name, one in largest.items()
    ]


def check_unused(files: Stamps, named: Collection[str]) -> list[Problem]:
    """Return a warning for each file below data/media/ that no laboratory refers to, except notes."""
    names = (name for name in files if name.startswith(_FOLDER) and not name.endswith("/"))
    unused = (name for name in names if name.removeprefix(_FOLDER) not in named)
    return [
        Problem(
            "unused-image",
            say("`{name}` is named by no laboratory", name=visible_name(name)),
            Place(visible_name(name)),
            say("name it in one of {in_words}, or remove it", in_words=IN_WORDS),
            severity="warning",
        )
        for name in unused
        if not any(map(is_ignored, name.removeprefix(_FOLDER).split("/")))
    ]
