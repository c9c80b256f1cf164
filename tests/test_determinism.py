"""Same data, same bytes: whatever the machine, the hash seed, the locale or the time zone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXHAUSTIVE

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]  # fmt: skip


def require_locale(name: str) -> None:
    """Skip a test whose locale is not installed; on CI, that is a failure."""
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout
    if name.lower().replace("-", "") not in listed.lower().replace("-", "").split():
        message = f"the locale {name} is not installed"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)


def built(environment: dict[str, str], folder: Path) -> dict[str, bytes]:
    """Build the sample with another folder, environment and order of files, and return all of out/."""
    shutil.copytree(ROOT / "data", folder / "data")
    shutil.copytree(ROOT / "labgen", folder / "program" / "labgen")  # with what is compiled
    shutil.copytree(ROOT / "templates", folder / "program" / "templates")
    done = subprocess.run(
        [sys.executable, "-m", "labgen", "build", "-q"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(folder / "program"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    files = (path for path in (folder / "out").rglob("*") if path.is_file())
    return {path.relative_to(folder / "out").as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    return built(ENVIRONMENTS[0], tmp_path_factory.mktemp("first"))


@pytest.mark.parametrize("environment", ENVIRONMENTS[1 if EXHAUSTIVE else 2 :], ids=lambda one: one["LC_ALL"])
def test_the_sample_is_the_same_everywhere(first, environment, tmp_path):
    require_locale(environment["LC_ALL"])
    assert built(environment, tmp_path / "a longer path ü") == first
