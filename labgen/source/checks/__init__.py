"""Check the source data; each module holds one kind of check."""
