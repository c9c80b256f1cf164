"""Check the lists that belong to one laboratory, such as job listings and reviews."""

from labgen.model.catalogues import OWN_LISTS
from labgen.model.record_fields import keys_of
from labgen.model.records import LaboratoryRecord
from labgen.problems.problem import Problem
from labgen.problems.text import say
from labgen.source.read_laboratory import SourceLaboratory

WITH_IDS = {name: record.noun() for name, record in OWN_LISTS.items() if "id" in record.model_fields}
"""The lists whose entries have ids, and the noun for an entry."""


def check_own_lists(source: SourceLaboratory) -> list[Problem]:
    """Check a laboratory's own lists: duplicate ids, dates in the wrong order, the mean of the reviews."""
    if source.record.model_fields_set.isdisjoint(OWN_LISTS):
        return []
    return [*_check_ids(source), *_check_dates(source), *_check_rating(source)]


def _check_ids(source: SourceLaboratory) -> list[Problem]:
    problems = []
    for name, noun in WITH_IDS.items():
        seen: set[int] = set()
        for position, one in enumerate(getattr(source.record, name)):
            if one.id in seen:
                message = say("the {noun} {id} stands twice in this laboratory", noun=noun, id=one.id)
                place = source.place(keys_of(LaboratoryRecord)[name], position, "id")
                problems.append(
                    Problem(
                        "duplicate-id", message, place, say("each {noun} has an id of its own", noun=noun)
                    )
                )
            seen.add(one.id)
    return problems


def _check_dates(source: SourceLaboratory) -> list[Problem]:
    return [
        Problem(
            "reversed-dates",
            say(
                "`valid_through` is {valid_through}, before `published_on`, {published_on}",
                valid_through=job.valid_through,
                published_on=job.published_on,
            ),
            source.place("job_listings", position, "valid_through"),
            severity="warning",
        )
        for position, job in enumerate(source.record.job_listings)
        if job.valid_through is not None and job.valid_through < job.published_on
    ]


def _check_rating(source: SourceLaboratory) -> list[Problem]:
    """Warn if the rating is not the mean of the reviews, its only known source."""
    record = source.record
    if not record.reviews or "rating" in source.unsound:
        return []
    mean = mean_of([one.rating for one in record.reviews])
    if "rating" not in record.model_fields_set:
        message = say("`rating` is missing, but the mean of the reviews is {mean}", mean=mean)
        place, hint = source.place("reviews"), say("add `rating`, with {mean}", mean=mean)
    elif record.rating != mean:
        message = say(
            "`rating` is {rating}, but the mean of the reviews is {mean}", rating=record.rating, mean=mean
        )
        place, hint = source.place("rating"), say("write {mean}", mean=mean)
    else:
        return []
    return [Problem("rating-not-mean", message, place, hint, severity="warning")]


def mean_of(ratings: list[str]) -> str:
    """Return the mean of ratings with two decimals each, rounded half up to two decimals."""
    total = sum(int(rating.replace(".", "")) for rating in ratings)
    mean = (2 * total + len(ratings)) // (2 * len(ratings))
    return f"{mean // 100}.{mean % 100:02}"
