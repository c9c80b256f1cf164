"""The formats of source files: parsers, and scanners that find places."""
