"""Define the values that all pages of a site share: the template variable `site`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from labgen.api.endpoint import LABORATORIES, Endpoint, links_of
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.model.german import town_slug
from labgen.model.renditions import initials
from labgen.model.settings import LicenseRecord, LinkRecord, SiteRecord
from labgen.model.site_paths import PAGE_FILE, relative
from labgen.problems.hints import did_you_mean
from labgen.problems.text import say
from labgen.render import formats
from labgen.render.feed import FEED_FILE
from labgen.render.frames import formatted
from labgen.render.links import LinkContext, Links
from labgen.render.looks import looks_file
from labgen.render.samples import origin_of
from labgen.render.templates import Templates

FRONT_PAGE = "index.html"
REFERENCE_PAGE = "reference/index.html"
SEARCH_DESCRIPTION = "opensearch.xml"
"""The file name of the OpenSearch 1.1 description, beside the search page."""


class FrameLink(NamedTuple):
    """A link at the head or at the foot of all pages."""

    title: str
    href: str


@dataclass(frozen=True, slots=True)
class SiteValues:
    """The values that all pages share, as templates see them (`site`); they cannot change them."""

    name: str
    language: str
    data_language: str
    base_url: str
    base_path: str
    website_url: str
    root: str
    laboratories: str
    search: str
    noindex: bool
    looks_files: Mapping[str, str]
    looks_style: str
    hero_text: str
    header: tuple[FrameLink, ...]
    footer: tuple[FrameLink, ...]
    license: LicenseRecord | None
    report_to: str
    hosts: HostAbilities
    static_files: Mapping[str, str]
    texts: Mapping[str, str]
    feed: str
    documents: tuple[str, ...]
    public: tuple[str, ...]

    def static(self, name: str) -> str:
        """Return the URL of a static file, as seen from the page. Raises LookupError if there is none."""
        if name not in self.static_files:
            hint = did_you_mean(name, self.static_files)
            raise LookupError(
                say("there is no static file `{name}`", name=name)
                + (say(": {hint}", hint=hint) if hint else "")
            )
        return self.root + quote(self.static_files[name])

    @property
    def data_lang(self) -> Markup:
        """The `lang` attribute of an element with data, if data and page are in different languages."""
        return Markup("" if self.is_of_data else f' lang="{self.data_language}"')  # noqa: S704 - a code

    @property
    def own_lang(self) -> Markup:
        """The `lang` attribute of an element among data with words of the page, if the languages differ."""
        return Markup("" if self.is_of_data else f' lang="{self.language}"')  # noqa: S704 - a code

    @property
    def is_of_data(self) -> bool:
        """Whether page and data have the same language; German of Germany and of Austria count as one."""
        return self.language.partition("-")[0] == self.data_language.partition("-")[0]

    @property
    def logo(self) -> str:
        """The URL of the logo, as seen from the page, or "" if there is none."""
        return self._looks_file("logo")

    @property
    def font(self) -> str:
        """The URL of the font of texts, as seen from the page, or "" if there is none."""
        return self._looks_file("font")

    @property
    def hero_picture(self) -> str:
        """The URL of the picture of the front page, as seen from the page, or "" if there is none."""
        return self._looks_file("hero_picture")

    @property
    def social_picture(self) -> str:
        """The path of the picture for previews below the base path, or "" if there is none."""
        return "/" + self.looks_files["social_picture"] if "social_picture" in self.looks_files else ""

    @property
    def looks(self) -> str:
        """The URL of the stylesheet with the configured colours and font, or "" if there is none."""
        return self.root + self.looks_style if self.looks_style else ""

    def _looks_file(self, setting: str) -> str:
        return self.root + self.looks_files[setting] if setting in self.looks_files else ""

    @property
    def front_page(self) -> str:
        """The URL of the front page, as seen from the page."""
        return self.root + FRONT_PAGE

    @property
    def origin(self) -> Markup:
        """The scheme and host of the URLs in code samples."""
        return origin_of(self.base_url)

    @property
    def index(self) -> str:
        """The name of the file after the path of a public page, on hosts that serve only files."""
        return FRONT_PAGE if self.hosts.document_name else ""

    @property
    def reference(self) -> str:
        """The URL of the reference, as seen from the page."""
        return self.root + REFERENCE_PAGE

    @property
    def list_page(self) -> str:
        """The URL of the page of all laboratories, as seen from the page."""
        return self.laboratories + PAGE_FILE

    @property
    def search_folder(self) -> str:
        """The URL of the folder of the search page, as seen from the page."""
        return self.search.removesuffix(FRONT_PAGE)

    @property
    def search_description(self) -> str:
        """The URL of the OpenSearch description, as seen from the page."""
        return self.search_folder + SEARCH_DESCRIPTION

    def href(self, address: str) -> str:
        """Return the URL for a link, given a URL or path that a keeper wrote; "" if it leads nowhere."""
        return self.surroundings.href(address)

    def number(self, value: Any) -> Any:
        """Format a number in the site's language."""
        return formatted(value, "number", lambda one: formats.number(one, self.texts))

    def date(self, value: Any) -> Any:
        """Format a date of a document in the site's language."""
        return formatted(value, "date", lambda one: formats.date(one, self.texts))

    def rating(self, value: Any) -> Any:
        """Format a laboratory's rating in the site's language, or return a text for no rating."""
        return formatted(value, "rating", lambda one: formats.rating(one, self.texts))

    def stars(self, value: Any) -> Any:
        """Show a rating as stars and as a number, or return a text for no rating."""
        return formatted(value, "stars", lambda one: formats.stars(one, self.texts))

    def prose(self, value: Any) -> Any:
        """Show a text of several paragraphs."""
        return formatted(value, "prose", formats.prose)

    def rich(self, value: Any) -> Any:
        """Show a text with `<sub>` and `<sup>`, and with descriptions that are joined by `;;`."""
        return formatted(value, "rich", formats.rich)

    def bare(self, value: Any) -> Any:
        """Return a URL without its scheme, as people read it."""
        return formatted(value, "bare", formats.bare)

    def slug(self, value: Any) -> Any:
        """Return the fragment of a place on the page of its country."""
        return formatted(value, "slug", town_slug)

    def initials(self, value: Any) -> Any:
        """Return the initials of a laboratory's name, for where it has no picture."""
        return formatted(value, "initials", initials)

    def quoted(self, value: Any) -> Any:
        """Return a value of a query in a URL."""
        return formatted(value, "quoted", lambda one: quote(one, safe=""))

    @property
    def surroundings(self) -> LinkContext:
        """The values on which the links in documents depend."""
        return LinkContext(
            self.base_path, self.website_url, self.laboratories, self.documents, self.public, self.index
        )

    def links_in(self, endpoint: Endpoint) -> Links:
        """Return the links in an endpoint's documents."""
        return Links(links_of(endpoint.document), self.surroundings)


