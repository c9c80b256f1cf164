"""Records for tests are drawn from their declarations; what cannot be drawn is named, with what to do."""

from typing import Annotated, Literal

import pytest
from draw_records import Drawer, NotDrawnError
from pydantic import Field

from labgen.model.pictures import LARGE, Pictured
from labgen.model.records import Record
from labgen.model.values import EACH_ONCE, Digits, FilledLine, Id, Image, RefersTo


@pytest.mark.parametrize(
    "kind",
    [
        Annotated[int, Field(ge=1800)], Annotated[int, Field(ge=1800, le=1801)] | None, Annotated[int, Field(gt=3, lt=6)],
        Annotated[int, Field(lt=-5)], Annotated[int, Field(multiple_of=7, ge=10)], Annotated[int | None, Field(le=5)], int, bool,
        list[Annotated[int, Field(ge=50)]], Literal["a", "b"], Annotated[str, Field(pattern="^[a-z]{3}$", examples=["abc"])],
        Annotated[Image, Pictured(LARGE)], Annotated[list[Digits], EACH_ONCE] | None, Annotated[FilledLine, EACH_ONCE],
        Annotated[list[Id], RefersTo("materials")],
    ],
)  # fmt: skip
def test_a_value_within_the_limits_of_its_type_is_drawn(kind):
    class One(Record):
        of_type: kind  # type: ignore[valid-type]
        of_field: int = Field(ge=1800, le=1810)

    drawer = Drawer(materials=[3])
    for _ in range(20):
        One.model_validate(drawer.record(One), strict=True)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Annotated[str, Field(pattern="^[a-z]{3}$")], "String should match pattern"),
        (bytes, "<class 'bytes'> is none of the types in tests/draw_records.py"),
        (int | str, "int | str is none of the types in tests/draw_records.py"),
        (Annotated[Id, RefersTo("regions")], "Input should be a valid integer"),
    ],
)
def test_a_field_of_which_no_value_can_be_drawn_is_named_with_what_to_do(kind, reason):
    class OddRecord(Record):
        code: kind  # type: ignore[valid-type]

    with pytest.raises(NotDrawnError) as raised:
        Drawer().record(OddRecord)
    assert str(raised.value).startswith(
        "OddRecord.code: no value can be drawn for the tests: give it `examples`, as Field(examples=[…]) in its type"
    )
    assert reason in str(raised.value)


def test_a_field_that_has_only_one_value_is_named():
    class OddRecord(Record):
        code: Literal["a"]

    with pytest.raises(
        NotDrawnError, match=r"OddRecord\.code: only 'a' can be drawn: give it two `examples`"
    ):
        Drawer().another(OddRecord, "code", "a")
