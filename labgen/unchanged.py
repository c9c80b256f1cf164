"""The quickest answer: that nothing changed since the site was built. Decided before much is imported."""

from dataclasses import replace
from pathlib import Path

from labgen.inputs import digests_of, find_inputs, program
from labgen.output.manifest import MARKER, read_manifest
from labgen.output.site_folder import Written, claimed, finish_pending, survey_site
from labgen.state import StateFile


def find_unchanged(root: Path, out: Path) -> Written | None:
    """Return what there is to say of a site that nothing changed of, or None where it needs a closer look.

    Raises `OutputError` where another build is writing it.
    """
    state = StateFile(root, out)
    sources = state.read_sources()
    if sources is None or sources.has_warnings or sources.program != program() or not out.is_dir():
        return None
    finish_pending(out)
    inputs = find_inputs(root)
    had, has = sources.inputs.shared | sources.inputs.laboratories, inputs.shared | inputs.laboratories
    if had.keys() != has.keys():
        return None
    uncertain = [name for name, stamp in has.items() if had[name] != stamp]
    if any(digest != sources.digests[name] for name, digest in digests_of(root, uncertain)):
        return None
    with claimed(out):
        marker = read_manifest(out / MARKER)
        if marker is None or marker.made_from != sources.made_from:
            return None
        found = survey_site(out, marker)
        own = set(marker.units.get("", ()))
        if marker.units.keys() - found.passed - {""} or own - found.files:
            return None
    if uncertain:
        state.refresh(replace(sources, inputs=inputs))
    return Written(len(marker), foreign=tuple(sorted(found.files - own)))
