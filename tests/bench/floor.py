"""The floor: writes the tree that a build wrote, same names, same bytes, same folders, and nothing else.

    python tests/bench/floor.py TREE TARGET JOBS

Each process takes whole laboratories. The bytes are read before the clock runs, a thousand laboratories at a
time. Prints the seconds that writing took (the slowest process), and its seconds of CPU.
"""

import os
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

LABORATORIES = "api/v1/laboratory/laboratories"
AT_ONCE = 500

Tree = dict[str, dict[str, bytes]]
"""For each folder, its files."""


def read(folder: Path, top: Path) -> Tree:
    """Return all that lies below a folder."""
    files: Tree = {}
    for parent, _, names in os.walk(folder):
        files[str(Path(parent).relative_to(top))] = {
            name: (Path(parent) / name).read_bytes() for name in names
        }
    return files


def write(tree: Tree, target: int) -> None:
    """Write folders and files, relative to a folder's descriptor."""
    for folder, files in tree.items():
        os.mkdir(folder, dir_fd=target)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=target)
        for name, data in files.items():
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=descriptor)
            os.write(file, data)
            os.close(file)
        os.close(descriptor)


def chunks(tree: Path, job: int, jobs: int) -> Iterator[list[Path]]:
    laboratories = sorted((tree / LABORATORIES).iterdir())[job::jobs]
    for start in range(0, len(laboratories), AT_ONCE):
        yield laboratories[start : start + AT_ONCE]


def one(tree: Path, target: Path, job: int, jobs: int) -> tuple[float, float]:
    """Write one process's share; return seconds and seconds of CPU."""
    descriptor = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    seconds = cpu = 0.0
    for laboratories in chunks(tree, job, jobs):
        share: Tree = {}
        for laboratory in laboratories:
            share |= read(laboratory, tree)
        started, used = time.perf_counter(), time.process_time()
        write(share, descriptor)
        seconds += time.perf_counter() - started
        cpu += time.process_time() - used
    return seconds, cpu


def floor(tree: Path, target: Path, jobs: int) -> tuple[float, float]:
    """Write the tree with as many processes."""
    (target / LABORATORIES).mkdir(parents=True)
    with get_context("fork").Pool(jobs) as pool:
        shares = pool.starmap(one, [(tree, target, job, jobs) for job in range(jobs)])
    return max(share[0] for share in shares), sum(share[1] for share in shares)


if __name__ == "__main__":
    seconds, cpu = floor(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    print(f"{seconds:.3f} {cpu:.3f}")
