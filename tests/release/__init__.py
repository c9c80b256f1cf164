"""The steps of a release, which RELEASING.md describes."""
