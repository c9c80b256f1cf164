"""Import from a running service with this API: fetch its documents, write a project, and verify it."""
