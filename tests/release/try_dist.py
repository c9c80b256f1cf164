"""Install what is in dist/ in empty environments, and use it: `try_dist.py dist`, with the Python to be tried.

The wheel without extras, with each extra and, from the lock with its hashes, with all; the source distribution. Each
makes a project, checks it, builds it with the same bytes as all others, and verifies it.
"""

import hashlib
import os
import re
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

LOCK = Path(__file__).resolve().with_name("requirements.lock")
MODULES = {
    "brotli": "brotli",
    "images": "PIL",
    "parquet": "pyarrow",
    "publish": "obstore",
    "serve": "watchfiles",
    "sql": "sqlalchemy",
    "xlsx": "python_calamine",
    "yaml": "yaml",
    "zstandard": "zstandard",
}
"""What each extra brings."""


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command without what this process has in its environment for Python."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        command, cwd=cwd, env=variables | environment, capture_output=True, text=True, check=False
    )


def succeed(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = run(*command, cwd=cwd, **environment)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(folder: Path, *installs: Sequence[str | Path]) -> Path:
    """Make an environment, call `pip install` in it, and return its bin/."""
    venv.create(folder, with_pip=True)
    for arguments in installs:
        pip = (folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        succeed(*pip, *arguments, cwd=folder)
    return folder / "bin"


def use(programs: Path, folder: Path) -> dict[str, str]:
    """Make a project with an installed labgen, build and verify it; return the digests of its files, but for
    the one that says what it was made with, which differs by extras."""

    def labgen(*arguments: str, cwd: Path) -> str:
        # What a later Python will refuse is an error.
        strict = {"LABGEN_LANG": "en", "PYTHONWARNINGS": "error::DeprecationWarning"}
        return succeed(programs / "labgen", *arguments, cwd=cwd, **strict)

    where = succeed(programs / "python", "-P", "-c", "import labgen; print(labgen.__file__)", cwd=folder)
    assert where.startswith(str(programs.parent)), where
    labgen("init", "project", cwd=folder)
    project = folder / "project"
    labgen("check", cwd=project)
    labgen("build", "--host", "nginx", cwd=project)
    assert "all passed" in labgen("verify", "out", cwd=project)
    files = (one for one in (project / "out").rglob("*") if one.is_file() and one.name != ".labgen-site.json")
    return {str(one.relative_to(project)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def main(packages: Path) -> None:
    """Try everything; exits with what went wrong."""
    (wheel,), (source,) = packages.glob("*.whl"), packages.glob("*.tar.gz")
    built: dict[str, dict[str, str]] = {}
    with TemporaryDirectory() as name:
        # Constraints take no hashes.
        versions = Path(name) / "versions.txt"
        versions.write_text(
            "\n".join(re.findall(r"^\S+==\S+(?: ;[^\\\n]+)?", LOCK.read_text("utf-8"), re.MULTILINE))
        )
        ways: dict[str, list[Sequence[str | Path]]] = {
            "the wheel": [("--constraint", versions, wheel)],
            "the source distribution": [("--constraint", versions, source)],
            **{extra: [("--constraint", versions, f"{wheel}[{extra}]")] for extra in MODULES},
            "all extras, locked": [("--require-hashes", "--requirement", LOCK), ("--no-deps", wheel)],
        }
        for number, (way, installs) in enumerate(ways.items()):
            folder = Path(name) / str(number)
            programs = install(folder / "environment", *installs)
            has = [extra for extra, module in MODULES.items() if not run(programs / "python", "-c", f"import {module}", cwd=folder).returncode]  # fmt: skip
            expected = [way] if way in MODULES else sorted(MODULES) if way.startswith("all") else []
            assert has == expected, f"{way}: {has}"
            built[way] = use(programs, folder)
            assert built[way] == built["the wheel"], f"{way}: other files than with the wheel alone"
            python = sys.version.split()[0]
            print(f"Python {python}, {way}: {len(built[way])} files built and verified", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
