"""Render the public page of a laboratory: its record, and each of its sections that has entries.

What people see of a document is rendered by its own template (`view-<endpoint>.html`), entries that
laboratories share once for all of them; a page joins the results. The view of the laboratory is all of the
page's content: it outputs marks, in whose place the sections are put.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from markupsafe import Markup

from labgen.api.document_parts import image_path, website_path
from labgen.api.endpoint import ROOT, PerLaboratory
from labgen.api.sections import per_laboratory
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory, Laboratory
from labgen.model.picture_fields import picture_named
from labgen.model.pictures import LARGE
from labgen.model.site_paths import JSON_FILE, folder_of
from labgen.render.formats import counted, number
from labgen.render.frames import Frame, Slot, html, make_frame
from labgen.render.items import View
from labgen.render.metadata import Crumb, Metadata, breadcrumbs, json_ld, organization
from labgen.render.site_values import FRONT_PAGE, SiteValues, site_values
from labgen.render.templates import Templates

PAGE = "laboratory.html"
SECTION, GROUP, ENTRY = "section.html", "group.html", "contents-entry.html"
FACET = "view-facet.html"
"""The view of an entry of a catalogue, for sections without a view of their own."""
ORDER = (
    "gallery", "accreditations", "certifications", "test_categories", "test_methods", "material_categories",
    "materials", "standards", "equipments", "resources", "landings_links", "job_listings", "reviews",
)  # fmt: skip
"""The sections in the order of the page; others follow, and similar laboratories are last."""
LAST = "similar_labs"
OPEN = 30
"""The number of entries of a section that are shown at first."""
LONGEST_DESCRIPTION = 200
_PUBLISHER = re.compile(r"(?:[A-ZÄÖÜ][A-ZÄÖÜ/&-]*[ /-]+)+(?=\S*[0-9])")
MARKS = {
    name: Markup(f"<!--{name}-->")  # noqa: S704 - no text of data
    for name in ("contents", "sections", "similar", "reviews")
}
"""The places in the view of a laboratory for its sections; no text of a record becomes such a comment."""
_MARK = re.compile(rb"<!--(contents|sections|similar|reviews)-->")


class Section(NamedTuple):
    """A section of a page, as its template sees it (`section`): texts, or slots for them."""

    name: str
    title: str
    count: Any
    entries: Any
    has_filter: bool = False
    is_divided: bool = False


class Group(NamedTuple):
    """Entries of a section, as their template sees them (`group`); `rest` are those that are folded at first.

    Without a `name`, they are the whole section.
    """

    name: Any
    count: Any
    entries: Any
    rest: Any
    rest_count: Any
    is_open: bool


class PublicPage(NamedTuple):
    """The values that are specific to a laboratory's page, as its template sees them (`page`)."""

    title: Any
    display_id: Any


@cache
def publisher(title: str) -> str:
    """Return the publishers in the designation of a standard, such as `DIN EN ISO`; "" if there are none."""
    found = _PUBLISHER.match(title)
    return found[0].strip(" /-") if found else ""


def view_of(endpoint: PerLaboratory, templates: Templates, site: SiteValues, name: str) -> View | None:
    """Return the view of an endpoint's documents, or of items; `name` is what the template calls them."""
    template = f"view-{endpoint.name}.html"
    if not templates.has(template):
        if not endpoint.search_arg:
            return None
        template = FACET
    variables: dict[str, Any] = {"site": site}
    if endpoint.search_arg:
        variables["search_arg"] = endpoint.search_arg
    return View(templates, template, variables | MARKS if endpoint.name == ROOT else variables, name)


