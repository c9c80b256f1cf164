"""Read the limits of a project before anything else is read."""

from pathlib import Path

from labgen.formats.budget import DEFAULT, SETTINGS_SIZE, Budget, budget_from
from labgen.formats.toml_format import parse_toml
from labgen.source.file_formats import SETTINGS
from labgen.system.input_files import DATA, read_bytes


def budget_of(root: Path) -> Budget:
    """Return the budget of a project; the default if its settings cannot be read, which is reported later."""
    try:
        text = read_bytes(root / DATA / SETTINGS, SETTINGS_SIZE).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return DEFAULT
    entries, _ = parse_toml(text, SETTINGS)
    settings = entries[0].value if entries else {}
    return budget_from(settings.get("limits", {})) if isinstance(settings, dict) else DEFAULT
