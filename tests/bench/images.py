"""Measures how renditions are made against a bare loop of the library, on the same cores, in alternation.

    python tests/bench/images.py [--originals 100] [--rounds 3] [--jobs 2] [--folder /tmp/labgen-images]

Draws photographs of 4000x3000 pixels (one is used as `image` and in `gallery`, as records do), and scales them
with Pillow in a plain loop, with pyvips where that is installed, and with `labgen build`. The loops make the very
sizes that labgen makes, in WebP, and check nothing. The folder is removed afterwards.
"""

import argparse
import importlib.util
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFilter, ImageOps

SIZES = [(160, 224), (160, 160), (1600, 900)]
SIZE = (4000, 3000)
KINDS = 10
"""Photographs that are drawn; the others differ from them by a comment, so that each has a digest of its own."""


def photograph(seed: int) -> Image.Image:
    """Return something as hard to compress as a photograph: gradients, shapes and grain."""
    rng = random.Random(seed)
    small = Image.effect_noise((500, 375), 60).filter(ImageFilter.GaussianBlur(6)).resize(SIZE)
    colours = [ImageOps.colorize(small, rng.choice(["#123", "#321"]), rng.choice(["#fda", "#adf", "#dfa"]))]
    draw = ImageDraw.Draw(colours[0])
    for _ in range(150):
        x, y, r = rng.randrange(SIZE[0]), rng.randrange(SIZE[1]), rng.randrange(20, 400)
        draw.ellipse((x, y, x + r, y + r), fill=tuple(rng.randrange(256) for _ in range(3)))
    grain = Image.effect_noise(SIZE, 24).convert("RGB")
    return Image.blend(colours[0], grain, 0.15)


def draw_project(root: Path, count: int) -> list[Path]:
    """Write a project with so many originals, and return these."""
    media, laboratories = root / "data/media", root / "data/laboratories"
    subprocess.run([sys.executable, "-m", "labgen", "init", str(root)], check=True, capture_output=True)
    media.mkdir()
    for path in laboratories.iterdir():
        path.unlink()
    kinds = []
    for seed in range(KINDS):
        photograph(seed).save(media / "kind.jpg", quality=90)
        kinds.append((media / "kind.jpg").read_bytes())
    (media / "kind.jpg").unlink()
    for number in range(count):
        data, note = kinds[number % KINDS], f"{number:08}".encode()
        name = f"{number:05}.jpg"
        (media / name).write_bytes(data[:2] + b"\xff\xfe\x00\x0a" + note + data[2:])
        record = {
            "display_id": f"{number:05}",
            "name": f"Labor {number}",
            "country": "de",
            "deal_status": "premium",
            "verification_status": "partner",
            "image": name,
            "gallery": [name],
        }
        (laboratories / f"{number:05}.json").write_text(json.dumps(record), encoding="utf-8")
    return sorted(media.iterdir())


def with_pillow(task: tuple[Path, Path]) -> None:
    """Scale an original with Pillow, as its documentation advises: `draft`, a reducing gap, Lanczos."""
    original, folder = task
    with Image.open(original) as image:
        image.draft("RGB", (1600, 1200))
        image.load()
        for size in SIZES:
            scale = max(size[0] / image.width, size[1] / image.height)
            x, y = (image.width - size[0] / scale) / 2, (image.height - size[1] / scale) / 2
            box = (x, y, image.width - x, image.height - y)
            scaled = image.resize(size, Image.Resampling.LANCZOS, box, reducing_gap=2.0)
            scaled.save(folder / f"{original.stem}-{size[0]}x{size[1]}.webp", quality=80)


def with_vips(task: tuple[Path, Path]) -> None:
    """Scale an original with libvips, which shrinks on loading."""
    import pyvips  # type: ignore[import-not-found,import-untyped,unused-ignore]

    original, folder = task
    for width, height in SIZES:
        image = pyvips.Image.thumbnail(str(original), width, height=height, crop="centre")
        image.webpsave(str(folder / f"{original.stem}-{width}x{height}.webp"), Q=80, keep="none")


class Taken(NamedTuple):
    """Seconds that passed, and seconds of CPU: those of all processes that were started."""

    passed: float
    cpu: float


def timed(work: Callable[[], object]) -> Taken:
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(time.monotonic() - started, cpu)


def in_a_loop(
    work: Callable[[tuple[Path, Path]], None], originals: list[Path], folder: Path, jobs: int
) -> None:
    """Scale all originals in a plain loop."""
    folder.mkdir()
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(work, [(one, folder) for one in originals]))


def with_labgen(root: Path, out: Path, jobs: int) -> None:
    """Build, with what there is in .labgen/."""
    command = [
        sys.executable,
        "-m",
        "labgen",
        "build",
        "-q",
        "-C",
        str(root),
        "-o",
        str(out),
        "-j",
        str(jobs),
    ]
    subprocess.run(command, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--originals", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--folder", type=Path, default=Path("/tmp/labgen-images"))
    options = parser.parse_args()
    root = options.folder
    os.environ["VIPS_CONCURRENCY"] = "1"  # a process for each core, as for the others
    originals = draw_project(root, options.originals)
    loops = {"Pillow": with_pillow}
    if importlib.util.find_spec("pyvips"):
        loops["pyvips"] = with_vips
    taken: dict[str, list[Taken]] = {name: [] for name in (*loops, "labgen", "labgen, again")}
    try:
        for turn in range(options.rounds):
            for name, work in loops.items():
                folder = root / f"{name}-{turn}"
                taken[name].append(timed(partial(in_a_loop, work, originals, folder, options.jobs)))
            shutil.rmtree(root / ".labgen", ignore_errors=True)
            for name in ("labgen", "labgen, again"):
                taken[name].append(timed(partial(with_labgen, root, root / f"out-{turn}", options.jobs)))
            print({name: [round(one, 2) for one in times[-1]] for name, times in taken.items()}, flush=True)
    finally:
        shutil.rmtree(root)
    print(
        f"{len(originals)} originals of 4000x3000, {options.jobs} processes, medians of {options.rounds} rounds"
    )
    for name, times in taken.items():
        shares = [
            [one[of] / bare[of] for one, bare in zip(times, taken["Pillow"], strict=True)] for of in (0, 1)
        ]
        each = median(one.cpu for one in times) / len(originals) * 1000
        print(
            f"  {name}: {median(one.passed for one in times):.2f} s, {each:.0f} ms of CPU each; "
            f"{median(shares[0]):.2f} of the time of Pillow's bare loop, {median(shares[1]):.2f} of its CPU"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"  the largest process took {peak:.0f} MiB")


if __name__ == "__main__":
    main()
