"""Computed lists of similar laboratories."""
