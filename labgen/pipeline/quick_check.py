"""What can be told of a site without reading its data: often, that nothing changed. It needs few imports."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from labgen.memory.state_files import Sources, StateFile
from labgen.output.manifest import MARKER, read_made_from, read_manifest
from labgen.output.site_folder import Written, claimed, finish_pending, survey_site
from labgen.system.input_files import Inputs, changed_files, digests_of, find_inputs, program


@dataclass(frozen=True, slots=True)
class Glance:
    """The files of a project, and what this version of labgen remembers of the site that lies in out/.

    `made_from` is what out/ says of itself, `sources` what the site was made from, as far as that is known,
    and `made_by` this version of labgen with the hosts that it is asked to build for.
    """

    root: Path
    out: Path
    state: StateFile
    inputs: Inputs
    made_from: str
    sources: Sources | None
    made_by: str

    def unchanged(self) -> Written | None:
        """Return what there is to say of a site that nothing changed of, or None where it must be built.

        Raises `OutputError` where another build is writing it.
        """
        sources = self.sources
        if sources is None or sources.has_warnings or self.made_from != sources.made_from:
            return None
        had, has = sources.inputs.everything, self.inputs.everything
        changed = changed_files(has, had)
        digests = digests_of(self.root, changed, has)
        if had.keys() != has.keys() or any(digest != sources.digests[name] for name, digest in digests):
            return None
        with claimed(self.out):
            marker = read_manifest(self.out / MARKER)
            if marker is None or marker.made_from != sources.made_from or len(marker) != sources.files:
                return None
            found = survey_site(self.out, marker)
            own = set(marker.units.get("", ()))
            if marker.units.keys() - found.passed - {""} or own - found.files:
                return None
            if changed:
                self.state.refresh(replace(sources, inputs=self.inputs))
        return Written(len(marker), foreign=tuple(sorted(found.files - own)))


def glance(root: Path, out: Path, hosts: Sequence[str] = ()) -> Glance:
    """Look at a project and at its site; finish what an earlier build left in the middle of its last step.

    `hosts` are those that the command names, beside the settings.
    """
    finish_pending(out)
    state = StateFile(root, out)
    made_from = read_made_from(out / MARKER)
    if made_from:
        with claimed(out):  # another build may be about to use what it prepared
            state.recover(made_from)
    sources = state.read_sources()
    inputs = find_inputs(root)
    made_by = ", host ".join([program(), *hosts])
    is_ours = sources is not None and sources.program == made_by and sources.inputs.links == inputs.links
    return Glance(root, out, state, inputs, made_from, sources if is_ours else None, made_by)
