"""Describe what is wrong in a project: problems with a place, their codes, and suggestions."""
