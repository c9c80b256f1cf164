"""Define the settings that people write in data/site.toml, each table as a pydantic model."""

from typing import Annotated, Literal

from pydantic import Field

from labgen.model.records import Record, StatRecord, StatsRecord
from labgen.model.site_paths import DIRECTORY_PATH, document_folders
from labgen.model.values import (
    BasePath,
    BaseUrl,
    Colour,
    DirectoryPath,
    FilledLine,
    ImageFormat,
    LanguageCode,
    Link,
    Target,
    Website,
    Word,
)

_SEARCH_WORDS = {"de": "suche", "fr": "recherche", "it": "ricerca"}
"""The word in the path of the search page, by language; `search` in other languages."""


class WordsRecord(Record):
    """The words in the paths of public pages."""

    laboratory: Word = Field("labor", description="in `/labor/<display_id>/<slug>/`")
    country: Word = Field("land", description="in `/land/<slug>/`")
    search: Word | None = Field(
        None,
        description="in `/suche/`, the page that searches; without it, the word of the language",
    )


class SearchRecord(Record):
    """Settings of the search (labgen/search/README.md)."""

    enabled: bool = Field(True, description="whether builds publish a search index and a page that searches")
    texts: bool = Field(True, description="whether words of free texts (`about`) are found")


class LimitsRecord(Record):
    """Limits: lengths of lists and pages, what a build may remove, and how much is read."""

    limit: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        8, description="the `limit` of all sections: a hint for the display"
    )
    similar_limit: Annotated[int, Field(ge=0, le=100)] = Field(
        8, description="the length of computed lists of similar laboratories"
    )
    page_size: Annotated[int, Field(ge=1, le=1000)] = Field(
        100, description="how many laboratories a page of the list of all of them has"
    )
    new_limit: Annotated[int, Field(ge=0, le=100)] = Field(
        8, description="the length of the list of new laboratories"
    )
    releases: Annotated[int, Field(ge=0, le=100)] = Field(
        3, description="how many releases `labgen publish` keeps at the target, for `--rollback`"
    )
    removed_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        10,
        description="how many percent of the laboratories a build may remove without `--allow-removals`; "
        "five may always go",
    )
    emptied_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        25,
        description="how many percent of the values of a column a build may lose without `--allow-change`; "
        "100: any number, except that they moved",
    )
    changed_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        50, description="how many percent of the values of a column may change at once"
    )
    moved_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        10,
        description="how many percent of the values of a column may stand at other laboratories than before, "
        "or repeat one value",
    )
    highest_rating: Annotated[int, Field(ge=1, le=999_999)] = Field(
        5, description="the highest rating; a higher one is a warning"
    )
    file_megabytes: Annotated[int, Field(ge=1, le=100_000)] = Field(
        128,
        description="the size of a file in `data/`, except `laboratories.jsonl`; "
        "a workbook may be four times as large when it is unpacked, "
        "and the texts of a sheet as large as a file",
    )
    laboratory_megabytes: Annotated[int, Field(ge=1, le=1000)] = Field(
        16,
        description="the size of a laboratory: a file, a line of `laboratories.jsonl`, or a row of a table",
    )
    table_rows: Annotated[int, Field(ge=1, le=100_000_000)] = Field(
        1_048_576, description="how many rows a table has, and how many lines `laboratories.jsonl`"
    )
    file_values: Annotated[int, Field(ge=1000, le=1_000_000_000)] = Field(
        5_000_000,
        description="how many values a file or a table holds: filled cells, entries of lists and objects",
    )
    text_characters: Annotated[int, Field(ge=1000, le=100_000_000)] = Field(
        1_000_000, description="the length of a text"
    )


class TablesRecord(Record):
    """Settings for reading tables."""

    digits: Annotated[int, Field(ge=0, le=64)] = Field(
        0, description="how many digits a display_id in a table has; shorter ones are filled with zeros"
    )


class LinkRecord(Record):
    """A link at the head or at the foot of all pages."""

    title: FilledLine = Field(description="what it says")
    href: Link = Field(description="an address, a path or `mailto:` with an e-mail address")


class LooksRecord(Record):
    """The looks of pages: logo, colours, font, pictures, and links at the head and at the foot."""

    logo: FilledLine | None = Field(
        None, description="a file in `templates/static/`, such as `logo.svg`; the header shows it"
    )
    colour: Colour | None = Field(None, description="of links, such as `#0a569f`")
    dark_colour: Colour | None = Field(None, description="of links where pages are dark, such as `#86bdf7`")
    font: FilledLine | None = Field(
        None, description="a file in `templates/static/`, such as `brand.woff2`; the font of texts"
    )
    hero_text: FilledLine | None = Field(
        None, description="what the front page says first, instead of a sentence with numbers"
    )
    hero_picture: FilledLine | None = Field(
        None, description="a file in `templates/static/`, such as `hero.webp`; the front page begins with it"
    )
    social_picture: FilledLine | None = Field(
        None,
        description="a file in `templates/static/`, of 1200x630 pixels; previews of links show it "
        "for pages without a picture of their own",
    )
    header: list[LinkRecord] = Field(
        [], description="links at the head of all pages: tables with `title` and `href`"
    )
    footer: list[LinkRecord] = Field([], description="links at the foot of all pages, before the others")

    @property
    def files(self) -> dict[str, str]:
        """The static files that are named, by the setting that names them."""
        named = {name: getattr(self, name) for name in ("logo", "font", "hero_picture", "social_picture")}
        return {name: file for name, file in named.items() if file}


class LicenseRecord(Record):
    """The licence of the data."""

    name: FilledLine = Field(description="its name, such as `CC BY 4.0`")
    url: Website | None = Field(None, description="where its text is")


