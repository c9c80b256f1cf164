"""Convert between URL paths of the site and files under out/.

A *path* is a URL path below the base path and starts and ends with `/`; a *file* is a name under out/,
without a leading slash (docs/reference/decisions.md).
"""

import os
from posixpath import relpath

MEDIA_PATH = "/media/"
"""The path below which pictures are published."""
API_FOLDER = "api"
"""The folder under out/ of the documents of the specification."""
DIRECTORY_PATH = "/directory/v1/"
"""The path below which the documents lie that labgen proposes, unless the settings name another one."""
JSON_FILE = "index.json"
PAGE_FILE = "api.html"
STATE = ".labgen"
"""The folder for data that labgen keeps between builds, and for staging."""
MARK = ".labgen-publish"
"""What the names of the marks of publications begin with; servers do not serve hidden files."""
RELEASES = ".labgen-releases"
"""The folder of a target with what publications replaced, to go back to."""
SEARCH_FOLDER = "search"
"""The folder under out/ with the search index; the search page may be in it, too."""


def folder_of(path: str) -> str:
    """Return the folder under out/ that holds a path's files, "" for the root."""
    return path.strip("/")


def document_folders(directory_path: str) -> tuple[str, ...]:
    """Return the folders under out/ below which all paths are those of documents."""
    return (API_FOLDER, folder_of(directory_path)) if directory_path else (API_FOLDER,)


FOLDERS = document_folders(DIRECTORY_PATH)


def file_of(path: str, name: str) -> str:
    """Return the file under out/ with this name in the folder of a path."""
    folder = folder_of(path)
    return f"{folder}/{name}" if folder else name


def relative(path: str, seen_from: str) -> str:
    """Return the relative URL of a path, as seen from another path: "" for the path itself."""
    address = relpath(path, seen_from)
    return "" if address == "." else f"{address}/"


def visible_name(name: str) -> str:
    """Return a file name as printable text, with bytes that are not UTF-8 escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
