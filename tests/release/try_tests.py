"""Run tests with the wheel in dist/ and without the repository: `try_tests.py dist tests/test_x.py ...`.

What they get is tests/, docs/ and the settings of pytest, in a folder of its own, and the wheel with what tests need.
They are tried as on a user's machine: without the tools that CI alone installs, which a test skips with its reason.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]


def main(packages: Path, files: list[str]) -> int:
    """Return the exit code of pytest."""
    (wheel,) = packages.glob("*.whl")
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)  # some tests run labgen as a user without rights
        folder, python = Path(name) / "tests", Path(name) / "environment/bin/python"
        venv.create(python.parents[1], with_pip=True)
        constraints = ("--constraint", ROOT / ".ci/constraints.txt")
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        subprocess.run((*pip, *constraints, f"{wheel}[dev]"), check=True)
        for one in ("tests", "docs"):
            shutil.copytree(ROOT / one, folder / one)
        shutil.copy(ROOT / "pyproject.toml", folder)
        options = ("-q", "-n", "auto", "--dist", "worksteal")
        env = {name: value for name, value in os.environ.items() if name != "LABGEN_EXHAUSTIVE"}
        return subprocess.run(
            (python, "-m", "pytest", *options, *files),
            cwd=folder,
            env=env | {"PYTHONSAFEPATH": "1"},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2:]))
