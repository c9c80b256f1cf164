"""The wheel: installed in a bare environment, away from the checkout, it does its work."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No matching distribution found" in done.stderr and not os.environ.get("CI"):
        pytest.skip("the package that builds wheels cannot be installed here")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("labgen-*.whl"))


def test_the_wheel_holds_the_templates_and_the_new_project(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "labgen/project", "labgen/hosts"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"labgen/{path.relative_to(ROOT).as_posix().removeprefix('labgen/')}" in names


def test_init_and_build_work_from_an_installed_wheel(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    site_packages = next((tmp_path / "env/lib").glob("python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site_packages)
    runtime = [path for path in sys.path if path.endswith("site-packages")]
    (site_packages / "dependencies.pth").write_text("\n".join(runtime))
    python = tmp_path / "env/bin/python"

    def labgen(*arguments: str, cwd: Path) -> str:
        command = [str(python), "-P", "-m", "labgen", *arguments]
        return subprocess.run(
            command, cwd=cwd, env={"LABGEN_LANG": "en"}, capture_output=True, text=True, check=True
        ).stdout

    where = [str(python), "-P", "-c", "import labgen; print(labgen.__file__)"]
    assert str(site_packages) in subprocess.run(where, capture_output=True, text=True, check=True).stdout
    labgen("init", "x", cwd=tmp_path)
    assert " written, 0 removed" in labgen("build", cwd=tmp_path / "x")
    assert (tmp_path / "x/out/api/v1/laboratory/laboratories/00001/api.html").is_file()
    labgen("build", "--host", "nginx", cwd=tmp_path / "x")
    assert "all passed" in labgen("verify", "out", cwd=tmp_path / "x")
    for name in ("action.yml", "requirements.lock"):
        assert (tmp_path / "x/.github/actions/labgen" / name).read_bytes() == (ROOT / name).read_bytes()
