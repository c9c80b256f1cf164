"""Define which files data/ may contain, and in which formats."""

from os.path import splitext

from labgen.formats.csv_format import CSV
from labgen.formats.format import Format
from labgen.formats.json_format import JSON, JSON_LINES
from labgen.formats.toml_format import TOML
from labgen.formats.yaml_format import YAML
from labgen.model.catalogues import SHARED_LISTS

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
    """Return the format of a file by the suffix of its name, or None."""
    return FORMATS.get(splitext(file)[1])  # noqa: PTH122 - no Path for each laboratory
