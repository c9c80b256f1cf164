"""Make a project from data that lies elsewhere: in tables, in a database, in a running service."""