def site_values(
    directory: Directory, templates: Templates, hosts: HostAbilities, path: str = "/"
) -> SiteValues:
    """Return the values that all pages share, with URLs as seen from the page of a path."""
    site = directory.site
    return SiteValues(
        name=site.name,
        language=site.language,
        data_language=site.data_language,
        base_url=site.base_url,
        base_path=site.base_path,
        website_url=site.website_url,
        root=relative("/", path),
        laboratories=relative(LABORATORIES, path),
        search=relative(site.search_path, path) + FRONT_PAGE if site.search.enabled else "",
        noindex=site.noindex,
        looks_files=MappingProxyType(
            {name: quote(templates.static[file][0]) for name, file in site.looks.files.items()}
        ),
        looks_style="".join(looks_file(site.looks, templates.static)),
        hero_text=site.looks.hero_text or "",
        header=tuple(_links(site.looks.header, site)),
        footer=(*_links(site.looks.footer, site), *_footer(site, directory.language.words)),
        license=site.license,
        report_to=_at_website(site.report_to or "", site),
        hosts=hosts,
        static_files=MappingProxyType({name: file for name, (file, _) in templates.static.items()}),
        texts=MappingProxyType(directory.language.words),
        feed=relative("/", path) + FEED_FILE if directory.newest else "",
        documents=tuple(f"/{folder}/" for folder in site.document_folders),
        public=(site.laboratory_path, site.country_path) if site.has_public_pages else (),
    )


def _links(links: Iterable[LinkRecord], site: SiteRecord) -> Iterator[FrameLink]:
    for link in links:
        yield FrameLink(link.title, _at_website(link.href, site))


def _footer(site: SiteRecord, words: Mapping[str, str]) -> Iterator[FrameLink]:
    for name, address in (("imprint", site.imprint), ("privacy", site.privacy), ("report", site.report_to)):
        if address:
            yield FrameLink(words[name], _at_website(address, site))


def _at_website(address: str, site: SiteRecord) -> str:
    """Return a URL that the keeper wrote; a path belongs to the keeper's website, if there is one."""
    return site.website_url + address if address.startswith("/") else address
