"""Warn of laboratories that have the name and the place of another one: they are probably there twice."""

from collections import defaultdict

from labgen.memory.database import Memory
from labgen.memory.digest_index import Digested, holders_of_shared
from labgen.memory.remembered_laboratories import known
from labgen.model.summaries import Summary
from labgen.problems.problem import Place, Problem, shown
from labgen.problems.text import say
from labgen.source.read_laboratory import STAND_INS

CODE = "duplicate-laboratory"


def check_namesakes(memory: Memory) -> list[Problem]:
    """Warn of each laboratory with the name and the place of an earlier one, in the order of display_ids."""
    same: defaultdict[str, list[Summary]] = defaultdict(list)
    for one in known(memory, "number", holders_of_shared(memory, Digested.NAMESAKE)).values():
        card = one.summary.card
        is_named = card.name != STAND_INS["name"]
        if is_named and card.display_id.isdecimal():  # else it is a duplicate, which is reported already
            same[one.summary.name_and_place].append(one.summary)
    return [_problem(first, other) for _, (first, *others) in sorted(same.items()) for other in others]


def _problem(first: Summary, other: Summary) -> Problem:
    card = first.card
    message = say(
        "`name` {name} in {place} is also that of {display_id}",
        name=shown(card.name),
        place=shown(card.locality),
        display_id=card.display_id,
    )
    inside = () if other.line is None else (other.line,)
    hint = say('is one of them there twice? if not, accept it: [[accept]], code = "{code}"', code=CODE)
    return Problem(CODE, message, Place(other.file, (*inside, "name")), hint, severity="warning")
