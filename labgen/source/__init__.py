"""Read and check the source data: files, formats, validation, references, places of problems."""
