"""Format the result of an import from a service: what was not imported unchanged, and the verification."""

from collections.abc import Iterable, Sequence

from labgen.importing.service.deviations import Deviation, by_kind
from labgen.importing.service.prove import Proof
from labgen.problems.text import plural, say
from labgen.report.translate import translate

SHOWN = 3
"""Places of each kind that are listed without --all."""


def render_deviations(deviations: Iterable[Deviation], *, show_all: bool) -> str:
    """List the values that were not imported unchanged, by reason: how often, the action taken, and where."""
    kinds = by_kind(deviations)
    return "\n".join(
        f"{len(kind.places):,} x {translate(kind.what)}: {translate(kind.done)}\n"
        f"{_places(kind.places, show_all=show_all)}"
        for kind in kinds
    )


def render_proof(proof: Proof, *, show_all: bool) -> str:
    """Return how many documents are identical, and the reasons why others are not."""
    total = plural(proof.total, "document")
    lines = [
        translate(say("{same:,} of {documents} identical, byte for byte", same=proof.same, documents=total))
    ]
    for one in proof.differences:
        lines += [f"{len(one.paths):,} x {translate(one.reason)}", _places(one.paths, show_all=show_all)]
    return "\n".join(lines)


def render_samples(samples: Iterable[Iterable[tuple[str, str]]]) -> str:
    """Return the first laboratories as they will be published: a line for each filled field."""
    return "\n\n".join(
        "\n".join(f"    {name}: {_one_line(value)}" for name, value in fields) for fields in samples
    )


LONGEST_VALUE = 80


def _one_line(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST_VALUE else f"{plain[: LONGEST_VALUE - 1]}…"


def _places(places: Sequence[str], *, show_all: bool) -> str:
    shown = places if show_all else places[:SHOWN]
    lines = [f"    {translate(place)}" for place in shown]
    if len(places) > len(shown):
        lines.append("    " + translate(say("and {count:,} more", count=len(places) - len(shown))))
    return "\n".join(lines)
