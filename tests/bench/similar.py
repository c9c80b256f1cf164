"""Measures computed lists of similar laboratories: whom they leave out, and how similar those are whom they show.

    python tests/bench/similar.py PROJECT [--sample 300]

Prints how many laboratories are in no list, which share of all places the largest hundredth fills, and how similar
the listed ones are (cosine of the sets of facets), as a share of the best that a list could have; of a sample.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from labgen.memory.database import open_empty
from labgen.memory.remembered_laboratories import display_ids, listings
from labgen.memory.similar_index import index_of
from labgen.pipeline.load_data import load
from labgen.pipeline.rebuild import compare_files
from labgen.similar.similarity import similar_to
from labgen.system.input_files import find_inputs

LIMIT = 8


def lists_and_facets(root: Path) -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[int]]]:
    """Compute the lists of all laboratories, and return them with what laboratories have."""
    with open_empty(None) as memory:
        load(root, compare_files(find_inputs(root), {}), memory)
        some = listings(memory, "display_id", display_ids(memory))
        index = index_of(memory, is_whole=True)
        lists = {name: similar_to(one.number, one.traits, index, LIMIT) for name, one in some.items()}
        shown = {name: one.display_ids for name, one in lists.items()}
        return shown, {name: frozenset(one.traits.facets) for name, one in some.items()}


def cosine(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the similarity of two sets."""
    return len(one & other) / ((len(one) * len(other)) ** 0.5 or 1)


def quality(name: str, listed: Sequence[str], facets: Mapping[str, frozenset[int]]) -> float:
    """Return the similarity of those in a list, as a share of the best."""
    all_of_them = sorted(
        (cosine(facets[name], own) for other, own in facets.items() if other != name), reverse=True
    )
    return sum(cosine(facets[name], facets[one]) for one in listed) / sum(all_of_them[: len(listed)])


def main() -> None:
    """Measure a project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--sample", type=int, default=300)
    asked = parser.parse_args()
    shown, facets = lists_and_facets(asked.project.resolve())
    places = Counter(one for listed in shown.values() for one in listed)
    largest = sorted(facets, key=lambda name: -len(facets[name]))[: max(1, len(facets) // 100)]
    with_list = [name for name in sorted(shown) if shown[name]]
    sample = with_list[:: max(1, len(with_list) // asked.sample)]
    print(f"{len(shown):,} laboratories, {len(with_list):,} with a list")
    print(f"in no list: {len(shown.keys() - places.keys()):,}")
    print(f"places of the largest {len(largest)}: {sum(places[one] for one in largest) / places.total():.1%}")
    print(
        f"similarity, as a share of the best: {fmean(quality(one, shown[one], facets) for one in sample):.2f}"
    )


if __name__ == "__main__":
    main()
