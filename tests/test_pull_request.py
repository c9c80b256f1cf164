"""In a pull request on GitHub, `labgen build --format github --changes-from OLD` says in one comment what is wrong and what would change."""

import json
import re

import pytest
from conftest import ALPHA, BETA, Project
from github import PULL_REQUEST, REPOSITORY, github

from labgen.cli.pull_request import write_comment
from labgen.report.markdown import cell, cell_with_code

COMMAND = ("build", "--format", "github", "--changes-from", "before")


@pytest.fixture
def hub():
    with github() as state:
        yield state


@pytest.fixture
def request_(site, run, hub, monkeypatch, tmp_path_factory):
    """A job of a pull request, whose project before the change lies in `before`."""
    folder = tmp_path_factory.mktemp("job")
    (folder / "event.json").write_text(json.dumps({"pull_request": {"number": PULL_REQUEST}}))
    for name, value in {
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_API_URL": hub.address,
        "GITHUB_TOKEN": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    (site.root / "before").mkdir()
    Project(site.root / "before").sound().write(laboratories=[ALPHA, BETA])
    site.write(laboratories=[ALPHA, BETA])
    return folder / "summary.md"


def test_the_comment_says_what_would_be_published_and_so_does_the_summary(request_, run, site, hub):
    site.write(laboratories=[ALPHA | {"name": "Alpha Neu"}, BETA])
    assert run(*COMMAND).exit_code == 0
    (comment,) = hub.comments
    assert comment["body"] == "<!-- labgen -->\n" + request_.read_text()
    assert "### labgen: no problems" in comment["body"]
    assert "1 laboratory changed, 0 added, 0 removed; nothing is breaking." in comment["body"]


def test_a_second_push_replaces_the_comment_also_behind_a_hundred_others(request_, run, site, hub):
    for number in range(150):
        hub.comment(f"{number}", "somebody")
    run(*COMMAND)
    site.write(laboratories=[ALPHA])
    run(*COMMAND)
    (own,) = hub.comments[150:]
    assert "0 laboratories changed, 0 added, 1 removed" in own["body"]


def test_a_comment_of_somebody_else_is_not_replaced_though_it_begins_alike(request_, run, hub):
    hub.comment("<!-- labgen -->", "somebody")
    run(*COMMAND)
    assert [one["user"]["login"] for one in hub.comments] == ["somebody", "github-actions[bot]"]
    assert hub.comments[0]["body"] == "<!-- labgen -->"


def test_a_comment_whose_author_is_gone_is_passed_over(request_, run, hub):
    hub.comments.append({"id": 1, "user": None, "body": None})
    run(*COMMAND)
    assert [one["user"] for one in hub.comments] == [None, {"login": "github-actions[bot]"}]


def test_errors_are_in_the_comment_with_their_place_and_nothing_is_said_to_be_published(
    request_, run, site, hub
):
    site.write(laboratories=[ALPHA | {"country": "ta"}, BETA])
    assert run(*COMMAND).exit_code == 1
    (comment,) = hub.comments
    assert "Nothing is published until the errors are corrected." in comment["body"]
    assert re.search(
        r'\| ❌ error \| `data/laboratories/00001.json:\d+:\d+` \| `country` names "ta"', comment["body"]
    )
    assert comment["body"].endswith("What would be published is shown when the errors are corrected.\n")


def test_what_breaks_clients_is_told_first_and_fails_the_job_where_asked(request_, run, site, hub):
    site.write(laboratories=[ALPHA])
    assert run(*COMMAND).exit_code == 0
    assert run(*COMMAND, "--fail-on", "breaking").exit_code == 3
    (comment,) = hub.comments
    titles = re.findall(r"^#+ .*", comment["body"], re.MULTILINE)
    assert titles[1:3] == ["### What would be published", "#### ⚠️ Breaking"]
    assert "the laboratory is no longer there, `laboratory-gone`" in comment["body"]


def test_a_change_that_corrects_what_is_published_is_no_failure(request_, run, site, hub):
    Project(site.root / "before").write(laboratories=[ALPHA | {"country": "ta"}])
    assert run(*COMMAND).exit_code == 0
    (site.root / "before/data").rename(
        site.root / "before/other"
    )  # the first pull request, into an empty repository
    assert run(*COMMAND).exit_code == 0
    (comment,) = hub.comments
    assert "What would change cannot be shown" in comment["body"]


def test_what_was_there_before_is_not_judged_as_the_change_is(request_, run, site, hub):
    Project(site.root / "before").write(laboratories=[ALPHA | {"name": "<b>Alpha</b>"}, BETA])
    assert run(*COMMAND, "--strict").exit_code == 0
    (comment,) = hub.comments
    assert "1 laboratory changed" in comment["body"]


def test_a_token_that_may_only_read_leaves_the_summary(request_, run, hub):
    hub.is_read_only = True
    result = run(*COMMAND)
    assert result.exit_code == 0
    assert "note: the pull request gets no comment: HTTP Error 403: Forbidden" in result.stderr
    assert "nothing would change" in request_.read_text()


def test_a_push_gets_no_comment(request_, run, hub, monkeypatch, tmp_path):
    (tmp_path / "push.json").write_text('{"ref": "refs/heads/main"}')
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "push.json"))
    assert run(*COMMAND).exit_code == 0
    assert hub.comments == []
    assert "nothing would change" in request_.read_text()


def test_a_long_comment_is_cut_at_a_line_and_says_where_the_rest_is(request_, run, site, hub):
    write_comment("| a row |\n" * 20_000)
    (comment,) = hub.comments
    assert len(comment["body"]) <= 65_536
    assert comment["body"].endswith("|\n\nThe summary of the job shows the rest.\n")


def test_elsewhere_the_changes_are_text(request_, run, site):
    site.write(laboratories=[ALPHA])
    result = run("build", "--changes-from", "before")
    assert "breaking: 00002: removed" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [("--format", "json", "--changes-from", "before"), ("--dry-run", "--changes-from", "before")],
)
def test_changes_are_not_shown_in_forms_that_have_no_place_for_them(request_, run, arguments):
    assert run("build", *arguments).exit_code == 2


HOSTILE = ["[x](https://evil.example)", "![x](//evil.example/1.png)", "@everyone", "#12", "<img src=x>", "a|b", "`| x", "**x**", "~~x~~", "\\|", "https://evil.example", "www.evil.example", "<!-- x", "&lt;b>"]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("show", [cell, cell_with_code])
def test_no_value_is_markup_a_mention_or_a_link(value, show):
    from markdown_it import MarkdownIt

    table = f"| a | b |\n|---|---|\n| {show(value)} | 2 |\n"
    html = MarkdownIt("commonmark").enable("table").enable("strikethrough").render(table)
    assert "<td>2</td>" in html
    shown = re.search("<td>(.*?)</td>", html)[1]  # type: ignore[index]
    plain = shown.replace("\u200b", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert plain.removeprefix("<code>").removesuffix("</code>") == value
    assert not re.search(r"@\w|#\w|://|www\.", shown)


def test_names_in_backticks_stay_code_and_values_between_them_do_not():
    assert cell_with_code('`country` names "*x*"') == '`country` names "\\*x\\*"'
    assert cell_with_code('`a` names "`[x](y)`"') == '`a` names "`[x](y)`"'
    assert cell_with_code("`a|b` is wrong") == "\\`a\\|b\\` is wrong"
