"""Reading data/: files, formats, validation, references, and the places of problems."""