class SectionPart:
    """Renders a section of the public pages: its entry in the contents, its heading, and its entries."""

    def __init__(
        self, endpoint: PerLaboratory, directory: Directory, templates: Templates, site: SiteValues
    ) -> None:
        self.endpoint = endpoint
        self.name = endpoint.name
        self.title = endpoint.title_in(directory)
        self.titles = directory.catalogues["standards"] if endpoint.name == "standards" else None
        self.templates = templates
        self.site = site
        self.texts = directory.language.words
        self.frame = cache(self._frame)
        self.group_frame = cache(self._group_frame)

    def entry(self, count: int) -> bytes:
        """Return the entry of a section with so many entries in the contents."""
        return self._shown(ENTRY, count, b"", is_divided=False)

    def section(self, count: int, lab: Laboratory, views: Sequence[bytes]) -> bytes:
        """Return the section of a laboratory; entries of catalogues are in groups."""
        if not self.endpoint.search_arg:
            return self._shown(SECTION, count, b"".join(views), is_divided=False)
        groups = self._groups(lab, views)
        entries = b"".join([self._group(*one) for one in groups])
        return self._shown(SECTION, count, entries, is_divided=bool(groups[0][0]))

    def _shown(self, template: str, count: int, entries: bytes, *, is_divided: bool) -> bytes:
        shown, frame = number(count, self.texts), self.frame(template, is_divided)
        if frame:
            return frame.fill({"count": html(shown), "entries": entries})
        section = self._values(shown, Markup(entries.decode()), is_divided)  # noqa: S704 - already escaped
        return self.templates.render(template, self.name, site=self.site, section=section)

    def _frame(self, template: str, is_divided: bool) -> Frame | None:
        section = self._values(Slot("count"), Slot("entries"), is_divided)
        return make_frame(self.templates.frames, template, {"site": self.site, "section": section})

    def _values(self, count: Any, entries: Any, is_divided: bool) -> Section:
        return Section(self.name, self.title, count, entries, is_divided, is_divided)

    def _groups(self, lab: Laboratory, views: Sequence[bytes]) -> list[tuple[str, Sequence[bytes], bool]]:
        """Divide a long list of standards by their publishers, the commonest first; return what is open."""
        if self.titles is None or len(views) <= OPEN:
            return [("", views, True)]
        found: defaultdict[str, list[bytes]] = defaultdict(list)
        for one, view in zip(lab.record.standards, views, strict=True):
            found[publisher(self.titles[one].title)].append(view)
        ranked = sorted(found.items(), key=lambda one: (one[0] == "", -len(one[1]), one[0]))
        before = [0, *accumulate(len(some) for _, some in ranked)]
        return [
            (name or self.texts["other_publishers"], some, start == 0 or start + len(some) <= OPEN)
            for (name, some), start in zip(ranked, before, strict=False)
        ]

    def _group(self, name: str, some: Sequence[bytes], is_open: bool) -> bytes:
        """Return a group of entries; of an open one, the first are shown at once."""
        rest = some[OPEN:] if is_open else ()
        values = {
            "name": html(name),
            "count": html(number(len(some), self.texts)),
            "entries": b"".join(some[: len(some) - len(rest)]),
            "rest": b"".join(rest),
            "rest_count": html(number(len(rest), self.texts)),
        }
        frame = self.group_frame(bool(name), bool(rest), is_open)
        if frame:
            return frame.fill(values)
        texts = {one: Markup(data.decode()) for one, data in values.items()}  # noqa: S704 - already escaped
        group = Group(**texts, is_open=is_open)
        section = self._values("", "", bool(name))
        return self.templates.render(GROUP, self.name, site=self.site, section=section, group=group)

    def _group_frame(self, has_name: bool, has_rest: bool, is_open: bool) -> Frame | None:
        name = Slot("name", is_filled=True) if has_name else ""
        rest = Slot("rest", is_filled=True) if has_rest else ""
        group = Group(name, Slot("count"), Slot("entries"), rest, Slot("rest_count"), is_open)
        variables = {"site": self.site, "section": self._values("", "", has_name), "group": group}
        return make_frame(self.templates.frames, GROUP, variables)


