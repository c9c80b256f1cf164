"""The order of imports in pyproject.toml is exhaustive: what is not in it, or against it, fails `make lint`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import ROOT, from_checkout

ORDERED = (
    "",
    "api",
    "checks",
    "contract",
    "formats",
    "memory",
    "model",
    "output",
    "pipeline",
    "render",
    "source",
    "source.tables",
    "verify",
)
STRAY = [".".join(filter(None, ("labgen", package, "stray"))) for package in ORDERED]
"""New modules that stand in no layer."""
WRONG = {
    "labgen.model.records": "labgen.model.catalogues",
    "labgen.api.sections.reviews": "labgen.api.sections.gallery",
    "labgen.api.sections.stray": "labgen.api.sections.new",
    "labgen.pipeline.similar_lists": "labgen.pipeline.build",
    "labgen.source.shared": "labgen.memory.database",
    "labgen.source.checks.texts": "labgen.source.read_lists",
    "labgen.system.progress": "labgen.model.german",
}
"""Imports against the order."""


@from_checkout
def test_a_module_without_a_layer_and_an_import_against_the_order_are_refused(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "labgen", tmp_path / "labgen", ignore=shutil.ignore_patterns("__pycache__"))
    for module in STRAY:
        file_of(tmp_path, module).write_text("", encoding="utf-8")
    for module, imported in WRONG.items():
        with file_of(tmp_path, module).open("a", encoding="utf-8") as file:
            file.write(f"import {imported}\n")
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "500"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert [one for one in STRAY if f"- {one}\n" not in done.stdout] == []
    assert [one for one, other in WRONG.items() if f" {one} -> {other} (l." not in done.stdout] == []


def file_of(root: Path, module: str) -> Path:
    return root / f"{module.replace('.', '/')}.py"
