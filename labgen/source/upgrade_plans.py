"""Check the upgrade options against one another and the specification (2.8 and 4)."""

from collections import Counter
from collections.abc import Iterator, Mapping

from labgen.model.records import UpgradeOptionRecord
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem, shown
from labgen.problems.text import say
from labgen.source.read_lists import SourceList

PLAN = "business"
FREQUENCIES = ("monthly", "annual")
"""The options that the specification shows: one plan, with one option for each frequency."""


def check_upgrade_options(options: SourceList) -> tuple[tuple[UpgradeOptionRecord, ...], list[Problem]]:
    """Return the valid options in source order, and the problems between them."""
    if options.file is None and options.is_complete:
        hint = say("write one, such as data/upgrade_options.json; [] if there are no paid plans")
        return (), [
            Problem("missing-file", say("there is no file data/upgrade_options.*"), Place("data"), hint)
        ]
    problems = [*_check_billing(options), *_check_recommendations(options), *_check_plans(options)]
    return tuple(_records(options).values()), problems


def _records(options: SourceList) -> Mapping[str, UpgradeOptionRecord]:
    """Return the valid options by their keys, which are `<plan>:<freq>`."""
    found = options.records.items()
    return {key: record for key, record in found if isinstance(record, UpgradeOptionRecord)}


def _place(options: SourceList, key: str, field: str) -> Place:
    return Place(options.file or "", (*options.pointers[key], field))


def _check_billing(options: SourceList) -> list[Problem]:
    return [
        Problem(
            "mismatch",
            say(
                "`billing` must be {key}, made of plan and freq, not {billing}",
                key=shown(key),
                billing=shown(record.billing),
            ),
            _place(options, key, "billing"),
            say("leave it out: labgen makes it"),
        )
        for key, record in _records(options).items()
        if record.billing not in (None, key)
    ]


def _check_recommendations(options: SourceList) -> Iterator[Problem]:
    recommended: Counter[str] = Counter()
    for key, record in _records(options).items():
        recommended[record.plan] += record.recommend
        if record.recommend and recommended[record.plan] > 1:
            message = say("the plan `{plan}` has more than one recommended option", plan=record.plan)
            yield Problem("two-recommended", message, _place(options, key, "recommend"), severity="warning")


def _check_plans(options: SourceList) -> list[Problem]:
    """Warn of options other than one monthly and one annual of the plan `business`.

    An unknown or invalid option was probably meant to be the missing one: then no missing one is reported.
    """
    found = [*_unknown_plans(options), *_unknown_frequencies(options)]
    has_errors = options.known != options.records.keys()
    return found if found or has_errors else [*_missing_frequencies(options)]


def _unknown_plans(options: SourceList) -> Iterator[Problem]:
    """Warn once of each plan other than `business`, at its first option."""
    first: dict[str, str] = {}
    for key, record in _records(options).items():
        if record.plan != PLAN and first.setdefault(record.plan, key) == key:
            message = say(
                "`plan` is {plan}, but the specification shows `{plan_2}` alone (2.8)",
                plan=shown(record.plan),
                plan_2=PLAN,
            )
            yield _unusual(message, _place(options, key, "plan"), did_you_mean(record.plan, [PLAN]))


def _unknown_frequencies(options: SourceList) -> Iterator[Problem]:
    for key, record in _records(options).items():
        if record.freq not in FREQUENCIES:
            shows = say("the specification shows `monthly` and `annual` (2.8)")
            hint = did_you_mean(record.freq, FREQUENCIES)
            yield _unusual(
                say("`freq` is {freq}, but {shows}", freq=shown(record.freq), shows=shows),
                _place(options, key, "freq"),
                hint,
            )


def _missing_frequencies(options: SourceList) -> Iterator[Problem]:
    """Warn of frequencies for which the plan `business` has no option, if it has any option."""
    keys = [key for key, record in _records(options).items() if record.plan == PLAN]
    for freq in FREQUENCIES:
        if keys and f"{PLAN}:{freq}" not in keys:
            message = say(
                "`{plan}` has no {freq} option, but the specification shows one monthly and one annual (4)",
                plan=PLAN,
                freq=freq,
            )
            yield _unusual(message, _place(options, keys[0], "plan"))


def _unusual(message: str, place: Place, hint: str = "") -> Problem:
    return Problem("unusual-option", message, place, hint, severity="warning")
