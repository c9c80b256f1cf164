"""zizmor and actionlint find nothing in the workflows and actions: those of the repository, and those that `labgen init` writes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from generated import DOCS

from labgen.cli.new_project import create_project

ROOT = DOCS.parent


def tool(name: str) -> str:
    """Return the path of a tool, which stands beside Python or on the path."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = shutil.which(name, path=path)
    if not found and "LABGEN_EXHAUSTIVE" not in os.environ:
        pytest.skip(f"{name} is not installed: .ci/run installs it")
    assert found, f"{name} is missing"
    return found


@pytest.fixture(params=["repository", "new project"])
def folder(request, tmp_path):
    """A repository with the files for GitHub alone."""
    create_project(tmp_path / "project")
    sources = {
        "repository": (ROOT / ".github", ROOT / "action.yml"),
        "new project": (tmp_path / "project/.github",),
    }
    for one in sources[request.param]:
        target = tmp_path / "repository" / one.name
        if one.is_dir():
            shutil.copytree(one, target)
        elif one.exists():
            target.parent.mkdir(exist_ok=True)
            shutil.copy(one, target)
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "repository")], check=True)
    return tmp_path / "repository"


def zizmor(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [tool("zizmor"), "--offline", "--no-progress", "--strict-collection", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def actionlint(folder: Path) -> subprocess.CompletedProcess[str]:
    workflows = sorted(str(one) for one in folder.glob(".github/workflows/*.y*ml"))
    if not workflows:
        pytest.skip("there is no workflow")
    return subprocess.run(
        [tool("actionlint"), "-shellcheck=", *workflows],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("lint", [zizmor, actionlint])
def test_nothing_is_found(folder, lint):
    done = lint(folder)
    assert done.returncode == 0, done.stdout + done.stderr


PLANTED = [
    (zizmor, "@08c6903cd8c0fde910a37f88322edcfb5dd907a8", "@v5", "unpinned-uses"),
    (zizmor, "with:\n          persist-credentials: false\n", "", "artipacked"),
    (
        zizmor,
        "    permissions:\n      contents: read\n",
        "    permissions: write-all\n    env:\n",
        "excessive-permissions",
    ),
    (
        zizmor,
        "- id: pages\n",
        "- run: echo ${{ github.head_ref }}\n      - id: pages\n",
        "template-injection",
    ),
    (actionlint, "allow-change:", "allow-chnge:", 'input "allow-chnge" is not defined'),
    (actionlint, "needs: build", "needs: buld", 'needs job "buld" which does not exist'),
]


@pytest.mark.parametrize("folder", ["new project"], indirect=True)
@pytest.mark.parametrize(("lint", "right", "wrong", "found"), PLANTED, ids=[one[3] for one in PLANTED])
def test_a_fault_that_is_put_in_is_found(folder, lint, right, wrong, found):
    workflow = folder / ".github/workflows/publish.yml"
    text = workflow.read_text(encoding="utf-8")
    assert right in text
    workflow.write_text(text.replace(right, wrong), encoding="utf-8")
    done = lint(folder)
    assert done.returncode != 0
    assert found in done.stdout + done.stderr
