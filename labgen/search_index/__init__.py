"""Make the files of the search index (labgen/search/README.md)."""
