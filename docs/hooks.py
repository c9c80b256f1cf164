"""Add the notes that stand beside the code to the documentation site."""

from pathlib import Path
from typing import Any

from properdocs.config.defaults import ProperDocsConfig
from properdocs.structure.files import File, Files
from properdocs.structure.pages import Page

LABGEN = Path(__file__).resolve().parent.parent / "labgen"
PAGES = {
    "ARCHITECTURE.md": "explanation/architecture.md",
    "EXTENDING.md": "explanation/extending.md",
    "search/README.md": "reference/search.md",
}
"""Where notes stand on the site, by their files below labgen/."""


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    """Add the notes as pages."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(LABGEN / name)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links to the notes lead to these pages. In the sources they lead to the files."""
    up = "../" * page.file.src_uri.count("/")
    for name, own in PAGES.items():
        markdown = markdown.replace(f"({up}../labgen/{name})", f"({up}{own})")
    return markdown
