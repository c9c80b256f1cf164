"""Define problems in a project: each with a place and a code, and suggestions such as `did you mean`."""