class PublicPages:
    """Renders the public pages of laboratories, from the views of their documents."""

    def __init__(self, directory: Directory, templates: Templates, hosts: HostAbilities) -> None:
        self.directory = directory
        self.templates = templates
        self.texts = directory.language.words
        self.path = f"{directory.site.laboratory_path}1/1/"
        self.site = site_values(directory, templates, hosts, self.path)
        ranks = {name: at for at, name in enumerate(ORDER)}
        some = [one for one in per_laboratory(directory) if one.count]
        some.sort(key=lambda one: (one.name == LAST, ranks.get(one.name, len(ranks))))
        self.sections = [SectionPart(one, directory, templates, self.site) for one in some]
        self.frame = cache(self._frame)

    def view(self, endpoint: PerLaboratory, name: str) -> View | None:
        """Return the view of an endpoint's documents or items on a public page."""
        return view_of(endpoint, self.templates, self.site, name)

    def folder_for(self, display_id: str) -> str:
        """Return the folder of a laboratory's page under out/."""
        return folder_of(f"{self.directory.site.laboratory_path}{display_id}/")

    def files(self, lab: Laboratory, views: Mapping[str, Sequence[bytes]]) -> dict[str, bytes]:
        """Return the page by its name below the laboratory's folder; `views` are those of its documents.

        A document has one view, or one for each of its items.
        """
        counted = [(one, one.endpoint.count(lab)) for one in self.sections if one.endpoint.count]
        shown = [(one, count) for one, count in counted if count and one.name in views]
        made = {one.name: one.section(count, lab, views[one.name]) for one, count in shown}
        similar = made.pop(LAST, b"")
        parts = {
            b"contents": b"".join([one.entry(count) for one, count in shown if one.name != LAST]),
            b"sections": b"".join(made.values()),
            b"similar": similar,
            b"reviews": self._review_count(sum(count for one, count in shown if one.name == "reviews")),
        }
        pieces = _MARK.split(b"".join(views[ROOT]))
        pieces[1::2] = [parts[name] for name in pieces[1::2]]
        return {f"{lab.slug}/{FRONT_PAGE}": self._page(lab, b"".join(pieces))}

    def _page(self, lab: Laboratory, view: bytes) -> bytes:
        directory, record = self.directory, lab.record
        path = website_path(lab, directory).removeprefix(directory.site.base_path)
        image = record.gallery[0] if record.gallery else None
        shown = image_path(picture_named(image, "gallery", record), LARGE, directory) if image else ""
        values = {
            "title": ", ".join(filter(None, (record.name, record.locality))),
            "description": self._description(lab),
            "path": path,
            "display_id": lab.display_id,
            "document": f"{self.site.laboratories}{lab.display_id}/{JSON_FILE}",
            "image": shown,
        }
        data = b"" if self.site.noindex else self._data(lab, path)
        frame = self.frame(bool(shown))
        if frame:
            return frame.fill(
                {name: html(text) for name, text in values.items()} | {"view": view, "data": data}
            )
        page, meta = self._page_values(values, Markup(data.decode()))  # noqa: S704 - escaped
        content = Markup(view.decode())  # noqa: S704 - already escaped
        return self.templates.render(PAGE, path, site=self.site, page=page, meta=meta, view=content)

    def _frame(self, has_image: bool) -> Frame | None:
        names = ("title", "description", "path", "display_id", "document", *(["image"] if has_image else []))
        slots: Mapping[str, Any] = defaultdict(str, {name: Slot(name, is_filled=True) for name in names})
        page, meta = self._page_values(slots, Slot("data", is_filled=not self.site.noindex))
        variables = {"site": self.site, "page": page, "meta": meta, "view": Slot("view")}
        return make_frame(self.templates.frames, PAGE, variables)

    def _page_values(self, values: Mapping[str, Any], data: Any) -> tuple[PublicPage, Metadata]:
        meta = Metadata(
            values["title"],
            values["description"],
            values["path"],
            "",
            values["document"],
            data,
            values["image"],
        )
        return PublicPage(values["title"], values["display_id"]), meta

    def _description(self, lab: Laboratory) -> str:
        """Return a sentence or two about the laboratory: the beginning of its text, or where it is."""
        about = " ".join(lab.record.about.split())
        if len(about) > LONGEST_DESCRIPTION:
            about = about[:LONGEST_DESCRIPTION].rpartition(" ")[0] + " …"
        country = self.directory.countries[lab.record.country].name
        return about or ", ".join(filter(None, (lab.record.name, lab.record.locality, country)))

    def _data(self, lab: Laboratory, path: str) -> bytes:
        """Return JSON-LD: the laboratory as an organization, and the way to its page."""
        country = self.directory.countries[lab.record.country]
        crumbs = [Crumb(self.directory.site.name, "/")]
        if country.slug:
            crumbs.append(Crumb(country.name, f"{self.directory.site.country_path}{country.slug}/"))
        crumbs.append(Crumb(lab.record.name, path))
        return json_ld(breadcrumbs(crumbs, self.directory), organization(lab, self.directory))

    def _review_count(self, count: int) -> bytes:
        if not count:
            return b""
        return b'<a href="#reviews">%b</a>' % html(counted(count, "review", self.texts))
