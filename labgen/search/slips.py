"""Find the words of the index that a misspelt word may mean (labgen/search/README.md, "Words")."""

from collections.abc import Iterable, Iterator

from labgen.search.index_files import Files

MOST_NEAR = 8
"""Maximum number of words that replace a misspelt word."""
LEAST_FOR_SLIP, MOST_FOR_HALVES = 5, 8
"""Lengths of the words that a misspelt word is compared with by halves."""
LEAST_FOR_TWO_SLIPS = 9


def words_near(files: Files, form: str) -> list[str]:
    """Return the words that one typing error separates from this word, else, if it is long, two errors."""
    candidates = (
        *_with_a_half(files, form),
        *_with_a_long_half(files, form),
        *_with_swapped_middle(files, form),
    )
    keys = list(dict.fromkeys(candidates))
    for most in (1, 2) if len(form) >= LEAST_FOR_TWO_SLIPS else (1,):
        if words := [key for key in keys if is_near(key, form, most)][:MOST_NEAR]:
            return words
    return []


def halves(word: str) -> tuple[tuple[str, str], ...]:
    """Return the keys under which a word is found by one of its halves, each with the other half."""
    if not LEAST_FOR_SLIP <= len(word) <= MOST_FOR_HALVES:
        return ()
    half = len(word) // 2
    return (f"{word[:half]}-", word[half:]), (f"-{word[half:]}", word[:half])


def _with_a_half(files: Files, form: str) -> Iterator[str]:
    """Yield words of five to eight letters with a half of this word."""
    length = len(form)
    for other in range(max(LEAST_FOR_SLIP, length - 1), min(MOST_FOR_HALVES, length + 1) + 1):
        half = other // 2
        yield from (form[:half] + end for end in files.find("near", f"{form[:half]}-") or ())
        end = form[length - (other - half) :]
        yield from (begin + end for begin in files.find("near", f"-{end}") or ())


def _with_a_long_half(files: Files, form: str) -> list[str]:
    half = len(form) // 2
    if half < LEAST_FOR_SLIP - 1:
        return []
    begun = files.keys_between("words", form[:half], form[:half] + "\uffff")
    return begun + with_end(files, [form[half:]])


def _with_swapped_middle(files: Files, form: str) -> list[str]:
    """Return the word with the two letters in the middle swapped, which breaks both halves, if it exists."""
    half = len(form) // 2
    swapped = form[: half - 1] + form[half : half + 1] + form[half - 1 : half] + form[half + 1 :]
    return (
        [swapped] if len(form) >= LEAST_FOR_SLIP and swapped != form and files.find("words", swapped) else []
    )


def is_near(one: str, other: str, most: int) -> bool:
    """Return whether at most `most` edits (letters added, dropped, replaced, swapped) separate two words."""
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        now = [i]
        for j, with_letter in enumerate(other, 1):
            cost = min(row[j] + 1, now[j - 1] + 1, row[j - 1] + (letter != with_letter))
            if before and j > 1 and letter == other[j - 2] and one[i - 2] == with_letter:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        before, row = row, now
        if min(row) > most:
            return False
    return row[-1] <= most


def with_end(files: Files, ends: Iterable[str]) -> list[str]:
    """Return the words with these ends."""
    return [head + end for end in ends for head in files.find("ends", end) or ()]
