"""Define the codes of problems: each has a file that explains it, in each language."""

from labgen.problems.explanation import FOLDER, Explanations

CODES = Explanations(FOLDER)
"""The codes of problems in a project."""
VERIFY_CODES = Explanations(FOLDER / "verify")
"""The codes of `labgen verify`."""
