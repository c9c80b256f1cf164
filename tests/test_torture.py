"""The tortures find what is planted, and reduce it to a case that says what it is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXHAUSTIVE
from torture import common, runner

NAMES = () if EXHAUSTIVE else ("mutants", "edits", "hosts")
"""The tortures to be run; without names, all are."""


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Put all projects into the test's folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    common.base.cache_clear()
    for name in ("GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


def test_a_case_of_each_torture_finds_nothing(tmp_path):
    command = [sys.executable, str(Path(__file__).parent / "torture"), *NAMES, "--cases", "1", "--seed", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    first, *others = done.stdout.splitlines()
    assert first == f"seed 2, 2 minutes each: {', '.join(NAMES or runner.NAMES)}"
    for name, line in zip(NAMES or runner.NAMES, others, strict=True):
        assert re.fullmatch(rf"{name}: 1 cases of \d+ steps, 0 findings", line)


def fail(*_: object, **__: object) -> None:
    raise ZeroDivisionError("planted")


def test_a_traceback_is_found_and_reduced_to_a_step(monkeypatch, tmp_path):
    common.copy(3, tmp_path / "sound")
    monkeypatch.setattr("labgen.pipeline.build.choose_hosts", fail)
    found = runner.reduced("mutants", 3, range(3), runner.attempt("mutants", 3, range(3)))
    assert found.what.startswith("traceback: ZeroDivisionError: planted")
    assert len(found.steps) == 1
    assert f"--seed 3 --steps {found.steps[0]}" in str(found)


def test_a_warm_build_that_differs_is_found(monkeypatch):
    from labgen.pipeline.rebuild import RenderPlan

    monkeypatch.setattr("labgen.pipeline.build.to_render", lambda *_: RenderPlan([], []))
    what = runner.attempt("edits", 1, range(4))
    assert what.startswith("a warm build is not equal to a cold one")


def test_a_journal_that_nobody_finishes_is_found(monkeypatch):
    monkeypatch.setattr("labgen.output.open_folder.finish", lambda *_: None)
    assert "after a kill" in runner.attempt("kills", 2, range(1, 4))  # three builds end while files move
