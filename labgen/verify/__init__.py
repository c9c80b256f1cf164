"""Verify that a folder or a live host is the site that was built."""
