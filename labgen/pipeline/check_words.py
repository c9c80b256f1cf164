"""Report words of the settings whose addresses would be those of other files of the site, or of its hosts."""

from collections.abc import Iterable, Iterator

from labgen.api.sections import ENDPOINTS
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import MEDIA_PATH
from labgen.output.published_manifest import FOLDER as MANIFEST
from labgen.pipeline.staging import EXPORTS
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.render.site_values import REFERENCE_PAGE
from labgen.render.templates import STATIC
from labgen.source.read_settings import SETTINGS_FILE

SITE = (
    *(path for one in ENDPOINTS for path in one.path_templates),
    *(MEDIA_PATH, STATIC, MANIFEST, EXPORTS, REFERENCE_PAGE),
)
"""Paths in all folders at the root of a site, except the search page, which may be beside the index."""


DIRECTORY_PATH = "directory_path"


def check_words(site: SiteRecord, host_files: Iterable[str]) -> Iterator[Problem]:
    """Yield an error for each word that is the name of a file or a folder at the root, or another word.

    Upper and lower case do not count: some hosts and file systems take them for the same.
    """
    taken = {_first(path): say("the site has files there") for path in SITE}
    own = site.directory_path.lstrip("/")
    others = (file for file in host_files if not (own and file.startswith(own)))
    taken |= {_first(file): say("the host reads its file `{file}` there", file=file) for file in others}
    words = {"laboratory": site.words.laboratory, "country": site.words.country}
    words |= {"search": site.search_path.strip("/"), DIRECTORY_PATH: _first(site.directory_path)}
    for key, word in words.items():
        if word and (reason := taken.get(word.lower())):
            message = say("`{word}` cannot be the word for addresses: {reason}", word=word, reason=reason)
            place = Place(SETTINGS_FILE, (key,) if key == DIRECTORY_PATH else ("words", key))
            yield Problem("invalid-value", message, place, say("choose another word"))
        taken[word.lower()] = say("`{key}` below [words] is the same", key=key)


def _first(path: str) -> str:
    return path.strip("/").partition("/")[0].lower()
