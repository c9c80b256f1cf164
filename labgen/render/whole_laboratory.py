"""Put the documents of a laboratory's sections together to one document, from their bytes."""

from collections.abc import Mapping
from dataclasses import replace

from labgen.api.endpoint import PerLaboratory
from labgen.api.proposed import Whole
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory, Laboratory, Neighbours
from labgen.model.site_paths import JSON_FILE, PAGE_FILE, file_of, folder_of, relative
from labgen.render.pages import (
    LaboratoryPages,
    LaboratoryValues,
    NavigationLink,
    Page,
    Put,
    Variant,
)
from labgen.render.templates import Templates


class WholePages(LaboratoryPages):
    """Renders pages of whole laboratories: each leads to the pages of the sections, which show the parts.

    Search engines leave them out.
    """

    def __init__(
        self, endpoint: Whole, directory: Directory, templates: Templates, hosts: HostAbilities
    ) -> None:
        super().__init__(endpoint, directory, templates, hosts)
        self.site = replace(self.site, noindex=True)
        self.records = relative(endpoint.sections[0].path_for("1"), endpoint.path_for("1")).removesuffix("1/")
        self.path = endpoint.path

    def page(self, put: Put, variant: Variant) -> Page:
        """Return a page as the template sees it; `put` makes its texts or slots."""
        page = super().page(put, variant)
        name = NavigationLink(put("name", "", ""))  # the navigation links the record
        trail = (
            page.breadcrumbs[0],
            NavigationLink(self.texts["laboratories"], self.records + PAGE_FILE),
            name,
        )
        return replace(
            page,
            is_joined=True,
            path=put("display_id", self.path, "/"),
            breadcrumbs=(*trail, NavigationLink(self.title, is_current=True)),
            previous=_beside(page.previous, put("previous", "../", f"/{PAGE_FILE}")),
            next=_beside(page.next, put("next", "../", f"/{PAGE_FILE}")),
        )

    def href(self, sibling: PerLaboratory, put: Put) -> object:
        """Return the URL of the page of a section."""
        return put("display_id", self.records, f"/{file_of(sibling.segment, PAGE_FILE)}")


def _beside(link: NavigationLink | None, href: object) -> NavigationLink | None:
    return link._replace(href=href) if link else None


class WholeRenderer:
    """Renders whole laboratories from the files of their sections."""

    def __init__(
        self, endpoint: Whole, directory: Directory, templates: Templates, hosts: HostAbilities
    ) -> None:
        self.endpoint = endpoint
        self.texts = directory.language.words
        self.pages = WholePages(endpoint, directory, templates, hosts)
        self.parts = [(one.name.encode(), file_of(one.segment, JSON_FILE)) for one in endpoint.sections]

    def files(self, laboratory: Laboratory, beside: Neighbours, own: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the files of a whole laboratory by their names; `own` are those of its sections."""
        documents = [(name, own[file]) for name, file in self.parts]
        values = LaboratoryValues(laboratory, beside, self.endpoint.sections, self.texts)
        return {
            JSON_FILE: b"{%b}" % b",".join([b'"%b":%b' % one for one in documents]),
            PAGE_FILE: self.pages.render(laboratory, b"", values),
        }

    def folder_for(self, display_id: str) -> str:
        """Return the folder of a laboratory's files under out/."""
        return folder_of(self.endpoint.path_for(display_id))
