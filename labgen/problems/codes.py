"""Collect the explanations of all problem codes, except those of `labgen verify` (`verify_codes`)."""

from labgen.problems.data_codes import DATA_CODES
from labgen.problems.explanation import Explanation
from labgen.problems.file_codes import FILE_CODES
from labgen.problems.site_codes import SITE_CODES

CODES: dict[str, Explanation] = FILE_CODES | DATA_CODES | SITE_CODES
