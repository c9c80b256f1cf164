"""Assign slots to laboratories: their numbers in the index, in the order of display_ids."""

from collections.abc import Collection

SPARSE = 4
"""If display_ids spread over at most so many numbers per laboratory, each number has its own slot."""
ALWAYS_SMALL = 1 << 16
"""The same if they spread over at most so many numbers in total: lists stay short."""
CARDS_PER_FILE = 32


def slots_of(display_ids: Collection[str]) -> dict[str, int]:
    """Return the slot of each laboratory; slots ascend in the order of display_ids as texts.

    Slots are spread like the display_ids, with gaps, so an added or removed laboratory moves few others.
    Slots depend only on the set of display_ids.
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
    """Return the number of slots for sparse display_ids: 16, 24, 32, 48, 64 …, so that it seldom changes."""
    room = 16
    while room < count * 7 // 4:
        room = room * 3 // 2 if room & (room - 1) == 0 else room * 4 // 3
    return room


def slots_per_card_file(last: int, count: int) -> int:
    """Return the number of slots per file of cards: a power of two, so that a file has some thirty cards."""
    sparse = max(1, (last + 1) // max(1, count))
    return CARDS_PER_FILE << (sparse.bit_length() - 1)
