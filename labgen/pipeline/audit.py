"""Audit a site: make random units anew from the sources, and compare them with those in out/.

A build makes only what an edit reaches. An audit is independent of what builds remember of the sampled
laboratories: it reads, examines and renders them again. The search index is made anew as a whole.
"""

from dataclasses import replace
from pathlib import Path

from labgen.output.units import UnitSample
from labgen.output.written import Written
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.result import Outcome
from labgen.problems.problem import Place, Problem
from labgen.problems.text import plural, say

NAMED = 3
"""Maximum number of files in the message."""


def audit(root: Path, out: Path, built: Outcome, options: Options, sample: UnitSample) -> Outcome:
    """Return the outcome of a build with what an audit of the site found; stale files are made anew.

    `built` is the outcome of a build that is just done. Raises `OutputError` as a build does.
    """
    differing: list[str] = []

    def note(_: Path, written: Written) -> None:
        differing.extend(sorted({*written.written, *written.removed}))

    tried = build(root, out, replace(options, on_staged=note, sample=sample))
    if tried.written is None:
        return tried
    if not differing:
        notes = (
            *built.notes,
            say("audit of {share:.4g} %: what was made anew is as it was", share=sample.share),
        )
        return replace(built, notes=notes)
    healed = build(root, out, replace(options, is_whole=True))
    return replace(healed, found=[*healed.found, _stale(differing, out)])


def _stale(differing: list[str], out: Path) -> Problem:
    named: str = ", ".join(f"`{name}`" for name in differing[:NAMED])
    if len(differing) > NAMED:
        named = say("{names} and {count:,} more", names=named, count=len(differing) - NAMED)
    files = plural(len(differing), "file of the site was", "files of the site were")
    message = say("{files} not what the data makes: {names}", files=files, names=named)
    hint = say("all files were made anew; publish again, and report it if nobody changed files by hand")
    return Problem("stale-output", message, Place(out.name), hint, "warning")
