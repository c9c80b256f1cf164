"""Check the links of laboratories that point into the site itself."""

from collections.abc import Iterator
from functools import cached_property
from posixpath import normpath
from urllib.parse import unquote, urlsplit

from labgen.api.endpoint import LABORATORIES
from labgen.api.sections import PAGED, PER_LABORATORY, PER_SITE, per_laboratory, per_site
from labgen.memory.database import Memory
from labgen.memory.inverted_index import ReferenceKind, keys_of
from labgen.memory.remembered_laboratories import DisplayIds, all_pages, pictures
from labgen.model.catalogues import LINKS
from labgen.model.picture_fields import PICTURE_FIELDS
from labgen.model.record_fields import values_with_pointers
from labgen.model.records import LaboratoryRecord
from labgen.model.renditions import placeholder_path, sizes_of_placeholder
from labgen.model.site_paths import JSON_FILE, MEDIA_PATH, PAGE_FILE
from labgen.model.summaries import SiteLink
from labgen.problems.hints import did_you_mean, nearest
from labgen.problems.problem import short
from labgen.problems.text import say
from labgen.source.shared import SharedData

ASK_FOR_IT = say("`publish` in data/site.toml makes it appear")


def site_links(record: LaboratoryRecord) -> Iterator[SiteLink]:
    """Yield the links of a laboratory that may refer to a document or a picture of the site."""
    for path in LINKS:
        for pointer, address in values_with_pointers(record, path):
            if address.startswith("/") and ("/api/" in address or MEDIA_PATH in address):
                yield SiteLink(address, "/".join(map(str, pointer)))


class SiteAddresses:
    """The paths that the site publishes below `/api/` and `/media/`."""

    def __init__(self, shared: SharedData, memory: Memory) -> None:
        self.directory = shared.directory
        self.base_path = self.directory.site.base_path
        self.laboratories = DisplayIds(memory)
        self.memory = memory
        self.segments = tuple(one.segment for one in per_laboratory(self.directory))
        pages = all_pages(memory, self.directory.site.limits.page_size)
        self.once = {one.path for one in per_site(self.directory)}
        self.once |= {one.path_for(number) for one in PAGED for number in pages}
        self.missing = {one.path for one in PER_SITE} - {one.path for one in per_site(self.directory)}

    def dead_link_hint(self, address: str) -> str | None:
        """Return a hint for a dead link, "" if there is no hint; None if the link is not dead."""
        path = unquote(urlsplit(address).path)
        path = normpath(path) + "/" * path.endswith("/")
        inside = path.removeprefix(self.base_path)
        if self.base_path and not path.startswith(f"{self.base_path}/"):
            is_meant = path.startswith(("/api/", MEDIA_PATH))
            return (
                say("the site lies below {base_path}: begin with that", base_path=self.base_path)
                if is_meant
                else None
            )
        if inside.startswith(MEDIA_PATH):
            return None if inside in self.media else say("the address of a picture changes with the picture")
        return self._of_document(inside) if inside.startswith("/api/") else None

    def _of_document(self, path: str) -> str | None:
        folder = path.removesuffix(JSON_FILE).removesuffix(PAGE_FILE).rstrip("/") + "/"
        if folder in self.missing:
            return ASK_FOR_IT
        if folder in self.once:
            return None
        display_id, _, segment = folder.removeprefix(LABORATORIES).rstrip("/").partition("/")
        if not folder.startswith(LABORATORIES) or not display_id.isdecimal():
            return ""
        if display_id not in self.laboratories:
            near = nearest(display_id, self.laboratories)
            unknown = say("there is no laboratory {display_id}", display_id=short(display_id))
            return say('did you mean the laboratory "{near}"?', near=near) if near else unknown
        if segment in self.segments:
            return None
        is_optional = any(one.segment == segment for one in PER_LABORATORY)
        return ASK_FOR_IT if is_optional else did_you_mean(segment, self.segments)

    @cached_property
    def media(self) -> frozenset[str]:
        """The paths of all pictures, in all sizes."""
        renditions = self.directory.renditions
        keys = map(sizes_of_placeholder, keys_of(self.memory, ReferenceKind.PLACEHOLDER))
        drawn = {placeholder_path(letters, size) for letters, sizes in keys for size in sizes}
        return frozenset(drawn).union(
            renditions.path(one, size)
            for one in pictures(self.memory)
            for size in PICTURE_FIELDS[one.use].declared.sizes
        )
