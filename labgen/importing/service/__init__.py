"""Import from a running service with this API: fetch its documents, make a project of them, and prove it."""
