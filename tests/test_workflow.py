"""The action, and the workflow that `labgen init` writes: their steps, in order, as far as a machine without GitHub can run them."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml
from generated import DOCS
from github import PULL_REQUEST, REPOSITORY, GitHub, github

from labgen.cli.new_project import create_project

ROOT = DOCS.parent
ACTION = ".github/actions/labgen"
PINNED = re.compile(r"uses: ([\w-]+/[\w-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    create_project(folder)
    return folder


@pytest.fixture
def jobs(project) -> dict[str, Any]:
    text = (project / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)["jobs"])


@pytest.fixture
def action(project) -> dict[str, Any]:
    return dict(yaml.safe_load((project / ACTION / "action.yml").read_text(encoding="utf-8")))


def using(steps: list[dict[str, Any]], action: str) -> dict[str, Any]:
    """Return the step that uses an action."""
    return next(step for step in steps if step.get("uses", "").startswith(f"actions/{action}@"))


def named(action: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the step of this name."""
    return next(step for step in action["runs"]["steps"] if step.get("name") == name)


# What stands in the files.


def test_the_artifact_has_hidden_files_because_servers_read_them(action):
    assert using(action["runs"]["steps"], "upload-artifact")["with"]["include-hidden-files"] is True


def test_what_is_built_and_what_is_remembered_are_kept_together(action):
    assert using(action["runs"]["steps"], "cache")["with"]["path"].split() == ["out/", ".labgen/"]


