"""Which files there may be in data/, and in which formats."""

from os.path import splitext
from pathlib import Path

from labgen.model.catalogues import SHARED_LISTS
from labgen.model.site_paths import visible_name
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem
from labgen.source.formats.csv_format import CSV
from labgen.source.formats.format import Format
from labgen.source.formats.json_format import JSON, JSON_LINES
from labgen.source.formats.toml_format import TOML
from labgen.source.formats.yaml_format import YAML
from labgen.source.read_files import reason
from labgen.system.input_files import LABORATORIES, MEDIA, is_note

FORMATS: dict[str, Format] = {
    ".csv": CSV,
    ".json": JSON,
    ".jsonl": JSON_LINES,
    ".yaml": YAML,
    ".yml": YAML,
    ".toml": TOML,
}
LIST_SUFFIXES = (".csv", ".json", ".jsonl", ".yaml", ".yml")
LABORATORY_SUFFIXES = (".json", ".yaml", ".yml")

SETTINGS = "site.toml"
STEMS = frozenset(listed.stem for listed in SHARED_LISTS)


def format_of(file: str) -> Format | None:
    """Return the format that a file's name promises."""
    return FORMATS.get(splitext(file)[1])  # noqa: PTH122 - no Path for each laboratory


def check_names(data: Path) -> list[Problem]:
    """Warn of files in data/ that labgen does not read; notes and hidden files are passed over."""
    expected = {SETTINGS, LABORATORIES, MEDIA, LABORATORIES + ".jsonl"}
    expected |= {stem + suffix for stem in STEMS for suffix in LIST_SUFFIXES}
    problems = []
    try:
        paths = sorted(data.iterdir())
    except OSError as error:
        return [Problem("unreadable-file", f"`data` cannot be read: {reason(error)}", Place("data"))]
    for path in paths:
        if path.name not in expected and not is_note(path.name):
            file = f"data/{visible_name(path.name)}"
            hint = _hint_for(path, sorted(expected))
            problems.append(Problem("ignored-file", f"`{file}` is not read", Place(file), hint, "warning"))
    return problems


def _hint_for(path: Path, expected: list[str]) -> str:
    if path.stem == LABORATORIES:
        return f"laboratories are .json or .yaml files in data/{LABORATORIES}/, or {LABORATORIES}.jsonl"
    if path.stem in STEMS:
        return f"save it as {', '.join(LIST_SUFFIXES)}"
    return did_you_mean(path.name, expected)
