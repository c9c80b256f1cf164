"""Assign slots to laboratories: their numbers in the index, in the order of display_ids."""

from collections.abc import Collection

SPARSE = 4
"""Numbers a laboratory over which display_ids may be spread, where each has a slot of its own."""
ALWAYS_SMALL = 1 << 16
"""So many slots are never too many: lists stay short."""
CARDS_PER_FILE = 16


def slots_of(display_ids: Collection[str]) -> dict[str, int]:
    """Return the slot of each laboratory; slots ascend in the order of display_ids as texts.

    Slots are spread as the display_ids are, and leave gaps. So a laboratory that comes or goes moves few
    others. They depend on nothing but the set of display_ids.
    """
    ordered = sorted(display_ids)
    if not ordered:
        return {}
    length = max(map(len, ordered))
    values = [int(one.ljust(length, "0")) for one in ordered]
    step = 1 << max(0, (values[-1] - values[0]).bit_length() - 3)
    low = values[0] // step * step
    span = (values[-1] // step + 1) * step - low
    room = span if span <= max(SPARSE * len(ordered), ALWAYS_SMALL) else room_for(len(ordered))
    slots, last = {}, -1
    for display_id, value in zip(ordered, values, strict=True):
        last = max(last + 1, (value - low) * room // span)
        slots[display_id] = last
    return slots


def room_for(count: int) -> int:
    """Return how many slots sparse display_ids have: 16, 24, 32, 48, 64 …, so that they seldom change."""
    room = 16
    while room < count * 7 // 4:
        room = room * 3 // 2 if room & (room - 1) == 0 else room * 4 // 3
    return room


def slots_per_card_file(last: int, count: int) -> int:
    """Return how many slots share a file of cards, a power of two: so that it has some sixteen cards."""
    sparse = max(1, (last + 1) // max(1, count))
    return CARDS_PER_FILE << (sparse.bit_length() - 1)
