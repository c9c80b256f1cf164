"""Keys of data/site.toml that stand in the wrong table."""

import pytest
from conftest import SITE, line

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
