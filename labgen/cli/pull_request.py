"""Write the one comment in which a pull request on GitHub says what it changes."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from labgen.problems.text import say
from labgen.report.text import echo
from labgen.report.translate import translate

MARK = "<!-- labgen -->"
"""The first line of the comment, by which it is found again; it is not shown."""
AUTHOR = "github-actions[bot]"
"""Who writes with the token of a job. Comments of others are not changed."""
LONGEST = 65_000
"""Characters of a comment. GitHub takes 65,536."""
SECONDS = 30.0
PER_PAGE = 100


def write_comment(text: str) -> None:
    """Write the comment of the pull request that this job runs for, or replace the one that is there.

    Without GITHUB_TOKEN, or outside of a pull request, nothing is written. A token that may only read, as in
    pull requests from forks, is no failure: the job summary says the same.
    """
    token, number = os.environ.get("GITHUB_TOKEN"), _pull_request()
    if not token or number is None:
        return
    repository = f"{os.environ.get('GITHUB_API_URL')}/repos/{os.environ.get('GITHUB_REPOSITORY')}"
    body = {"body": _fitting(f"{MARK}\n{text}")}
    try:
        comments = f"{repository}/issues/{number}/comments"
        own = _own_comment(comments, token)
        if own is None:
            _ask("POST", comments, token, body)
        else:
            _ask("PATCH", f"{repository}/issues/comments/{own}", token, body)
    except (OSError, ValueError, TypeError, KeyError) as error:
        echo(say("note: the pull request gets no comment: {reason}", reason=str(error)), err=True)


def _pull_request() -> int | None:
    """Return the number of the pull request that started this job."""
    try:
        event = json.loads(Path(os.environ.get("GITHUB_EVENT_PATH", "")).read_bytes())
        return int(event["pull_request"]["number"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _own_comment(comments: str, token: str) -> int | None:
    """Return the id of the comment that an earlier job wrote."""
    page = 1
    while found := _ask("GET", f"{comments}?per_page={PER_PAGE}&page={page}", token):
        for one in found:
            if one["user"] and one["user"]["login"] == AUTHOR and (one["body"] or "").startswith(MARK):
                return int(one["id"])
        page += 1
    return None


def _ask(method: str, url: str, token: str, body: dict[str, str] | None = None) -> Any:
    """Return the answer of GitHub's API. Raises OSError where it refuses, and ValueError."""
    fields = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "labgen",
    }
    data = json.dumps(body).encode() if body else None
    request = Request(url, data, fields, method=method)  # noqa: S310 - the address of the API is from GitHub
    with urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
        return json.load(answer)


def _fitting(text: str) -> str:
    """Return a text that fits into a comment: whole lines, and where the others are."""
    if len(text) <= LONGEST:
        return text
    whole = text[:LONGEST].rpartition("\n")[0]
    return f"{whole}\n\n{translate(say('The summary of the job shows the rest.'))}\n"
