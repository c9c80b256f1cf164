"""Define the list of paid plans (specification 2.8)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.copied_documents import copier
from labgen.api.document_parts import all_of
from labgen.api.endpoint import API, PerSite
from labgen.model.directory import Directory
from labgen.model.records import UpgradeOptionRecord

DEFAULT_PLAN = "business"
"""The plan that the specification shows: its list is always published, even if it is empty."""


class UpgradeOption(TypedDict):
    """A plan at one frequency of billing."""

    billing: Annotated[str, "Plan and frequency: <plan>:<freq>."]
    billing_label: Annotated[str, "Display text of the price per period."]
    freq: Annotated[str, "Observed values: monthly, annual."]
    plan: Annotated[str, "Plan key."]
    plan_label: Annotated[str, "Display name of the plan."]
    recommend: Annotated[bool, "True for the recommended option."]


class UpgradeOptions(TypedDict):
    """The options of each plan, by plan."""

    laboratory: Annotated[dict[str, list[UpgradeOption]], "The options for laboratories, by plan."]


_copied = copier(UpgradeOption, UpgradeOptionRecord)


def upgrade_options(directory: Directory) -> UpgradeOptions:
    """Return the document: the options by plan, in source order, and always the plan `business`."""
    plans: dict[str, list[UpgradeOption]] = {DEFAULT_PLAN: []}
    for record in directory.upgrade_options:
        plans.setdefault(record.plan, []).append(_option(record))
    return UpgradeOptions(laboratory=plans)


def _option(record: UpgradeOptionRecord) -> UpgradeOption:
    option: UpgradeOption = _copied(record)
    option["billing"] = f"{record.plan}:{record.freq}"
    return option


ENDPOINT = PerSite(
    name="upgrade_options",
    title="Upgrade options",
    document=UpgradeOptions,
    spec_section="2.8",
    path=API + "upgrade-options/",
    make=upgrade_options,
    about="The paid plans for laboratories.",
    shows=all_of(UpgradeOptionRecord),
)
