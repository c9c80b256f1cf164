"""Define which files data/ may contain, and in which formats."""

from os.path import splitext

from labgen.model.catalogues import SHARED_LISTS
from labgen.source.formats.csv_format import CSV
from labgen.source.formats.format import Format
from labgen.source.formats.json_format import JSON, JSON_LINES
from labgen.source.formats.toml_format import TOML
from labgen.source.formats.yaml_format import YAML

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
