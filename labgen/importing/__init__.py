"""Import data into a new project: from tables, from a database, from a running service."""
