"""Check that a tag names the version of this commit, and print the changelog's part: `notes.py v1.2.3`."""

import os
import re
import sys
from pathlib import Path

from labgen import __version__

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


def part_of(changelog: str, version: str) -> str:
    """Return what stands below the heading of a version, such as `## 1.2.3 (2026-11-26)`.

    Raises ValueError if there is no such heading, or it has no date.
    """
    for part in changelog.split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        if heading.split(" ")[0] == version:
            if not re.fullmatch(r"\S+ \(\d{4}-\d\d-\d\d\)", heading):
                raise ValueError(f"CHANGELOG.md: {heading!r} has no date, such as '{version} (2026-11-26)'")
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no part '## {version} (DATE)'")


def with_addresses(text: str, files: str) -> str:
    """Return a text whose links to files of the repository are addresses: a page of a release has no folder."""
    return re.sub(r"\]\((?!\w+:|#)", f"]({files}/", text)


def notes(tag: str, changelog: str, version: str = __version__) -> str:
    """Return the notes of a release; raises ValueError if the tag is not that of the version."""
    if tag != f"v{version}":
        raise ValueError(
            f"the tag is {tag}, but labgen/__init__.py says {version}: the tag must be v{version}"
        )
    return part_of(changelog, version)


if __name__ == "__main__":
    try:
        text = notes(sys.argv[1], CHANGELOG.read_text(encoding="utf-8"))
    except ValueError as error:
        sys.exit(f"error: {error}")
    if repository := os.environ.get("GITHUB_REPOSITORY"):
        text = with_addresses(text, f"{os.environ['GITHUB_SERVER_URL']}/{repository}/blob/{sys.argv[1]}")
    sys.stdout.write(text)
