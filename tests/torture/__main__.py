"""Tortures labgen: `python tests/torture [NAME ...] [--minutes 2] [--seed N] [--steps 0,2]`."""

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

from torture.runner import main  # noqa: E402 - it lies below the path that was just added

if __name__ == "__main__":
    main()
