"""Add the architecture notes, which stand beside the code, to the documentation site."""

from pathlib import Path
from typing import Any

from properdocs.config.defaults import ProperDocsConfig
from properdocs.structure.files import File, Files
from properdocs.structure.pages import Page

ARCHITECTURE = Path(__file__).resolve().parent.parent / "labgen" / "ARCHITECTURE.md"
PAGE = "explanation/architecture.md"


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    """Add labgen/ARCHITECTURE.md as a page."""
    files.append(File.generated(config, PAGE, abs_src_path=str(ARCHITECTURE)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Let links to the notes lead to that page. In the sources they lead to the file."""
    up = "../" * page.file.src_uri.count("/")
    return markdown.replace(f"({up}../labgen/ARCHITECTURE.md)", f"({up}{PAGE})")
