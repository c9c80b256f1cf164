"""The steps of a release, as far as they need neither an account nor a second machine (RELEASING.md)."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT, from_checkout
from release.dist import differing
from release.notes import notes, part_of, with_addresses

CHANGELOG = """\
# Changelog

## 1.3.0 (unreleased)

- Coming.

## 1.2.0 (2026-11-26)

### The API

- New.

## 1.1.0 (2026-01-02)

- Old.
"""


def test_the_notes_of_a_release_are_the_changelogs_part():
    assert part_of(CHANGELOG, "1.2.0") == "### The API\n\n- New.\n"
    assert part_of(CHANGELOG, "1.1.0") == "- Old.\n"


def test_links_of_the_notes_lead_to_the_files_of_the_tag():
    text = "- [Looks](docs/looks.md), [there](https://example.org/a), [below](#b).\n"
    files = "https://github.com/office/labgen/blob/v1.2.0"
    assert with_addresses(text, files) == text.replace("(docs", f"({files}/docs")


@pytest.mark.parametrize(
    ("tag", "version", "message"),
    [
        ("v1.2.1", "1.2.0", "the tag is v1.2.1, but labgen/__init__.py says 1.2.0: the tag must be v1.2.0"),
        ("1.2.0", "1.2.0", "the tag must be v1.2.0"),
        ("v1.3.0", "1.3.0", "'1.3.0 (unreleased)' has no date"),
        ("v1.2", "1.2", "CHANGELOG.md has no part '## 1.2 (DATE)'"),
    ],
)
def test_a_tag_that_does_not_fit_is_refused_with_the_reason(tag, version, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        notes(tag, CHANGELOG, version)


@from_checkout
def test_a_refused_tag_ends_the_workflow():
    command = [sys.executable, str(ROOT / "tests/release/notes.py"), "v0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: the tag is v0.0.0, but")


@from_checkout
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_of_a_tag_nothing_is_run_as_a_command(way, tmp_path):
    tag = f'v1.2.3";touch${{IFS}}{tmp_path}/run;"'
    command = [
        "make",
        "-C",
        str(ROOT),
        "--old-file=.venv/.installed",
        f"BIN={Path(sys.executable).parent}",
        "notes",
    ]
    argument, variables = ([f"TAG={tag.replace('$', '$$')}"], {}) if way == "argument" else ([], {"TAG": tag})
    done = subprocess.run([*command, *argument], env=os.environ | variables, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert f"error: the tag is {tag}, but" in done.stderr
    assert not (tmp_path / "run").exists()


def test_builds_that_differ_are_named(tmp_path):
    for folder, text in (("first", "a"), ("second", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "labgen.whl").write_text(text)
        (tmp_path / folder / "labgen.tar.gz").write_text("same")
    (tmp_path / "second/more").touch()
    assert differing(tmp_path / "first", tmp_path / "second") == ["labgen.whl", "more"]


@from_checkout
def test_the_lock_has_the_versions_that_are_tested_and_a_hash_for_each():
    lock = (ROOT / "tests/release/requirements.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE))
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").split()
    tested = {
        name.lower().replace("_", "-"): version for name, _, version in (one.partition("==") for one in lines)
    }
    assert locked.items() <= tested.items()
    assert all("--hash=sha256:" in part for part in re.split(r"^\S+==", lock, flags=re.MULTILINE)[1:])
    assert "://" not in lock
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"] | {"dev": []}
    wanted = {
        re.split(r"[><=]", one)[0] for needed in (project["dependencies"], *extras.values()) for one in needed
    }
    assert wanted <= locked.keys()
