"""Parse the formats of source files, and find the line and column of a value in them."""
