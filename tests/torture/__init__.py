"""Tortures of labgen; see README.md."""