class AcceptRecord(Record):
    """Warnings that the keeper accepts, with the reason."""

    code: FilledLine = Field(description="code of the warnings, such as `markup`; see `labgen explain`")
    files: list[FilledLine] = Field(
        ["*"], description="files in which they are accepted, such as `data/standards.*`"
    )
    rules: list[FilledLine] = Field(
        [],
        description="rules of accreditation that are switched off, such as `dakks`; empty: all of the code",
    )
    reason: FilledLine = Field(description="why, for whoever reads the settings later")


class SiteRecord(Record):
    """The settings in data/site.toml."""

    @classmethod
    def noun(cls) -> str:
        """Return the noun for the settings in messages."""
        return "site's settings"

    name: FilledLine = Field("Laborverzeichnis", description="the name of the directory, as pages show it")
    base_path: BasePath = Field(
        "",
        description="where the site lies below its host, such as `/verzeichnis`; leads all addresses that "
        "labgen makes",
    )
    base_url: BaseUrl = Field(
        "", description="scheme and host, such as `https://api.example.org`; pages show it"
    )
    website_url: BaseUrl = Field(
        "",
        description="scheme and host of the website with the public pages (`/labor/…`, `/land/…`), such as "
        "`https://www.example.org`; links lead to them; empty: labgen publishes them",
    )
    public_pages: bool = Field(
        True,
        description="whether labgen publishes the public pages itself, where no `website_url` names a "
        "website that has them; `false`: an API alone",
    )
    directory_path: DirectoryPath = Field(
        DIRECTORY_PATH,
        description="where the documents lie that labgen proposes beside the API, such as a whole laboratory "
        'in one document; `""`: there are none',
    )
    language: LanguageCode = Field(
        "de",
        description="of pages, error documents and messages: `de`, `en`, `fr`, `it`, or one with a file "
        "of words in `templates/languages/`",
    )
    data_language: LanguageCode = Field(
        "de", description="of names, titles and texts in data/; pages in another language mark them"
    )
    noindex: bool = Field(True, description="whether pages ask search engines to leave them out")
    hosts: list[FilledLine] = Field(
        [], description="the hosts that the site is built for, see `labgen hosts`"
    )
    copies: list[Literal["gz", "br", "zst"]] = Field(
        ["gz"], description="compressed copies for hosts that use them: `gz`, `br`, `zst`"
    )
    packs: list[Literal["laboratories", "pictures"]] = Field(
        [],
        description="what lies in packs, many files in one, on hosts whose function cuts them: "
        "`laboratories` (their documents and pages), `pictures`",
    )
    manifest: bool = Field(
        True,
        description="whether `manifest/` lists the digests of all files, for mirrors and `labgen publish`",
    )
    exports: list[Literal["jsonl", "csv"]] = Field(
        [], description="bulk files in `laboratories-export/`: `jsonl`, `csv`"
    )
    static_files: list[FilledLine] = Field(
        [],
        description="files in `templates/static/` that are published though their names are not those of "
        "files for browsers, such as `style.css.map` or `*.map`",
    )
    license: LicenseRecord | None = Field(
        None,
        description="the licence of the data, which `openapi.json` names: its `name`, and its `url` if any",
    )
    imprint: Target | None = Field(
        None, description="where the imprint is, an address or a path; the footer links it"
    )
    privacy: Target | None = Field(None, description="where the privacy notice is; the footer links it")
    report_to: Link | None = Field(
        None,
        description="where faults of the data or of the API are reported, an address, a path or "
        "`mailto:redaktion@example.org`; pages link it",
    )
    looks: LooksRecord = Field(LooksRecord(), description="how pages look")
    image_format: ImageFormat = Field("webp", description="of the pictures: `webp`, `jpeg` or `png`")
    accept: list[AcceptRecord] = Field(
        [], description="warnings that do not count: tables with `code`, `files`, `rules` and `reason`"
    )
    words: WordsRecord = Field(WordsRecord(), description="words in addresses")
    search: SearchRecord = Field(SearchRecord(), description="what can be searched")
    limits: LimitsRecord = Field(LimitsRecord(), description="how many")
    tables: TablesRecord = Field(TablesRecord(), description="how tables are read")
    sections: dict[str, FilledLine] = Field({}, description="the title of each section, by its name")
    publish: list[FilledLine] = Field(
        [], description="sections that appear though no laboratory has data for them, such as `reviews`"
    )
    deal_statuses: dict[FilledLine, FilledLine] = Field(description="the title of each `deal_status`")
    verification_statuses: dict[FilledLine, FilledLine] = Field(
        description="the title of each `verification_status`"
    )
    stats: StatsRecord = Field(
        StatsRecord(projects=StatRecord()), description="for laboratories without their own"
    )

    @property
    def published_files(self) -> tuple[str, ...]:
        """The static files that the settings name, and patterns of such files."""
        return (*self.static_files, *self.looks.files.values())

    @property
    def document_folders(self) -> tuple[str, ...]:
        """The folders under out/ below which all paths are those of documents."""
        return document_folders(self.directory_path)

    @property
    def has_public_pages(self) -> bool:
        """Whether the public pages of laboratories and countries are a part of the site."""
        return self.public_pages and not self.website_url

    @property
    def laboratory_path(self) -> str:
        """The path below which the public pages of laboratories lie, such as `/labor/`."""
        return f"/{self.words.laboratory}/"

    @property
    def country_path(self) -> str:
        """The path below which the public pages of countries lie, such as `/land/`."""
        return f"/{self.words.country}/"

    @property
    def search_path(self) -> str:
        """The path of the search page below the base path, such as `/suche/`."""
        return f"/{self.words.search or _SEARCH_WORDS.get(self.language, 'search')}/"
