"""The upgrade options: what one of them says must fit the others."""

from collections import Counter

from labgen.model.records import UpgradeOptionRecord
from labgen.problems.problem import Place, Problem, shown
from labgen.source.read_lists import SourceList


def check_upgrade_options(options: SourceList) -> tuple[tuple[UpgradeOptionRecord, ...], list[Problem]]:
    """Return the options in source order, and what is wrong between them (specification 2.8)."""
    if options.file is None and options.is_sound:
        hint = "write one, such as data/upgrade_options.json; [] if there are no paid plans"
        return (), [Problem("missing-file", "there is no file data/upgrade_options.*", Place("data"), hint)]
    records = tuple(record for record in options.records.values() if isinstance(record, UpgradeOptionRecord))
    return records, _check_billing(options) + _check_recommendations(options)


def _check_billing(options: SourceList) -> list[Problem]:
    return [
        Problem(
            "mismatch",
            f"`billing` must be {shown(key)}, made of plan and freq, not {shown(record.billing)}",
            Place(options.file or "", (*options.pointers[key], "billing")),
            "leave it out: labgen makes it",
        )
        for key, record in options.records.items()
        if isinstance(record, UpgradeOptionRecord) and record.billing not in (None, key)
    ]


def _check_recommendations(options: SourceList) -> list[Problem]:
    recommended: Counter[str] = Counter()
    problems = []
    for key, record in options.records.items():
        if not isinstance(record, UpgradeOptionRecord) or not record.recommend:
            continue
        recommended[record.plan] += 1
        if recommended[record.plan] > 1:
            message = f"the plan `{record.plan}` has more than one recommended option"
            place = Place(options.file or "", (*options.pointers[key], "recommend"))
            problems.append(Problem("two-recommended", message, place, severity="warning"))
    return problems