def test_pages_gets_what_was_built_for_it(jobs):
    steps = jobs["build"]["steps"]
    assert "hashFiles('out/.nojekyll')" in using(steps, "upload-pages-artifact")["if"]
    assert jobs["pages"]["if"] == "needs.build.outputs.pages == 'success'"
    assert jobs["pages"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert using(jobs["pages"]["steps"], "deploy-pages")["id"] == "deployment"


def test_only_the_default_branch_is_uploaded_and_published(jobs):
    default = "github.ref_name == github.event.repository.default_branch"
    steps = jobs["build"]["steps"]
    assert next(one for one in steps if one["uses"] == f"./{ACTION}")["with"]["artifact"] == (
        f"${{{{ {default} && 'site' || '' }}}}"
    )
    assert using(steps, "upload-pages-artifact")["if"].startswith(f"{default} && ")


def test_a_job_may_do_only_what_it_does(project, jobs):
    workflow = yaml.safe_load((project / ".github/workflows/publish.yml").read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    assert jobs["build"]["permissions"] == {"contents": "read", "pull-requests": "write"}


def test_the_workflow_gives_the_action_what_it_takes(jobs, action):
    (given,) = (one["with"] for one in jobs["build"]["steps"] if one["uses"] == f"./{ACTION}")
    assert given.keys() <= action["inputs"].keys()


def test_git_takes_no_file_that_a_deployment_makes(project):
    ignored = (project / ".gitignore").read_text(encoding="utf-8")
    assert all(
        f"/{name}\n" in ignored for name in ("out/", ".labgen/", "public/", "vercel/", "wrangler.jsonc")
    )


def test_an_action_is_pinned_to_the_same_commit_wherever_it_stands(project):
    pages = ["action.yml", *project.rglob(".github/**/*.yml"), *DOCS.rglob("*.md")]
    lines = [
        line.strip() for page in pages for line in (ROOT / page).read_text(encoding="utf-8").splitlines()
    ]
    used = [line.removeprefix("- ") for line in lines if re.match(r"(- )?uses: (?!\./)", line)]
    assert [line for line in used if not PINNED.match(line)] == []
    digests: dict[str, set[str]] = {}
    for line in used:
        digests.setdefault(line.partition("@")[0], set()).add(line)
    assert [name for name, lines in digests.items() if len(lines) > 1] == []


# The lock.


def locked() -> dict[str, str]:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+) \\$", text, re.MULTILINE))


def test_the_lock_has_the_versions_that_the_tests_run_with():
    text = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8")
    pins = {name.lower().replace("_", "-"): version for name, version in re.findall(r"(.*)==(.*)", text)}
    assert locked() == {name: pins[name] for name in locked()}, "run `make lock`"


def test_the_lock_has_what_a_build_may_need_and_no_address():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [
        one for name in extras.keys() - {"dev", "parquet", "serve", "sql"} for one in extras[name]
    ]
    assert {re.split(r"[>=<]", one)[0].lower() for one in wanted} <= locked().keys()
    assert "//" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")


# The steps of the action, run.

HEAD = ["display_id", "name", "country", "locality", "deal_status", "verification_status", "materials"]
ALPHA = ["00001", "Alpha Labor", "de", "Dresden", "free", "none", "Stahl"]
BETA = ["00002", "Beta Labor", "at", "Wien", "free", "none", "Stahl"]


def keep_workbook(project: Path, *rows: list[str]) -> None:
    """Replace the laboratories of a project by a workbook with these rows."""
    shutil.rmtree(project / "data/laboratories", ignore_errors=True)
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "laboratories"
    for row in (HEAD, *rows):
        sheet.append(row)
    book.save(project / "data/laboratories.xlsx")


@dataclass
class Runner:
    """Runs steps of the action as GitHub does, in a project, and keeps what they write."""

    project: Path
    action: dict[str, Any]
    hub: GitHub
    event: str = "push"
    inputs: dict[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        file = self.project.parent / "summary.md"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def value(self, text: str) -> str:
        """Return a value of `env:`, with the expressions that the action has there."""
        given = {name: str(one["default"]) for name, one in self.action["inputs"].items()} | self.inputs
        is_pull_request = self.event == "pull_request"
        known = {f"inputs.{name}": value for name, value in given.items()} | {
            "inputs.token": "secret",
            "inputs.allow-removals == 'true' && 'yes' || ''": "yes" * (given.get("allow-removals") == "true"),
            "github.event_name == 'pull_request' && '.before' || ''": ".before" if is_pull_request else "",
            "github.event_name == 'pull_request' && inputs.fail-on || ''": given["fail-on"]
            if is_pull_request
            else "",
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    def run(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        step = named(self.action, name)
        event = self.project.parent / "event.json"
        number = {"pull_request": {"number": PULL_REQUEST}} if self.event == "pull_request" else {}
        event.write_text(json.dumps(number), encoding="utf-8")
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.project.parent),
            "LANG": "C.UTF-8",
            "GITHUB_ACTION_PATH": str(self.project / ACTION),
            "GITHUB_API_URL": self.hub.address,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_STEP_SUMMARY": str(self.project.parent / "summary.md"),
            "GITHUB_WORKSPACE": str(self.project),
            "PYTHONPATH": str(ROOT),
        }
        environment |= {key: self.value(value) for key, value in step.get("env", {}).items()} | more
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def runner(project, action):
    keep_workbook(project, ALPHA, BETA)
    with github() as hub:
        yield Runner(project, action, hub)


@pytest.fixture
def change(runner):
    """A pull request: what is published lies in `.before`."""
    shutil.copytree(runner.project, runner.project / ".before")
    runner.event = "pull_request"
    return runner


def test_a_push_builds_the_site_and_says_so_in_the_summary(runner):
    done = runner.run("build")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert runner.summary == "### labgen: keine Fehler, keine Warnungen\n"
    assert (runner.project / "out/api/v1/laboratory/laboratories/00001/index.json").is_file()
    assert runner.hub.comments == []


def test_a_push_with_a_mistake_fails_names_the_cell_and_publishes_nothing(runner):
    keep_workbook(runner.project, ALPHA, [*BETA[:2], "Österreich-Ungarn", *BETA[3:]])
    done = runner.run("build")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=data/laboratories.xlsx,title=unknown-reference,line=3,col=3")
    assert (
        "| ❌ Fehler | `data/laboratories.xlsx`, Blatt `laboratories`, Zeile 3, Spalte C (`country`) | "
        in (runner.summary)
    )
    assert "Nichts wird veröffentlicht, bis die Fehler berichtigt sind." in runner.summary
    assert not (runner.project / "out").exists()


def test_a_pull_request_gets_one_comment_that_follows_its_pushes(change):
    keep_workbook(change.project, [*ALPHA[:3], "Leipzig", *ALPHA[4:]], [*BETA[:2], "xx", *BETA[3:]])
    assert change.run("build").returncode == 1
    (comment,) = change.hub.comments
    assert "Zeile 3, Spalte C (`country`)" in comment["body"]
    keep_workbook(change.project, [*ALPHA[:3], "Leipzig", *ALPHA[4:]], BETA)
    assert change.run("build").returncode == 0
    (comment,) = change.hub.comments
    assert "xx" not in comment["body"]
    assert "1 Labor geändert, 0 neu, 0 entfernt" in comment["body"]
    assert '| 00001 | locality "Dresden" → "Leipzig" |' in comment["body"]


def test_a_pull_request_that_breaks_clients_says_so_first_and_fails_where_the_office_wants_it(change):
    keep_workbook(change.project, ALPHA)
    assert change.run("build").returncode == 0
    (comment,) = change.hub.comments
    assert (
        '| 00002 | entfernt ("Beta Labor") | das Labor gibt es nicht mehr, `laboratory-gone` |'
        in comment["body"]
    )
    change.inputs["fail-on"] = "breaking"
    assert change.run("build").returncode == 3
    change.event = "push"  # what was merged is published
    assert change.run("build").returncode == 0


def test_many_laboratories_go_only_where_that_is_allowed(runner):
    rows = [[f"{number:05}", f"Labor {number}", *ALPHA[2:]] for number in range(1, 21)]
    keep_workbook(runner.project, *rows)
    assert runner.run("build").returncode == 0
    keep_workbook(runner.project, *rows[:12])
    runner.inputs["allow-removals"] = "false"  # as of a box that is not ticked
    assert runner.run("build").returncode == 1
    assert "labgen build --allow-removals" in runner.summary
    runner.inputs["allow-removals"] = "true"
    assert runner.run("build").returncode == 0


def test_a_pull_request_from_a_fork_has_the_summary_alone(change):
    change.hub.is_read_only = True
    assert change.run("build").returncode == 0
    assert change.hub.comments == []
    assert "### Was veröffentlicht würde" in change.summary


def test_an_input_is_no_command(runner):
    runner.inputs |= {"allow-change": 'email"; touch hacked; "', "against": "$(touch hacked)"}
    assert runner.run("build").returncode != 0
    assert not (runner.project / "hacked").exists()
    steps = runner.action["runs"]["steps"]
    assert not [step for step in steps if "${{" in step.get("run", "")]


@pytest.mark.parametrize("wheels", [[], ["labgen-1.0-py3-none-any.whl", "labgen-1.1-py3-none-any.whl"]])
def test_a_push_without_the_one_wheel_says_what_is_missing(runner, wheels):
    (runner.project / "wheels").mkdir()
    for name in wheels:
        (runner.project / "wheels" / name).touch()
    done = runner.run("install labgen")
    assert done.returncode == 1
    assert "::error::wheels/ must hold one wheel of labgen" in done.stdout


def test_labgen_is_installed_from_its_wheel_and_the_lock(runner):
    if not os.environ.get("LABGEN_EXHAUSTIVE"):
        pytest.skip("packages are fetched from an index only where LABGEN_EXHAUSTIVE is set, as by .ci/run")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*pip, str(runner.project / "wheels"), str(ROOT)], check=True)
    venv.create(runner.project.parent / "env", with_pip=True)
    path = f"{runner.project.parent / 'env/bin'}:{os.environ['PATH']}"
    own = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or "proxy" in name.lower()
    }
    done = runner.run("install labgen", **own, PATH=path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert runner.run("build", PATH=path, PYTHONPATH="").returncode == 0


@pytest.mark.parametrize(("page", "language"), [("windows.md", "en"), ("windows.de.md", "de")])
def test_the_guide_for_windows_shows_what_a_comment_shows(change, page, language):
    rows = re.findall(
        r"^\| (?:❌|00002).*", (DOCS / "guides" / page).read_text(encoding="utf-8"), re.MULTILINE
    )
    keep_workbook(change.project, ALPHA, [*BETA[:2], "Österreich-Ungarn", *BETA[3:]])
    assert change.run("build", LABGEN_LANG=language).returncode == 1
    keep_workbook(change.project, ALPHA)
    wrong = change.hub.comments[-1]["body"]
    assert change.run("build", LABGEN_LANG=language).returncode == 0
    assert [
        row in body for row, body in zip(rows, (wrong, change.hub.comments[-1]["body"]), strict=True)
    ] == [True, True]
