"""Keys of data/site.toml that stand in the wrong table."""

import pytest
from conftest import SITE, line, lines

from labgen.pipeline.check_words import SITE as WRITTEN
from labgen.source.read_settings import load_settings

TOP = "write it above the first [table]"

MISPLACED = [
    ('base_url = "https://a.example"', "unknown-field data/site.toml:7:1 base_url", TOP),
    ("noindex = false", "unknown-field data/site.toml:7:1 noindex", TOP),
    ('hosts = ["nginx"]', "unknown-field data/site.toml:7:1 hosts", TOP),
    ("page_size = 10", "unknown-field data/site.toml:7:1 page_size", "write it below [limits]"),
    ('[limits]\nlanguage = "de"', "unknown-field data/site.toml:8:1 language", TOP),
    ('[sections]\nlanguage = "de"', "unknown-field data/site.toml:8:1 language", TOP),
    ("[words]\nlimit = 8", "unknown-field data/site.toml:8:1 limit", "write it below [limits]"),
    ("[stats.projects]\npublish = []", "unknown-field data/site.toml:8:1 publish", TOP),
    ('[limits]\nlaboratory = "labor"', "unknown-field data/site.toml:8:1 laboratory", "write it below [words]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected", "hint"), MISPLACED)
def test_a_setting_in_the_wrong_table_is_an_error_that_says_where_it_belongs(site, text, expected, hint):
    (found,) = site.file("data/site.toml", f"{SITE}{text}\n").check().problems
    assert (line(found), found.problem.hint) == (expected, hint)


def test_a_setting_of_a_table_at_the_top_is_an_error_that_says_where_it_belongs(site):
    (found,) = site.file("data/site.toml", f"page_size = 10\n{SITE}").check().found
    assert (found.code, found.hint) == ("unknown-field", "write it below [limits]")


def test_a_status_may_have_the_name_of_a_setting_of_another_table(site):
    site.file("data/site.toml", f'{SITE}country = "Land"\n')
    assert site.check().found == []


@pytest.mark.parametrize(("own", "path"), [("", "/suche/"), ('language = "en"\n', "/search/"), ("[words]\nsearch = 'finden'\n", "/finden/")])  # fmt: skip
def test_the_word_of_the_search_is_that_of_the_language_or_of_the_settings(site, own, path):
    text = f"{SITE}{own}" if own.startswith("[") else f"{own}{SITE}"
    settings, _ = load_settings(site.file("data/site.toml", text).root / "data")
    assert settings
    assert settings.search_path == path


@pytest.mark.parametrize("word", ["api", "static", "labor"])
def test_the_search_cannot_have_the_word_of_another_folder(site, word):
    (found,) = site.file("data/site.toml", f'{SITE}[words]\nsearch = "{word}"\n').check().problems
    assert line(found).startswith("invalid-value data/site.toml:8:")


@pytest.mark.parametrize("key", ["laboratory", "country", "search"])
@pytest.mark.parametrize(
    "word", ["api", "media", "static", "manifest", "reference", "laboratories-export", "API", "Static"]
)
def test_a_word_of_addresses_that_is_a_folder_of_the_site_is_an_error_at_its_place(site, key, word):
    site.file("data/site.toml", f'{SITE}[words]\n{key} = "{word}"\n')
    expected = [f'invalid-value data/site.toml:8:{len(key) + 4} "{word}"']
    assert (lines(site.check()), lines(site.build())) == (expected, expected)


@pytest.mark.parametrize(
    ("host", "word", "is_taken"),
    [
        ("cloudflare", "_headers", True),
        ("netlify-rules", "_redirects", True),
        ("netlify-rules", "_HEADERS", True),
        ("nginx", "_headers", False),
        ("files", "search", False),
    ],
)
def test_a_word_that_is_a_file_of_a_host_is_an_error_where_that_host_is_chosen(site, host, word, is_taken):
    site.file("data/site.toml", f'hosts = ["{host}"]\n{SITE}[words]\nsearch = "{word}"\n')
    expected = [f'invalid-value data/site.toml:9:10 "{word}"'] if is_taken else []
    assert [line for line in lines(site.check()) if line.startswith("invalid")] == expected
    outcome = site.build()
    assert [line for line in lines(outcome) if line.startswith("invalid")] == expected
    assert (outcome.written is None) == is_taken


def test_two_words_of_addresses_are_not_the_same(site):
    site.file("data/site.toml", f'{SITE}[words]\nlaboratory = "x"\ncountry = "x"\n')
    (problem,) = site.check().problems
    assert (
        problem.problem.message
        == "`x` cannot be the word for addresses: `laboratory` below [words] is the same"
    )


def test_all_folders_at_the_root_of_a_site_are_known_to_the_check_of_words(site):
    """The check is made of the paths that the code writes to: none is missing. Others are settings."""
    site.file(
        "data/site.toml",
        f'noindex = false\nexports = ["jsonl", "csv"]\nbase_url = "https://a.example"\n{SITE}',
    ).build()
    folders = {path.name for path in site.out.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert folders - {"suche", "search", "directory", "labor", "land"} == {
        path.strip("/").partition("/")[0] for path in WRITTEN
    }
