"""Publish a directory of testing laboratories as a static JSON API."""

__version__ = "0.1.0"
