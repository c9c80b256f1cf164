"""Compares how two checkouts read the designations of titles and of queries, before a change is merged.

    python tests/bench/compare_terms.py OLD NEW titles.txt [queries.txt]

A line is a title, or queries with `|` between them. Prints each title with the terms that it lost (-) and
gained (+), and each query that finds other titles than before, with how many; losses first.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_plus


class Found(NamedTuple):
    """What a checkout makes of titles and queries: the terms of each title, the titles that each query finds."""

    terms: dict[str, list[str]]
    titles: dict[str, list[str]]


def lines(file: Path | None) -> list[str]:
    """Return the lines of a file that are not empty, each once."""
    return list(dict.fromkeys(filter(str.strip, file.read_text("utf-8").splitlines()))) if file else []


def found_by(checkout: Path, titles: list[str], queries: list[str]) -> Found:
    """Return what a checkout finds, asked in a process of its own."""
    paths = os.pathsep.join(map(str, (checkout.resolve(), checkout.resolve() / "tests")))
    command, asked = [sys.executable, __file__], json.dumps([titles, queries])
    run = subprocess.run(
        command,
        input=asked,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    return Found(*json.loads(run.stdout))


def find(titles: list[str], queries: list[str]) -> Found:
    """Return what the checkout in `PYTHONPATH` finds, in laboratories of which each has one of the titles."""
    from test_search import index_files, record

    from labgen.search import Search
    from labgen.search.words import text_terms
    from labgen.search_index.index_input import Facet, IndexSettings, Value

    entries = {str(number): Value(one, one, number) for number, one in enumerate(titles)}
    own = {"de": Value("Deutschland")}, {"true": Value("ja"), "false": Value("nein")}
    facets = [
        Facet("standards", "tests__in", "Normen", entries),
        Facet("country", "country", "Land", own[0]),
        Facet("is_verified", "is_verified", "Verifiziert", own[1]),
    ]
    records = [record(f"{number:06}", standards=[str(number)]) for number in range(len(titles))]
    search = Search(index_files(facets, records, IndexSettings("/", len(titles), "")).get)
    cards = {one: search("q=" + quote_plus(one)).document["results"] for one in queries}
    return Found(
        {one: sorted(text_terms(one)) for one in titles},
        {one: sorted(titles[int(card["display_id"])] for card in some) for one, some in cards.items()},
    )


def compare(old: dict[str, list[str]], new: dict[str, list[str]]) -> list[tuple[str, list[str], list[str]]]:
    """Return what each key lost and gained where these differ: those that lost most first."""
    both = ((one, sorted({*old[one]} - {*new[one]}), sorted({*new[one]} - {*old[one]})) for one in old)
    return sorted(filter(lambda one: one[1] or one[2], both), key=lambda one: (-len(one[1]), len(one[2])))


def show(old: Found, new: Found) -> None:
    """Print the differences, and how many there are."""
    titles, queries = compare(old.terms, new.terms), compare(old.titles, new.titles)
    for title, lost, gained in titles:
        print(title, *(f"  - {one}" for one in lost), *(f"  + {one}" for one in gained), sep="\n")
    for query, lost, gained in queries:
        print(f"{query}: {len(old.titles[query])} -> {len(new.titles[query])}")
        print(*(f"  - {one}" for one in lost[:5]), *(f"  + {one}" for one in gained[:5]), sep="\n")
    print(f"{len(titles)} of {len(old.terms)} titles and {len(queries)} of {len(old.titles)} queries differ")


def main() -> None:
    """Read the options, and compare; without options, answer a question of the comparison."""
    if len(sys.argv) == 1:
        print(json.dumps(find(*json.load(sys.stdin))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("titles", type=Path)
    parser.add_argument("queries", type=Path, nargs="?")
    options = parser.parse_args()
    titles = lines(options.titles)
    queries = [query.strip() for line in lines(options.queries) for query in line.split("|") if query.strip()]
    show(*(found_by(one, titles, queries) for one in (options.old, options.new)))


if __name__ == "__main__":
    main()
