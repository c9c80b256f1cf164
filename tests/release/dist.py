"""Build the wheel and the source distribution of the last commit, twice, and write them if they are equal: `dist.py dist`.

The second time, the folder, the umask, the time zone and the seed of hashes differ, and the wheel is built from the
source distribution, which so has all that a wheel needs.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

from labgen import __version__

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("requirements.lock")


def run(*command: str | Path, cwd: Path, umask: int = -1, **environment: str) -> None:
    variables = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    subprocess.run(command, cwd=cwd, umask=umask, env=variables | environment, check=True)


def take_out(folder: Path) -> Path:
    """Write the files of the last commit to a folder."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    run("git", "archive", "--output", archive, "HEAD", cwd=ROOT)
    unpack(archive, folder)
    return folder


def unpack(archive: Path, folder: Path) -> None:
    """Unpack by the program, because `tarfile` of Python before 3.11.4 has no filters."""
    folder.mkdir(exist_ok=True)
    run("tar", "-x", "--no-same-owner", "--no-same-permissions", "-f", archive, cwd=folder, umask=0o022)


def build(kind: str, source: Path, into: Path, umask: int = 0o022, **environment: str) -> None:
    command = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into)
    run(*command, cwd=source, umask=umask, **environment)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file, by name."""
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in sorted(folder.iterdir())}


def differing(first: Path, second: Path) -> list[str]:
    """Return the names of files whose bytes differ, or which only one folder has."""
    one, other = digests(first), digests(second)
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def write_bill(packages: Path, into: Path) -> None:
    """Write what labgen needs as a CycloneDX document: the locked versions, installed with their hashes."""
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin/python"
        pip = (python, "-m", "pip", "--quiet", "--disable-pip-version-check")
        run(*pip, "install", "--require-hashes", "--requirement", LOCK, cwd=packages)
        run(*pip, "install", "--no-deps", "--no-index", "--find-links", packages, "labgen", cwd=packages)
        run(*pip, "uninstall", "--yes", "pip", "setuptools", cwd=packages)
        tool = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible")
        options = ("--pyproject", ROOT / "pyproject.toml", "--output-file", into)
        run(*tool, *options, python, cwd=packages)
    bill = json.loads(into.read_bytes())
    # pyproject.toml has no version.
    bill["metadata"]["component"] |= {"version": __version__, "purl": f"pkg:pypi/labgen@{__version__}"}
    into.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")


def main(into: Path) -> int:
    """Write the packages, the bill of materials and the checksums; 1 if the two builds differ."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        first, second = folder / "first", folder / "second"
        source = take_out(folder / "a")
        build("sdist", source, first)
        build("wheel", source, first)
        elsewhere = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "4711", "LC_ALL": "C"}
        build("sdist", take_out(folder / "another/folder"), second, umask=0o077, **elsewhere)
        unpack(next(second.iterdir()), folder / "unpacked")
        build("wheel", next((folder / "unpacked").iterdir()), second, umask=0o077, **elsewhere)
        if names := differing(first, second):
            print(f"error: two builds of the same commit differ: {', '.join(names)}", file=sys.stderr)
            return 1
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(first, into)
    wheel = next(into.glob("*.whl"))
    write_bill(into, into / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json")
    lines = [f"{digest}  {file}\n" for file, digest in digests(into).items()]
    (into / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print(f"{into}: two builds are equal", *digests(into), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
