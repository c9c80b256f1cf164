"""The workflow that `labgen init` writes: its steps, in order, as far as a machine without GitHub can run them."""

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from generated import DOCS

from labgen.cli.new_project import create_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    create_project(tmp_path)
    return tmp_path


@pytest.fixture
def jobs(project) -> dict[str, Any]:
    text = (project / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)["jobs"])


def using(jobs: dict[str, Any], action: str) -> dict[str, Any]:
    """Return the step that uses an action."""
    return next(
        step
        for job in jobs.values()
        for step in job["steps"]
        if step.get("uses", "").startswith(f"actions/{action}@")
    )


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as GitHub does."""
    return subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_artifact_has_hidden_files_because_servers_read_them(jobs):
    assert using(jobs, "upload-artifact")["with"]["include-hidden-files"] is True


def test_what_is_built_and_what_is_remembered_are_kept_together(jobs):
    assert using(jobs, "cache")["with"]["path"].split() == ["out/", ".labgen/"]


def test_a_push_without_the_wheel_says_what_is_missing(jobs, project):
    command = jobs["build"]["steps"][2]["run"]
    assert "::error::the wheel of labgen is not in wheels/" in run(command, project).stdout
    (project / "wheels").mkdir()
    (project / "wheels/labgen-1.0-py3-none-any.whl").touch()
    assert run(command, project).returncode == 0


def test_all_that_a_build_may_need_is_installed_with_the_wheel(jobs, project):
    command = jobs["build"]["steps"][3]["run"]
    (project / "wheels").mkdir()
    (project / "wheels/labgen-1.0-py3-none-any.whl").touch()
    arguments = run(command.replace("pip install", "printf %s"), project).stdout
    wheel, _, extras = arguments.rstrip("]").partition("[")
    assert wheel == "wheels/labgen-1.0-py3-none-any.whl"
    known = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert set(extras.split(",")) == known.keys() - {"dev", "parquet", "publish", "serve", "sql"}


def test_pages_gets_what_was_built_for_it(jobs):
    assert "hashFiles('out/.nojekyll')" in using(jobs, "upload-pages-artifact")["if"]
    assert jobs["pages"]["if"] == "needs.build.outputs.pages == 'success'"
    assert jobs["pages"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert using(jobs, "deploy-pages")["id"] == "deployment"


def test_git_takes_no_file_that_a_deployment_makes(project):
    ignored = (project / ".gitignore").read_text(encoding="utf-8")
    assert all(
        f"/{name}\n" in ignored for name in ("out/", ".labgen/", "public/", "vercel/", "wrangler.jsonc")
    )
