"""Compute lists of similar laboratories."""
