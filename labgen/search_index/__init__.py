"""Build and update the files of the search index (labgen/search/README.md)."""
